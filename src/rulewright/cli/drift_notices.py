"""Notices of predict and explain where new rows differ from the training rows, and their log."""

from __future__ import annotations

import hashlib
import json as json_format
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulewright import __version__
from rulewright.cli.console import warn_line
from rulewright.cli.exit_codes import NOT_HELD
from rulewright.data import CellColumn, Table, is_same_file
from rulewright.errors import FileError
from rulewright.models import (
    DRIFT_LEVEL,
    DriftCounter,
    DriftReport,
    Model,
    RegressionModel,
)
from rulewright.render import json_text

FailOnDrift = Annotated[
    bool,
    typer.Option(
        "--fail-on-drift",
        help=f"Exit with {NOT_HELD} if the rows differ from the training rows, or cannot be "
        "compared with them. The predictions are written all the same.",
    ),
]
DriftLevel = Annotated[
    float,
    typer.Option(
        "--drift-level",
        metavar="SHARE",
        help="Maximum probability of any notice if the source of the rows has not changed.",
    ),
]
LogPath = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FILE",
        help="Append one line of JSON about this run: rows, predictions and differences.",
    ),
]
RECORD = "rulewright run"
"""First member of a line of a log."""


@dataclass(frozen=True)
class DriftOptions:
    """What the command line says about the comparison with the training rows."""

    fail: bool = False
    level: float = DRIFT_LEVEL
    log: Path | None = None

    def check(self, inputs: dict[str, Path], out_path: Path | None) -> None:
        """Refuse a level that is no probability, and a log that would spoil another file."""
        if not 0 < self.level < 1:
            raise typer.BadParameter(f"--drift-level must be in (0, 1), got {self.level:g}.")
        if self.log is None:
            return
        others = {**inputs, **({} if out_path is None else {"--out file": out_path})}
        for what, path in others.items():
            if is_same_file(self.log, path):
                raise FileError(
                    f"Refusing to append to {self.log}: it is the {what}. Choose another --log."
                )
        _check_log(self.log)


class RunCounter:
    """Counts of a run for its notices: the rows, their rules and their values."""

    def __init__(self, model: Model | RegressionModel) -> None:
        self._drift = DriftCounter(model)

    def update(self, table: Table, rules: CellColumn) -> None:
        """Count the rows of a batch; ``rules`` are the numbers that are written, from 1."""
        self._drift.count_columns(table)
        rows = np.bincount(rules.codes, minlength=len(rules.values))
        np.add.at(self._drift.rules, np.array(rules.values, np.int64) - 1, rows)

    def report(self, level: float) -> DriftReport:
        """Return what differs from the training rows."""
        return self._drift.report(level)


def finish_run(
    command: str,
    paths: tuple[Path, Path],
    counts: Counter[Any],
    report: DriftReport,
    options: DriftOptions,
    *,
    quiet: bool,
) -> None:
    """Print the notices on standard error, append to the log, and fail where that is asked for."""
    not_compared = not report.tests
    if not quiet or options.fail:
        for line in report.lines():
            warn_line(f"Drift: {line}")
        if not_compared or options.fail:
            for note in report.notes:
                warn_line(f"Note: {note}")
    failed = options.fail and (report.found or not_compared)
    if options.log is not None:
        _append(options.log, _record(command, paths, counts, report, failed))
    if failed:
        raise typer.Exit(NOT_HELD)


def _record(
    command: str,
    paths: tuple[Path, Path],
    counts: Counter[Any],
    report: DriftReport,
    failed: bool,
) -> dict[str, Any]:
    model, data = paths
    return {
        "record": RECORD,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "command": command,
        "model": str(model),
        "model_sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "data": str(data),
        "rows": report.rows,
        "predictions": _predictions(counts),
        "drift": report.to_dict(),
        "exit_code": NOT_HELD if failed else 0,
    }


def _predictions(counts: Counter[Any]) -> dict[str, int]:
    return {str(label): n for label, n in sorted(counts.items(), key=str)}


def _check_log(path: Path) -> None:
    """Refuse to append to a file that is not a log of this program."""
    try:
        with path.open(encoding="utf-8") as file:
            first = file.readline()
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise FileError(f"Cannot write {path}: its folder does not exist.") from None
        return
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"Cannot append to {path}: {error}. Choose another --log.") from error
    if first.strip() and not first.startswith(f'{{"record": "{RECORD}"'):
        raise FileError(
            f"Refusing to append to {path}: it is not a log of rulewright. Choose another --log."
        )


def _append(path: Path, record: dict[str, Any]) -> None:
    line = json_text(json_format.dumps(record, ensure_ascii=False, allow_nan=False))
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")  # one write: lines of simultaneous runs do not mix
    except OSError as error:
        raise FileError(f"Cannot append to {path}: {error.strerror or error}.") from error
