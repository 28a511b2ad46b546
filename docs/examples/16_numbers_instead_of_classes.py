"""
A regression tree with a bound
==============================

The answer is a number, and the certificate limits how far predictions are off on average. A regression tree is the right choice
if the number changes in steps, and if people must be able to look it up.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

from rulewright import TreeRegressor

# %%
# How long a parcel takes depends on its weight and on the distance, in steps.
rng = np.random.default_rng(0)
parcels = pd.DataFrame(
    {"kilograms": rng.uniform(0, 30, 600).round(1), "distance": rng.integers(5, 900, 600)}
)
days = 1.0 + (parcels["kilograms"] > 20) + 2 * (parcels["distance"] > 400) + rng.normal(0, 0.2, 600)
tree = TreeRegressor(max_leaf_nodes=4, certificate="split").fit(parcels, days)
print(tree.model_)
print()
print(tree.certificate_.sentence)

# %%
# A linear formula cannot follow the steps:
errors = {}
for name, learner in (
    ("tree, 4 leaves", TreeRegressor(max_leaf_nodes=4)),
    ("linear formula", LinearRegression()),
):
    scores = cross_val_score(learner, parcels, days, cv=5, scoring="neg_mean_absolute_error")
    errors[name] = -scores.mean()
    print(f"{name:<16} off by {errors[name]:.2f} days on average, in 5-fold cross-validation")
assert errors["tree, 4 leaves"] < errors["linear formula"]

# %%
# Real data are seldom so clear. Here is the progress of diabetes after a year:
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
tree = TreeRegressor(certificate="split").fit(X, y)
print(tree.model_)
print()
print(tree.certificate_.sentence)

# %%
# For comparison, the average error if you always predict the median:
print(f"{(y - y.median()).abs().mean():.1f}")

# %%
tree.model_.plot()
plt.show()
