"""Output and progress display of the commands."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from rulewright.data import is_standard_output, write_atomically
from rulewright.render import console_text, json_text

PATIENCE = 1.0
"""Number of seconds before progress is shown."""

PROGRESS_FILE = "RULEWRIGHT_PROGRESS"
"""Variable that names a file to which progress is written, for a program that runs a command."""
PROGRESS_PAUSE = 0.2
"""Number of seconds between two reports of progress to a file."""

CellProgress = Callable[[int, int, float | None], None]
ReportProgress = Callable[[str, int, "int | None"], None]


class PlainConsole:
    """Standard output or standard error; printed text is data and has no effect on the terminal.

    Markup in names and values is not interpreted, and control characters are escaped.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        self._console = Console(
            stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True
        )

    def print(self, text: str) -> None:
        """Print a text of one or more lines."""
        self._console.print(console_text(text))


def print_json(data: Any) -> None:
    """Print one JSON value for a machine."""
    print(json_text(json.dumps(data, ensure_ascii=False, allow_nan=False)))


def out(*written: Path | None) -> PlainConsole:
    """Open standard output, or standard error where one of the outputs goes to the former."""
    return PlainConsole(
        stderr=any(path is not None and is_standard_output(path) for path in written)
    )


class _Visible:
    """A text stream that escapes the control characters of terminals."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(console_text(text))


def data_stream() -> IO[str]:
    """Open standard output for data: unchanged for a program, escaped on a terminal."""
    return cast(IO[str], _Visible(sys.stdout)) if sys.stdout.isatty() else sys.stdout


@contextmanager
def gathered(category: type[Warning]) -> Iterator[list[str]]:
    """Collect the warnings of a category, to print at the end; other warnings pass unchanged."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category)
        yield texts
    for warning in caught:
        if issubclass(warning.category, category):
            texts.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def warn(cautions: Sequence[str]) -> None:
    """Print notices on standard error."""
    for caution in cautions:
        warn_line(f"Caution: {caution}")


def warn_line(text: str) -> None:
    """Print a text on standard error."""
    PlainConsole(stderr=True).print(text)


@contextmanager
def busy(quiet: bool) -> Iterator[ReportProgress]:
    """Show progress on standard error once the work takes longer than a second.

    Yields a function of the current work, the amount done, and the total amount (None if that is
    not known).
    """
    if PROGRESS_FILE in os.environ:
        yield _file_progress(Path(os.environ[PROGRESS_FILE]))
        return
    console = Console(stderr=True, markup=False, highlight=False)
    if quiet or not console.is_terminal:
        yield lambda what, done, max_steps: None
        return
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    task = progress.add_task("", total=None)
    patience = threading.Timer(PATIENCE, progress.start)
    patience.daemon = True
    patience.start()

    def report_progress(what: str, done: int, max_steps: int | None) -> None:
        count = f"{done:,}" if max_steps is None else f"{done:,} of at most {max_steps:,}"
        progress.update(task, description=console_text(f"{what}: {count}" if done else what))

    try:
        yield report_progress
    finally:
        patience.cancel()
        patience.join()
        progress.stop()


def _file_progress(path: Path) -> ReportProgress:
    """Return a function that writes the current work to a file, a few times a second."""
    last: list[tuple[str, float]] = []

    def write(what: str, done: int, max_steps: int | None) -> None:
        now = time.monotonic()
        if last and last[0][0] == what and now - last[0][1] < PROGRESS_PAUSE:
            return
        last[:] = [(what, now)]
        with write_atomically(path) as temporary:
            temporary.write_text(
                json.dumps({"what": what, "done": done, "total": max_steps}), encoding="utf-8"
            )

    return write


def page_width() -> int:
    """Number of letters in a line of a page of results."""
    return max(shutil.get_terminal_size((100, 24)).columns, 60)


@contextmanager
def busy_cells(quiet: bool, what: str) -> Iterator[CellProgress | None]:
    """Show a bar and the time left on standard error, while the cells of an experiment run."""
    console = Console(stderr=True, markup=False, highlight=False)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(console_text(what), total=None, left="")

        def count(done: int, total: int, seconds: float | None) -> None:
            left = "" if seconds is None else f"about {duration_text(seconds)} left"
            progress.update(task, completed=done, total=total, left=left)

        yield count


def duration_text(seconds: float) -> str:
    """Return a rough duration.

    Examples
    --------
    >>> duration_text(12.3), duration_text(200), duration_text(9000)
    ('12 s', '3 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
