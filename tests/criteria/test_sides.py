"""What a score can become when a rule is narrowed, and on which side of chance it lies."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.counts import coverages
from strategies.effort import QUARTER

from rulewright import criteria
from rulewright.criteria import CRITERIA, MONOTONE, TWO_SIDED, one_sided, optimistic
from rulewright.errors import InputError

SLACK = 1e-9
WITH_PARAMETERS = {
    "linear_cost, cost=5": partial(criteria.linear_cost, cost=5),
    "linear_cost, cost=0": partial(criteria.linear_cost, cost=0),
    "m_estimate, m=0": partial(criteria.m_estimate, m=0),
    "m_estimate, m=9": partial(criteria.m_estimate, m=9),
}
ONE_SIDED = {f"one-sided {name}": one_sided(CRITERIA[name]) for name in TWO_SIDED}
EVERY = CRITERIA | WITH_PARAMETERS | ONE_SIDED
PARTS = st.integers(0, 64).map(lambda part: part / 64)
TOTALS = st.tuples(st.integers(0, 30), st.integers(0, 30))


def grid(criterion, P, N):
    """Its values for all counts at once: rows are p, columns are n."""
    p, n = np.meshgrid(np.arange(P + 1), np.arange(N + 1), indexing="ij")
    return criterion(p, n, P, N)


@pytest.mark.parametrize("name", sorted(EVERY))
@QUARTER
@given(totals=TOTALS)
def test_the_optimistic_score_is_no_less_than_that_of_any_narrower_rule(name, totals):
    found = grid(EVERY[name], *totals)
    best = np.maximum.accumulate(np.maximum.accumulate(found, axis=0), axis=1)
    assert (grid(optimistic(EVERY[name]), *totals) >= best - SLACK).all()


@pytest.mark.parametrize("name", sorted(EVERY))
@QUARTER
@given(totals=TOTALS)
def test_the_optimistic_score_is_reached_by_some_narrower_rule(name, totals):
    found = grid(EVERY[name], *totals)
    best = np.maximum.accumulate(np.maximum.accumulate(found, axis=0), axis=1)
    assert grid(optimistic(EVERY[name]), *totals) == pytest.approx(best, abs=SLACK)


@pytest.mark.parametrize("name", sorted(name for name in EVERY if "fisher" not in name))
@QUARTER
@given(counts=coverages(), shares=st.tuples(PARTS, PARTS), unit=st.floats(0.1, 9))
def test_the_optimistic_score_holds_for_weights_too(name, counts, shares, unit):
    p, n, P, N = (unit * count for count in counts)
    less_p, less_n = (share * part for share, part in zip(shares, (p, n), strict=True))
    bound = optimistic(EVERY[name])(p, n, P, N)
    assert EVERY[name](less_p, less_n, P, N) <= bound + SLACK * max(1, abs(bound))


def is_monotone(criterion, totals):
    found = grid(criterion, *totals)
    return (np.diff(found, axis=0) >= -SLACK).all() and (np.diff(found, axis=1) <= SLACK).all()


@pytest.mark.parametrize("name", sorted(set(EVERY) - set(CRITERIA) | MONOTONE))
@QUARTER
@given(totals=TOTALS)
def test_more_of_the_class_or_less_of_the_others_is_never_worse(name, totals):
    assert is_monotone(EVERY[name], totals)


@pytest.mark.parametrize("name", sorted(set(CRITERIA) - MONOTONE))
def test_the_others_are_not_monotone(name):
    assert not is_monotone(CRITERIA[name], (4, 4))


@pytest.mark.parametrize("name", sorted(CRITERIA))
@QUARTER
@given(counts=coverages())
def test_a_one_sided_score_is_positive_only_for_rules_better_than_chance(name, counts):
    p, n, P, N = counts
    criterion = one_sided(CRITERIA[name])
    score = criterion(p, n, P, N)
    assert isinstance(score, float)
    if name in TWO_SIDED:
        assert abs(score) == CRITERIA[name](p, n, P, N)
        assert (score >= 0) if p * N > n * P else (score <= 0)
    else:
        assert criterion is CRITERIA[name]


def test_nothing_is_known_of_a_users_criterion():
    def mine(p, n, P, N):
        return p * 1.0

    assert optimistic(mine) is None and optimistic(partial(mine)) is None
    assert one_sided(mine) is mine
    named_alike = lambda p, n, P, N: p * 1.0  # noqa: E731
    named_alike.__name__ = "entropy"
    assert optimistic(named_alike) is None and one_sided(named_alike) is named_alike


def test_a_one_sided_criterion_is_known_by_what_it_is_of():
    assert one_sided(criteria.gini) == one_sided(criteria.gini) != one_sided(criteria.entropy)
    assert one_sided(one_sided(criteria.gini)) == one_sided(criteria.gini)
    assert one_sided(criteria.gini).__name__ == "one_sided_gini"
    with pytest.raises(InputError, match="order of the arguments"):
        one_sided(criteria.gini)(3, 0, 2, 2)
