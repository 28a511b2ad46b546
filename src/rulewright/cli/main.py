"""The program: its commands, and the handling of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rulewright import __version__
from rulewright.cli.commands import lazy_commands
from rulewright.cli.exit_codes import NOT_HELD, STOPPED, WRONG_INPUT
from rulewright.errors import CertificateError, RulewrightError


class Program(TyperGroup):
    """The group of commands; messages on wrong usage escape the arguments."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for command in lazy_commands():
            self.add_command(command)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _escaped_usage_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        with _escaped_usage_errors():
            return super().invoke(*args, **kwargs)


PLAIN_WORDS = {
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": "it must be a whole "
    "number.",
    "Input should be a valid number, unable to parse string as a number": "it must be a number.",
}
"""What the parser of options says, and what is printed instead."""


def _plain(message: str) -> str:
    for words, plain in PLAIN_WORDS.items():
        message = message.replace(words, plain)
    return message


@contextmanager
def _escaped_usage_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # The class of usage errors is in click or in typer, by the version of typer.
        if isinstance(getattr(error, "message", None), str) and hasattr(error, "exit_code"):
            from rulewright.render import console_text  # noqa: PLC0415

            error.message = console_text(_plain(error.message))  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="rulewright",
    cls=Program,
    help="Classifiers that people can read, each with a certificate of its error on new cases.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    """Run the program; wrong input exits with 1, wrong usage with 2, a check that fails with 3."""
    try:
        app()
    except CertificateError as error:
        _fail(str(error), NOT_HELD, holds=False)
    except RulewrightError as error:
        _fail(str(error))
    except MemoryError:
        _fail(
            "There is not enough memory for this table. Leave out columns with --drop, give fewer "
            "rows, or use a machine with more memory."
        )
    except SystemExit as stop:
        if stop.code in STOPPED:
            print("Stopped.", file=sys.stderr)
        _flush()
        raise


def _flush() -> None:
    """Write the rest of the output; ignore a closed pipe."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int = WRONG_INPUT, **facts: bool) -> None:
    from rulewright.cli.console import print_json  # noqa: PLC0415
    from rulewright.render import console_text  # noqa: PLC0415

    if "--json" in sys.argv:
        print_json({**facts, "error": message})
    print(f"Error: {console_text(message)}", file=sys.stderr)
    sys.exit(code)
