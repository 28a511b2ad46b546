"""Draws the graph of splitting and connectivity of ten objects in two classes."""

import sys

import numpy as np

from rulewright.bounds import sc_graph
from rulewright.render import sc_figure

X = np.column_stack([range(1, 11), [3, 5, 2, 6, 8, 1, 9, 10, 4, 7]])
TARGET = (X <= 6).all(axis=1)

if __name__ == "__main__":
    sys.stdout.write(sc_figure(X, TARGET, sc_graph(X, TARGET, ["<=", "<="])))
