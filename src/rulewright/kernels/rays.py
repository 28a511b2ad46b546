"""Heaviest cuts along rays: balls around centres, and half-spaces of pairs of prototypes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import MAX_WEIGHT, check_rows
from rulewright.kernels.geometry import METRICS, SIMILARITIES

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Weights = NDArray[np.int64]

NO_MARKS = np.empty(0, np.uint8)
"""An empty mask, which restricts nothing."""


class HeaviestRay(NamedTuple):
    """The rows beyond the border along a ray, and their weight."""

    total: int
    gathered: int  # sum of the positive weights
    ray: int
    border: int  # row number


class _RayLimits:
    """Upper limit of the weight that each ray can reach at any cut.

    It is kept from one search to the next. A limit can rise by no more than the weights do. It does
    not depend on borders and masks.
    """

    def __init__(self, rays: int) -> None:
        self.limits = np.full(rays, MAX_WEIGHT, np.int64)
        self._weight: Weights | None = None

    def for_weight(self, weight: Weights) -> NDArray[np.int64]:
        """Update the limits to a weight."""
        if self._weight is not None:
            rise = int(np.maximum(weight - self._weight, 0).sum())
            self.limits += min(rise, MAX_WEIGHT - 1)
        np.minimum(self.limits, weight[weight > 0].sum(), out=self.limits)
        self._weight = weight.copy()
        return self.limits


class BallIndex:
    """Balls around centres, prepared for any number of searches.

    Ray r has the distances to row ``centres[r]``. It covers the rows farther than the border, or
    closer if ``below`` is true. Distances are computed when needed and not stored. An index runs
    one search at a time.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length, NaN where missing
    centres : row number of each centre
    below : for each centre, whether it covers the closer rows
    metric : "l1", "l2" or "linf"
    kernel, gamma, offset, degree
        With a kernel the distances are those of its space, see ``kernel_distances``.
    threads : int
        Number of threads. Results do not depend on it.
    """

    def __init__(
        self,
        columns: Sequence[Floats],
        centres: NDArray[np.int32],
        below: Mask,
        *,
        metric: str = "l2",
        kernel: str | None = None,
        gamma: float = 1.0,
        offset: float = 0.0,
        degree: int = 1,
        threads: int = 1,
    ) -> None:
        self.columns = list(columns)
        if not self.columns:
            raise ValueError("a centre needs at least one coordinate")
        number = -1 if kernel is not None else METRICS[metric]
        kind = SIMILARITIES[kernel or "linear"]
        self._shape = (number, kind, gamma, offset, degree)
        self._distances: Floats | None = None
        self._prepare(int(self.columns[0].size), centres, below, threads)

    @classmethod
    def of_distances(
        cls, distances: Floats, centres: NDArray[np.int32], below: Mask, *, threads: int = 1
    ) -> BallIndex:
        """Index of given distances, a matrix with one row per centre.

        Examples
        --------
        >>> distances = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]])
        >>> index = BallIndex.of_distances(distances, np.array([0, 1], np.int32), np.zeros(2, bool))
        >>> index.heaviest(np.array([-1, 3, 3]), np.ones(3, bool))
        HeaviestRay(total=6, gathered=6, ray=0, border=0)
        """
        index = cls.__new__(cls)
        index.columns = []
        index._distances = distances
        index._prepare(int(distances.shape[1]), centres, below, threads)
        return index

    def _prepare(self, rows: int, centres: NDArray[np.int32], below: Mask, threads: int) -> None:
        self.rows = rows
        self.centres = centres
        self.threads = threads
        self._below = _marks(below, centres.size, "centres")
        self._limits = _RayLimits(centres.size)
        check_rows(rows)

    def heaviest(
        self,
        weight: Weights,
        border: Mask,
        *,
        open: Mask | None = None,
        apart: bool = False,
        excused: Mask | None = None,
    ) -> HeaviestRay | None:
        """Find the ball with the largest total weight.

        A strict cut lies at the value of a row in ``border``; centres must be in ``open``. With
        ``apart``, a ball that covers the closer rows must cover its centre, except for rows in
        ``excused``. Ties go to the larger positive weight, then the lower ray, then the lower
        border.

        Returns
        -------
        HeaviestRay, whose ``ray`` is a position in ``centres``, or None if there is no cut

        Examples
        --------
        >>> centres = np.array([0, 3], np.int32)
        >>> index = BallIndex([np.array([1.0, 2.0, 3.0, 9.0])], centres, np.array([True, False]))
        >>> index.heaviest(np.array([2, 2, -1, 2]), np.ones(4, bool))
        HeaviestRay(total=4, gathered=4, ray=0, border=2)
        """
        question = _question(self.rows, weight, border, open)
        forgiven = NO_MARKS if excused is None else _marks(excused, self.rows, "rows")
        if not self.rows or not self.centres.size:
            return None
        limits = self._limits.for_weight(weight)
        if self._distances is None:
            found = _core.heaviest_ball(
                self.columns,
                self.centres,
                self._below,
                *self._shape,
                *question,
                apart,
                forgiven,
                limits,
                self.threads,
            )
        else:
            found = _core.heaviest_given_ball(
                self._distances,
                self.centres,
                self._below,
                *question,
                apart,
                forgiven,
                limits,
                self.threads,
            )
        return _found(found)


class PairIndex:
    """Half-spaces of pairs of prototypes, prepared for any number of searches.

    Ray ``i * len(away) + j`` has the values ``similarity[toward[i]] - similarity[away[j]]``, and
    covers the rows whose value is greater than the border's. An index runs one search at a time.

    Parameters
    ----------
    similarity : float64 matrix with one row per prototype and one column per example
    prototypes : row number of each prototype
    toward, away : numbers of prototypes
    threads : int
        Number of threads. Results do not depend on it.
    """

    def __init__(
        self,
        similarity: Floats,
        prototypes: NDArray[np.int32],
        toward: NDArray[np.int32],
        away: NDArray[np.int32],
        *,
        threads: int = 1,
    ) -> None:
        self.rows = int(similarity.shape[1])
        self._pairs = (similarity, prototypes, toward, away)
        self.threads = threads
        self._limits = _RayLimits(toward.size * away.size)
        check_rows(self.rows)

    @cached_property
    def _orders(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Orders of the prototypes, similar ones side by side: they are searched together."""
        similarity, _, toward, away = self._pairs
        orders = np.empty(toward.size, np.int32), np.empty(away.size, np.int32)
        for side, order in zip((toward, away), orders, strict=True):
            _core.couple_lines(similarity, side, order)
        return orders

    def heaviest(
        self,
        weight: Weights,
        border: Mask,
        *,
        open: Mask | None = None,
        apart: bool = False,
        excused: Mask | None = None,
    ) -> HeaviestRay | None:
        """Find the half-space with the largest total weight.

        A strict cut lies at the value of a row in ``border``; both prototypes must be in ``open``.
        With ``apart``, the half-space must cover the toward prototype and not the away prototype,
        except for rows in ``excused``. Ties go to the larger positive weight, then the lower ray,
        then the lower border.

        Returns
        -------
        HeaviestRay, whose ``ray`` is ``i * len(away) + j``, or None if there is no cut

        Examples
        --------
        >>> x = np.array([1.0, 2.0, 4.0])
        >>> lines = np.arange(3, dtype=np.int32)
        >>> index = PairIndex(np.outer(x, x), lines, lines[2:], lines[:1])
        >>> index.heaviest(np.array([-1, 3, 3]), np.ones(3, bool))
        HeaviestRay(total=6, gathered=6, ray=0, border=0)
        """
        weight, borders, opened = _question(self.rows, weight, border, open)
        forgiven = NO_MARKS if excused is None else _marks(excused, self.rows, "rows")
        if not self.rows or not self._limits.limits.size:
            return None
        limits = self._limits.for_weight(weight)
        found = _core.heaviest_half_space(
            *self._pairs,
            *self._orders,
            weight,
            borders,
            opened,
            apart,
            forgiven,
            limits,
            self.threads,
        )
        return _found(found)


def _question(
    rows: int, weight: Weights, border: Mask, opened: Mask | None
) -> tuple[Weights, NDArray[np.uint8], NDArray[np.uint8]]:
    if weight.shape != (rows,):
        raise ValueError(f"weight must have shape ({rows},), got {weight.shape}")
    if weight.dtype != np.int64:
        raise TypeError(f"weight must be int64, got {weight.dtype}")
    weight = np.ascontiguousarray(weight)
    _core.check_weights(weight)  # before limits are computed from them
    marks = NO_MARKS if opened is None else _marks(opened, rows, "rows")
    return weight, _marks(border, rows, "rows"), marks


def _marks(mask: Mask, count: int, what: str) -> NDArray[np.uint8]:
    if mask.shape != (count,):
        raise ValueError(f"the mask of {what} must have shape ({count},), got {mask.shape}")
    return np.ascontiguousarray(mask, np.bool_).view(np.uint8)


def _found(found: tuple[int, int, int, int]) -> HeaviestRay | None:
    return None if found[2] < 0 else HeaviestRay(*found)
