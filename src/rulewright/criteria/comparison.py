"""Comparison tables of criteria."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np

from rulewright.criteria.arithmetic import Floats
from rulewright.criteria.coverage import (
    CRITERIA,
    Criterion,
    accuracy,
    boosting,
    entropy,
    fisher,
    linear_cost,
    precision,
    ratio,
    relative_accuracy,
)
from rulewright.errors import InputError, preview

CASES = ((50, 0), (100, 50), (50, 9), (5, 0), (100, 0), (140, 20))
LECTURE: dict[str, Criterion] = {
    "p - n": accuracy,
    "p - 5n": partial(linear_cost, cost=5.0),
    "p/P - n/N": relative_accuracy,
    "p/(n+1)": ratio,
    "p/(n+p)": precision,
    "Fisher": fisher,
    "gain": entropy,
    "sqrt p - sqrt n": boosting,
}


@dataclass(frozen=True, repr=False)
class ComparisonTable:
    """Criteria (columns) of the counts that rules cover (rows); its text is an aligned table.

    Attributes
    ----------
    P, N : float
        Number of examples of the class, and of all others.
    columns : dict of str to tuple of float
        The counts ``p`` and ``n``, then the values of each criterion, by name.
    """

    P: float
    N: float
    columns: dict[str, tuple[float, ...]]

    @property
    def rows(self) -> list[dict[str, float]]:
        """One dict per rule: its counts and its criteria, by name."""
        return [
            dict(zip(self.columns, row, strict=True))
            for row in zip(*self.columns.values(), strict=True)
        ]

    def __str__(self) -> str:
        columns = [_aligned(name, cells) for name, cells in self._cells()]
        lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        return "\n".join([self._caption, *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        columns = [[name, *cells] for name, cells in self._cells()]
        head, *rows = zip(*columns, strict=True)
        return (
            f"<table><caption>{escape(self._caption)}</caption>"
            f"<thead>{_html_row(head, 'th')}</thead>"
            f"<tbody>{''.join(_html_row(row, 'td') for row in rows)}</tbody></table>"
        )

    @property
    def _caption(self) -> str:
        return f"P = {self.P:,.15g}, N = {self.N:,.15g}"

    def _cells(self) -> list[tuple[str, list[str]]]:
        return [(name, _numbers(values)) for name, values in self.columns.items()]


def table(
    cases: Iterable[Sequence[float]] | None = None,
    P: float = 200,
    N: float = 100,
    criteria: Mapping[str, Criterion] | Iterable[str | Criterion] | None = None,
) -> ComparisonTable:
    """Compare criteria on rules that cover ``p`` of ``P`` examples and ``n`` of ``N`` others.

    Without arguments, the comparison of A. Filchenkov's lecture. Its caption there has
    ``P = N = 100``, but its numbers are for ``P = 200, N = 100``; its gain is a smoothed variant.

    Parameters
    ----------
    cases : pairs ``(p, n)``, optional
    criteria : optional
        Names of criteria, or functions of ``p, n, P, N`` on arrays (shown with their own names),
        or a dict from names to functions.

    Examples
    --------
    >>> table([(50, 0), (100, 50)], criteria=["accuracy", "fisher"])
    P = 200, N = 100
      p   n  accuracy  fisher
     50   0        50   22.65
    100  50        50    2.33
    """
    p, n = _counted(CASES if cases is None else cases)
    chosen = LECTURE if criteria is None else _named(criteria)
    values = {name: _values(name, criterion, p, n, P, N) for name, criterion in chosen.items()}
    return ComparisonTable(P, N, {"p": tuple(p.tolist()), "n": tuple(n.tolist()), **values})


def _counted(cases: Iterable[Sequence[float]]) -> Floats:
    try:
        pairs = np.array([*cases], np.float64)
    except (TypeError, ValueError):
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(
            "cases must be pairs of numbers, the covered examples of the class and of the others, "
            "for example [(50, 0), (100, 50)]."
        )
    return pairs.T


def _named(
    criteria: Mapping[str, Criterion] | Iterable[str | Criterion],
) -> dict[str, Criterion]:
    if isinstance(criteria, Mapping):
        return dict(criteria)
    criteria = [criteria] if isinstance(criteria, str) else [*criteria]
    named: dict[str, Criterion] = {}
    for criterion in criteria:
        name = criterion if isinstance(criterion, str) else getattr(criterion, "__name__", None)
        found = CRITERIA.get(criterion) if isinstance(criterion, str) else criterion
        if found is None:
            raise InputError(f"There is no criterion {name!r}. Choose among {', '.join(CRITERIA)}.")
        if name is None or name in named or name in ("p", "n"):
            has = "none" if name is None else f"the name {name!r}, which is taken"
            raise InputError(
                f"Criteria must have different names, but {found!r} has {has}. Use a dict from "
                "names to functions."
            )
        named[name] = found
    return named


def _values(
    name: str, criterion: Criterion, p: Floats, n: Floats, P: float, N: float
) -> tuple[float, ...]:
    scores = np.asarray(criterion(p, n, P, N))
    if scores.shape != p.shape or scores.dtype.kind not in "biuf":
        raise InputError(
            f"The criterion {name!r} must return a number for each of {p.size} rules, given their "
            f"counts as arrays, but it returned {preview([scores.tolist()])}."
        )
    return tuple(scores.astype(np.float64).tolist())


def _numbers(values: Sequence[float]) -> list[str]:
    """Texts of a column with the fewest decimals that distinguish its values: 0, 2 or 3."""
    finite = [value for value in values if np.isfinite(value)]
    if all(value == round(value) for value in finite):
        decimals = 0
    else:
        decimals = 2 if max(map(abs, finite)) >= 1 else 3
    return [f"{round(value, decimals) + 0.0:.{decimals}f}" for value in values]


def _aligned(name: str, cells: Sequence[str]) -> list[str]:
    width = max(map(len, (name, *cells)))
    return [cell.rjust(width) for cell in (name, *cells)]


def _html_row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
