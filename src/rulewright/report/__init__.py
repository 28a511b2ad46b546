"""Report: one HTML page about one model.

``facts`` gathers everything into a dict of plain values, ``page`` turns that dict into one file
that needs nothing from the network. Every name and value is data and is escaped. May import: all
rooms but cli.
"""

__all__: list[str] = []
