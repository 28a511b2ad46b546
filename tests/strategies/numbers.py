"""Columns of numbers, and weights for their rows."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

TIED = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0])
UGLY = st.one_of(
    TIED,
    st.just(np.nan),
    st.sampled_from([np.inf, -np.inf, 1e300, -1e300, 5e-324, 1e-300]),
    st.floats(-5, 5),
)
TIED_OR_MISSING = st.one_of(TIED, st.just(np.nan))


@st.composite
def numeric_columns(draw, values=UGLY, most_rows=40, most_columns=3):
    """Columns of equal length, some contiguous and some strided."""
    rows = draw(st.integers(1, most_rows))
    count = draw(st.integers(1, most_columns))
    matrix = draw(hnp.arrays(np.float64, (rows, count), elements=values))
    return [matrix[:, j] for j in range(count)]


def weights_for(rows, low=-3, high=3):
    """Signed whole weights, many of them zero."""
    return hnp.arrays(np.int64, rows, elements=st.one_of(st.just(0), st.integers(low, high)))
