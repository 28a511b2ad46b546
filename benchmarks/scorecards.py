"""Points of scorecards against rounded coefficients, and their calibration on new cases.

    RULEWRIGHT_DATA=folder python benchmarks/scorecards.py
    RULEWRIGHT_DATA=folder python benchmarks/scorecards.py --points
    RULEWRIGHT_DATA=folder python benchmarks/scorecards.py --calibration

Points: on each of the twelve tables of the papers, a scorecard is learnt from all rows. Logistic
regression gets the same conditions, and its coefficients become whole numbers of the same range:
the largest becomes one of 50 numbers up to the limit before rounding, and the rounding with the
least loss counts. Either card gets the curve from total to risk with the least loss. The penalised
loss is what scorecards minimise. The plain loss is compared where there is almost no penalty
(``ridge=0.001``), because a penalty trades plain loss for smaller coefficients. Mean losses of a
row are printed.

Calibration: of five large tables, 30 % of the rows are tested. The slope is that of the logistic
regression of the classes on the log odds that the card gives; 1 is right, below 1 the risks are
too extreme. The intercept, at slope 1, is 0 where the mean risk is right. Where no case of the
first class has a higher risk than one of the second, there is no finite slope.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import small_models
import tasks
import weka
from scipy.optimize import minimize

from rulewright import ScorecardClassifier

RANGES = (2, 5)
CONDITIONS = 12
RIDGES = (2.0, 0.001)
MAX_TRAINING = 12_000
SCALES = 50
TOLERANCE = 1e-6


class Comparison(NamedTuple):
    """Mean losses of a row: of our points, and of the best rounding of the coefficients."""

    table: str
    max_points: int
    ridge: float
    ours: float
    rounded: float

    @property
    def is_better(self) -> bool:
        return self.ours <= self.rounded + TOLERANCE


def logistic_fit(columns: np.ndarray, own: np.ndarray, ridge: float) -> tuple[np.ndarray, float]:
    """Coefficients of the rows of ``columns`` with the least penalised loss, and that loss."""

    def penalised(values: np.ndarray) -> tuple[float, np.ndarray]:
        score = values[0] + values[1:] @ columns
        slope = 1 / (1 + np.exp(-np.clip(score, -700, 700))) - own
        loss = float((np.logaddexp(0.0, score) - own * score).sum())
        gradient = np.append(slope.sum(), columns @ slope + ridge * values[1:])
        return loss + ridge / 2 * float(values[1:] @ values[1:]), gradient

    found = minimize(penalised, np.zeros(len(columns) + 1), jac=True, tol=1e-12)
    return found.x[1:], float(found.fun)


def points_loss(points: np.ndarray, holds: np.ndarray, own: np.ndarray, ridge: float) -> float:
    """Least penalised loss of a logistic curve through the totals of points."""
    size = np.sqrt(float(points @ points)) or 1.0
    return logistic_fit((points @ holds / size)[np.newaxis], own, ridge)[1]


def rounded_loss(holds: np.ndarray, own: np.ndarray, max_points: int, ridge: float) -> float:
    """Least loss of the coefficients of logistic regression, rounded at all scales."""
    coefficient, _ = logistic_fit(holds, own, ridge)
    largest = np.abs(coefficient).max()
    scales = np.linspace(0.6, max_points, SCALES)
    scaled = np.unique(np.rint(np.outer(scales, coefficient / largest)), axis=0)
    return min(points_loss(points, holds, own, ridge) for points in scaled)


def comparison(name: str, max_points: int, ridge: float) -> Comparison | None:
    """Compare the points of a table; None where the card has no lines."""
    table, labels = weka.read(name)
    card = ScorecardClassifier(CONDITIONS, max_points=max_points, ridge=ridge, certificate=None)
    card.fit(table, labels)
    lines = getattr(card.model_.body, "lines", ())
    if not lines:
        return None
    own = (np.asarray(labels) == card.classes_[1]).astype(float)
    holds = np.array([line.condition.holds(table) for line in lines], float)
    ours = points_loss(np.array([float(line.points) for line in lines]), holds, own, ridge)
    rounded = rounded_loss(holds, own, max_points, ridge)
    return Comparison(name, max_points, ridge, ours / own.size, rounded / own.size)


def print_points(names: Sequence[str]) -> None:
    line = "{:<16}" + "  {:>10}" * 8
    heads = [f"{max_points}, {ridge:g}" for ridge in RIDGES for max_points in RANGES]
    print("Mean loss of a row, by the largest points and the ridge: our points, rounded ones.")
    print(line.format("table", *(text for head in heads for text in (head, "rounded"))))
    found = []
    for name in names:
        here = [comparison(name, points, ridge) for ridge in RIDGES for points in RANGES]
        found += [one for one in here if one is not None]
        cells = [
            text
            for one in here
            for text in (("-", "-") if one is None else (f"{one.ours:.5f}", f"{one.rounded:.5f}"))
        ]
        print(line.format(name, *cells), flush=True)
    worse = [one for one in found if not one.is_better]
    print(f"Our points lose no more in {len(found) - len(worse)} of {len(found)} comparisons.")


def calibration(risk: np.ndarray, own: np.ndarray) -> tuple[float, float]:
    """Slope, and intercept at slope 1, of the classes on the log odds of risks."""
    odds = np.log(risk / (1 - risk))
    (slope,), _ = logistic_fit(odds[np.newaxis], own, 0.0)

    def slope_of_loss(intercept: np.ndarray) -> float:
        score = odds + intercept[0]
        return float((np.logaddexp(0.0, score) - own * score).sum())

    return float(slope), float(minimize(slope_of_loss, [0.0]).x[0])


def split(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows; at most ``MAX_TRAINING`` rows train."""
    order = np.random.default_rng(0).permutation(rows)
    tested = round(small_models.TESTED * rows)
    return np.sort(order[tested:][:MAX_TRAINING]), np.sort(order[:tested])


def print_calibration(names: Sequence[str]) -> None:
    line = "{:<16}  {:>5}  {:>8}  {:>6}  {:>9}  {:>9}"
    print("Calibration on new cases: slope 1 and intercept 0 are right.")
    print(line.format("table", "tests", "training", "slope", "intercept", "mean loss"))
    for name in names:
        table, labels = weka.read(name)
        labels = np.asarray(labels)
        training, tested = split(labels.size)
        for conditions in (6, CONDITIONS):
            card = ScorecardClassifier(conditions, certificate=None)
            card.fit(table.take(training), labels[training])
            risk = card.predict_proba(table.take(tested))[:, 1]
            own = (labels[tested] == card.classes_[1]).astype(float)
            slope, intercept = calibration(risk, own)
            separated = risk[own == 0].max() <= risk[own == 1].min()
            loss = -np.log(np.where(own == 1, risk, 1 - risk)).mean()
            print(
                line.format(
                    name,
                    conditions,
                    training.size,
                    "none" if separated else f"{slope:.3f}",
                    f"{intercept:+.3f}",
                    f"{loss:.4f}",
                ),
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", action="store_true", help="only compare points")
    parser.add_argument("--calibration", action="store_true", help="only measure calibration")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.points or not options.calibration:
        print_points(small_models.present(tasks.TABLES))
    if options.calibration or not options.points:
        print_calibration(small_models.present(small_models.LARGE))


if __name__ == "__main__":
    main()
