"""
Several classes in one list
===========================

There are 13 measurements of 178 wines, from three grape varieties. A decision list machine is the right choice if there are
several classes and each rule should have just one test.
"""

from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

from rulewright import DecisionListMachine, TreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
y = y.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
machine = DecisionListMachine(max_rules=5).fit(X, y)
print(machine.model_)
print()
print(machine.certificate_.sentence)

# %%
# One run gives the lists of all sizes, each with its own certificate.
for entry in machine.path_:
    print(
        f"rules: {entry.size}, training errors: {entry.errors}, bound {entry.certificate.bound:.1%}"
    )

# %%
# For comparison, a tree of the same size:
errors = {}
for name, learner in (
    ("list, at most 5 rules", DecisionListMachine(max_rules=5)),
    ("tree, at most 6 leaves", TreeClassifier(max_leaf_nodes=6)),
):
    errors[name] = 1 - cross_val_score(learner, X, y, cv=5).mean()
    print(f"{name:<24} {errors[name]:.1%} wrong in 5-fold cross-validation")
assert errors["list, at most 5 rules"] < errors["tree, at most 6 leaves"]
