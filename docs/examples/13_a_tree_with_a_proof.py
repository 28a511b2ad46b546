"""
A tree, and a proof that none is better
=======================================

Two columns matter only together. A tree that grows split by split sees nothing in either of them at first. An optimal
search compares all trees of a given depth, and proves that no other one has a lower training error.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rulewright import TreeClassifier

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(size=(500, 5)).round(2), columns=list("abcde"))
y = np.where((X["a"] > 0.5) ^ (X["b"] > 0.5) ^ (rng.random(500) < 0.05), "on", "off")
greedy = TreeClassifier(max_depth=2).fit(X, y)
optimal = TreeClassifier(search="optimal", max_depth=2).fit(X, y)
for name, tree in (("greedy", greedy), ("optimal", optimal)):
    print(f"{name:<8} {1 - tree.score(X, y):.1%} of the training rows wrong")
print()
print(optimal.optimality_.sentence)
assert optimal.score(X, y) > greedy.score(X, y)

# %%
# The tree, drawn:
optimal.model_.plot()
plt.show()
