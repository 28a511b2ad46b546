"""
A medical scorecard
===================

A doctor at the bedside adds up a few whole numbers. A scorecard is the right choice if someone has to work out the answer
by hand, and if you want a risk and not just a class.
"""

# %%
# The table has 30 measurements of 569 breast tumours. The scorecard may use five conditions. Half of
# the rows check it.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rulewright import RipperClassifier, ScorecardClassifier, TreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
card = ScorecardClassifier(5, certificate="split").fit(X, y)
print(card.model_)

# %%
# The certificate bounds the error on new tumours, and within each class.
print(card.certificate_.sentence)

# %%
# Each prediction comes with its sum.
print(card.explain(X[:1])["why"].item())

# %%
# Next to other readable models of this size, the scorecard is wrong less often. Its risks also sort the tumours better: the AUC
# is the chance that a malignant tumour gets a higher risk than a benign one.
errors, areas = {}, {}
for name, learner in (
    ("scorecard, 5 lines", ScorecardClassifier(5)),
    ("tree, 6 leaves", TreeClassifier(max_leaf_nodes=6)),
    ("RIPPER", RipperClassifier()),
    ("logistic, 30 weights", make_pipeline(StandardScaler(), LogisticRegression())),
):
    found = cross_validate(learner, X, y, cv=3, scoring=("accuracy", "roc_auc"))
    errors[name], areas[name] = 1 - found["test_accuracy"].mean(), found["test_roc_auc"].mean()
    print(f"{name:<22} {errors[name]:.1%} wrong, AUC {areas[name]:.3f} in 3-fold cross-validation")
readable = list(errors)[:3]
assert min(readable, key=errors.__getitem__) == "scorecard, 5 lines"
assert max(readable, key=areas.__getitem__) == "scorecard, 5 lines"

# %%
# The last line shows what readability costs: logistic regression uses all 30 columns, with a weight of many digits for each.
