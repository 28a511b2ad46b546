"""Exit codes of the program."""

WRONG_INPUT = 1
NOT_HELD = 3
"""A check that fails."""
STOPPED = (129, 130, 143)
"""On SIGHUP, SIGINT and SIGTERM."""
