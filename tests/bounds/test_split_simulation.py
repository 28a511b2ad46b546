"""Bounds from splits are true when the model is chosen by them, and false ones are noticed.

``tests/papers/test_split_simulation.py`` has more samples and real tables.
"""

import pytest
from simulating_splits import (
    SplitLearner,
    accepted,
    best_of_seeds,
    count_split_failures,
    source,
    too_many,
    unpaid,
)

pytestmark = pytest.mark.slow

MACHINES = SplitLearner("scm", {"max_rules": 2, "kind": "best"})
TREES = SplitLearner("tree", {"max_leaf_nodes": 4})
COINS = SplitLearner("tree", {"max_leaf_nodes": 6})


@pytest.mark.cross_section(2)
@pytest.mark.parametrize("learn", [MACHINES, TREES], ids=str)
@pytest.mark.parametrize("name", ["noise", "noisy", "tenth"])
def test_they_fail_at_most_a_share_delta_of_the_time(name, learn):
    """The chosen model, and any candidate of any split; one split and ten; two confidences."""
    counts = count_split_failures(learn, source(name), m=60, samples=30)
    assert too_many(counts) == {}


def test_a_choice_among_the_pool_that_is_not_paid_for_is_noticed():
    counts = count_split_failures(
        COINS, source("coins"), m=120, samples=80, splits=(1,), promise=unpaid
    )
    assert counts[0.5, 1, "chosen"].failures > accepted(80, 0.5)


@pytest.mark.simulations
def test_the_best_of_many_seeds_quoted_as_one_is_noticed():
    """It fails in about three samples of four; 100 samples tell that from one half."""
    cheap = SplitLearner("scm", {"max_rules": 1})
    count = best_of_seeds(cheap, source("noise"), m=120, samples=100, seeds=20, delta=0.5)
    assert count.failures > accepted(100, 0.5)
