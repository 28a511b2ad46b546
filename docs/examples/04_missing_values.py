"""
Missing values that mean something
==================================

Nobody ordered the lab test, because the doctor saw no reason to. The gap may then be the
most useful fact in the table. Trees can test for it, and need no imputation.
"""

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from rulewright import TreeClassifier

rng = np.random.default_rng(0)
ill = rng.random(800) < 0.4
X = pd.DataFrame(rng.normal(size=(800, 3)), columns=["troponin", "sodium", "weight"]).round(2)
X["troponin"] += 0.5 * ill
X.loc[rng.random(800) < np.where(ill, 0.05, 0.7), "troponin"] = np.nan
y = np.where(ill, "ill", "well")

# %%
# Whether a value is missing is a test like any other.
tree = TreeClassifier(preset="c4.5", max_leaf_nodes=2, certificate="split").fit(X, y)
print(tree.model_)
print()
print(tree.certificate_.sentence)

# %%
# Filling in the median hides that information: one cut cannot find it again.
filled = make_pipeline(SimpleImputer(strategy="median"), DecisionTreeClassifier(max_leaf_nodes=2))
errors = {}
for name, learner in (
    ("as they are", TreeClassifier(preset="c4.5", max_leaf_nodes=2)),
    ("median filled in", filled),
):
    errors[name] = 1 - cross_val_score(learner, X, y, cv=5).mean()
    print(f"{name:<18} {errors[name]:.1%} wrong in 5-fold cross-validation")
assert errors["as they are"] < errors["median filled in"]
assert "troponin is missing" in str(tree.model_)
