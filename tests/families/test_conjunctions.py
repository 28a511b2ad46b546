"""Conjunctions and syndromes against trying every one, and against what they say they cover."""

import math
from dataclasses import replace

import numpy as np
import pytest
from families.cases import measured, trainings
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.conjunctions import best_score, every_axis_term
from strategies.mixed import tables

from rulewright.criteria import CRITERIA, Filters, optimistic
from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import (
    AT_MOST,
    Conjunctions,
    GivenPredicates,
    Goal,
    Subsets,
    Terms,
    Training,
    as_families,
)
from rulewright.rules import AllOf, AtLeast, Given, Interval, Threshold

AUTO = as_families("auto")
NAMES = st.sampled_from(sorted(set(CRITERIA) - {"fisher"}))


@st.composite
def goals(draw, criterion=NAMES):
    """A table, and a goal on some of its rows with whole weights."""
    table = draw(tables(most_rows=12))
    flags = st.lists(st.booleans(), min_size=table.rows, max_size=table.rows)
    rows, own = (np.array(draw(flags), np.bool_) for _ in range(2))
    counts = st.lists(st.integers(0, 3), min_size=table.rows, max_size=table.rows)
    weight = draw(st.none() | counts.map(lambda c: np.array(c, np.float64)))
    score = CRITERIA[draw(criterion)]
    filters = Filters(draw(st.sampled_from([0.0, 0.7, 1.0])), draw(st.sampled_from([0, 2])))
    return table, Goal(rows, own, score, weight, acceptable=filters.passes)


def search(table, families=AUTO, **options):
    return Conjunctions(families, **options).prepare(Training(table, np.zeros(table.rows, int)))


def weight_of(goal):
    return np.ones(goal.rows.size) if goal.weight is None else goal.weight


def counted(goal, covered):
    weight = weight_of(goal)
    return (
        weight[covered & goal.rows & goal.own].sum(),
        weight[covered & goal.rows & ~goal.own].sum(),
    )


@pytest.mark.parametrize("most", [1, 2])
@given(case=goals())
def test_without_a_width_the_best_of_all_rules_is_found(most, case):
    table, goal = case
    found = search(table, max_terms=most, width=None).best(goal)
    wanted = best_score(
        table, goal.rows, goal.own, weight_of(goal), goal.criterion, most, goal.acceptable
    )
    assert (-math.inf if found is None else found.score) == pytest.approx(wanted)


@given(goals(), st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_a_rule_covers_what_it_says_and_is_acceptable(case, width, most, syndromes):
    table, goal = case
    found = search(table, width=width, max_terms=most, syndromes=syndromes).best(goal)
    if found is None:
        return
    covered = found.condition.holds(table)
    assert (found.p, found.n) == counted(goal, covered)
    assert found.score == pytest.approx(float(goal.criterion(found.p, found.n, *goal.whole)))
    assert found.condition.literals <= most
    assert goal.acceptable(found.p, found.n, *goal.whole)


@given(goals(), st.integers(1, 3))
def test_longer_or_wider_searches_never_find_worse(case, most):
    table, goal = case
    scores = [
        -math.inf if found is None else found.score
        for found in (
            search(table, width=1, max_terms=1).best(goal),
            search(table, width=1, max_terms=most).best(goal),
            search(table, width=1, max_terms=most, syndromes=True).best(goal),
            search(table, width=None, max_terms=most).best(goal),
        )
    ]
    assert scores[0] <= scores[1] <= scores[3]
    assert scores[0] <= scores[2]


@given(goals())
def test_weights_count_as_repeated_rows(case):
    table, goal = case
    if goal.weight is None:
        return
    repeated = np.repeat(np.arange(table.rows), goal.weight.astype(int))
    if not repeated.size:
        return
    again = Goal(
        goal.rows[repeated], goal.own[repeated], goal.criterion, acceptable=goal.acceptable
    )
    one = search(table).best(goal)
    other = search(table.take(repeated)).best(again)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.condition == other.condition
        assert one.score == other.score


@given(goals(), st.sets(st.sampled_from(["a", "b"]), min_size=1))
def test_forced_columns_are_tested_by_every_rule(case, names):
    table, goal = case
    numbers = tuple(table.names.index(name) for name in names)
    forced = Goal(goal.rows, goal.own, goal.criterion, goal.weight, forced=numbers)
    found = search(table).best(forced)
    assert found is None or names <= set(found.condition.columns)


@given(goals())
def test_terms_that_are_not_allowed_are_not_used(case):
    table, goal = case
    allowed = np.ones((len(table.columns), 6), np.bool_)
    allowed[:2, AT_MOST] = False
    asked = Goal(goal.rows, goal.own, goal.criterion, goal.weight, allowed=allowed)
    found = search(table).best(asked)
    terms = () if found is None else found.terms
    assert all(term.relation != AT_MOST for term in terms)


@given(goals(), st.floats(0, 3), st.floats(0, 3))
def test_a_correction_is_taken_into_the_score(case, less_p, more_n):
    table, goal = case
    corrected = Goal(goal.rows, goal.own, goal.criterion, goal.weight).corrected(
        lambda _, terms: (less_p * len(terms), more_n * len(terms))
    )
    found = search(table, width=1).best(corrected)
    if found is None:
        return
    P, N = corrected.whole
    p = max(found.p - less_p * len(found.terms), 0.0)
    n = min(found.n + more_n * len(found.terms), N)
    assert found.score == pytest.approx(float(goal.criterion(p, n, P, N)))


def test_two_bounds_of_a_column_are_one_interval_where_intervals_are_offered():
    x = np.arange(10.0)
    table = Table([NumericColumn("x", x)], 10)
    own = (x >= 3) & (x <= 5)
    goal = Goal(np.ones(10, np.bool_), own, CRITERIA["entropy"])
    apart = search(table, max_terms=2).best(goal)
    assert apart.condition == AllOf((Threshold("x", False, 5.0), Threshold("x", True, 2.0)))
    merged = search(table, as_families("intervals"), max_terms=1).best(goal)
    assert merged.condition == Interval("x", 3.0, 5.0)
    assert merged.condition.anchors == (3, 5)


def test_a_syndrome_is_found_where_a_conjunction_is_not():
    bits = np.array([[i >> j & 1 for j in range(3)] for i in range(8)], np.float64)
    table = Table([NumericColumn(f"x{j}", np.ascontiguousarray(bits[:, j])) for j in range(3)], 8)
    own = bits.sum(axis=1) >= 2
    goal = Goal(np.ones(8, np.bool_), own, CRITERIA["accuracy"])
    found = search(table, syndromes=True).best(goal)
    assert (found.p, found.n) == (4, 0)
    assert isinstance(found.condition, AtLeast)
    assert search(table).best(goal).p < 4


def test_a_function_of_the_users_may_have_any_shape():
    table = Table([NumericColumn("x", np.arange(6.0))], 6)
    own = np.arange(6) < 3
    goal = Goal(np.ones(6, np.bool_), own, lambda p, n, P, N: -np.abs(p - 2.0) - n, rising=False)
    assert search(table).best(goal).p == 2


def test_many_values_are_cut_between_as_many_rows():
    x = np.arange(200_000.0)
    table = Table([NumericColumn("x", x)], x.size)
    terms = Terms(AUTO, Training(table, np.zeros(x.size, int)))
    found = terms.candidates(
        np.ones(x.size, np.bool_), x < 90_000, None, allowed=terms.offered, boundaries=False
    )
    assert found.p[found.relation == AT_MOST].size == 2**16 - 1


def test_a_family_without_terms_is_refused_with_a_way_out():
    with pytest.raises(InputError, match="DecisionListMachine"):
        search(Table([NumericColumn("x", np.arange(3.0))], 3), (Subsets(),))


@st.composite
def axis_goals(draw):
    """A goal on some rows of a table, and a family whose terms are not of single columns."""
    name = draw(st.sampled_from(["given", "given both", "balls", "half-spaces", "half-planes"]))
    examples = draw(trainings(name))
    family = measured(name, examples.table)
    rows, own = (draw(hnp.arrays(np.bool_, examples.y.size)) for _ in range(2))
    score = CRITERIA[draw(st.sampled_from(["entropy", "laplace", "accuracy"]))]
    return family, examples, Goal(rows, own, score, acceptable=lambda p, n, P, N: p > n)


@given(axis_goals(), st.integers(1, 2))
def test_terms_of_any_family_give_the_best_of_all_rules(case, most):
    family, examples, goal = case
    kind = Conjunctions((*AUTO, family), max_terms=most, width=None)
    found = kind.prepare(examples).best(goal)
    everything = best_score(
        examples.table,
        goal.rows,
        goal.own,
        weight_of(goal),
        goal.criterion,
        most,
        goal.acceptable,
        list({holds.tobytes(): holds for holds in every_axis_term(family, examples)}.values()),
    )
    assert (-math.inf if found is None else found.score) == pytest.approx(everything)
    if found is not None:
        assert (found.p, found.n) == counted(goal, found.condition.holds(examples.table))


@given(st.data())
def test_every_term_of_an_axis_holds_where_its_predicate_does(data):
    name = data.draw(st.sampled_from(["given both", "balls, simple", "half-spaces, rbf"]))
    examples = data.draw(trainings(name))
    family = measured(name, examples.table)
    terms = Conjunctions((family,)).prepare(examples).terms
    everywhere = np.ones(examples.y.size, np.bool_)
    found = terms.candidates(everywhere, everywhere, None, allowed=terms.offered, boundaries=False)
    for place in range(found.p.size):
        predicate = terms.predicate(found.term(place))
        assert np.array_equal(predicate.holds(examples.table), terms.holds(found.term(place)))
        assert any(family.site(predicate, side=side) is not None for side in (True, False))


def test_without_negation_a_given_column_is_only_tested_for_being_true():
    flag = np.array([0, 1, 0, 1, -1], np.int32)
    table = Table([CategoricalColumn("flag", "boolean", flag, ("False", "True"))], 5)
    goal = Goal(np.ones(5, np.bool_), flag == 0, CRITERIA["accuracy"])
    assert search(table, (GivenPredicates(),)).best(goal).condition == Given("flag", False)
    assert search(table, (GivenPredicates(negation=False),)).best(goal) is None


def test_given_columns_count_as_their_columns_for_what_must_and_may_be_tested():
    flag = np.array([0, 1, 0, 1, 1, 0], np.int32)
    x = np.array([0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    table = Table(
        [NumericColumn("x", x), CategoricalColumn("flag", "boolean", flag, ("False", "True"))], 6
    )
    families = (*as_families("thresholds"), GivenPredicates())
    goal = Goal(np.ones(6, np.bool_), x > 2, CRITERIA["accuracy"])
    forced = search(table, families).best(replace(goal, forced=(1,)))
    assert "flag" in forced.condition.columns
    closed = np.ones((2, 6), np.bool_)
    closed[1] = False
    found = search(table, families).best(replace(goal, own=flag == 1, allowed=closed))
    assert found is None or found.condition.columns == ("x",)
    only = replace(goal, own=flag == 1, columns=lambda tested: np.array([True, False]))
    found = search(table, families).best(only)
    assert found is None or found.condition.columns == ("x",)


def test_every_criterion_of_ours_says_how_high_it_can_be():
    assert all(optimistic(criterion) is not None for criterion in CRITERIA.values())


def test_rules_that_are_acceptable_with_a_second_term_only_are_found():
    x, z = np.repeat(np.arange(10.0), 10), np.tile(np.arange(10.0), 10)
    table = Table([NumericColumn("x", x), NumericColumn("z", z)], 100)
    own = (x > 6) & (z > 6)
    everywhere = np.ones(100, np.bool_)
    exact = Goal(everywhere, own, CRITERIA["entropy"], acceptable=Filters(min_precision=1).passes)
    both = Goal(everywhere, own, CRITERIA["entropy"], forced=(0, 1))
    for goal in (exact, both):
        found = search(table, width=1).best(goal)
        assert (found.p, found.n) == (9, 0)
