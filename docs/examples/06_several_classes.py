"""
Several classes in one list
===========================

Three vineyards, 13 measurements of 178 wines. A decision list machine is the right choice where each
rule should have a single test, and there are several classes.
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
# The list of every size comes from one run, each with its own certificate.
for entry in machine.path_:
    print(
        f"rules: {entry.size}, training errors: {entry.errors}, bound {entry.certificate.bound:.1%}"
    )

# %%
# A tree with as many leaves, for comparison:
for name, learner in (
    ("list, at most 5 rules", DecisionListMachine(max_rules=5)),
    ("tree, at most 6 leaves", TreeClassifier(max_leaf_nodes=6)),
):
    print(
        f"{name:<24} {1 - cross_val_score(learner, X, y, cv=5).mean():.1%} wrong in 5-fold cross-validation"
    )
