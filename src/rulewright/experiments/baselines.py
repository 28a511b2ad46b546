"""scikit-learn's classifiers to compare with, each with the preparation that it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from rulewright.experiments.table_encoder import TableCells, TableEncoder

INNER_FOLDS = 5
"""Folds of the cross-validation that chooses the parameters of a baseline, inside each fit."""


@dataclass(frozen=True)
class Baseline:
    """A classifier of scikit-learn.

    Attributes
    ----------
    title : str
    make : callable
        The classifier, from a seed.
    numbers : str
        How numbers are prepared; see ``TableEncoder``.
    grid : mapping
        Parameters to choose by cross-validation within the training rows, with their values.
    """

    title: str
    make: Callable[[int], Any]
    numbers: Literal["scaled", "plain", "ranges"] = "scaled"
    grid: Mapping[str, tuple[Any, ...]] | None = None


BASELINES: dict[str, Baseline] = {
    "majority": Baseline("the most frequent class", lambda seed: DummyClassifier(), "plain"),
    "naive-bayes": Baseline(
        "naive Bayes, numbers cut into ranges", lambda seed: BernoulliNB(), "ranges"
    ),
    "logistic": Baseline(
        "logistic regression",
        lambda seed: LogisticRegression(max_iter=2000),
        grid={"C": (0.01, 0.1, 1.0, 10.0)},
    ),
    "lda": Baseline(
        "linear discriminant analysis",
        lambda seed: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    ),
    "perceptron": Baseline("perceptron", lambda seed: Perceptron(random_state=seed)),
    "knn": Baseline(
        "nearest neighbours",
        lambda seed: KNeighborsClassifier(),
        grid={"n_neighbors": (1, 3, 5, 9, 15, 25)},
    ),
    "svm": Baseline(
        "support vector machine (RBF)",
        lambda seed: SVC(),
        grid={"C": (0.1, 1.0, 10.0, 100.0), "gamma": ("scale", 0.001, 0.01, 0.1)},
    ),
    "mlp": Baseline(
        "neural network",
        lambda seed: MLPClassifier(early_stopping=True, max_iter=1000, random_state=seed),
        grid={"hidden_layer_sizes": ((16,), (64,)), "alpha": (1e-4, 1e-2)},
    ),
    "cart": Baseline(
        "decision tree, pruned",
        lambda seed: DecisionTreeClassifier(ccp_alpha=0.003, random_state=seed),
        "plain",
        grid={"ccp_alpha": (0.0, 0.001, 0.003, 0.01, 0.03)},
    ),
    "bagging": Baseline(
        "bagged trees", lambda seed: BaggingClassifier(n_estimators=100, random_state=seed), "plain"
    ),
    "forest": Baseline(
        "random forest",
        lambda seed: RandomForestClassifier(random_state=seed),
        "plain",
    ),
    "extra-trees": Baseline(
        "extremely randomised trees",
        lambda seed: ExtraTreesClassifier(random_state=seed),
        "plain",
    ),
    "boosting": Baseline(
        "gradient-boosted trees",
        lambda seed: HistGradientBoostingClassifier(random_state=seed),
        "plain",
    ),
}
"""The baselines by name."""


def baseline(
    name: str, *, seed: int = 0, tuned: bool = True, categorical_features: Any = None
) -> ClassifierMixin:
    """A baseline as one estimator, whose preparation and choices see the training rows only.

    Parameters
    ----------
    name : str
        A name in ``BASELINES``.
    seed : int, default=0
    tuned : bool, default=True
        Whether parameters are chosen by cross-validation inside ``fit``, where the baseline has
        some to choose. Otherwise they have defaults.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> baseline("lda").fit(X, y).score(X, y)
    0.98
    """
    chosen = BASELINES[name]
    kinds = None if tuned and chosen.grid else categorical_features
    steps = [("encoder", TableEncoder(chosen.numbers, kinds)), ("classifier", chosen.make(seed))]
    pipeline = Pipeline(steps)
    if not tuned or not chosen.grid:
        return pipeline
    grid = {f"classifier__{parameter}": list(values) for parameter, values in chosen.grid.items()}
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(pipeline, grid, cv=folds)
    return Pipeline([("cells", TableCells(categorical_features)), ("search", search)])
