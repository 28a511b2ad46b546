"""Monitoring: batches of rows compared with the training rows and with the certificate.

The level is the probability that any batch gives a finding if nothing has changed. It is divided
equally among the batches; where classes are known, half of a batch's part is for its errors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import split_interval
from rulewright.certificates import RateInterval
from rulewright.data import Column, Table, detect_table, frame, is_frame, is_missing
from rulewright.errors import InputError
from rulewright.evaluation.pages import page_of_monitoring
from rulewright.evaluation.results import CertificateComparison, PrintedResult
from rulewright.evaluation.testing import (
    DEFAULT_DELTA,
    UNKNOWN,
    class_numbers,
    compared_with_certificate,
)
from rulewright.experiments import ResultPage
from rulewright.models import DRIFT_LEVEL, DriftCounter, DriftReport, Model, RegressionModel
from rulewright.render import NO_ANSWER, class_text
from rulewright.rules import ABSTAIN

PERIODS = ("day", "week", "month", "year")
NO_TIME = "(no time)"
MAX_BATCHES = 1000
MICROSECONDS_A_DAY = 86_400_000_000
WEEK_START = 3
"""1970-01-01, day 0, is a Thursday: weeks begin on Monday, three days earlier."""


@dataclass(frozen=True)
class BatchResult:
    """A batch of rows.

    Attributes
    ----------
    name : str
        Its period, or its file.
    rows : int
    predictions : dict of str to int
        Rows of each answer; empty for a regression model.
    error : RateInterval or None
        Misclassified rows among those with a known class; None where there are none. The intervals
        of all batches hold at once.
    certificate : CertificateComparison or None
    drift : DriftReport
    """

    name: str
    rows: int
    predictions: dict[str, int]
    error: RateInterval | None
    certificate: CertificateComparison | None
    drift: DriftReport

    @property
    def found(self) -> bool:
        """Whether the batch differs from training, or has more errors than certified."""
        return self.drift.found or not (self.certificate is None or self.certificate.within)

    def share(self, answer: str) -> float | None:
        """Share of the rows that get an answer; None without rows."""
        return self.predictions.get(answer, 0) / self.rows if self.rows else None

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return {
            "name": self.name,
            "rows": self.rows,
            "predictions": dict(self.predictions),
            "error": None if self.error is None else self.error.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "drift": self.drift.to_dict(),
        }


@dataclass(frozen=True, repr=False)
class Monitoring(PrintedResult):
    """Batches of rows in their order. Printed, it is a page of tables.

    Attributes
    ----------
    batches : tuple of BatchResult
    answers : tuple of str
        The answers of the model.
    level : float
        Maximum probability of any finding if nothing has changed since training.
    bound : float or None
        Bound of the certificate on the error.
    notes : tuple of str
    """

    batches: tuple[BatchResult, ...]
    answers: tuple[str, ...]
    level: float
    bound: float | None
    notes: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Whether any batch has a finding."""
        return any(batch.found for batch in self.batches)

    @property
    def summary(self) -> str:
        """Number of batches, and of those with findings."""
        rows = sum(batch.rows for batch in self.batches)
        batches = f"{rows:,} rows in {len(self.batches)} batch{_es(len(self.batches))}."
        changed = [batch.name for batch in self.batches if batch.drift.found]
        worse = [
            batch.name
            for batch in self.batches
            if batch.certificate is not None and not batch.certificate.within
        ]
        if not changed and not worse:
            return f"{batches} No difference from the training rows was found."
        parts = [batches]
        if changed:
            parts.append(f"Different from the training rows: {', '.join(changed)}.")
        if worse:
            parts.append(f"More errors than the certificate allows: {', '.join(worse)}.")
        return " ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "level": self.level,
            "bound": self.bound,
            "answers": list(self.answers),
            "batches": [batch.to_dict() for batch in self.batches],
            "notes": list(self.notes),
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with one row for each batch; ``library`` as in ``get_rules``."""
        errors = [batch.error for batch in self.batches]
        columns: dict[str, list[Any]] = {
            "batch": [batch.name for batch in self.batches],
            "rows": [batch.rows for batch in self.batches],
            **{
                f"share of {name}": [batch.share(name) for batch in self.batches]
                for name in self.answers
            },
            "error": [None if each is None else each.share for each in errors],
            "findings": [len(batch.drift.findings) for batch in self.batches],
        }
        return frame(columns, library)

    def page(self, title: str = "Monitoring of a model") -> ResultPage:
        return page_of_monitoring(self, title)

    __repr__ = PrintedResult.__str__


class BatchCounter:
    """Counts of the rows of a batch, as they are read."""

    def __init__(self, model: Model | RegressionModel) -> None:
        self._model = model
        self._drift = DriftCounter(model)
        self._answers: Counter[str] = Counter()
        self.labelled = self.errors = 0

    def update(self, table: Table, rules: NDArray[np.int32], y: Sequence[Any] | None) -> None:
        """Count rows with the rules that answer them, and their classes where these are known."""
        self._drift.update(table, rules)
        if not isinstance(self._model, Model):
            return
        outputs = np.array(self._model.body.outputs, np.int32)[rules]
        for name, code in answer_codes(self._model).items():
            self._answers[name] += int((outputs == code).sum())
        if y is None:
            return
        known = np.array([not is_missing(label) for label in y], np.bool_)
        if known.any():
            codes = class_numbers(self._model, [label for label in y if not is_missing(label)])
            self.labelled += codes.size
            self.errors += int(((outputs[known] != codes) | (codes == UNKNOWN)).sum())

    def result(self, name: str, level: float, batches: int) -> BatchResult:
        """Return the result of the batch, one of several."""
        certificate = getattr(self._model, "certificate", None)
        error = compared = None
        if self.labelled:
            level /= 2
            ends = split_interval(self.errors, self.labelled, 0.0, math.log(batches), DEFAULT_DELTA)
            error = RateInterval(self.labelled, self.errors, *ends)
            compared = compared_with_certificate(certificate, self.errors, self.labelled, level)
        drift = self._drift.report(level)
        return BatchResult(name, drift.rows, dict(self._answers), error, compared, drift)


class MonitoredBatches:
    """Batches of rows by name, in the order in which they were first seen or of their names."""

    def __init__(self, model: Model | RegressionModel) -> None:
        self._model = model
        self._counters: dict[str, BatchCounter] = {}

    def update(self, table: Table, names: Sequence[str], y: Sequence[Any] | None = None) -> None:
        """Count rows; ``names`` are the batches that they belong to."""
        rules = self._model.body.answer(table)
        texts = np.array(names, object)
        for name in dict.fromkeys(names):
            if name not in self._counters:
                if len(self._counters) == MAX_BATCHES:
                    raise InputError(
                        f"There are more than {MAX_BATCHES} batches. Choose a longer period, or "
                        "another column of times."
                    )
                self._counters[name] = BatchCounter(self._model)
            own = np.flatnonzero(texts == name)
            labels = None if y is None else [y[place] for place in own.tolist()]
            part = table if own.size == table.rows else table.take(own)
            self._counters[name].update(part, rules[own], labels)

    def result(self, level: float, *, in_order: bool = False) -> Monitoring:
        """Return the result of all batches, ``in_order`` of their names."""
        if not 0 < level < 1:
            raise InputError(f"The level must be in (0, 1), got {level}.")
        counters = self._counters
        names = sorted(counters, key=_by_number) if in_order else list(counters)
        count = max(len(names), 1)
        batches = tuple(counters[name].result(name, level / count, count) for name in names)
        model = self._model
        answers = tuple(answer_codes(model)) if isinstance(model, Model) else ()
        notes = dict.fromkeys(note for batch in batches for note in batch.drift.notes)
        bound = getattr(model.certificate, "bound", None) if isinstance(model, Model) else None
        return Monitoring(batches, answers, level, bound, tuple(notes))


def _by_number(name: str) -> tuple[int, float, str]:
    """Order of batches: numbers by value, other names by text, rows without a time last."""
    try:
        return 0, float(name), name
    except ValueError:
        return 2 if name == NO_TIME else 1, 0.0, name


def answer_codes(model: Model) -> dict[str, int]:
    """Return the text of each answer with its class number."""
    codes = {class_text(label): number for number, label in enumerate(model.classes)}
    return {**codes, NO_ANSWER: ABSTAIN} if model.abstains else codes


def periods_of(column: Column, period: str = "month") -> list[str]:
    """Return the batch of each row: the period of a date, or the text of another value.

    Examples
    --------
    >>> import datetime
    >>> X = np.array([[datetime.date(2024, 1, 31)], [datetime.date(2024, 2, 1)]], object)
    >>> column = detect_table(X).columns[0]
    >>> periods_of(column), periods_of(column, "week")
    (['2024-01', '2024-02'], ['2024-01-29', '2024-01-29'])
    """
    if period not in PERIODS:
        raise InputError(f"The period must be one of {', '.join(PERIODS)}, got {period!r}.")
    moment = column.field.moment
    if moment is None or moment == "duration":
        return [NO_TIME if cell is None else str(cell) for cell in column.cells()]
    known = ~column.missing
    numbers = np.where(known, column.values, 0.0)  # type: ignore[union-attr]
    days = np.floor(numbers if moment == "date" else numbers / MICROSECONDS_A_DAY).astype(np.int64)
    if period == "week":
        days = (days + WEEK_START) // 7 * 7 - WEEK_START
    dates = days.astype("datetime64[D]")
    unit = {"month": "M", "year": "Y"}.get(period, "D")
    texts = np.datetime_as_string(dates.astype(f"datetime64[{unit}]")).tolist()
    return [text if there else NO_TIME for text, there in zip(texts, known.tolist(), strict=True)]


def monitor(
    model: Model | RegressionModel,
    X: Any,
    y: Any = None,
    *,
    times: Any = None,
    period: str = "month",
    level: float = DRIFT_LEVEL,
) -> Monitoring:
    """Compare batches of rows with the training rows; see ``BaseModel.monitor``."""
    batches = MonitoredBatches(model)
    if isinstance(X, Mapping) and not is_frame(X):
        if times is not None:
            raise InputError("A dict of batches has no times: its keys name the batches.")
        for name, rows in X.items():
            table = model.table(rows)
            labels = None if y is None else _labels(y[name], table.rows)
            batches.update(table, [str(name)] * table.rows, labels)
        return batches.result(level)
    table = model.table(X)
    labels = None if y is None else _labels(y, table.rows)
    if times is None:
        batches.update(table, ["all rows"] * table.rows, labels)
        return batches.result(level)
    column = _time_column(X, times, table.rows)
    batches.update(table, periods_of(column, period), labels)
    return batches.result(level, in_order=True)


def _labels(y: Any, rows: int) -> list[Any]:
    labels = np.asarray(y, dtype=object)
    if labels.shape != (rows,):
        raise InputError(
            f"y must have one class for each of the {rows} rows, got shape {labels.shape}."
        )
    return list(labels.tolist())


def _time_column(X: Any, times: Any, rows: int) -> Column:
    if isinstance(times, str):
        return (X if isinstance(X, Table) else detect_table(X)).column(times)
    values = np.asarray(times)
    if values.shape != (rows,):
        raise InputError(
            f"times must be the name of a column, or one value for each of the {rows} rows, got "
            f"shape {values.shape}."
        )
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]")
    return detect_table(values.astype(object).reshape(-1, 1)).columns[0]


def _es(count: int) -> str:
    return "" if count == 1 else "es"
