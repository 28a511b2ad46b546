"""Data-dependent balls.

M. Marchand and J. Shawe-Taylor (2002), The Set Covering Machine; M. Sokolova, M. Marchand,
N. Japkowicz and J. Shawe-Taylor (2003), The Decision List Machine, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column
from rulewright.errors import InputError
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Floats,
    Search,
    Site,
    Training,
)
from rulewright.families.measures import as_metric
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
from rulewright.kernels import BallIndex
from rulewright.rules import EUCLIDEAN, LINEAR, Ball, Metric, Predicate, bound_to, functions_of

TYPES = ("simple", "complex")


@dataclass(frozen=True, kw_only=True)
class Balls(Spatial):
    """Nearer to a training example than an example of another class is, or farther.

    A ball covers its inside around a centre of its own class, or its outside around a centre of
    another class. Its border is always of another class, and is not covered. (In the papers: Pi and
    Ni, Po and No.) ``types="simple"`` has only the first kind. Candidates are ordered by centre,
    then by border, both by their coordinates, the first column first, and then by position.
    """

    name: ClassVar[str] = "balls"
    prototypes: ClassVar[int] = 1
    borders: ClassVar[int] = 1
    role: ClassVar[str] = "centres"
    default_max_candidates: ClassVar[int] = 2_000

    metric: Metric = EUCLIDEAN
    types: str = "complex"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "metric", as_metric(self.metric, LINEAR))
        if self.types not in TYPES:
            raise InputError(f"types must be 'simple' or 'complex', got {self.types!r}.")
        self.refuse_measures("Precomputed distances")

    @property
    def precomputed(self) -> bool:
        """Whether distances are given as columns."""
        kernel = self.metric.kind == "kernel" and self.metric.kernel.kind == "precomputed"
        return kernel or self.metric.kind == "precomputed"

    @property
    def by_function(self) -> bool:
        """Whether the metric is a user's function, which may handle missing values."""
        return self.metric.kind == "function"

    def candidates(self, training: Training, output: int) -> int:
        own = int((training.y == output).sum())
        return own if self.types == "simple" else training.y.size

    @property
    def more_columns(self) -> int:
        """Number of columns of a precomputed table besides one per row: k(x, x)."""
        return int(self.metric.kind == "kernel")

    def prepare(self, training: Training) -> Search:
        return _BallSearch(self, training)

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        if column is not None:
            return Choices()
        return Choices(product((False, True), (True,) if self.types == "simple" else (False, True)))

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Ball(metric=metric, strict=strict, inside=inside, if_missing=False) if (
                metric == self.metric and predicate.scaling == self.scaling
            ):
                fires_inside = inside == side
                if strict == fires_inside and (fires_inside or self.types == "complex"):
                    return Site(None, (side, fires_inside))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        centre, border = chosen
        side, fires_inside = site.option
        names = self._names(examples, centre)
        place = point(examples.table, names, centre, self.scaling)
        if not np.isfinite(place).all():
            return None
        ball = Ball(
            names,
            place,
            0.0,
            self.metric,
            strict=fires_inside,
            inside=fires_inside == side,
            scaling=self.scaling,
            anchored_on=(int(examples.rows[centre]), int(examples.rows[border])),
        )
        radius = float(ball.distance(examples.table.take(np.array([border])))[0])
        return replace(ball, radius=radius) if np.isfinite(radius) else None

    def along(
        self, site: Site, examples: Examples, prototypes: Sequence[int], side: bool
    ) -> Floats:
        (centre,) = prototypes
        ball = self.build(site, examples, (centre, centre))
        if not isinstance(ball, Ball):
            return np.full(examples.table.rows, np.nan)
        distance = ball.distance(examples.table)
        return -distance if site.option[1] else distance

    def fits(self, site: Site, labels: Sequence[int], output: int) -> bool:
        centre, *border = labels
        return bool(site.option[1] == (centre == output)) and output not in border

    def prototype_choices(self, own: int, others: int) -> int:
        return own if self.types == "simple" else own + others

    def min_rules(self, counts: Sequence[int], output: int | None) -> int:
        own = 0 if output is None else counts[output]  # these can only be centres
        return max(super().min_rules(counts, output), own)

    def list_options(self) -> int:
        return 1 if self.types == "simple" else 2

    def list_outputs(self, classes: int) -> int:
        # Inside it predicts the centre's class, outside any other.
        return 1 if self.types == "simple" else max(classes - 1, 1)

    @property
    def named_functions(self) -> dict[str, Callable[..., Any]]:
        return functions_of(self.metric)

    def bound_to(self, functions: Mapping[str, Callable[..., Any]]) -> Family:
        return replace(self, metric=bound_to(self.metric, functions))

    def _names(self, examples: Examples, centre: int) -> tuple[str, ...]:
        names = self.names(examples.table)
        if not self.precomputed:
            return names
        own = names[int(examples.numbers[centre])]
        return (own,) if self.metric.kind == "precomputed" else (own, names[-1])


class _BallSearch(SpatialSearch):
    family: Balls

    def make(self, output: int) -> tuple[BallIndex, Rays]:
        training = self.training
        own = training.y == output
        able = complete(self.space, own.size)
        rows = np.flatnonzero(able & (own | (self.family.types == "complex")))
        limit = self.family.limit(training)
        max_centres = rows.size if limit is None else limit
        centres = chosen_prototypes(rows, max_centres, training.seed, output)
        return self._made(centres, own[centres]), (centres, own[centres])

    def described(self, rays: Rays, ray: int, side: bool) -> tuple[Site, tuple[int, ...]]:
        centres, inside = rays
        return Site(None, (side, bool(inside[ray]))), (int(centres[ray]),)

    def _made(self, centres: NDArray[np.int32], inside: NDArray[np.bool_]) -> BallIndex:
        metric, threads = self.family.metric, self.training.threads
        kernel = metric.kernel if metric.kind == "kernel" else None
        if metric.kind in ("l1", "l2", "linf"):
            return BallIndex(self.space, centres, inside, metric=metric.kind, threads=threads)
        if kernel is not None and kernel.kind in ("linear", "rbf", "polynomial"):
            return BallIndex(
                self.space, centres, inside, kernel=kernel.kind, threads=threads, **kernel.shape
            )
        check_room(centres.size, self.training.table.rows, self.family.name)
        values = np.array([self._distances(int(centre)) for centre in centres])
        values = values.reshape(centres.size, self.training.table.rows)
        refuse_unknown(values, centres, self.training, self.family.name)
        return BallIndex.of_distances(values, centres, inside, threads=threads)

    def _distances(self, centre: int) -> Floats:
        site = Site(None, (True, True))
        return -self.family.along(site, self.examples, (centre,), True)
