"""Runs the program: ``python -m rulewright``."""

from rulewright.cli.main import run

run()
