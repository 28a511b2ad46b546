"""
A certificate beside a hold-out test
====================================

If you have few rows, a hold-out test is either coarse or uses up too many of them. Here we know the source, so
we know the true error of every model. How far are the promises from it?
"""

import matplotlib.pyplot as plt
import numpy as np

from rulewright import TreeClassifier


def draw(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 6))
    y = (X[:, 0] > 0.3) & (X[:, 1] < 1.0)
    return X, y ^ (rng.random(rows) < 0.08)


fresh, truth = draw(20_000, seed=10**6)
forms = {"split": [], "holdout": [], "compression": []}
for seed in range(20):
    X, y = draw(300, seed)
    for form, found in forms.items():
        tree = TreeClassifier(max_leaf_nodes=3, certificate=form).fit(X, y)
        error = (tree.predict(fresh) != truth).mean()
        found.append((error, tree.certificate_.bound))

# %%
# A promise is broken if the true error is above the bound. That may happen at most one time in twenty.
for form, found in forms.items():
    errors, bounds = np.array(found).T
    print(
        f"{form:<12} true error {errors.mean():.1%}, promised at most {bounds.mean():.1%} on average; "
        f"broken {int((errors > bounds).sum())} of {len(found)} times"
    )

# %%
# Each point is one sample of 300 rows. Points above the line are promises that were kept.
for form, found in forms.items():
    plt.scatter(*np.array(found).T, label=form, alpha=0.7)
plt.axline((0.08, 0.08), slope=1, color="grey", linewidth=1)
plt.xlabel("true error")
plt.ylabel("certified: at most")
plt.legend()
plt.show()
