"""Fewer words, the same answers on every possible row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import DOUBLE
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS, CLASS, INTERVALS, LITERALS, trees

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Conjunction,
    Disjunction,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Leaf,
    Missing,
    Not,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
    implies,
    literals_of,
    simplified,
    simplified_condition,
    simplified_with_answers,
)

COLOURS = ("blue", "green", "red")
ENDS = [-1.0, 0.0, 1.0, 2.0]
NARROW = st.one_of(
    st.builds(
        Threshold,
        st.just("a"),
        st.booleans(),
        st.sampled_from(ENDS),
        st.booleans(),
        st.lists(st.integers(0, 9), max_size=2).map(tuple),
        st.booleans(),
    ),
    INTERVALS.filter(lambda test: test.column == "a"),
    st.builds(
        Category,
        st.just("colour"),
        st.lists(st.sampled_from(COLOURS), min_size=1, max_size=3).map(tuple),
        st.booleans(),
        st.booleans(),
    ),
    st.builds(Missing, st.sampled_from(["a", "colour"]), st.booleans()),
    st.builds(Given, st.just("flag"), st.booleans(), st.booleans()),
)
CONDITIONS = st.recursive(
    NARROW,
    lambda parts: st.one_of(
        st.builds(AllOf, st.lists(parts, max_size=4).map(tuple)),
        st.builds(AnyOf, st.lists(parts, max_size=4).map(tuple)),
        st.lists(parts, min_size=1, max_size=3).flatmap(
            lambda p: st.builds(AtLeast, st.integers(0, len(p) + 1), st.just(tuple(p)))
        ),
        st.builds(Not, parts),
    ),
    max_leaves=8,
)
SOME = st.lists(CONDITIONS, max_size=5).map(tuple)
WEIGHTS = st.sampled_from([-1.0, 0.5, 1.0, 2.0])
BODIES = st.one_of(
    st.builds(Conjunction, SOME, CLASS, CLASS),
    st.builds(Disjunction, SOME, CLASS, CLASS),
    st.builds(RuleList, st.lists(st.builds(Rule, CONDITIONS, CLASS), max_size=5).map(tuple), CLASS),
    st.builds(
        RuleVote,
        st.lists(st.builds(WeightedRule, CONDITIONS, CLASS, WEIGHTS), max_size=4).map(tuple),
        CLASS,
    ),
    trees(CONDITIONS, most=6),
)
NUMBERS = np.array([-np.inf, -3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.2, 0.5, 0.7, 1.0, 1.5, 2.0])
NUMBERS = np.concatenate([NUMBERS, [2.5, 3.0, 4.0, np.inf, np.nan]])
CODES = np.arange(-1, 4, dtype=np.int32)
FLAGS = np.array([-1, 0, 1], np.int32)
EVERY = np.array(np.meshgrid(np.arange(NUMBERS.size), CODES, FLAGS)).reshape(3, -1)
EVERYTHING = Table(  # all values that the tests can tell apart, with each other
    [
        NumericColumn("a", NUMBERS[EVERY[0]]),
        NumericColumn("b", NUMBERS[EVERY[0]]),
        CategoricalColumn("colour", "text", EVERY[1].astype(np.int32), (*COLOURS, "unseen")),
        CategoricalColumn("flag", "boolean", EVERY[2].astype(np.int32), ("False", "True")),
    ],
    EVERY.shape[1],
)


def size(node):
    return node.literals


@DOUBLE
@given(CONDITIONS)
def test_a_simpler_condition_holds_on_the_same_rows(condition):
    simple = simplified_condition(condition)
    assert (simple.holds(EVERYTHING) == condition.holds(EVERYTHING)).all()
    assert size(simple) <= size(condition)
    assert simplified_condition(simple) == simple
    assert set(simple.anchors) <= set(condition.anchors)


def same_answers(body, simple, answers, table):
    """Rows have the same class, from the rule that stands for the one that answered before."""
    assert (simple.classify(table) == body.classify(table)).all()
    assert len(answers) == len(body.rules)
    before = body.answer(table).tolist()
    assert [answers[answer] for answer in before] == simple.answer(table).tolist()


@DOUBLE
@given(BODIES)
def test_a_simpler_arrangement_answers_every_possible_row_alike(body):
    simple, answers = simplified_with_answers(body)
    same_answers(body, simple, answers, EVERYTHING)
    assert size(simple) <= size(body) and len(simple.rules) <= len(body.rules)
    assert simplified(simple) == simple
    outputs = body.outputs
    assert all(
        simple.outputs[new] == outputs[old] for old, new in enumerate(answers) if new is not None
    )


@given(ARRANGEMENTS, tables())
def test_arrangements_of_any_tests_answer_alike(body, table):
    simple, answers = simplified_with_answers(body)
    same_answers(body, simple, answers, table)
    assert simplified(simple) == simple and size(simple) <= size(body)


@given(BODIES, tables())
def test_on_some_rows_what_makes_no_difference_there_is_left_out(body, table):
    simple, answers = simplified_with_answers(body, table)
    same_answers(body, simple, answers, table)
    assert size(simple) <= size(simplified(body))
    assert simplified(simple, table) == simple
    if isinstance(body, RuleList | Conjunction | Disjunction):
        answering = set(simple.answer(table).tolist())
        assert answering >= set(range(len(simple.rules) - 1))


@given(NARROW, NARROW)
def test_tests_of_one_column_imply_each_other_where_they_hold_on_no_other_values(one, other):
    everywhere = bool(other.holds(EVERYTHING)[one.holds(EVERYTHING)].all())
    assert implies(one, other) <= everywhere
    if one.columns == other.columns and "flag" not in one.columns:
        assert implies(one, other) == everywhere


@given(CONDITIONS, CONDITIONS)
def test_conditions_imply_each_other_only_where_that_is_so(one, other):
    assert implies(one, other) <= bool(other.holds(EVERYTHING)[one.holds(EVERYTHING)].all())


ABOVE = Threshold("a", True, 3.0, anchored_on=(1,))
HIGHER = Threshold("a", True, 5.0, anchored_on=(2,))
BELOW = Threshold("a", False, 7.0, anchored_on=(4,))
BETWEEN = Interval("a", 3.0, 7.0, anchored_on=(1, 4), low_open=True)
OLD = Threshold("b", True, 40.0)
RED = Category("colour", ("red",))


@pytest.mark.parametrize(
    "long, short",
    [
        (AllOf((ABOVE, HIGHER)), HIGHER),
        (AnyOf((ABOVE, HIGHER)), ABOVE),
        (AllOf((ABOVE, OLD, BELOW)), AllOf((BETWEEN, OLD))),
        (AnyOf((~BELOW, ~ABOVE)), ~BETWEEN),
        (AllOf((ABOVE, ~HIGHER, Threshold("a", True, 6.0))), AnyOf()),
        (AllOf((ABOVE, ~ABOVE)), AnyOf()),
        (AnyOf((ABOVE, ~ABOVE)), AllOf()),
        (AllOf((Threshold("a", False, 3.0), ABOVE)), AnyOf()),
        (AnyOf((Threshold("a", False, 3.0), ABOVE)), Missing("a", False)),
        (AllOf((ABOVE, ABOVE, OLD)), AllOf((ABOVE, OLD))),
        (AllOf((ABOVE, AllOf((OLD, AllOf((RED,)))))), AllOf((ABOVE, OLD, RED))),
        (AllOf((ABOVE, AnyOf((ABOVE, OLD)))), ABOVE),
        (AnyOf((ABOVE, AllOf((HIGHER, OLD)))), ABOVE),
        (AllOf((~RED, Category("colour", ("blue",)))), Category("colour", ("blue",))),
        (AllOf((ABOVE, Missing("a", False))), ABOVE),
        (AllOf((ABOVE, Missing("a"))), AnyOf()),
        (AllOf((~ABOVE, Missing("a", False))), Threshold("a", False, 3.0, anchored_on=(1,))),
        (Not(Not(ABOVE)), ABOVE),
        (AtLeast(2, (ABOVE, AllOf(), OLD)), AtLeast(1, (ABOVE, OLD))),
    ],
)  # fmt: skip
def test_what_is_left_out(long, short):
    assert simplified_condition(long) == short
    assert simplified_condition(long).anchors == short.anchors


def test_bounds_are_merged_only_where_their_rows_can_be_told_apart():
    expert = Threshold("a", True, 3.0)
    assert simplified_condition(AllOf((expert, BELOW))) == AllOf((expert, BELOW))
    middle = (
        Threshold("a", True, 3.0, anchored_on=(5, 6)),
        Threshold("a", False, 4.0, anchored_on=(7, 8)),
    )
    merged = simplified_condition(AllOf(middle))
    assert merged.sides == middle
    assert [side.anchored_on for side in merged.sides] == [(5, 6), (7, 8)]


def test_rules_that_never_answer_are_left_out_of_a_list():
    rules = (
        Rule(HIGHER, 1),
        Rule(AllOf((HIGHER, OLD)), 0),
        Rule(AllOf((ABOVE, ~ABOVE)), 0),
        Rule(RED, 0),
        Rule(AllOf((OLD, RED)), 0),
        Rule(OLD, 2),
        Rule(AllOf(), 2),
        Rule(ABOVE, 1),
    )
    body, answers = simplified_with_answers(RuleList(rules, 0))
    assert body == RuleList((Rule(HIGHER, 1), Rule(RED, 0)), 2)
    assert answers == (0, None, None, 1, None, 2, 2, None, None)


def test_a_rule_that_the_next_one_makes_unneeded_is_left_out():
    body, answers = simplified_with_answers(RuleList((Rule(HIGHER, 1), Rule(ABOVE, 1)), 0))
    assert body == RuleList((Rule(ABOVE, 1),), 0) and answers == (0, 0, 1)
    between = RuleList((Rule(HIGHER, 1), Rule(OLD, 0), Rule(ABOVE, 1)), 0)
    assert simplified(between) == between


def test_neighbours_of_a_machine_are_merged_and_others_stay():
    body, answers = simplified_with_answers(Conjunction((ABOVE, BELOW, OLD), 1, 0))
    assert body == Conjunction((BETWEEN, OLD), 1, 0) and answers == (0, 0, 1, 2)
    apart = Conjunction((ABOVE, OLD, BELOW), 1, 0)
    assert simplified(apart) == apart
    assert simplified(Conjunction((OLD, AnyOf()), 1, 0)) == Conjunction((), 0, 1)
    assert simplified(Disjunction((OLD, AllOf()), 1, 0)) == Disjunction((), 0, 1)


def test_a_tree_loses_the_tests_that_its_way_decides():
    low, lower = Threshold("a", False, 5.0), Threshold("a", False, 3.0)
    tree = Tree(
        (
            Split((lower,), (1, 2)),
            Split((low,), (3, 4)),  # sure to hold
            Split((low, Missing("a")), (5, 6, 7)),
            Leaf(0),
            Leaf(2),
            Leaf(1),
            Leaf(0),
            Leaf(0),
        )
    )
    simple, answers = simplified_with_answers(tree)
    nodes = (Split((lower,), (2, 1)), Split((low,), (3, 4)), Leaf(0), Leaf(1), Leaf(0))
    assert simple == Tree(nodes)
    assert answers == (0, None, 1, 2, 2)


def test_a_tree_on_some_rows_loses_the_branches_that_none_takes():
    low, red = Threshold("a", False, 5.0), Category("colour", ("red",))
    tree = Tree((Split((low,), (1, 2)), Leaf(0), Split((red,), (3, 4)), Leaf(1), Leaf(2)))
    table = Table(
        [
            NumericColumn("a", np.array([1.0, 6.0])),
            CategoricalColumn("colour", "text", np.array([0, 0], np.int32), ("blue", "red")),
        ],
        2,
    )
    simple, answers = simplified_with_answers(tree, table)
    assert simple == Tree((Split((low,), (1, 2)), Leaf(0), Leaf(2))) and answers == (0, None, 1)


def test_a_deep_tree_is_simplified_without_recursion():
    depth, nodes = 5_000, []
    for level in range(depth):
        test = Threshold("a", False, float(level % 50))
        nodes += [Split((test,), (2 * level + 1, 2 * level + 2)), Leaf(level % 2)]
    simple = simplified(Tree((*nodes, Leaf(0))))
    assert len(simple.outputs) == 51


@given(LITERALS)
def test_a_single_test_stays_as_it_is(literal):
    assert simplified_condition(literal) is literal
    spaces = isinstance(literal, Ball | HalfPlane | HalfSpace)
    assert simplified_condition(AllOf((literal, literal))) is literal or not spaces
    assert len(list(literals_of(simplified_condition(AnyOf((literal, literal)))))) == 1
