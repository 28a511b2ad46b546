"""Exit codes of the program: 0 on success, 2 on wrong usage, and those below."""

WRONG_INPUT = 1
NOT_HELD = 3
"""A check that was asked for fails: a certificate, a test against it, or a comparison of rows."""
STOPPED = (129, 130, 143)
"""On SIGHUP, SIGINT and SIGTERM."""
