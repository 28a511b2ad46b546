"""
A medical scorecard
===================

A doctor at the bedside adds up a few whole numbers. A scorecard is the right choice where the answer
must be computed by hand, and where a risk is wanted and not only a class.
"""

# %%
# The table has 30 measurements of 569 breast tumours. The scorecard may use five conditions. Half of
# the rows check it.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rulewright import ScorecardClassifier

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
# What do whole points cost? Logistic regression with all 30 columns, a weight of many digits for each,
# is the usual comparison.
logistic = make_pipeline(StandardScaler(), LogisticRegression())
for name, learner in (
    ("scorecard, 5 lines", ScorecardClassifier(5)),
    ("logistic, 30 weights", logistic),
):
    print(
        f"{name:<22} {1 - cross_val_score(learner, X, y, cv=3).mean():.1%} wrong in 3-fold cross-validation"
    )
