"""What a search learns from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.models.model import Label


@dataclass(frozen=True)
class Sample:
    """Training examples: columns, class numbers and weights, all weights above zero."""

    table: Table
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    classes: tuple[Label, ...]
    target: str | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        y: NDArray[np.int32],
        classes: tuple[Label, ...],
        *,
        weight: NDArray[np.float64] | None = None,
        target: str | None = None,
    ) -> Sample:
        """Make a sample in which every example counts once unless weights are given.

        Categories that no example has are forgotten: rows that were left out leave no trace.
        """
        weight = np.ones(y.size) if weight is None else weight
        return cls(table.observed(), y, weight, classes, target)
