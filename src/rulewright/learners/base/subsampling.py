"""Random subsamples that do not depend on the order of the examples.

Examples are put in an order that depends on their content only, and one of weight 3 occurs there
three times: so weights mean the same as repeated rows, in subsamples too.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from rulewright.data import fixed_permutation, sorted_rows
from rulewright.learners.base.sample import Sample

Rows = NDArray[np.intp]
Places = NDArray[np.int32]


class Subsampler:
    """The examples of a sample, repeated by their weights, and a random generator.

    Parameters
    ----------
    sample : Sample
    seed : int

    Attributes
    ----------
    rows : array of int
        Every example, repeated by its weight, equal ones side by side; an example is drawn by its
        place here.
    """

    def __init__(self, sample: Sample, seed: int) -> None:
        order = _shuffled(sample)
        copies = self._copies = sample.copies
        self.rows: Rows = order if copies is None else np.repeat(order, copies[order])
        self.places: Places = np.arange(self.rows.size, dtype=np.int32)
        self._seed = seed
        self._chance = np.random.default_rng(seed)

    def another(self, number: int) -> Subsampler:
        """Subsampler of the same examples with its own generator, the same for the same number."""
        other = copy.copy(self)
        other._chance = np.random.default_rng([self._seed, number])
        return other

    def each(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Value of each place, from the values of the examples with all their copies."""
        if self._copies is not None:
            worth = worth / self._copies
        return worth[self.rows]

    def parted(self, places: Places, parts: int) -> tuple[Places, Places]:
        """The places that stay, and one of every ``parts`` places set aside at random.

        ``places`` are places in ``rows``, in increasing order, so equal examples are divided
        evenly.
        """
        draws = self.draws(places.size, parts)
        aside = np.zeros(draws.size * parts, np.bool_)
        aside[draws + parts * np.arange(draws.size)] = True
        aside = aside[: places.size]
        return places[~aside], places[aside]

    def draws(self, size: int, parts: int) -> NDArray[np.int64]:
        """Number of the place set aside in each group of ``parts`` places; the last may be short.

        A number beyond the end of the last group sets none of it aside.
        """
        return self._chance.integers(parts, size=-(-size // parts))

    def folds(self, places: Places, count: int) -> NDArray[np.intp]:
        """Number of the fold of each place; the folds are as equal as possible."""
        groups = -(-places.size // count)
        shuffled = self._chance.permuted(np.tile(np.arange(count), (groups, 1)), axis=1)
        numbers: NDArray[np.intp] = shuffled.ravel()[: places.size]
        return numbers


def _shuffled(sample: Sample) -> Rows:
    """Examples in a fixed shuffled order, equal ones side by side."""
    order, group = sorted_rows(sample.table, sample.y)
    shuffled = fixed_permutation(int(group[-1]) + 1 if group.size else 0)
    return order[np.argsort(shuffled[group], kind="stable")]
