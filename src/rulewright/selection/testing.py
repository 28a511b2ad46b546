"""Losses of models on rows that they did not learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from rulewright.certificates import HoldoutCertificate, PathEntry, certify_held_out, held_rows
from rulewright.errors import InputError
from rulewright.families import ExpertTests
from rulewright.learners import Sample
from rulewright.selection.choosing import Choice, Costs, GridRun, Tried, make_runs
from rulewright.selection.grid_settings import distinct

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Losses:
    """Average losses of the models of a path on the tested weight, and their deviations.

    ``deviation`` is that of the mean over the folds; zero if there is only one test.
    """

    mean: Floats
    deviation: Floats


def losses_on(path: Sequence[PathEntry], new: Sample, costs: Costs, sizes: Sequence[int]) -> Floats:
    """Weight, times cost, of the new rows that the model of each size misclassifies.

    If the path has no model of a size, the next smaller one is used.
    """
    cost = np.ones(len(new.classes)) if costs is None else np.array(list(map(float, costs)))
    price = new.weight * cost[new.y]
    lost = [float(price[e.model.body.classify(new.table) != new.y].sum()) for e in path]
    own = np.array([entry.size for entry in path])
    places = np.maximum(np.searchsorted(own, sizes, side="right") - 1, 0)
    losses: Floats = np.array(lost)[places]
    return losses


def joined(losses: Sequence[Floats], tested: Sequence[float]) -> Losses:
    """Join the losses of several tests, each with the weight that it tested."""
    lost, weight = np.array(losses), np.array(tested)
    rates = lost / weight[:, None]
    spread = rates.std(axis=0, ddof=1) / np.sqrt(len(tested)) if len(tested) > 1 else rates[0] * 0
    return Losses(lost.sum(axis=0) / weight.sum(), spread)


def cross_validated(
    tried: Sequence[Tried],
    sample: Sample,
    folds: Iterable[tuple[Rows, Rows]],
    runs: Callable[[Rows], list[GridRun]],
) -> list[Losses]:
    """Cross-validate runs: make them again without each fold, and test them on it."""
    lost: list[list[Floats]] = [[] for _ in tried]
    tested = []
    for train, test in folds:
        new = sample.take(test)
        tested.append(float(new.weight.sum()))
        made = make_runs(runs(train), prune=False)
        for losses, run, whole in zip(lost, made, tried, strict=True):
            losses.append(lost_by(run, whole, new))
    return [joined(losses, tested) for losses in lost]


def lost_by(run: Tried, whole: Tried, new: Sample) -> Floats:
    """Losses of a run on new rows, at the sizes of the run on all rows."""
    return losses_on(run.path, new, run.run.costs, [entry.size for entry in whole.path])


def folds_of(
    cv: Any,
    y: NDArray[np.int32],
    seed: int,
    rows: Rows,
    metadata: Mapping[str, NDArray[Any]] | None = None,
) -> list[tuple[Rows, Rows]]:
    """Split the examples into folds: a number means shuffled, stratified folds.

    ``rows`` are the numbers of the examples in the user's table. A splitter gets the examples in
    the order of that table. Folds that are given outright name its rows; rows that they name and
    that are no examples are left out. ``metadata`` are further arguments of the splitter, with a
    value for each row of the user's table; with ``groups``, a number of folds means folds that keep
    groups together.
    """
    order = np.argsort(rows)
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if not 2 <= cv <= y.size:
            raise InputError(f"cv must be from 2 to the {y.size} rows, or a splitter; found {cv}.")
        order = np.arange(rows.size)
        groups = None if metadata is None or "groups" not in metadata else metadata["groups"][rows]
        cv = _splitter(int(cv), y, seed, groups)
    given = not hasattr(cv, "split") and cv is not None
    details = {name: values[rows[order]] for name, values in (metadata or {}).items()}
    splitter = check_cv(cv, y[order], classifier=False)
    folds = list(splitter.split(np.zeros((y.size, 1)), y[order], **details))
    if given:
        numbers = rows[order]
        folds = [(_places(train, numbers), _places(test, numbers)) for train, test in folds]
    folds = [(order[train], order[test]) for train, test in folds if len(test)]
    if not folds or not all(len(train) for train, _ in folds):
        raise InputError(f"cv must leave rows to learn from and rows to test; found {cv!r}.")
    return folds


def _splitter(folds: int, y: NDArray[np.int32], seed: int, groups: NDArray[Any] | None) -> Any:
    if groups is None:
        rarest = min(np.bincount(y)[np.unique(y)].tolist())
        kind = StratifiedKFold if folds <= rarest else KFold
        return kind(folds, shuffle=True, random_state=seed)
    found = np.unique(groups).size
    if folds > found:
        raise InputError(f"cv must be at most the number of groups, {found}; found {folds}.")
    rarest = min(np.bincount(y)[np.unique(y)].tolist())
    if folds <= rarest:
        return StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return GroupKFold(folds, shuffle=True, random_state=seed)


def _places(wanted: Any, rows: Rows) -> Rows:
    """Examples that have these row numbers in the user's table."""
    wanted = np.asarray(wanted)
    wanted = np.flatnonzero(wanted) if wanted.dtype == np.bool_ else wanted.astype(np.intp)
    end = int(rows[-1]) + 1 if rows.size else 0
    strange = wanted[(wanted < 0) | ((wanted >= end) & (end == rows.size))]
    if strange.size:
        raise InputError(f"cv names row {strange[0]}; the rows are numbered from 0 to {end - 1}.")
    places: Rows = np.searchsorted(rows, wanted)
    there = places < rows.size
    there[there] = rows[places[there]] == wanted[there]
    return places[there]


def split_at_random(rows: int, share: object, seed: int) -> tuple[Rows, Rows]:
    """Hold out a share of the rows, drawn at random."""
    if not isinstance(share, int | float | np.number) or not 0 < share < 1:
        raise InputError(f"holdout must be a share between 0 and 1; found {share!r}.")
    held = round(float(share) * rows)
    if not 1 <= held < rows:
        raise InputError(f"A share of {share} of {rows} rows leaves nothing to learn or to test.")
    out = held_rows(rows, held, seed)
    return np.setdiff1d(np.arange(rows), out), out


def best_by_losses(tried: Sequence[Tried], losses: Iterable[Losses]) -> Choice:
    """Model of the least loss; ties go to the smaller, the better certificate, the first."""
    compared = [
        (float(loss), Choice(run, place))
        for run, found in zip(tried, losses, strict=True)
        for place, loss in enumerate(found.mean)
    ]
    return min(compared, key=lambda pair: (pair[0], pair[1].entry.size, pair[1].worth))[1]


def held_certificate(
    tried: Sequence[Tried], chosen: Choice, new: Sample, held: Rows, seed: int
) -> HoldoutCertificate:
    """Certificate from the rows held out, which pays for the choice among all models."""
    entries = [entry for run in tried for entry in run.path]
    body = chosen.entry.model.body
    return certify_held_out(
        body.classify(new.table) != new.y,
        new.y,
        held,
        seed=seed,
        classes=len(new.classes),
        models=len({entry.model.body for entry in entries}),
        delta=chosen.entry.certificate.delta,
        abstains=body.abstains,
        written=distinct(
            family
            for entry in entries
            for family in entry.certificate.families
            if isinstance(family, ExpertTests)
        ),
    )
