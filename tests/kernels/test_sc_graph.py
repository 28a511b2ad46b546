"""Rules of thresholds and how they overfit, against every rule, neighbour and split by hand."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import sc as oracle
from strategies.objects import Objects, objects, random_objects

from rulewright.kernels import (
    ERRORS,
    NEGATIVES,
    POSITIVES,
    overfitting_quantiles,
    overfitting_sum,
    visit_rules,
)

COUNTED = {"errors": ERRORS, "negatives": NEGATIVES, "positives": POSITIVES}
EPS = st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1)])


def visit(case, trained=1, budget=5000, **options):
    columns = [case.X[:, j] for j in range(len(case.signs))]  # strided, as they lie
    at_least = np.array([sign == ">=" for sign in case.signs], bool)
    return visit_rules(
        columns, at_least, case.target, case.possible, trained, budget=budget, **options
    )


def expected_counts(case):
    return sorted(oracle.counts(case.errors, case.covered, case.target))


@given(objects())
def test_every_rule_is_visited_once_with_its_connectivity_and_inferiority(case):
    found = visit(case)
    assert sorted(map(tuple, found.counts.tolist())) == expected_counts(case)
    assert found.end == "complete"
    assert found.lowest == found.counts[:, 0].min()
    assert found.highest == found.counts[:, 0].max()


@pytest.mark.parametrize("seed", range(12))
def test_larger_sets_are_counted_the_same(seed):
    """More than a word of objects, of which some are tied."""
    rng = np.random.default_rng(seed)
    columns = 1 + seed % 3
    case = random_objects(rng, 70, columns, noise=0.1, levels=[60, 9, 5][columns - 1])
    found = visit(case, trained=35)
    assert len(found.counts) > 30
    assert sorted(map(tuple, found.counts.tolist())) == expected_counts(case)


@given(objects())
def test_thresholds_cover_what_is_counted(case):
    found = visit(case, thresholds=True)
    sets = set()
    for line, counts in zip(found.thresholds, found.counts, strict=True):
        covered = case.possible & ~np.isnan(case.X).any(axis=1)
        for j, (i, sign) in enumerate(zip(line, case.signs, strict=True)):
            x = case.X[:, j]
            if i < 0:
                covered[:] = False
            else:
                covered &= x >= x[i] if sign == ">=" else x <= x[i]
        sets.add(tuple(covered))
        assert (covered & ~case.target).sum() == counts[1]
        assert (covered & case.target).sum() == counts[2]
    assert sets == set(map(tuple, case.covered))


@given(objects(), st.data(), EPS)
def test_sums_are_those_of_exact_fractions(case, data, eps):
    L = case.target.size
    trained = data.draw(st.integers(1, L - 1))
    lines = expected_counts(case)
    counts = np.array(lines, np.int32)
    least = ceil(eps * trained * (L - trained))
    for name, counted in COUNTED.items():
        expected = float(oracle.bound(L, trained, eps, lines, name))
        found = overfitting_sum(counts, L, trained, least, counted)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("trained", [60, 250, 440])
def test_sums_over_many_objects_lose_no_digits(trained):
    rng = np.random.default_rng(trained)
    L, lines = 500, []
    for _ in range(40):
        q_p, h_n = rng.integers(0, 9, 2)
        q, h = q_p + rng.integers(0, 5), h_n + rng.integers(0, 5)
        negatives, positives = h_n + rng.integers(0, 120), q_p + rng.integers(0, 120)
        errors = h + rng.integers(negatives - h_n, 200)
        lines.append(tuple(map(int, (errors, negatives, positives, q, h, q_p, h_n))))
    for eps in (Fraction(1, 50), Fraction(1, 5)):
        least = ceil(eps * trained * (L - trained))
        for name, counted in COUNTED.items():
            expected = float(oracle.bound(L, trained, eps, lines, name))
            found = overfitting_sum(np.array(lines, np.int32), L, trained, least, counted)
            assert found == pytest.approx(expected, rel=1e-10)


@given(objects(), st.data(), st.sampled_from([0.05, 0.3, 0.5, 0.9]))
def test_quantiles_are_the_smallest_deviations_that_are_rarely_exceeded(case, data, eta):
    L = case.target.size
    trained = data.draw(st.integers(1, L - 1))
    lines = expected_counts(case)
    found = overfitting_quantiles(np.array(lines, np.int32), L, trained, eta)
    unit, limit = trained * (L - trained), Fraction(eta) * (1 + Fraction(1, 10**9))
    for quantile, name in zip(found, ("negatives", "positives"), strict=True):
        rarely = [
            a
            for a in range(unit + 1)
            if oracle.bound(L, trained, Fraction(a + 1, unit), lines, name) <= limit
        ]
        assert quantile == rarely[0]


@given(objects(columns=2), st.integers(0, 3))
def test_a_limit_of_layers_leaves_out_the_higher_ones_only(case, layers):
    found = visit(case, layers=layers)
    lines = expected_counts(case)
    assert sorted(map(tuple, found.counts.tolist())) == [
        line for line in lines if line[0] <= lines[0][0] + layers
    ]
    assert (found.end == "complete") <= (len(found.counts) == len(lines))


def test_a_low_rule_between_high_ones_is_found():
    """Covering nothing is nearly as good as covering all, and what lies between is not."""
    x, target = np.repeat([1.0, 2.0], [5, 6]), np.repeat([False, True], [5, 6])
    found = visit(Objects(x[:, None], target, ["<="], np.ones(11, bool)), layers=1)
    assert found.counts[:, 0].tolist() == [5, 6]


@pytest.mark.parametrize("seed", range(5))
def test_nearly_all_rules_of_the_lower_layers_of_many_columns_are_found(seed):
    """Where there are too many lines to walk, some low rules are joined only by higher ones."""
    case = random_objects(np.random.default_rng(seed), 90, 3, noise=0.2)
    everything = visit(case, trained=45, budget=10**6).counts
    lowest = everything[:, 0].min()
    for layers in (2, 5):
        found = visit(case, trained=45, layers=layers, budget=10**6)
        assert found.lowest == lowest
        within = everything[everything[:, 0] <= lowest + layers]
        assert set(map(tuple, found.counts.tolist())) <= set(map(tuple, within.tolist()))
        assert 0.8 * len(within) <= len(found.counts) <= len(within)


def test_a_budget_is_spent_on_the_lower_layers():
    case = random_objects(np.random.default_rng(4), 60, 3, noise=0.1)
    everything = np.sort(visit(case, trained=30, budget=100_000).counts[:, 0])
    for budget in (1, 10, 100, 1000):
        found = visit(case, trained=30, budget=budget)
        assert (found.end, len(found.counts)) == ("rules", budget)
        assert found.lowest == everything[0]
        assert np.median(found.counts[:, 0]) <= np.median(everything[: 3 * budget])
    exactly = visit(case, trained=30, budget=everything.size)
    assert (exactly.end, len(exactly.counts)) == ("complete", everything.size)


def test_a_share_ends_the_visit_only_after_enough_rules():
    case = random_objects(np.random.default_rng(5), 60, 2)
    options = {"trained": 30, "share": 0.01, "min_deviation": 1}
    everything = visit(case, **options, always=10**6)
    assert everything.end == "complete"
    some = visit(case, **options)
    assert some.end == "share"
    assert len(some.counts) < len(everything.counts)
    both = [overfitting_sum(v.counts, 60, 30, 1) for v in (some, everything)]
    assert both[0] == pytest.approx(both[1], rel=0.05)
    assert both[0] < both[1]


def test_nothing_to_cover_is_one_rule():
    case = Objects(
        np.full((3, 2), np.nan), np.array([1, 0, 1], bool), ["<=", ">="], np.ones(3, bool)
    )
    found = visit(case, thresholds=True)
    assert found.counts.tolist() == [[2, 0, 0, 0, 0, 0, 0]]
    assert found.thresholds.tolist() == [[-1, -1]]


@pytest.mark.parametrize("trained", [0, 3, -1])
def test_a_split_without_both_parts_is_refused(trained):
    case = Objects(np.zeros((3, 1)), np.ones(3, bool), ["<="], np.ones(3, bool))
    with pytest.raises(ValueError, match="training and hidden objects"):
        visit(case, trained=trained)


def test_counts_that_no_rule_can_have_are_refused():
    counts = np.array([[1, 0, 0, 0, 2, 0, 0]], np.int32)
    with pytest.raises(ValueError, match="must not exceed"):
        overfitting_sum(counts, 4, 2, 1)
    with pytest.raises(ValueError, match="must not exceed the whole"):
        overfitting_quantiles(np.array([[1, 0, 0, 0, 1, 0, 1]], np.int32), 4, 2, 0.5)
