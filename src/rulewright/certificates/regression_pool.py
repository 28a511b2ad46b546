"""Pools of regression trees: candidates learnt from the design rows, and their prior probabilities.

The loss of a row is the distance of the prediction from the target, as a share of a scale, and at
most 1. Candidates, scale and prior are functions of the design rows only.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.pools import LOSS_WEIGHT, SIZE_WEIGHT, identity, prior_shares
from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.rules import Tree

Floats = NDArray[np.float64]

REGRESSION_RUNNER = ("rulewright.selection", "run_regression_recipe")
SCALE_PERCENTILES = (1, 99)
"""The usual scale of the loss is the range of the target between these percentiles."""


@dataclass(frozen=True, eq=False)
class RegressionRows:
    """Rows with numbers to predict, in the order of the user's table.

    ``weight`` are the weights as given; ``rows`` are the row numbers in the user's table.
    """

    table: Table
    target: Floats
    weight: Floats
    rows: NDArray[np.intp]

    def take(self, places: NDArray[np.intp]) -> RegressionRows:
        """Return some of the rows."""
        return RegressionRows(
            self.table.take(places), self.target[places], self.weight[places], self.rows[places]
        )


@dataclass(frozen=True, eq=False)
class RegressionMember:
    """A tree with the values of its leaves, learnt from the design rows."""

    body: Tree
    values: tuple[float, ...]

    @cached_property
    def identity(self) -> str:
        """The tree and its values as text, without the training rows that it is anchored on."""
        return regression_identity(self.body, self.values)

    def losses(self, table: Table, target: Floats, scale: float) -> Floats:
        """Return the loss of each row."""
        predicted = np.array(self.values, np.float64)[self.body.answer(table)]
        return clipped_losses(target, predicted, scale)


def regression_identity(body: Tree, values: Sequence[float]) -> str:
    """Return a tree and its values as text, without the training rows that it is anchored on."""
    return f"{identity(body)} {json.dumps([value + 0.0 for value in values])}"  # -0.0 is 0.0


def clipped_losses(target: Floats, predicted: Floats, scale: float) -> Floats:
    """Return the distances as shares of the scale, at most 1.

    Examples
    --------
    >>> clipped_losses(np.array([1.0, 2.0, 9.0]), np.array([1.0, 3.0, 1.0]), 4.0).tolist()
    [0.0, 0.25, 1.0]
    """
    with np.errstate(over="ignore"):
        losses: Floats = np.minimum(np.abs(target - predicted) / scale, 1.0)
    return losses


@dataclass(frozen=True, eq=False)
class RegressionCandidates:
    """What a recipe learns from the design rows.

    ``by_median`` says that leaves answer with medians, whose spread is the mean absolute deviation.
    """

    members: Sequence[RegressionMember]
    by_median: bool


@dataclass(frozen=True, eq=False)
class RegressionPool:
    """Candidates in order, each once, with their prior probabilities.

    Attributes
    ----------
    candidates : tuple of RegressionMember
    log_prior : array
        Logarithm of the prior probability of each; the probabilities sum to 1.
    losses : tuple of float
        Sum of the losses of each on the design rows.
    scale : float
        Distance in units of the target that is a loss of 1.
    """

    candidates: tuple[RegressionMember, ...]
    log_prior: Floats
    losses: tuple[float, ...]
    scale: float

    @property
    def size(self) -> int:
        """Number of candidates."""
        return len(self.candidates)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the scale, and of the candidates with their losses on the design rows."""
        key = hashlib.sha256(f"{self.scale!r}\n".encode())
        for candidate, loss in zip(self.candidates, self.losses, strict=True):
            key.update(f"{candidate.identity} {loss!r}\n".encode())
        return key.hexdigest()


def make_regression_pool(
    members: Iterable[RegressionMember], design: RegressionRows, loss_scale: float | None
) -> RegressionPool:
    """Return the pool of the candidates, in the order of their penalties.

    A penalty is the sum of the losses on the design rows, times the weight of an error, and the
    number of tests. The prior is that of classifiers; see ``prior_shares``.
    """
    scale = loss_scale_of(design.target, loss_scale)
    found = {member.identity: member for member in reversed(list(members))}
    distinct = list(found.values())[::-1]
    losses = [
        math.fsum(member.losses(design.table, design.target, scale).tolist()) for member in distinct
    ]
    penalties = [
        LOSS_WEIGHT * loss + SIZE_WEIGHT * member.body.literals
        for member, loss in zip(distinct, losses, strict=True)
    ]
    order = sorted(range(len(distinct)), key=penalties.__getitem__)
    shares = prior_shares(np.array(penalties)[order])
    return RegressionPool(
        tuple(distinct[place] for place in order),
        np.minimum(np.log(shares), 0.0),
        tuple(losses[place] for place in order),
        scale,
    )


def loss_scale_of(target: Floats, given: float | None = None) -> float:
    """Return the distance that is a loss of 1: as given, or measured on the design rows.

    It is the range of the target between its percentiles 1 and 99, the whole range where this is 0,
    and 1 for a constant target.

    Examples
    --------
    >>> loss_scale_of(np.arange(101.0)), loss_scale_of(np.zeros(9)), loss_scale_of(np.ones(9), 2.5)
    (98.0, 1.0, 2.5)
    """
    if given is not None:
        return float(given)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.percentile(target, SCALE_PERCENTILES)
        widths = float(high - low), float(target.max() - target.min())
    scale = next((width for width in widths if width != 0), 1.0)
    if not math.isfinite(scale):
        raise InputError(
            "The range of the target is too large for a number. Divide the target by a large "
            "number, or set loss_scale."
        )
    return scale


def regression_evidence(
    answers: NDArray[np.signedinteger],
    target: Floats,
    weight: Floats,
    values: Floats,
    by_median: bool,
) -> Floats:
    """Return the weight that each leaf answers, and the spread of the target about its value.

    The spread is the mean absolute deviation where leaves answer with medians, and the root of the
    mean square otherwise; 0 where a leaf answers nothing.
    """
    leaves = values.size
    total = np.bincount(answers, weight, leaves)
    apart = np.abs(target - values[answers])
    sums = np.bincount(answers, weight * (apart if by_median else apart**2), leaves)
    mean = np.divide(sums, total, out=np.zeros(leaves), where=total > 0)
    return np.stack([total, mean if by_median else np.sqrt(mean)], axis=1)


def run_regression_recipe(recipe: dict[str, Any], design: RegressionRows) -> RegressionCandidates:
    """Run a recipe on the design rows; its learner is above this package, and found by its name."""
    module, name = REGRESSION_RUNNER
    found: RegressionCandidates = getattr(import_module(module), name)(recipe, design)
    return found
