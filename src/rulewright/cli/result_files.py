"""Result pages of a command: where results are kept, and the files that they are written to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.data import ResultStore, write_atomically
from rulewright.errors import InputError
from rulewright.experiments import MARKDOWN_MARK, ResultPage
from rulewright.render import HTML_GENERATOR

FORMATS = {".md": "markdown", ".csv": "csv", ".html": "html"}

Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="Keep finished results here, and go on from them; by default in the user's cache.",
        show_default=False,
    ),
]
PageOut = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write the results here, as .md, .csv or .html."
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="A short form, in less than two minutes.")]


def open_store(path: Path | None, name: str) -> ResultStore:
    """Open the store at a path, or that of the given name in the user's cache."""
    if path is None:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rulewright"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.duckdb"
    return ResultStore(path)


def check_page_file(
    outputs: dict[str, Path | None], inputs: dict[str, Path | None], *, overwrite: bool
) -> None:
    """Refuse files of results that cannot be written, before any work is done."""
    found = []
    for option, path in outputs.items():
        if path is None:
            continue
        if path.suffix.lower() not in FORMATS:
            raise InputError(
                f"{option} must end in {', '.join(FORMATS)}, got {path.name!r}. The ending is the "
                "format."
            )
        found.append(Output(option, path, "a page of results of rulewright", is_result_page))
    read = {what: path for what, path in inputs.items() if path is not None}
    check_outputs(found, read, overwrite=overwrite)


def is_result_page(path: Path) -> bool:
    """Whether a file begins as a page of results; CSV has no mark."""
    try:
        with path.open(encoding="utf-8") as file:
            start = file.read(500)
    except (OSError, UnicodeDecodeError):
        return False
    return start.startswith(MARKDOWN_MARK) or HTML_GENERATOR in start


def write_page(page: ResultPage, path: Path) -> None:
    """Write a page in the format that the ending of the path names."""
    text: str = getattr(page, FORMATS[path.suffix.lower()])()
    with exit_on_signals(), write_atomically(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
