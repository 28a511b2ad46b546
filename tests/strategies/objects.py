"""Few objects that thresholds on few columns may cover: ties, duplicates, missing values."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from oracles import sc


class Objects(NamedTuple):
    X: np.ndarray
    target: np.ndarray
    signs: list
    possible: np.ndarray

    @property
    def covered(self):
        return sc.covered_sets(self.X, self.signs, self.possible)

    @property
    def errors(self):
        return self.covered != self.target


@st.composite
def objects(draw, least=2, most=8, columns=3):
    size, width = draw(st.integers(least, most)), draw(st.integers(0, columns))
    values = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, np.inf, np.nan])
    if draw(st.booleans()):
        values = st.integers(0, 12).map(float)
    rows = draw(
        st.lists(st.lists(values, min_size=width, max_size=width), min_size=size, max_size=size)
    )
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda a: np.array(a, bool))
    possible = draw(st.one_of(st.just(np.ones(size, bool)), flags))
    signs = draw(st.lists(st.sampled_from(["<=", ">="]), min_size=width, max_size=width))
    return Objects(np.array(rows, float).reshape(size, width), draw(flags), signs, possible)


def random_objects(rng, size, columns, noise=0.0, levels=None):
    """Objects whose class is a conjunction of thresholds, with so many labels turned."""
    X = rng.random((size, columns))
    target = (X < 0.7).all(axis=1) ^ (rng.random(size) < noise)
    if levels:
        X = np.floor(X * levels)
    return Objects(X, target, ["<="] * columns, np.ones(size, bool))
