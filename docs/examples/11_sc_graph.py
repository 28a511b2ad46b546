"""
Why chosen thresholds look too good
===================================

There are ten objects, two columns, and 26 different rules of the form ``f1 <= a and f2 <= b``. The graph shows which of them can win a
search by chance. Few of them are good (splitting), and the good ones are alike (connectivity).
"""

import numpy as np

from rulewright.bounds import sc_graph
from rulewright.render import sc_figure

X = np.column_stack([range(1, 11), [3, 5, 2, 6, 8, 1, 9, 10, 4, 7]])
target = (X <= 6).all(axis=1)
graph = sc_graph(X, target, ["<=", "<="])
print(
    {errors: len(rules) for errors, rules in graph.layers.items()},
    "rules by their number of errors",
)


# %%
# The left side shows the objects, and the right side the rules by their number of errors. A line joins two rules that differ in one
# object.
class Drawing:
    """A picture for notebooks and this page."""

    def _repr_html_(self):
        return sc_figure(X, target, graph)


Drawing()
