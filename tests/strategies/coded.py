"""Rows as codes of values, for optimal searches."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from rulewright.kernels import CodedCells


class CodedRows(NamedTuple):
    """Columns of codes, and the classes and weights of the rows; all weights are above 0."""

    codes: np.ndarray
    values: list
    ordered: list
    label: np.ndarray
    weight: np.ndarray
    classes: int

    def cells(self):
        return CodedCells(*self)

    def take(self, rows):
        return self._replace(
            codes=self.codes[:, rows], label=self.label[rows], weight=self.weight[rows]
        )


def random_rows(rng, rows, most_columns=3, most_values=4, most_classes=3, heavy=False):
    """Ties, duplicates, contradictions, constant columns, missing values, one class."""
    columns, classes = (
        int(rng.integers(1, most_columns + 1)),
        int(rng.integers(1, most_classes + 1)),
    )
    ordered = (rng.random(columns) < 0.5).tolist()
    occurring = rng.integers(1, most_values + 1, columns)
    lowest = np.where(rng.random(columns) < 0.4, -1, 0)
    codes = [rng.integers(low, high, rows) for low, high in zip(lowest, occurring, strict=True)]
    values = [
        int(count + (count > 2 and not in_order and rng.random() < 0.7))
        for count, in_order in zip(occurring, ordered, strict=True)
    ]
    label = rng.integers(0, classes, rows).astype(np.int32)
    weight = rng.integers(1, 4, rows) * (10**12 if heavy else 1)
    return CodedRows(np.array(codes, np.int32), values, ordered, label, weight, classes)


@st.composite
def coded_rows(draw, most_rows=16, **options):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    heavy = draw(st.booleans())
    return random_rows(rng, draw(st.integers(1, most_rows)), heavy=heavy, **options)
