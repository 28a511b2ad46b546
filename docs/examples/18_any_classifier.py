"""
A certificate for any scikit-learn classifier
=============================================

A model that nobody can read can still have a certificate. Next to the certificate of readable rules on the same rows, it shows what
readability costs.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rulewright import RipperClassifier, certify

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
logistic = certify(make_pipeline(StandardScaler(), LogisticRegression(random_state=0)), X, y)
rules = RipperClassifier(certificate="split").fit(X, y)
for name, model in (("logistic regression, 31 weights", logistic), ("RIPPER", rules)):
    print(f"{name:<32} {model.certificate_.sentence}")

# %%
# The rules:
print(rules.model_)
