"""What the commands share: where they print, and how they show that they are busy."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

PATIENCE = 1.0
"""Seconds before progress is shown at all."""

Tell = Callable[[str, int, "int | None"], None]


def print_json(data: Any) -> None:
    """Print one JSON value for a machine."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False))


def out() -> Console:
    """Open standard output; names and values are data, so no markup is read from them."""
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=True)


@contextmanager
def gathered(category: type[Warning]) -> Iterator[list[str]]:
    """Gather what is warned of inside, to be told at the end; other warnings go on as they are."""
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
    """Say on standard error what a reader should be told besides."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
    for caution in cautions:
        console.print(f"Caution: {caution}")


@contextmanager
def busy(quiet: bool) -> Iterator[Tell]:
    """Show progress on standard error once the work takes longer than a second.

    Yields a function to be told what is being done, how much of it is done, and how much there is
    (None where that is not known).
    """
    console = Console(stderr=True, markup=False, highlight=False)
    if quiet or not console.is_terminal:
        yield lambda what, done, most: None
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

    def tell(what: str, done: int, most: int | None) -> None:
        count = f"{done:,}" if most is None else f"{done:,} of at most {most:,}"
        progress.update(task, description=f"{what}: {count}" if done else what)

    try:
        yield tell
    finally:
        patience.cancel()
        patience.join()
        progress.stop()
