"""Impurities of class counts, and the lectures' numbers."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import criteria as oracle

from rulewright import criteria
from rulewright.criteria import (
    gain_ratio,
    impurity_entropy,
    impurity_error,
    impurity_gini,
    normalised_gain,
)

IMPURITIES = ["impurity_entropy", "impurity_gini", "impurity_error"]
COUNTS = st.lists(st.one_of(st.just(0), st.integers(0, 20)), min_size=1, max_size=5)


@pytest.mark.parametrize("name", IMPURITIES)
@given(counts=COUNTS)
@example(counts=[0])
@example(counts=[0, 0, 0])
@example(counts=[7, 0])
def test_an_impurity_is_what_fractions_give(name, counts):
    expected = float(getattr(oracle, name)(counts))
    found = getattr(criteria, name)(counts)
    assert isinstance(found, float)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", IMPURITIES)
@given(rows=st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=6))
def test_every_row_of_counts_has_its_impurity(name, rows):
    impurity = getattr(criteria, name)
    found = impurity(np.array(rows).reshape(1, -1, 3))
    assert found.shape == (1, len(rows))
    assert found[0].tolist() == [impurity(row) for row in rows]


@pytest.mark.parametrize("name", IMPURITIES)
@given(counts=COUNTS)
def test_an_impurity_is_0_where_there_is_one_class_and_largest_where_all_are_alike(name, counts):
    impurity = getattr(criteria, name)
    found = impurity(counts)
    assert (found == 0) == (sum(count > 0 for count in counts) <= 1)
    assert 0 <= found <= impurity([1] * len(counts)) + 1e-12


@given(st.tuples(*[st.integers(0, 20)] * 4))
def test_the_gain_of_a_criterion_is_that_of_the_impurities(counts):
    p, n, rest_p, rest_n = counts
    parts = np.array([[p, n], [rest_p, rest_n]])
    size = max(parts.sum(), 1)
    for impurity, criterion in ((impurity_entropy, "entropy"), (impurity_gini, "gini")):
        gain = impurity(parts.sum(axis=0)) - impurity(parts) @ parts.sum(axis=1) / size
        found = criteria.CRITERIA[criterion](p, n, p + rest_p, n + rest_n)
        assert found == pytest.approx(gain, abs=1e-12)


def test_the_entropy_of_the_outlook_is_that_of_the_lecture():
    """Macskassy's lecture: H(outlook) for shares of .1 sunny, .2 rain and .7 overcast."""
    assert impurity_entropy([0.1, 0.2, 0.7]) == pytest.approx(1.157, abs=0.0005)


def test_the_gain_of_the_outlook_is_0_108_and_not_the_0_106_of_the_slide():
    """The slide prints H(rain|outlook) = 0.893 and a gain of 0.106: both are slips of the pen.

    H(rain|sunny)    = h(.1) = 0.469          0.1 * 0.469 = 0.0469
    H(rain|rain)     = h(.8) = 0.722          0.2 * 0.722 = 0.1444
    H(rain|overcast) = h(.5) = 1.000          0.7 * 1.000 = 0.7000
                                              sum           0.8913, not 0.893
    P(rain) = .1 * .1 + .2 * .8 + .7 * .5 = .52, H(rain) = 0.9988
    gain    = 0.9988 - 0.8913 = 0.1075, which is 0.108 before rounding the two, not 0.106
    """
    outlook = np.array([0.1, 0.2, 0.7])
    rain = np.array([0.1, 0.8, 0.5])
    each = impurity_entropy(np.column_stack([rain, 1 - rain]))
    assert each == pytest.approx([0.469, 0.722, 1.000], abs=0.0005)
    assert outlook * each == pytest.approx([0.0469, 0.1444, 0.7000], abs=0.00005)
    left = float(outlook @ each)
    assert left == pytest.approx(0.8913, abs=0.00005)
    assert round(left, 3) == 0.891 != 0.893
    share = float(outlook @ rain)
    assert share == pytest.approx(0.52)
    before = impurity_entropy([share, 1 - share])
    assert before == pytest.approx(0.999, abs=0.0005)
    assert round(before - left, 3) == 0.108 != 0.106
    # The same as the gain of a split of 100 examples into three.
    counts = np.array([[1, 9], [16, 4], [35, 35]])
    gain = impurity_entropy(counts.sum(axis=0)) - impurity_entropy(counts) @ counts.sum(1) / 100
    assert gain == pytest.approx(before - left)


def test_the_best_attribute_by_errors_is_that_of_the_lecture():
    """Macskassy's table of eight examples: J = 2, 4 and 4, so that x1 is split on first."""
    x = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    y = np.array([1, 0, 1, 1, 0, 1, 0, 0])
    wrong = []
    for column in x.T:
        counts = np.array([[((column == v) & (y == c)).sum() for c in (0, 1)] for v in (0, 1)])
        wrong.append(float(impurity_error(counts) @ counts.sum(axis=1)))
    assert wrong == [2, 4, 4]


def test_gini_is_twice_the_variance_of_two_classes():
    assert impurity_gini([30, 70]) == pytest.approx(2 * 0.3 * 0.7)


def test_both_gain_ratios_are_those_of_their_sources():
    counts = np.array([[5.0, 1.0], [1.0, 3.0], [0.0, 2.0]])
    sizes, classes, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()

    def bits(parts):
        shares = parts[parts > 0] / parts.sum()
        return -(shares * np.log2(shares)).sum()

    gain = bits(classes) - sum(
        size / total * bits(row) for size, row in zip(sizes, counts, strict=True)
    )
    assert gain_ratio(counts) == pytest.approx(gain / bits(sizes))
    assert normalised_gain(counts) == pytest.approx(gain / bits(classes))


@pytest.mark.parametrize("counts", [[[3, 0], [2, 0]], [[3, 2]], [[0, 0], [0, 0]]])
def test_gain_ratios_of_nothing_to_learn_are_zero(counts):
    assert gain_ratio(counts) == normalised_gain(counts) == 0.0
