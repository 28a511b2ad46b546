"""Regression trees with a split certificate: pools from design rows, and the choice among them.

With probability at least 1 - delta the bounds of all candidates of all splits hold at once. So the
tree may be chosen by looking at all rows, also by the bounds themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import (
    RegressionCertificate,
    RegressionMember,
    RegressionPool,
    RegressionRows,
    certify_regression,
    loss_scale_of,
    make_regression_pool,
    mean_loss,
    regression_cautions,
    regression_evidence,
    regression_splitter,
)
from rulewright.errors import InputError
from rulewright.learners.base.notices import warn
from rulewright.learners.base.progress import report
from rulewright.learners.base.recipes import recipe_of
from rulewright.learners.tree.regression_search import is_precomputed, regression_candidates
from rulewright.learners.tree.regressor_settings import TreeRegressorSettings
from rulewright.models import RegressionModel, answer_profile, normalised_weight

MIN_ROWS = 4
"""Fewer rows cannot be divided into design rows and check rows of use."""


@dataclass(frozen=True, eq=False)
class CheckedRegression:
    """A candidate of a split with its certificate; ``check`` are the numbers of the check rows."""

    member: RegressionMember
    certificate: RegressionCertificate
    check: NDArray[np.intp]

    @property
    def order(self) -> tuple[float, int, int, int]:
        """Smallest bound first; of equals the smaller tree, the earlier split and place."""
        found = self.certificate
        return found.bound, self.member.body.literals, found.split, found.place


def learn_regression_with_splits(
    settings: TreeRegressorSettings,
    rows: RegressionRows,
    categorical: Sequence[str] = (),
    threads: int = 1,
    target: str | None = None,
) -> RegressionModel:
    """Learn trees from the design rows of several splits, and choose with the help of all rows.

    ``target`` is the name of the numbers to predict.
    """
    _check_rows(settings, rows)
    if not isinstance(settings.random_state, int | None):
        settings = replace(settings, random_state=settings.seed)
    with _warnings_once():
        candidates = checked_regression_candidates(settings, rows, categorical, threads)
    chosen = min(candidates, key=lambda candidate: candidate.order)
    return _model(settings, rows, chosen, target)


def checked_regression_candidates(
    settings: TreeRegressorSettings,
    rows: RegressionRows,
    categorical: Sequence[str] = (),
    threads: int = 1,
) -> list[CheckedRegression]:
    """Return all candidates of all splits with their certificates."""
    recipe = recipe_of(settings, categorical)
    seed, share = settings.split_seed, settings.check_share
    splitter = regression_splitter(rows, recipe, seed, share)
    n_splits = splitter.n_splits(settings.n_splits)
    found: list[CheckedRegression] = []
    for number in range(1, n_splits + 1):
        report("splits", number - 1, n_splits)
        split = splitter.split(number)
        design, check = rows.take(split.design), rows.take(split.check)
        members = regression_candidates(settings, design, categorical, threads).members
        pool = make_regression_pool(members, design, settings.loss_scale)
        known: dict[str, Any] = {
            "n": int(split.check.size),
            "design": int(split.design.size),
            "split": number,
            "n_splits": int(n_splits),
            "recipe": recipe,
            "key": splitter.key.hex(),
            "seed": seed,
            "check_share": share,
            "delta": settings.delta,
        }
        found += _certified(pool, split.check, check, known)
    return found


def _certified(
    pool: RegressionPool, places: NDArray[np.intp], check: RegressionRows, known: dict[str, Any]
) -> Iterator[CheckedRegression]:
    """Candidates of a pool, certified on the check rows."""
    for place, member in enumerate(pool.candidates, 1):
        mean = mean_loss(member, check, pool.scale)
        yield CheckedRegression(member, certify_regression(pool, place, mean, **known), places)


def _model(
    settings: TreeRegressorSettings,
    rows: RegressionRows,
    chosen: CheckedRegression,
    target: str | None,
) -> RegressionModel:
    """The model of a candidate; its evidence is that of all rows."""
    member, table = chosen.member, rows.table.observed()
    answers, check = member.body.answer(table), chosen.check
    evidence = regression_evidence(
        answers,
        rows.target,
        normalised_weight(rows.weight),
        np.array(member.values, np.float64),
        settings.by_median,
    )
    cautions = regression_cautions(table, rows.target, target)
    return RegressionModel(
        columns=table.fields,
        body=member.body,
        values=member.values,
        evidence=tuple((weight, spread) for weight, spread in evidence.tolist()),
        target=target,
        named=table.named,
        certificate=replace(chosen.certificate, cautions=cautions),
        profile=answer_profile(answers[check], len(member.body.outputs)),
    )


def _check_rows(settings: TreeRegressorSettings, rows: RegressionRows) -> None:
    if rows.target.size < MIN_ROWS:
        raise InputError(
            f"A split certificate needs at least {MIN_ROWS} rows, got {rows.target.size}. Use "
            "certificate=None."
        )
    if is_precomputed(settings.families()):
        raise InputError(
            "A split certificate cannot be made with precomputed distances or kernels, whose "
            "columns stand for the training rows. Use certificate=None."
        )
    loss_scale_of(rows.target, settings.loss_scale)  # refuses a range that is not finite


@contextmanager
def _warnings_once() -> Iterator[None]:
    """Show each warning of the splits once."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(one.message) for one in raised):
        warn(message)
