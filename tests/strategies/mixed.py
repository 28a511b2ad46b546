"""Mixed tables: numbers, categories, Booleans."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rulewright.data import CategoricalColumn, NumericColumn, Table
from strategies.numbers import TIED_OR_MISSING

COLOURS = ("blue", "green", "red")


@st.composite
def tables(draw, most_rows=25, least_rows=1):
    """Mixed tables: numbers a and b, colours, a Boolean; missing values everywhere."""
    rows = draw(st.integers(least_rows, most_rows))
    numbers = hnp.arrays(np.float64, rows, elements=TIED_OR_MISSING)
    colours = hnp.arrays(np.int32, rows, elements=st.integers(-1, len(COLOURS) - 1))
    truths = hnp.arrays(np.int32, rows, elements=st.integers(-1, 1))
    return Table(
        [
            NumericColumn("a", draw(numbers)),
            NumericColumn("b", draw(numbers)),
            CategoricalColumn("colour", "text", draw(colours), COLOURS),
            CategoricalColumn("flag", "boolean", draw(truths), ("False", "True")),
        ],
        rows,
    )
