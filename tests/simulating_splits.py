"""Simulation of split certificates: how often the bounds of candidates are below the truth.

A search is done once for each sample. Its candidates are then asked about with several confidences
and numbers of splits, with and without paying for the choice among the pool.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import stats
from simulating import Count, Distribution, distributions

from rulewright.bounds import split_bound
from rulewright.data import Table
from rulewright.learners import Sample, Units, search_splits
from rulewright.selection import LEARNERS

DELTAS = (0.05, 0.5)
LEVEL = 1e-4
"""Probability with which a valid bound exceeds the accepted number of failures."""


def accepted(samples, delta):
    """Largest number of failures that a bound which fails with probability delta may have."""
    return int(stats.binom.isf(LEVEL, samples, delta))


@dataclass(frozen=True, eq=False)
class Population:
    """Rows of a real table, which samples are drawn from; the error is that on all other rows."""

    name: str
    table: Table
    y: np.ndarray

    def samples(self, m, count, seed):
        """Draw samples without replacement, each with the function that gives true errors."""
        rng = np.random.default_rng(seed)
        for _ in range(count):
            order = rng.permutation(self.y.size)
            drawn, others = np.sort(order[:m]), np.sort(order[m:])
            yield self.table.take(drawn), self.y[drawn], self._truth(others)

    def _truth(self, rows):
        table, y = self.table.take(rows), self.y[rows]
        return lambda body: float((body.classify(table) != y).mean())


@dataclass(frozen=True, eq=False)
class Known:
    """A distribution whose true errors are known exactly."""

    distribution: Distribution

    @property
    def name(self):
        return self.distribution.name

    def samples(self, m, count, seed):
        """Draw samples, each with the function that gives true errors."""
        for table, y in self.distribution.samples(m, count, seed):
            yield table, y, lambda body: self.distribution.truth(body).error


@cache
def source(name):
    """A known distribution by its name; "tenth" has 10 % positives at random."""
    if name != "tenth":
        return Known(distributions()[name])
    cases = distributions()["noise"].cases
    return Known(Distribution("tenth", cases, np.tile([0.9, 0.1], (cases.rows, 1))))


@dataclass(frozen=True, eq=False)
class SplitLearner:
    """A learner with its settings."""

    learner: str
    options: dict
    by_key: bool = False

    def __str__(self):
        return f"{self.learner} by key" if self.by_key else self.learner

    def search(self, table, y, n_splits, seed=None):
        """Learn the pools of all splits, by a hash of row numbers if by key, and check them."""
        settings = LEARNERS[self.learner](
            certificate="split", n_splits=n_splits, random_state=seed, **self.options
        )
        classes = tuple(range(int(y.max()) + 1))
        units = Units(keys=np.arange(y.size)) if self.by_key else Units()
        return search_splits(settings, Sample.of(table, y, classes), 1, units)


def paid(search, delta, n_splits):
    """Bounds of all candidates of the first splits, and their models, the best first."""
    settings = replace(search.settings, delta=delta, n_splits=n_splits)
    pools = [pool for pool in search.pools if pool.number <= n_splits]
    found = replace(search, settings=settings, pools=pools).candidates()
    return [(candidate.worth, candidate.body) for candidate in found]


def unpaid(search, delta, n_splits):
    """The same, but the prior of every candidate counts as 1: only the splits are paid for."""
    found, splits = [], math.log(n_splits * 16 / 15)
    for checked in search.pools[:n_splits]:
        for member, wrong in zip(checked.pool.candidates, checked.wrong, strict=True):
            bound = split_bound(int(wrong.sum()), checked.n_check, 0.0, splits, delta)
            found.append((bound, member.body))
    return sorted(found, key=lambda pair: pair[0])


def count_split_failures(learn, population, m, samples, splits=(1, 10), promise: Callable = paid):
    """Count the samples in which a bound is below the truth, by delta and number of splits.

    Returns
    -------
    dict
        For each delta, number of splits, and "chosen" or "any": how often the model that the bound
        chooses failed, and how often any candidate did.
    """
    counts = {
        (delta, n_splits, which): Count()
        for delta in DELTAS
        for n_splits in splits
        for which in ("chosen", "any")
    }
    for table, y, truth in population.samples(m, samples, seed=m + samples):
        search = learn.search(table, y, max(splits))
        for delta in DELTAS:
            for n_splits in splits:
                bounds = promise(search, delta, n_splits)
                failed = [truth(body) > bound + 1e-12 for bound, body in _worth_asking(bounds)]
                counts[delta, n_splits, "chosen"].add(bool(bounds) and failed[0])
                counts[delta, n_splits, "any"].add(any(failed))
    return counts


def _worth_asking(bounds):
    """The chosen one, and all whose bound says anything."""
    return [pair for place, pair in enumerate(bounds) if not place or pair[0] < 1]


def best_of_seeds(learn, population, m, samples, seeds, delta):
    """Count the failures of the best of many seeds, quoted as if it were the only one."""
    count = Count()
    for table, y, truth in population.samples(m, samples, seed=m + samples):
        best = (1.0, None)
        for seed in range(seeds):
            found = paid(learn.search(table, y, 1, seed), delta, 1)[0]
            best = min(best, found, key=lambda pair: pair[0])
        count.add(best[1] is not None and truth(best[1]) > best[0])
    return count


def too_many(counts):
    """Those that failed more often than is accepted."""
    return {
        key: count.failures
        for key, count in counts.items()
        if count.failures > accepted(count.samples, key[0])
    }
