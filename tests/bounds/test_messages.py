"""The message code is a prefix code: the probabilities of all messages sum to at most one."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.bounds import (
    LiteralGroup,
    Pool,
    covering_sets,
    log_covering_maps,
    messages,
    rules_message,
)
from rulewright.errors import InputError

# Prices of sites: uniform, or by column and then by test, as the certificates do.
UNIFORM = [math.log(4)] * 4
BY_COLUMN = [math.log(2) + math.log(3)] * 3 + [math.log(2) + math.log(1)]


def nats(sorts, pools, **settled):
    return sum(cost for _, cost in rules_message(sorts, pools, **settled))


@pytest.mark.parametrize("anchors", [0, 1, 2])
@pytest.mark.parametrize("anchored", [[], UNIFORM, BY_COLUMN])
@pytest.mark.parametrize("free", [[], UNIFORM, BY_COLUMN])
@pytest.mark.parametrize("settings", [1, 2])
def test_kraft_holds_over_all_sets_of_literals(anchors, anchored, free, settings):
    """List every set of literals that uses all anchors, and add up what the code gives each."""
    if anchors and not anchored:
        return
    pairs = list(itertools.product(range(len(anchored)), range(anchors)))
    total = 0.0
    for r in range(len(pairs) + 1):
        for chosen in itertools.combinations(pairs, r):
            if {anchor for _, anchor in chosen} != set(range(anchors)):
                continue
            for s in range(len(free) + 1):
                for others in itertools.combinations(range(len(free)), s):
                    sorts = [LiteralGroup(tuple(anchored[i] for i, _ in chosen), anchors)] * (
                        anchors > 0
                    )
                    sorts += [LiteralGroup(tuple(free[i] for i in others))] * bool(free)
                    pools = [Pool(r, anchors, anchors)] * (r > 0)
                    cost = nats(sorts, pools, settings=settings)
                    # A classifier of no literals is one of two constants, of either kind.
                    total += settings * (2 if r + s == 0 else 1) * math.exp(-cost)
    assert 0 < total <= 1 + 1e-12


@pytest.mark.parametrize("anchors", [1, 2])
@pytest.mark.parametrize("longest", [3, 4])
def test_kraft_holds_over_all_lists(anchors, longest):
    """Every sequence of (site, anchor, answer) that uses all anchors, repetitions included."""
    rules = list(itertools.product(range(2), range(anchors), range(2)))
    total = 0.0
    for r in range(anchors, longest + 1):
        for listed in itertools.product(rules, repeat=r):
            if {anchor for _, anchor, _ in listed} == set(range(anchors)):
                sorts = [LiteralGroup((math.log(2),) * r, anchors)]
                pools = [Pool(r, anchors, anchors)]
                cost = nats(sorts, pools, ordered=True, outputs=r * math.log(2))
                total += math.exp(-cost)
    assert 0 < total <= 1 + 1e-12


@pytest.mark.parametrize("places", range(5))
@pytest.mark.parametrize("examples", range(1, 4))
def test_covering_maps_are_counted(places, examples):
    for must in range(min(examples, places) + 1):
        ways = sum(
            set(range(must)) <= set(filled)
            for filled in itertools.product(range(examples), repeat=places)
        )
        assert math.exp(log_covering_maps(places, examples, must)) == pytest.approx(ways)


def exact_covering_maps(places, examples, must):
    return sum(
        (-1) ** missed * math.comb(must, missed) * (examples - missed) ** places
        for missed in range(must + 1)
    )


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 60))
def test_pools_of_any_shape_are_counted_exactly(places, examples, must):
    must = min(places, examples, must)
    expected = math.log(exact_covering_maps(places, examples, must))
    assert log_covering_maps(places, examples, must) == pytest.approx(
        expected, rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize(
    ("places", "examples", "must"),
    [
        (600, 500, 500),
        (600, 10**6, 500),
        (700, 690, 600),
        (1001, 1000, 1000),
        (1000, 999, 998),
        (1500, 2000, 200),
        (4000, 70, 70),
        (2000, 1000, 500),
    ],
)
def test_large_pools_have_a_message_a_few_nats_longer(places, examples, must):
    exact = math.log(exact_covering_maps(places, examples, must))
    more = log_covering_maps(places, examples, must) - exact
    assert -1e-9 <= more <= 0.5 * math.log(2 * math.pi * places) + 1


@given(st.integers(2, 60), st.integers(1, 60), st.integers(1, 60))
def test_the_longer_message_is_never_too_short(places, examples, must):
    must = min(places - 1, examples, must)
    exact = math.log(exact_covering_maps(places, examples, must))
    assert messages._saddle_point(places, examples, must) >= exact - 1e-9


def test_pools_without_freedom_are_exact_at_any_size():
    n = 10**6
    assert log_covering_maps(n, n, n) == math.lgamma(n + 1)
    assert log_covering_maps(n, 10**8, n) == math.lgamma(n + 1)
    assert log_covering_maps(n, 10**8, 0) == n * math.log(10**8)
    assert log_covering_maps(0, 0, 0) == 0.0


def test_pools_of_millions_are_finite():
    assert math.lgamma(10**8 + 1) < log_covering_maps(10**8, 10**8, 10**7) < 10**8 * math.log(10**8)
    assert log_covering_maps(10**6, 3, 3) == pytest.approx(10**6 * math.log(3))


def test_large_pools_neither_overflow_nor_take_long():
    assert log_covering_maps(400, 300, 300) < 400 * math.log(300)


def test_what_was_settled_beforehand_costs_nothing():
    site = math.log(60)
    settled = [LiteralGroup((site, site), 2)], [Pool(2, 2, 2)]
    assert nats(*settled, settings=2) - nats(*settled) == pytest.approx(math.log(2))
    assert nats(*settled) == pytest.approx(2 * math.log(60) + math.log(math.pi**2 / 6))
    assert nats([LiteralGroup((0.0, 0.0), 2)], [], which=1.5) == pytest.approx(
        1.5 + math.log(math.pi**2 / 6)
    )


@pytest.mark.parametrize("rules", range(4))
@pytest.mark.parametrize("counts", [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2)])
def test_sets_that_use_all_examples_are_counted(rules, counts):
    """Sets of pairs, one example of either class; all of both classes used, or of the first."""

    def choices(left):
        return math.comb(left[0] * left[1], rules)

    pairs = list(itertools.product(range(counts[0]), range(counts[1])))
    for must in ([0, 1], [0], []):
        ways = sum(
            all(len({pair[c] for pair in chosen}) == counts[c] for c in must)
            for chosen in itertools.combinations(pairs, rules)
        )
        assert covering_sets(choices, counts, must) == ways


def test_impossible_literals_are_refused():
    with pytest.raises(InputError, match="At least 3 literals are needed .* got 2"):
        nats([LiteralGroup((1.0, 1.0), 3)], [])
    with pytest.raises(InputError, match="2 places cannot use 3 of 3 examples"):
        log_covering_maps(2, 3, 3)
    with pytest.raises(InputError, match="cannot use"):
        log_covering_maps(1, 0, 0)
