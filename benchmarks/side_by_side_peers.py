"""Learners of other packages on scikit-learn's table of tumours, for ``side_by_side.py``.

Usage: ``python side_by_side_peers.py folds.json``. It prints, as JSON, the model that each learner
makes of all rows, as its package prints it, and its errors on the folds. It needs the packages, and
nothing of Rulewright, so that it runs in an environment of its own. A package that is not
installed is left out. Class 1 is malignant.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer


class FitsArrays:
    """A learner of imodels, which gets the names of the columns apart."""

    def __init__(self, name: str, **parameters: Any) -> None:
        self.model = getattr(import_module("imodels"), name)(**parameters)

    def fit(self, X: Any, y: Any) -> FitsArrays:
        self.model.fit(X.to_numpy(), y, feature_names=list(X))
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict(X.to_numpy())

    def __str__(self) -> str:
        return str(self.model)


class FitsRules(FitsArrays):
    """A learner of wittgenstein, with rules for the class 1."""

    def __init__(self, name: str) -> None:
        self.model = getattr(import_module("wittgenstein"), name)(random_state=0)

    def fit(self, X: Any, y: Any) -> FitsRules:
        self.model.fit(X, y=y, pos_class=1)
        return self

    def predict(self, X: Any) -> Any:
        return np.array(self.model.predict(X), int)

    def __str__(self) -> str:
        return "\n".join(f"1 if {rule}" for rule in self.model.ruleset_.rules)


class Rulesets(FitsArrays):
    """Rulesets of c50py, which follows C5.0."""

    def __init__(self) -> None:
        self.model = import_module("c50py").C5RulesClassifier()

    def fit(self, X: Any, y: Any) -> Rulesets:
        self.model.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)

    def __str__(self) -> str:
        names = list(self.model.feature_names_in_)
        return "\n".join(f"{rule.label} if {rule.text(names)}" for rule in self.model.rules_)


class Tree(Rulesets):
    """A tree of interpret, of depth two."""

    def __init__(self) -> None:
        self.model = import_module("interpret.glassbox").ClassificationTree(max_depth=2)

    def __str__(self) -> str:
        from sklearn.tree import export_text

        fitted = self.model._model()
        return export_text(fitted, feature_names=list(self.model.feature_names_in_)).rstrip()


PEERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "GreedyRuleListClassifier(max_depth=3)": (
        "imodels",
        lambda: FitsArrays("GreedyRuleListClassifier", max_depth=3),
    ),
    "SlipperClassifier()": ("imodels", lambda: FitsArrays("SlipperClassifier", random_state=0)),
    "C45TreeClassifier(max_rules=4)": (
        "imodels",
        lambda: FitsArrays("C45TreeClassifier", max_rules=4),
    ),
    "RIPPER()": ("wittgenstein", lambda: FitsRules("RIPPER")),
    "IREP()": ("wittgenstein", lambda: FitsRules("IREP")),
    "C5RulesClassifier()": ("c50py", Rulesets),
    "ClassificationTree(max_depth=2)": ("interpret-core", Tree),
}


def results(folds: list[list[int]]) -> Iterator[dict[str, Any]]:
    """Model of all rows, and errors on the folds, of every learner that is installed."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = (y == 0).to_numpy().astype(int)
    for call, (package, make) in PEERS.items():
        np.random.seed(0)  # packages break ties with the global generator
        try:
            known = version(package)
            errors = 0
            for fold in folds:
                tested = np.isin(np.arange(len(y)), fold)
                answers = make().fit(X[~tested], y[~tested]).predict(X[tested])
                errors += int((np.asarray(answers) != y[tested]).sum())
            text = str(make().fit(X, y))
        except ImportError as error:
            print(f"{call}: {error}", file=sys.stderr)
            continue
        yield {
            "call": call,
            "package": package,
            "version": known,
            "errors": errors,
            "text": text,
        }


def main(path: str) -> None:
    warnings.simplefilter("ignore")
    with open(path, encoding="utf-8") as file:
        folds = json.load(file)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # packages print too
    json.dump(list(results(folds)), out)
    out.close()


if __name__ == "__main__":
    main(sys.argv[1])
