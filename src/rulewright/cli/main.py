"""The program: its commands, and what becomes of errors."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from rulewright import __version__
from rulewright.cli.certify import certify
from rulewright.cli.data import data
from rulewright.cli.explain import explain
from rulewright.cli.fit import fit
from rulewright.cli.predict import predict
from rulewright.cli.show import show
from rulewright.errors import RulewrightError

app = typer.Typer(
    name="rulewright",
    help="Classifiers that people can read, each with a certificate of its error on new cases.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
INTERRUPTED = 130
for command in (fit, show, predict, explain, certify, data):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"rulewright {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Classifiers that people can read, each with a certificate of its error on new cases."""


def run() -> None:
    """Run the program; wrong input exits with 1, wrong usage with 2."""
    try:
        app()
    except RulewrightError as error:
        _fail(str(error))
    except MemoryError:
        _fail(
            "There is not enough memory for this table. Leave out columns with --drop, give fewer "
            "rows, or use a machine with more memory."
        )
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            print("Stopped.", file=sys.stderr)
        _flush()
        raise


def _flush() -> None:
    """Write what is left, and say nothing where the reader has gone."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    if "--json" in sys.argv:
        print(json.dumps({"error": message}, ensure_ascii=False))
    print(f"Error: {message}", file=sys.stderr)
    sys.exit(1)
