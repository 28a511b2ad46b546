"""Scorecards by slow and obvious means: logistic fits by scipy, and every choice of points."""

import itertools

import numpy as np
from scipy.optimize import minimize


def logistic_loss(score, own, weight):
    """Weighted logistic loss of scores."""
    return float(weight @ (np.logaddexp(0.0, score) - own * score))


def fitted_loss(holds, own, weight, ridge, signs=None):
    """Least penalised loss of a logistic model on conditions (rows), with a free intercept."""
    holds = np.asarray(holds, float).reshape(-1, weight.size)

    def penalised(values):
        score = values[0] + values[1:] @ holds
        slope = weight * (1 / (1 + np.exp(-score)) - own)
        gradient = np.append(slope.sum(), holds @ slope + ridge * values[1:])
        loss = logistic_loss(score, own, weight) + ridge / 2 * (values[1:] ** 2).sum()
        return loss, gradient

    signs = np.zeros(len(holds), int) if signs is None else signs
    ends = {0: (-30, 30), 1: (0, 30), -1: (-30, 0)}
    bounds = [(-30, 30), *(ends[int(sign)] for sign in signs)]
    start = np.zeros(len(holds) + 1)
    return float(minimize(penalised, start, jac=True, bounds=bounds, tol=1e-12).fun)


def points_loss(points, holds, own, weight, ridge):
    """Least loss of a logistic curve through the totals, its slope not negative."""
    total = np.asarray(points, float) @ np.asarray(holds, float).reshape(len(points), -1)
    squares = float(np.square(points).sum())
    return fitted_loss(total[np.newaxis], own, weight, ridge * squares, [1])


def best_points_loss(holds, own, weight, low, high, ridge):
    """Least loss of all choices of points."""
    ranges = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    return min(points_loss(p, holds, own, weight, ridge) for p in itertools.product(*ranges))


def class_points_loss(points, slope, holds, y, weight, ridge):
    """Loss of the points of several classes; the last row of points is for every case."""
    total = slope * (np.asarray(points, float).T @ np.asarray(holds, float))
    largest = total.max(axis=0)
    lost = largest + np.log(np.exp(total - largest).sum(axis=0)) - total[y, np.arange(y.size)]
    squares = float(np.square(points[:-1]).sum())
    return float(weight @ lost + ridge / 2 * slope**2 * squares)


def total_of(body, table):
    """Total of each row of a scorecard of two classes, row by row."""
    held = [line.condition.holds(table) for line in body.lines]
    return [
        sum(line.points for line, holds in zip(body.lines, held, strict=True) if holds[row])
        for row in range(table.rows)
    ]
