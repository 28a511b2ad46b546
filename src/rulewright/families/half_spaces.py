"""Data-dependent half-spaces.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Floats,
    Search,
    Site,
    Training,
)
from rulewright.families.measures import as_kernel
from rulewright.families.spatial import (
    Rays,
    Spatial,
    SpatialSearch,
    check_room,
    chosen_prototypes,
    complete,
    point,
    refuse_unknown,
)
from rulewright.kernels import PairIndex, similarity_rows
from rulewright.rules import LINEAR, HalfSpace, Kernel, Predicate, bound_to, functions_of


@dataclass(frozen=True, kw_only=True)
class HalfSpaces(Spatial):
    """More similar to one training example than to another, by more than a third one is.

    The first example is of the class that the half-space predicts. The second, and the third, its
    border, are of other classes. It fires if the similarity to the first minus that to the second
    is larger than at the border. Candidates are ordered by the first, then the second, then the
    border, all by their coordinates, the first column first, and then by position.
    """

    name: ClassVar[str] = "half_spaces"
    prototypes: ClassVar[int] = 2
    borders: ClassVar[int] = 1
    role: ClassVar[str] = "pairs"
    default_max_candidates: ClassVar[int] = 100_000

    kernel: Kernel = LINEAR

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "kernel", as_kernel(self.kernel))
        self.refuse_measures("A precomputed kernel")

    @property
    def precomputed(self) -> bool:
        """Whether similarities are given as columns."""
        return self.kernel.kind == "precomputed"

    @property
    def by_function(self) -> bool:
        """Whether the kernel is a user's function, which may handle missing values."""
        return self.kernel.kind == "function"

    def candidates(self, training: Training, output: int) -> int:
        own = int((training.y == output).sum())
        return own * (training.y.size - own)

    def prepare(self, training: Training) -> Search:
        return _HalfSpaceSearch(self, training)

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return Choices([(False,), (True,)] if column is None else ())

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case HalfSpace(strict=strict, beyond=True, kernel=kernel, if_missing=False) if (
                kernel == self.kernel and predicate.scaling == self.scaling and strict == side
            ):
                return Site(None, (side,))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        own, other, border = chosen
        (side,) = site.option
        # If it fires when false, it reads better reversed: true towards the other class.
        toward, away = (own, other) if side else (other, own)
        names = self._names(examples, toward, away)
        near, far = (point(examples.table, names, row, self.scaling) for row in (toward, away))
        if toward == away or len(set(names)) < len(names) or not np.isfinite((near, far)).all():
            return None
        half = HalfSpace(
            names,
            near,
            far,
            0.0,
            strict=side,
            kernel=self.kernel,
            scaling=self.scaling,
            anchored_on=tuple(int(examples.rows[row]) for row in (toward, away, border)),
        )
        cut = float(half.margin(examples.table.take(np.array([border])))[0])
        return replace(half, cut=cut) if math.isfinite(cut) else None

    def along(
        self, site: Site, examples: Examples, prototypes: Sequence[int], side: bool
    ) -> Floats:
        own, other = prototypes
        half = self.build(site, examples, (own, other, own))
        if not isinstance(half, HalfSpace):
            return np.full(examples.table.rows, np.nan)
        margin = half.margin(examples.table)
        return margin if site.option[0] else -margin

    def along_all(self, examples: Examples, pairs: Sequence[tuple[int, int]]) -> list[Floats]:
        """Margin of every example towards the first of each pair: ``along`` for many pairs.

        An example is compared with all others once, not once for each of its pairs.
        """
        if self.precomputed:
            site = Site(None, (True,))
            return [self.along(site, examples, pair, True) for pair in pairs]
        names = self.names(examples.table)
        columns = self.scaling.of([examples.table.numbers(name) for name in names])
        likeness: dict[int, Floats] = {}
        with np.errstate(invalid="ignore", over="ignore"):
            for row in {row for pair in pairs for row in pair}:
                place = self.scaling.of_point(point(examples.table, names, row))
                likeness[row] = self.kernel.to(columns, place)
            return [likeness[first] - likeness[second] for first, second in pairs]

    def rows(self, predicate: Predicate, side: bool) -> tuple[int, ...]:
        anchors = tuple(getattr(predicate, "anchored_on", ()))
        if side or len(anchors) != 3:
            return anchors
        toward, away, border = anchors
        return away, toward, border

    def fits(self, site: Site, labels: Sequence[int], output: int) -> bool:
        own, *others = labels
        return own == output and output not in others

    def prototype_choices(self, own: int, others: int) -> int:
        return own * others

    def min_rules(self, counts: Sequence[int], output: int | None) -> int:
        if output is None:
            return super().min_rules(counts, output)
        others = sum(counts) - counts[output]
        return max(counts[output], -(-others // 2))

    def list_outputs(self, classes: int) -> int:
        return 1  # it predicts the class of its first example

    @property
    def named_functions(self) -> dict[str, Callable[..., Any]]:
        return functions_of(self.kernel)

    def bound_to(self, functions: Mapping[str, Callable[..., Any]]) -> Family:
        return replace(self, kernel=bound_to(self.kernel, functions))

    def _names(self, examples: Examples, *rows: int) -> tuple[str, ...]:
        names = self.names(examples.table)
        if not self.precomputed:
            return names
        return tuple(names[int(examples.numbers[row])] for row in rows)


class _HalfSpaceSearch(SpatialSearch):
    family: HalfSpaces

    def __init__(self, family: HalfSpaces, training: Training) -> None:
        super().__init__(family, training)
        self._similarity: dict[bytes, Floats] = {}

    def make(self, output: int) -> tuple[PairIndex, Rays]:
        own, others = self._prototypes(output)
        prototypes = np.union1d(own, others).astype(np.int32)
        toward, away = (np.searchsorted(prototypes, r).astype(np.int32) for r in (own, others))
        similarity = self._similarities(prototypes)
        threads = self.training.threads
        return PairIndex(similarity, prototypes, toward, away, threads=threads), (own, others)

    def described(self, rays: Rays, ray: int, side: bool) -> tuple[Site, tuple[int, ...]]:
        own, others = rays
        return Site(None, (side,)), (int(own[ray // others.size]), int(others[ray % others.size]))

    def _prototypes(self, output: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Draw as many examples of either class as the limit of pairs allows."""
        training = self.training
        able = complete(self.space, training.y.size)
        rows = [np.flatnonzero(((training.y == output) == own) & able) for own in (True, False)]
        limit = self.family.limit(training)
        if limit is None or rows[0].size * rows[1].size <= limit:
            return rows[0].astype(np.int32), rows[1].astype(np.int32)
        fewer = min(rows[0].size, rows[1].size, math.isqrt(limit))
        limits = [fewer if r.size == fewer else max(limit // fewer, 1) for r in rows]
        if fewer == math.isqrt(limit):
            limits = [fewer, fewer]
        own, others = (
            chosen_prototypes(r, limit, training.seed, 2 * output + part)
            for part, (r, limit) in enumerate(zip(rows, limits, strict=True))
        )
        return own, others

    def _similarities(self, prototypes: NDArray[np.int32]) -> Floats:
        """Rows of the Gram matrix, computed once if all classes use the same ones."""
        key = prototypes.tobytes()
        if key not in self._similarity:
            self._similarity = {key: self._computed(prototypes)}
        return self._similarity[key]

    def _computed(self, prototypes: NDArray[np.int32]) -> Floats:
        kernel, training = self.family.kernel, self.training
        check_room(prototypes.size, training.table.rows, self.family.name)
        if kernel.kind == "precomputed":
            lines = [self.space[int(training.rows[row])] for row in prototypes]
        elif kernel.kind == "function":
            lines = [kernel.to(self.space, [x[row] for x in self.space]) for row in prototypes]
        else:
            return similarity_rows(
                self.space, prototypes, kernel.kind, threads=training.threads, **kernel.shape
            )
        values = np.array(lines, np.float64).reshape(prototypes.size, training.table.rows)
        refuse_unknown(values, prototypes, training, self.family.name)
        return values
