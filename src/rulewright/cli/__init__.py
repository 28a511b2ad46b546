"""Cli: the command line.

Reads arguments, calls the rooms below, prints. Results go to standard output, everything else to
standard error. Exit codes: 0, 1 for wrong input, 2 for wrong usage. May import: all rooms.
"""

__all__: list[str] = []
