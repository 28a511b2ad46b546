"""The message code is a prefix code: the probabilities of all messages sum to at most one."""

import itertools
import math

import pytest

from rulewright.bounds import junction_message
from rulewright.errors import InputError

# Prices of sites: uniform, or by column and then by test, as the certificates do.
UNIFORM = [math.log(4)] * 4
BY_COLUMN = [math.log(2) + math.log(3)] * 3 + [math.log(2) + math.log(1)]


def nats(**parts):
    return sum(cost for _, cost in junction_message(**parts))


@pytest.mark.parametrize("anchors", [0, 1, 2])
@pytest.mark.parametrize("anchored", [[], UNIFORM, BY_COLUMN])
@pytest.mark.parametrize("free", [[], UNIFORM, BY_COLUMN])
@pytest.mark.parametrize("kinds", [1, 2])
def test_kraft_holds_over_all_classifiers(anchors, anchored, free, kinds):
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
                    cost = nats(
                        anchors=anchors,
                        anchored=[anchored[site] for site, _ in chosen],
                        free=[free[site] for site in others],
                        free_possible=bool(free),
                        kinds=kinds,
                    )
                    # A classifier of no literals is one of two constants, of either kind.
                    total += kinds * (2 if r + s == 0 else 1) * math.exp(-cost)
    assert 0 < total <= 1 + 1e-12


def test_what_was_settled_beforehand_costs_nothing():
    site = math.log(60)
    settled = {"anchors": 2, "anchored": [site, site], "free": [], "free_possible": False}
    assert nats(**settled, kinds=2) - nats(**settled) == pytest.approx(math.log(2))
    assert nats(**settled) == pytest.approx(2 * math.log(60) + math.log(math.pi**2 / 6))


def test_a_literal_beyond_one_an_anchor_names_its_anchor():
    site = math.log(60)
    one = nats(anchors=2, anchored=[site] * 2, free=[], free_possible=False)
    two = nats(anchors=2, anchored=[site] * 3, free=[], free_possible=False)
    assert two - one == pytest.approx(site + math.log(2) + 2 * math.log(2))


def test_impossible_literals_are_refused():
    with pytest.raises(InputError, match="3 anchors cannot serve 2 literals"):
        nats(anchors=3, anchored=[1.0, 1.0], free=[], free_possible=False)
    with pytest.raises(InputError, match="no site"):
        nats(anchors=0, anchored=[], free=[1.0], free_possible=False)
