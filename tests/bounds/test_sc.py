"""The probability of overfitting: every split by hand <= SC <= VC, always."""

import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import sc as oracle
from strategies.objects import objects, random_objects

from rulewright.bounds import (
    fixed_rule,
    hypergeometric_mass,
    hypergeometric_tail,
    overfitting_n,
    overfitting_p,
    sc_bound,
    sc_bound_conjunctions,
    sc_corrections,
    sc_estimate,
    sc_graph,
    vc_bound,
)
from rulewright.errors import InputError

EPS = st.sampled_from(["0.05", "0.2", "0.25", "0.3", "0.5", "0.75", "1"]).map(Fraction)
NEARLY = 1e-9

X = np.array([[1, 4], [2, 1], [3, 2], [4, 5], [5, 3], [6, 6]], float)
TARGET = np.array([1, 1, 1, 0, 0, 0], bool)
SIGNS = ["<=", "<="]


@st.composite
def splits(draw, cases):
    case = draw(cases)
    return case, draw(st.integers(1, case.target.size - 1)), draw(EPS)


@st.composite
def matrices(draw):
    """Any distinct error vectors, not only those of conjunctions."""
    size = draw(st.integers(2, 7))
    rows = st.lists(st.booleans(), min_size=size, max_size=size).map(tuple)
    errors = np.array(draw(st.lists(rows, min_size=1, max_size=12, unique=True)), bool)
    return errors, draw(st.integers(1, size - 1)), draw(EPS)


@given(matrices())
def test_the_truth_is_at_most_sc_which_is_at_most_vc_for_any_rules(case):
    errors, trained, eps = case
    true = oracle.true_probability(errors, trained, eps)
    sc, vc = sc_bound(errors, trained, eps), vc_bound(errors, trained, eps)
    assert float(true) <= sc + NEARLY
    assert sc <= vc + NEARLY


@given(splits(objects()))
def test_the_truth_is_at_most_sc_which_is_at_most_vc_for_conjunctions(case):
    (X, target, signs, possible), trained, eps = case
    true = oracle.true_probability(case[0].errors, trained, eps)
    sc = sc_bound_conjunctions(X, target, signs, trained, eps, possible=possible)
    assert float(true) <= sc + NEARLY
    assert sc <= vc_bound(case[0].errors, trained, eps) + NEARLY


@settings(max_examples=8)
@given(splits(objects(least=10, most=12, columns=2)))
def test_the_truth_is_at_most_sc_for_twelve_objects(case):
    (X, target, signs, possible), trained, eps = case
    true = oracle.true_probability(case[0].errors, trained, eps)
    assert (
        float(true)
        <= sc_bound_conjunctions(X, target, signs, trained, eps, possible=possible) + NEARLY
    )


@given(splits(objects()))
def test_the_two_counts_deviate_no_more_often_than_said(case):
    (X, target, signs, possible), trained, eps = case
    errors, covered = case[0].errors, case[0].covered
    options = {"possible": possible, "l": trained}
    true_n = oracle.true_probability(errors, trained, eps, events=covered & ~target)
    true_p = oracle.true_probability(
        errors, trained, eps, events=covered & target, more_hidden=False
    )
    assert float(true_n) <= overfitting_n(X, target, signs, eps, **options) + NEARLY
    assert float(true_p) <= overfitting_p(X, target, signs, eps, **options) + NEARLY


@given(splits(objects()))
def test_conjunctions_have_the_bound_of_their_matrix_of_errors(case):
    (X, target, signs, possible), trained, eps = case
    found = sc_bound_conjunctions(X, target, signs, trained, eps, possible=possible)
    assert found == pytest.approx(sc_bound(case[0].errors, trained, eps), rel=1e-9, abs=1e-12)
    lines = oracle.counts(case[0].errors, case[0].covered, target)
    L, options = target.size, {"possible": possible, "l": trained}
    expected = float(oracle.bound(L, trained, eps, lines, "negatives"))
    assert overfitting_n(X, target, signs, eps, **options) == pytest.approx(expected, abs=1e-12)
    expected = float(oracle.bound(L, trained, eps, lines, "positives"))
    assert overfitting_p(X, target, signs, eps, **options) == pytest.approx(expected, abs=1e-12)


@given(matrices())
def test_the_matrix_has_the_bound_of_exact_fractions(case):
    errors, trained, eps = case
    lines = oracle.counts(errors, errors, np.ones(errors.shape[1], bool))
    expected = float(oracle.bound(errors.shape[1], trained, eps, lines))
    assert sc_bound(errors.astype(int), trained, eps) == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 9), st.data(), EPS)
def test_a_fixed_rule_is_overfitted_as_often_as_splits_say(L, data, eps):
    trained, m = data.draw(st.integers(1, L - 1)), data.draw(st.integers(0, L))
    errors = (np.arange(L) < m)[None, :]
    true = float(oracle.true_probability(errors, trained, eps))
    assert fixed_rule(L, trained, m, eps) == pytest.approx(true, abs=1e-13)
    assert sc_bound(errors, trained, eps) == pytest.approx(true, abs=1e-13)


def test_tails_are_those_of_exact_fractions_up_to_thousands():
    for total, marked, drawn in [
        (50, 20, 25),
        (3000, 1100, 1500),
        (2000, 1990, 20),
        (2000, 3, 1999),
    ]:
        for most in {
            0,
            1,
            drawn * marked // total,
            drawn * marked // total + 9,
            marked - 1,
            marked,
        }:
            expected = float(oracle.draws(total, marked, drawn, range(most + 1)))
            assert hypergeometric_tail(total, marked, drawn, most) == pytest.approx(
                expected, rel=1e-11
            )
            alone = float(oracle.draws(total, marked, drawn, [most]))
            assert hypergeometric_mass(total, marked, drawn, most) == pytest.approx(
                alone, rel=1e-11
            )


@pytest.mark.parametrize("function", [hypergeometric_mass, hypergeometric_tail])
def test_more_objects_than_there_are_cannot_be_drawn(function):
    with pytest.raises(InputError, match="drawn must be from 0 to total = 5, got 6"):
        function(5, 2, 6, 1)
    with pytest.raises(InputError, match="marked must be from 0 to total = 5, got -1"):
        function(5, -1, 2, 1)


def test_a_million_objects_are_no_trouble():
    even = fixed_rule(1_000_000, 500_000, 200_000, "0.0000001")
    assert 0.49 < even < 0.5


def test_eps_is_the_decimal_that_was_typed():
    """3 errors of 10, all hidden among 5, deviate by 3/5: not a hair less."""
    all_hidden = fixed_rule(10, 5, 3, Fraction(3, 5))
    for eps in (0.6, np.float64(0.6), np.float32(0.6), Decimal("0.6"), "0.6"):
        assert fixed_rule(10, 5, 3, eps) == all_hidden > 0
    assert fixed_rule(10, 5, 3, 0.6000000000000001) == 0
    assert fixed_rule(10, 5, 3, Fraction(3, 5) + Fraction(1, 10**30)) == 0
    assert fixed_rule(10, 5, 5, 1) == fixed_rule(10, 5, 5, 1.0) == pytest.approx(1 / 252)
    # 0.1 + 0.2 is not 0.3, and is not taken for it
    assert fixed_rule(20, 10, 3, 0.3) > fixed_rule(20, 10, 3, 0.1 + 0.2) == 0
    column = np.arange(20.0)[:, None]
    both = [overfitting_n(column, column[:, 0] < 3, ["<="], e) for e in (0.3, 0.1 + 0.2)]
    assert both[0] > both[1]


@given(objects(), st.sampled_from([0.1, 0.3, 0.5, 0.9]))
def test_corrections_are_the_smallest_that_are_rarely_exceeded(case, eta):
    X, target, signs, possible = case
    found = sc_corrections(X, target, signs, possible=possible, eta=eta, layers=None)
    assert found.complete
    assert found.rules == len(case.covered)
    L = target.size
    unit = (L // 2) * (L - L // 2)
    for eps, function in ((found.eps_n, overfitting_n), (found.eps_p, overfitting_p)):
        step = round(eps * unit)
        assert eps == step / unit
        if step < unit:
            more = Fraction(2 * step + 1, 2 * unit)  # deviations are whole steps
            exceeded = function(X, target, signs, more, possible=possible)
            assert exceeded <= eta * (1 + 1e-8)
        if step > 0:
            reached = function(X, target, signs, Fraction(step, unit), possible=possible)
            assert reached > eta


def test_without_columns_there_is_one_rule():
    possible = np.array([1, 1, 1, 1, 0, 0, 0, 0], bool)
    target = np.array([1, 1, 0, 0, 1, 0, 0, 0], bool)
    found = sc_corrections(np.empty((8, 0)), target, [], possible=possible, eta=0.2)
    assert (found.rules, found.complete) == (1, True)
    nothing = np.empty((8, 0))
    # 2 covered negatives: both are hidden in 3 of 14 splits, and that is a deviation of 2 of 4
    assert overfitting_n(nothing, target, [], 0.5, possible=possible) == pytest.approx(3 / 14)
    assert overfitting_p(nothing, target, [], 0.5, possible=possible) == pytest.approx(3 / 14)
    assert found.eps_n == found.eps_p == 0.5
    assert sc_corrections(nothing, target, [], possible=possible, eta=0.22).eps_n == 0
    fixed = sc_bound_conjunctions(nothing, target, [], 4, 0.5, possible=possible)
    assert fixed == pytest.approx(fixed_rule(8, 4, 3, 0.5))


def test_signs_may_be_numbers_and_turn_the_column():
    as_text = sc_bound_conjunctions(X, TARGET, ["<=", ">="], 3, 0.4)
    assert sc_bound_conjunctions(X, TARGET, [-1, 1], 3, 0.4) == as_text
    assert sc_bound_conjunctions(X * [1, -1], TARGET, SIGNS, 3, 0.4) == as_text
    assert sc_bound_conjunctions(X, TARGET.astype(int).tolist(), ["<=", ">="], 3, 0.4) == as_text


def test_an_estimate_says_what_it_was_summed_from():
    found = sc_estimate(X, TARGET, SIGNS, 3, 0.5)
    assert found.complete
    assert found.note == "Complete: all 11 rules were visited."
    assert found.rules == sum(layer.rules for layer in found.layers) == 11
    assert found.value == math.fsum(layer.adds for layer in found.layers)
    assert found.value == sc_bound_conjunctions(X, TARGET, SIGNS, 3, 0.5)
    assert [layer.errors for layer in found.layers] == [0, 1, 2, 3]


def test_a_cut_by_the_budget_is_said_and_warned_of():
    case = random_objects(np.random.default_rng(0), 60, 3, noise=0.1)
    few = {"budget": 100}
    with pytest.warns(UserWarning, match=r"Cut: the budget ended at 100 rules with .* larger\."):
        cut = sc_bound_conjunctions(*case[:3], 30, 0.1, **few)
    with pytest.warns(UserWarning, match="budget ended"):
        overfitting_n(*case[:3], 0.1, **few)
    found = sc_estimate(*case[:3], 30, 0.1, **few)
    assert (found.value, found.complete, found.rules) == (cut, False, 100)
    assert cut < sc_bound_conjunctions(*case[:3], 30, 0.1)
    assert not sc_corrections(*case[:3], **few).complete


def test_a_cut_that_was_asked_for_is_said_without_a_warning():
    case = random_objects(np.random.default_rng(0), 60, 2, noise=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = sc_bound_conjunctions(*case[:3], 30, 0.1, layers=2)
    found = sc_estimate(*case[:3], 30, 0.1, layers=2)
    assert found.value == value
    assert found.note.startswith("Cut: only the lowest layers were visited, ")
    assert not found.complete


def test_layers_that_add_little_end_a_large_sum():
    case = random_objects(np.random.default_rng(1), 250, 3)
    found = sc_estimate(*case[:3], 125, 0.05, share=0.05)
    assert found.rules > 50_000
    assert found.note.startswith("Cut: the visit of ")
    assert "two successive layers added less than 0.05" in found.note
    assert max(layer.adds for layer in found.layers[-2:]) < 0.05 * found.value


def test_equal_rules_are_refused_with_the_way_out():
    with pytest.raises(InputError, match=r"only 2 of 3 are. Use np\.unique"):
        sc_bound([[0, 1], [1, 0], [0, 1]], 1, 0.5)


@pytest.mark.parametrize("trained", [0, 6, -1, 7])
def test_a_split_needs_both_parts(trained):
    with pytest.raises(InputError, match=f"l must be from 1 to 5 .* got {trained}"):
        fixed_rule(6, trained, 2, 0.5)
    with pytest.raises(InputError, match=f"l must be from 1 to 5 .* got {trained}"):
        sc_bound_conjunctions(X, TARGET, SIGNS, trained, 0.5)
    with pytest.raises(InputError, match=f"l must be from 1 to 5 .* got {trained}"):
        vc_bound(np.eye(6), trained, 0.5)


@pytest.mark.parametrize("eps", [0, -0.1, 1.5, math.nan, math.inf, "much", None])
def test_eps_is_above_zero_and_at_most_one(eps):
    for function in (
        lambda: fixed_rule(6, 3, 2, eps),
        lambda: sc_bound(np.eye(6), 3, eps),
        lambda: sc_bound_conjunctions(X, TARGET, SIGNS, 3, eps),
        lambda: overfitting_p(X, TARGET, SIGNS, eps),
    ):
        with pytest.raises(InputError, match=r"in \(0, 1\]"):
            function()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"X": X[:3]}, r"6 x 2, got shape \(3, 2\)"),
        ({"X": X[:, 0]}, r"got shape \(6,\)"),
        ({"X": [["a", "b"]] * 6}, "matrix of numbers"),
        ({"signs": ["<="]}, "6 x 1"),
        ({"signs": ["<=", "<"]}, "signs must be .* got '<'"),
        ({"signs": ["<=", 0]}, "signs must be .* got 0"),
        ({"target": [0, 1, 2, 0, 1, 2]}, "target must be True or False .* got '0', '1', '2'"),
        ({"target": list("ababab")}, "target must be True or False"),
        ({"target": [True, None, False, True, True, True]}, "target must be True or False"),
        ({"target": TARGET[:, None]}, "target must be one-dimensional"),
        ({"X": np.empty((0, 2)), "target": []}, "target is empty"),
        ({"possible": [True]}, "possible must have a value for each of 6 objects, got 1"),
        ({"eta": 1.0}, r"eta must be in \(0, 1\)"),
        ({"l": 6}, "l must be from 1 to 5"),
        ({"layers": -1}, "layers must be 0 or more"),
        ({"budget": 0}, "budget must be 1 or more"),
        ({"X": X[:1], "target": TARGET[:1]}, "Training and hidden objects are both needed"),
    ],
)
def test_bad_input_is_named(change, said):
    arguments = {"X": X, "target": TARGET, "signs": SIGNS} | change
    with pytest.raises(InputError, match=said):
        sc_corrections(**arguments)


def test_bad_matrices_and_numbers_are_named():
    with pytest.raises(InputError, match="one row per rule and one column per object"):
        sc_bound([0, 1], 1, 0.5)
    with pytest.raises(InputError, match="one row per rule"):
        sc_bound(np.empty((0, 4)), 1, 0.5)
    with pytest.raises(InputError, match="errors must be True or False"):
        sc_bound([[0, 2], [1, 0]], 1, 0.5)
    with pytest.raises(InputError, match="m must be from 0 to L = 6, got 7"):
        fixed_rule(6, 3, 7, 0.5)
    with pytest.raises(InputError, match=r"share must be in \[0, 1\)"):
        sc_estimate(X, TARGET, SIGNS, 3, 0.5, share=1.0)
    many = 1 << 15
    with pytest.raises(InputError, match=r"at most 16384, .* Use a sample"):
        sc_corrections(np.zeros((many, 1)), np.zeros(many, bool), ["<="])


@given(objects(most=6))
def test_the_graph_has_every_rule_and_every_edge(case):
    X, target, signs, possible = case
    graph = sc_graph(X, target, signs, possible=possible)
    assert {rule.errors for rule in graph.rules} == {
        frozenset(np.flatnonzero(line).tolist()) for line in case.errors
    }
    for r, rule in enumerate(graph.rules):
        up = {edge.label for edge in graph.edges if edge.lower == r}
        assert len(up) == rule.q
        errors = np.isin(np.arange(target.size), list(rule.errors))
        (place,) = np.flatnonzero((case.errors == errors).all(axis=1))
        assert up == oracle.connected(case.errors, place)
        assert rule.h == len(oracle.inferior(case.errors, place))
        assert rule.covered == set(np.flatnonzero(errors ^ target))
    for edge in graph.edges:
        lower, upper = graph.rules[edge.lower].errors, graph.rules[edge.upper].errors
        assert upper == lower | {edge.label} != lower
    numbers = [r for layer in graph.layers.values() for r in layer]
    assert numbers == list(range(len(graph.rules)))


def test_a_graph_that_nobody_can_look_at_is_refused():
    case = random_objects(np.random.default_rng(0), 200, 2)
    with pytest.raises(InputError, match=r"more than 2,000 rules, .* Use fewer"):
        sc_graph(*case[:3])
