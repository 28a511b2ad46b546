"""Examples drawn by lot, so that the same examples in another order give the same model.

Examples are put in an order that depends on nothing but what they say, and one of weight 3 stands
there three times: weights then mean what repeated rows mean, in what is drawn too.
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
    """The examples of a sample, as often as they count, and a source of chance.

    Parameters
    ----------
    sample : Sample
    seed : int

    Attributes
    ----------
    rows : array of int
        Every example as often as its weight says, equal ones side by side; an example is drawn by
        its place here.
    """

    def __init__(self, sample: Sample, seed: int) -> None:
        order = _shuffled(sample)
        copies = self._copies = sample.copies
        self.rows: Rows = order if copies is None else np.repeat(order, copies[order])
        self.places: Places = np.arange(self.rows.size, dtype=np.int32)
        self._seed = seed
        self._chance = np.random.default_rng(seed)

    def another(self, number: int) -> Subsampler:
        """Give the same examples a source of chance of their own, the same for the same number."""
        other = copy.copy(self)
        other._chance = np.random.default_rng([self._seed, number])
        return other

    def each(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give what every place counts, by what the examples are worth with all their copies."""
        if self._copies is not None:
            worth = worth / self._copies
        return worth[self.rows]

    def parted(self, places: Places, parts: int) -> tuple[Places, Places]:
        """Put one of every ``parts`` examples aside, chosen by lot; the others first.

        ``places`` are where they stand in ``rows``, in increasing order: equal examples are shared
        out evenly.
        """
        groups = -(-places.size // parts)
        chosen = self._chance.integers(parts, size=groups) + parts * np.arange(groups)
        aside = np.zeros(groups * parts, np.bool_)
        aside[chosen] = True
        aside = aside[: places.size]
        return places[~aside], places[aside]

    def folds(self, places: Places, count: int) -> NDArray[np.intp]:
        """Give each of the places the number of a fold, the folds as equal as can be."""
        groups = -(-places.size // count)
        shuffled = self._chance.permuted(np.tile(np.arange(count), (groups, 1)), axis=1)
        numbers: NDArray[np.intp] = shuffled.ravel()[: places.size]
        return numbers


def _shuffled(sample: Sample) -> Rows:
    """Shuffle the examples, always alike, and keep equal ones side by side."""
    order, group = sorted_rows(sample.table, sample.y)
    shuffled = fixed_permutation(int(group[-1]) + 1 if group.size else 0)
    return order[np.argsort(shuffled[group], kind="stable")]
