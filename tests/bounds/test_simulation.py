"""The bound is true: over many samples from known distributions it fails at most a share delta."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from rulewright.bounds import compression_tail
from rulewright.data import detect_table
from rulewright.families import SpaceOptions, as_families
from rulewright.learners.covering import covering_stages
from rulewright.learners.listing import listing_stages
from rulewright.learners.sample import Sample
from rulewright.learners.task import Task

SAMPLES = 2000
DELTA = 0.05
VALUES = 8
GRID = np.array([[a, b] for a in range(VALUES) for b in range(VALUES)], float)


def corner(x):
    return (x[:, 0] > 2) & (x[:, 1] <= 5)


DISTRIBUTIONS = {
    # Share of positives in every cell of the grid; all cells are equally likely.
    "noise": np.full(len(GRID), 0.5),
    "rare": np.full(len(GRID), 0.15),
    "clean": np.where(corner(GRID), 1.0, 0.0),
    "noisy": np.where(corner(GRID), 0.9, 0.2),
}


def draw(rng, share, m):
    cells = rng.integers(0, len(GRID), m)
    return GRID[cells], (rng.random(m) < share[cells]).astype(np.int32)


def all_entries(X, y, family="thresholds", *, lists=False, scale="none"):
    """Every machine of every kind, size and penalty that one would choose among."""
    sample = Sample.of(detect_table(X), y, (0, 1))
    families = as_families(family, SpaceOptions(scale=scale))
    for consistent in (False, True) if lists else (False,):
        task = Task(sample, families, DELTA, consistent, settings=2)
        for p in (Fraction(1), math.inf):
            for kind in ("conjunction", "disjunction"):
                yield from (stage.entry for stage in covering_stages(task, kind, p, 3))
            if lists:
                yield from (stage.entry for stage in listing_stages(task, [p, p], 3))


def true_errors(entry, share, table):
    says = entry.model.body.classify(table)
    wrong = np.where(says == 1, 1 - share, share)
    miss = wrong[says == 0].sum() / share.sum()
    alarm = wrong[says == 1].sum() / (1 - share).sum() if (share < 1).any() else 0.0
    return wrong.mean(), miss, alarm


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_certificates_fail_at_most_a_share_delta_of_the_time(name):
    """One failure among all machines of a sample counts: the bound holds for all at once."""
    share = DISTRIBUTIONS[name]
    grid = detect_table(GRID)
    rng = np.random.default_rng(11)
    failures = class_failures = 0
    for _ in range(SAMPLES // len(DISTRIBUTIONS)):
        X, y = draw(rng, share, 40)
        if y.min() == y.max():
            continue
        truths = [(e.certificate, true_errors(e, share, grid)) for e in all_entries(X, y)]
        failures += any(truth[0] > c.bound for c, truth in truths)
        class_failures += any(
            truth[1] > c.miss_rate_bound or truth[2] > c.false_alarm_bound for c, truth in truths
        )
    most = DELTA * SAMPLES / len(DISTRIBUTIONS)
    assert failures <= most
    assert class_failures <= most


@pytest.mark.parametrize("family", ["thresholds", "balls", "half_spaces"])
@pytest.mark.parametrize("scale", ["none", "standard"])
@pytest.mark.parametrize("name", ["noise", "noisy"])
def test_certificates_of_every_family_and_of_lists_are_true(name, family, scale):
    """With borders named and implied; a few points only, so that borders are full of ties."""
    if family == "thresholds" and scale != "none":
        return
    share = DISTRIBUTIONS[name]
    grid = detect_table(GRID)
    rng = np.random.default_rng(13)
    samples, failures = 60, 0
    for _ in range(samples):
        X, y = draw(rng, share, 40)
        if y.min() == y.max():
            continue
        entries = all_entries(X, y, family, lists=True, scale=scale)
        failures += any(true_errors(e, share, grid)[0] > e.certificate.bound for e in entries)
    assert failures <= DELTA * samples


def test_the_simulation_would_notice_a_bound_that_does_not_pay():
    """The same count with nothing paid for the choice: on noise it fails far too often."""
    share = DISTRIBUTIONS["noise"]
    grid = detect_table(GRID)
    rng = np.random.default_rng(12)
    failures = 0
    for _ in range(200):
        X, y = draw(rng, share, 40)
        if y.min() == y.max():
            continue
        failures += any(
            true_errors(e, share, grid)[0] > compression_tail(40, [], e.errors, delta=DELTA)
            for e in all_entries(X, y)
        )
    assert failures > 3 * DELTA * 200


@pytest.mark.parametrize("e", [0.02, 0.2, 0.5])
def test_for_one_fixed_rule_it_fails_as_often_as_it_may(e):
    """With nothing to pay for, the bound is Clopper and Pearson's: true, and nearly tight."""
    m = 200
    fails = [e > compression_tail(m, [], k, delta=DELTA) for k in range(m + 1)]
    rate = stats.binom.pmf(np.arange(m + 1), m, e)[fails].sum()
    assert DELTA / 5 < rate <= DELTA
