"""Tables with values that are missing, at random or for a cause."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st


def cells(draw, rng, rows, classes):
    """Few values, many of them missing, some because of the class."""
    y = rng.integers(0, classes, rows)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 5, rows).astype(float),
            "b": rng.choice(["p", "q", "r"], rows),
            "c": (y + rng.integers(0, 2, rows)).astype(float),
        }
    )
    for name in "abc":
        caused = draw(st.booleans())
        gone = rng.random(rows) < np.where(caused & (y == 0), 0.8, 0.2)
        frame[name] = frame[name].where(~gone, None)
    return frame, y


@st.composite
def samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return cells(draw, rng, draw(st.integers(12, 60)), draw(st.sampled_from([2, 3])))


def caused(rows=400):
    """Values of a column that is missing nearly always in one class only."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    y = np.where(rng.random(rows) < 0.4, "ill", "well")
    gone = rng.random(rows) < np.where(y == "ill", 0.85, 0.05)
    return frame.assign(a=frame["a"].where(~gone)), y
