"""Perceptron, logistic regression and linear discriminant analysis on generated tables.

Each class has equal probability. Errors of linear classifiers on Gaussian classes are computed
exactly; others are measured on a large sample.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Perceptron

from rulewright.experiments.cells import cell_function
from rulewright.experiments.lectures.gaussian_classes import GaussianClasses

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
DIMENSIONS = 10
TEST_ROWS = 20_000
FAR = 8.0
WEIGHT = 5.0
"""Cost of a missed positive case, where a false alarm costs 1."""


def classifier(name: str, *, costs: float = 1.0) -> Any:
    """A classifier as the lecture describes it: without a penalty on its weights."""
    weights = None if costs == 1.0 else {0: 1.0, 1: costs}
    match name:
        case "perceptron":
            return Perceptron(random_state=0, class_weight=weights)
        case "logistic regression":
            return LogisticRegression(C=np.inf, max_iter=1000, class_weight=weights)
        case _:
            prior = None if costs == 1.0 else [1 / (1 + costs), costs / (1 + costs)]
            return LinearDiscriminantAnalysis(priors=prior)


def fitted_unit(name: str, X: Floats, y: Labels, *, costs: float = 1.0) -> Any:
    """Fit without warnings: separable classes have no finite optimum, constant ones no inverse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", category=UserWarning)
        warnings.filterwarnings("ignore", category=FutureWarning)
        return classifier(name, costs=costs).fit(X, y)


def two_classes(
    rng: np.random.Generator, kind: str, distance: float, rows: int
) -> tuple[Floats, Labels]:
    """Rows of two classes.

    ``right``: two Gaussians with the same covariance, ``distance`` deviations apart. ``skewed``:
    the same with every column replaced by its exponential function. ``far``: three tenths of the
    rows of the second class are 8 deviations further along the line between the classes.
    """
    y = np.tile([0, 1], rows // 2 + 1)[:rows].astype(np.int64)
    X = rng.normal(size=(rows, DIMENSIONS))
    X[:, 0] += distance * (y - 0.5)
    if kind == "skewed":
        return np.exp(X), y
    if kind == "far":
        X[:, 0] += FAR * ((y == 1) & (rng.random(rows) < 0.3))
    return X, y


@cell_function
def learning_curve(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Mean error of the three classifiers for each number of training rows."""
    distance, kind = parameters["distance"], parameters["kind"]
    rng = np.random.default_rng(parameters["seed"])
    test = two_classes(rng, kind, distance, TEST_ROWS)
    found: dict[str, list[list[float]]] = {name: [] for name in parameters["names"]}
    for rows in parameters["sizes"]:
        errors: dict[str, list[float]] = {name: [] for name in found}
        for _ in range(parameters["repeats"]):
            X, y = two_classes(rng, kind, distance, rows)
            for name, values in errors.items():
                values.append(linear_error(fitted_unit(name, X, y), kind, distance, test))
        for name, values in errors.items():
            found[name].append([float(np.mean(values)), float(np.std(values))])
    return {"errors": found, "best": best_error(kind, distance)}


def best_error(kind: str, distance: float) -> float:
    """Lowest possible error; a cut of the first column reaches it."""
    cuts = np.linspace(-5, 5, 10_001)
    far = 0.3 if kind == "far" else 0.0  # the exponential function keeps the order
    near, moved = norm.cdf(cuts - distance / 2), norm.cdf(cuts - distance / 2 - FAR)
    missed = (1 - far) * near + far * moved
    return float(((norm.sf(cuts + distance / 2) + missed) / 2).min())


def linear_error(model: Any, kind: str, distance: float, test: tuple[Floats, Labels]) -> float:
    """Error of a linear classifier on new rows: exact for Gaussian classes, else on test rows."""
    if kind != "right":
        return float((model.predict(test[0]) != test[1]).mean())
    weights, constant = model.coef_[0], model.intercept_[0]
    length = np.linalg.norm(weights)
    if length == 0:
        return 0.5
    shift = weights[0] * distance / 2
    return float(
        (norm.cdf((constant - shift) / length) + norm.cdf(-(constant + shift) / length)) / 2
    )


@cell_function
def fitting_time(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """CPU seconds of a fit."""
    X, y = two_classes(np.random.default_rng(0), "right", 2.0, parameters["rows"])
    start = time.process_time()
    model = fitted_unit(parameters["name"], X, y)
    seconds = time.process_time() - start
    steps = getattr(model, "n_iter_", 0)
    return {"seconds": seconds, "steps": int(np.max(steps))}


@cell_function
def changed_loss(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Mean cost of a case when missing a positive one costs more than a false alarm.

    ``kept``: the classifier as it was learnt. ``moved``: its probabilities, cut at the new costs.
    ``relearnt``: learnt again with the new costs.
    """
    name, rng = parameters["name"], np.random.default_rng(parameters["seed"])
    X_test, y_test = two_classes(rng, "right", 2.0, TEST_ROWS)
    found: dict[str, list[float]] = {"kept": [], "moved": [], "relearnt": []}
    for _ in range(parameters["repeats"]):
        X, y = two_classes(rng, "right", 2.0, parameters["rows"])
        model = fitted_unit(name, X, y)
        answers = {"kept": model.predict(X_test)}
        if hasattr(model, "predict_proba"):
            answers["moved"] = model.predict_proba(X_test)[:, 1] > 1 / (1 + WEIGHT)
        answers["relearnt"] = fitted_unit(name, X, y, costs=WEIGHT).predict(X_test)
        for how, given in answers.items():
            found[how].append(float(np.where(y_test == 1, WEIGHT * (given == 0), given).mean()))
    return {how: float(np.mean(costs)) if costs else None for how, costs in found.items()}


@cell_function
def outliers(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Error before and after some training cells were multiplied by a large factor.

    ``far`` outliers keep their class's side: rows are moved away from the border. ``random`` ones
    blow up any cell, in either direction.
    """
    name, rng = parameters["name"], np.random.default_rng(parameters["seed"])
    test = two_classes(rng, "right", 2.0, TEST_ROWS)
    found: dict[str, list[float]] = {"clean": [], "random": [], "far": []}
    for _ in range(parameters["repeats"]):
        X, y = two_classes(rng, "right", 2.0, parameters["rows"])
        cells = rng.random(X.shape) < parameters["share"]
        rows = rng.random(len(X)) < parameters["share"]
        spoilt = np.where(cells, X * parameters["factor"], X)
        far = X.copy()
        far[rows, 0] = parameters["factor"] * np.where(y[rows] == 1, 1.0, -1.0)
        for how, given in (("clean", X), ("random", spoilt), ("far", far)):
            found[how].append(linear_error(fitted_unit(name, given, y), "right", 2.0, test))
    return {how: float(np.mean(errors)) for how, errors in found.items()}


@cell_function
def missing_values(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Error with a share of all cells missing at random, in training and in test.

    Columns are correlated, so that the known ones say something of the others. ``mean``: a missing
    cell is the mean of its column. ``EM``: the Gaussian model itself is fitted to what is known.
    """
    rng = np.random.default_rng(parameters["seed"])
    mixing = np.linalg.cholesky(np.full((DIMENSIONS, DIMENSIONS), 0.7) + 0.3 * np.eye(DIMENSIONS)).T
    found: dict[str, list[float]] = {"complete": [], "mean": []}
    name = parameters["name"]
    if name == LDA:
        found["EM"] = []
    for _ in range(parameters["repeats"]):
        parts = [_correlated(rng, mixing, rows) for rows in (parameters["rows"], 4000)]
        (X, y), (X_test, y_test) = parts
        found["complete"].append(float((fitted_unit(name, X, y).predict(X_test) != y_test).mean()))
        X, X_test = (
            np.where(rng.random(Z.shape) < parameters["share"], np.nan, Z) for Z in (X, X_test)
        )
        filling = SimpleImputer(keep_empty_features=True).fit(X)
        model = fitted_unit(name, filling.transform(X), y)
        answers = model.predict(filling.transform(X_test))
        found["mean"].append(float((answers != y_test).mean()))
        if name == LDA:
            answers = GaussianClasses().fit(X, y).predict(X_test)
            found["EM"].append(float((answers != y_test).mean()))
    return {how: float(np.mean(errors)) for how, errors in found.items()}


LDA = "discriminant analysis"


def _correlated(rng: np.random.Generator, mixing: Any, rows: int) -> tuple[Floats, Labels]:
    X, y = two_classes(rng, "right", 2.0, rows)
    return X @ mixing, y
