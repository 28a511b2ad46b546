"""The command line (cli).

Reads arguments, calls the other packages, prints. Results go to standard output, everything else to
standard error. Exit codes: 0, 1 for wrong input, 2 for wrong usage, 3 for a check that fails. May
import: all packages.
"""

__all__ = ["run"]

from rulewright.cli.main import run
