"""Experiments: what the papers report, run again.

Tables, comparisons and cards, each from public data and one command. May import: all rooms but
report and cli. Nothing has been reproduced yet, so the room is empty.
"""

__all__: list[str] = []
