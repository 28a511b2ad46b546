"""Report: one HTML page about one model.

``facts`` gathers everything into a dict of plain values, ``page`` turns that dict into one file
that needs nothing from the network. Every name and value is data and is escaped. May import: all
rooms but cli.
"""

__all__ = ["facts", "page", "write_report"]

from rulewright.report.facts import facts
from rulewright.report.page import page, write_report
