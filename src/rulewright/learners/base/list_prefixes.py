"""The first rules of a list, as lists of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.sample import Sample
from rulewright.rules import RuleList


def list_prefixes(body: RuleList, sample: Sample, worth: NDArray[np.float64]) -> Iterator[RuleList]:
    """Yield the list, then its first rules, ever fewer, down to one.

    A shorter list answers with the class of the largest value among the examples that its rules
    leave; the whole list keeps its own default.
    """
    yield body
    unanswered = [np.ones(sample.y.size, np.bool_)]
    for rule in body.listed:
        unanswered.append(unanswered[-1] & ~rule.condition.holds(sample.table))
    for size in range(len(body.listed) - 1, 0, -1):
        yield RuleList(body.listed[:size], sample.majority(worth, unanswered[size]))
