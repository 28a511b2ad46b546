"""Trees as lists of rules: the same answers, fewer words."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies.mixed import COLOURS, tables
from strategies.nodes import ARRANGEMENTS, LITERALS, PREDICATES, trees

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.rules import (
    AllOf,
    AnyOf,
    Category,
    ClassScorecard,
    Conjunction,
    Disjunction,
    Leaf,
    Missing,
    Rule,
    RuleList,
    RuleVote,
    Scorecard,
    Split,
    Threshold,
    Tree,
    as_rule_list,
    as_rule_list_with_answers,
    as_rule_vote,
    implies,
    narrowed_by_columns,
)

LOW, LOWER = Threshold("x", False, 5.0), Threshold("x", False, 3.0)
HIGH = Threshold("x", True, 5.0)
ON_ONE_COLUMN = st.one_of(
    st.builds(
        Threshold,
        st.just("a"),
        st.booleans(),
        st.sampled_from([-1.0, 0.0, 1.0]),
        st.booleans(),
        cut_above=st.booleans(),
    ),
    st.builds(
        Category,
        st.just("colour"),
        st.lists(st.sampled_from(COLOURS), min_size=1, max_size=3).map(tuple),
        st.booleans(),
        st.booleans(),
    ),
    st.builds(Missing, st.sampled_from(["a", "colour"]), st.booleans()),
)
NEAR = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, np.nan])
EVERY = Table(  # every value that tests on one column can tell apart, and an unseen category
    [
        NumericColumn("a", np.repeat(NEAR, 5)),
        CategoricalColumn(
            "colour", "text", np.tile(np.arange(-1, 4, dtype=np.int32), 8), (*COLOURS, "unseen")
        ),
    ],
    40,
)


@st.composite
def narrow_trees(draw):
    """Trees that test the same few columns again and again."""
    nodes = [Leaf(draw(st.integers(0, 2)))]
    for _ in range(draw(st.integers(0, 6))):
        leaf = draw(st.sampled_from([i for i, n in enumerate(nodes) if isinstance(n, Leaf)]))
        tests = draw(st.lists(ON_ONE_COLUMN, min_size=1, max_size=2).map(tuple))
        first = len(nodes)
        nodes[leaf] = Split(tests, tuple(range(first, first + len(tests) + 1)))
        nodes += [Leaf(draw(st.integers(0, 2))) for _ in range(len(tests) + 1)]
    return Tree(tuple(nodes))


@given(trees(shared=False), tables())
def test_the_list_of_a_tree_answers_every_row_alike(tree, table):
    assert (as_rule_list(tree).classify(table) == tree.classify(table)).all()


@given(narrow_trees())
def test_the_list_of_a_tree_of_implied_tests_answers_every_row_alike(tree):
    assert (as_rule_list(tree).classify(EVERY) == tree.classify(EVERY)).all()


@given(narrow_trees())
def test_each_leaf_is_answered_by_its_own_rule_and_those_of_the_default_by_none(tree):
    body, answers = as_rule_list_with_answers(tree)
    assert (body.answer(EVERY) == np.array(answers)[tree.answer(EVERY)]).all()
    outputs = [leaf.output for leaf in tree.nodes if isinstance(leaf, Leaf)]
    assert len(body.listed) == len(outputs) - max(outputs.count(c) for c in set(outputs))
    assert all(rule.output != body.default for rule in body.listed)


@given(narrow_trees())
def test_no_test_of_a_rule_follows_from_another(tree):
    for rule in as_rule_list(tree).listed:
        for i, one in enumerate(rule.condition.parts):
            for other in rule.condition.parts[:i]:
                assert not implies(one, other) and not implies(other, one)


@given(ON_ONE_COLUMN, ON_ONE_COLUMN)
@example(Threshold("a", False, 1.0, cut_above=True), Threshold("a", False, 1.0))
@example(Threshold("a", True, 1.0), Threshold("a", True, 1.0, cut_above=True))
def test_one_predicate_implies_another_where_it_holds_nowhere_else(one, other):
    """Of one column: exactly then. Of two: only if they are the same, or one never holds."""
    everywhere = bool(other.holds(EVERY)[one.holds(EVERY)].all())
    if one.column == other.column and type(one) is type(other):
        assert implies(one, other) == everywhere
    else:
        assert implies(one, other) <= everywhere


@given(PREDICATES, st.one_of(ON_ONE_COLUMN, PREDICATES), tables())
def test_what_is_implied_holds(one, other, table):
    assert implies(one, other) <= bool(other.holds(table)[one.holds(table)].all())


@given(LITERALS)
def test_a_predicate_implies_itself(literal):
    assert implies(literal, literal)


def test_tests_of_one_column_stand_together_and_the_tightest_remain():
    there = Missing("y", False)
    tree = Tree(
        (
            Split((LOW,), (1, 2)),
            Split((there,), (3, 4)),
            Leaf(0),
            Split((LOWER,), (5, 6)),
            Leaf(0),
            Leaf(1),
            Leaf(0),
        )
    )
    assert as_rule_list(tree) == RuleList((Rule(AllOf((LOWER, there)), 1),), default=0)


def test_missing_values_are_spoken_of_only_where_they_can_be():
    or_missing = Threshold("x", False, 3.0, if_missing=True)
    tree = Tree((Split((LOW,), (1, 2)), Split((or_missing,), (3, 4)), Leaf(0), Leaf(1), Leaf(0)))
    assert as_rule_list(tree) == RuleList((Rule(AllOf((LOWER,)), 1),), default=0)
    loose = Tree((Split((~HIGH,), (1, 2)), Split((or_missing,), (3, 4)), Leaf(0), Leaf(0), Leaf(1)))
    assert as_rule_list(loose).listed[0].condition == AllOf((LOW, Threshold("x", True, 3.0)))
    both = Tree((Split((~HIGH,), (1, 2)), Split((~LOWER,), (3, 4)), Leaf(0), Leaf(1), Leaf(0)))
    assert as_rule_list(both).listed[0].condition == AllOf((~HIGH, ~LOWER))


def test_parts_of_a_test_are_narrowed_one_by_one():
    both = AllOf((LOWER, Missing("y")))
    tree = Tree((Split((LOW,), (1, 2)), Split((both,), (3, 4)), Leaf(0), Leaf(1), Leaf(0)))
    assert as_rule_list(tree).listed[0].condition == both
    denied = Tree((Split((LOW,), (1, 2)), Split((both,), (3, 4)), Leaf(1), Leaf(1), Leaf(0)))
    assert as_rule_list(denied).listed[0].condition == AllOf(
        (LOW, AnyOf((~LOWER, Missing("y", False))))
    )


def test_a_single_leaf_is_an_empty_list():
    assert as_rule_list(Tree((Leaf(2),))) == RuleList((), default=2)


def test_leaves_of_one_class_are_an_empty_list():
    assert as_rule_list(Tree((Split((LOW,), (1, 2)), Leaf(1), Leaf(1)))) == RuleList((), 1)


def test_the_default_is_the_class_with_the_most_leaves_then_the_most_tests_then_the_lowest():
    even = Tree((Split((LOW,), (1, 2)), Leaf(1), Leaf(0)))
    assert as_rule_list(even) == RuleList((Rule(AllOf((LOW,)), 1),), default=0)
    there, other = Missing("y", False), Missing("z")
    nodes = (
        Split((LOW,), (1, 2)),
        Leaf(0),
        Split((there,), (3, 4)),
        Leaf(0),
        Split((other,), (5, 6)),
        Leaf(1),
        Leaf(1),
    )
    assert as_rule_list(Tree(nodes)).default == 1


@given(ARRANGEMENTS, tables())
def test_conjunctions_disjunctions_and_lists_are_lists_in_other_words(arrangement, table):
    if isinstance(arrangement, RuleVote | Scorecard | ClassScorecard):
        with pytest.raises(InputError, match=r" cannot be written as a list.*Trees"):
            as_rule_list(arrangement)
        return
    if any(node.shares for node in arrangement.children if isinstance(node, Split)):
        with pytest.raises(InputError, match="down several branches cannot be written"):
            as_rule_list(arrangement)
        return
    body, answers = as_rule_list_with_answers(arrangement)
    assert (body.classify(table) == arrangement.classify(table)).all()
    if isinstance(arrangement, Conjunction | Disjunction | RuleList):
        assert answers == tuple(range(len(arrangement.rules)))
        assert (body.answer(table) == arrangement.answer(table)).all()


def test_a_tree_that_shares_missing_values_out_is_no_list():
    def tree(shares):
        return Tree((Split((LOW,), (1, 2), shares), Leaf(0), Leaf(1)))

    assert as_rule_list(tree(())).default == 0
    with pytest.raises(InputError, match=r"down several branches cannot be.*going one way"):
        as_rule_list(tree((8, 8)))


def test_a_deep_tree_becomes_a_list_without_a_deep_stack():
    nodes = []
    for level in range(3_000):
        nodes += [Split((Threshold("x", False, float(level)),), (2 * level + 1, 2 * level + 2))]
        nodes += [Leaf(level % 3)]
    body = as_rule_list(Tree((*nodes, Leaf(1))))
    assert max(rule.literals for rule in body.listed) == 2
    table = Table([NumericColumn("x", np.array([-1.0, 7.0, 2999.5, np.nan]))], 4)
    assert body.classify(table).tolist() == [0, 1, 1, 1]


@given(st.lists(st.one_of(LITERALS, PREDICATES), max_size=6), tables())
def test_what_is_narrowed_holds_on_the_same_rows(parts, table):
    narrow = narrowed_by_columns(parts)
    assert len(narrow) <= len(parts)
    assert AllOf(narrow).holds(table).tolist() == AllOf(tuple(parts)).holds(table).tolist()


def test_every_column_is_narrowed_by_itself():
    blue, other = Category("c", ("blue",)), Threshold("y", False, 5.0)
    parts = (LOW, ~Category("c", ("red",)), ~LOWER, other, blue)
    assert narrowed_by_columns(parts) == (LOW, Threshold("x", True, 3.0), blue, other)


RULES = st.lists(st.builds(Rule, ON_ONE_COLUMN, st.integers(0, 2)), max_size=8).map(tuple)


@given(st.builds(RuleList, RULES, st.none() | st.integers(0, 2)))
def test_the_vote_of_a_list_answers_every_row_alike(rules):
    """Decision lists are linear threshold functions of their predicates."""
    vote = as_rule_vote(rules)
    assert vote.classify(EVERY).tolist() == rules.classify(EVERY).tolist()


@given(st.sampled_from([Conjunction, Disjunction]), st.lists(ON_ONE_COLUMN, max_size=5).map(tuple))
def test_the_vote_of_a_conjunction_or_disjunction_answers_every_row_alike(arrange, parts):
    machine = arrange(parts, then=1, otherwise=0)
    assert as_rule_vote(machine).classify(EVERY).tolist() == machine.classify(EVERY).tolist()


def test_two_classes_make_a_linear_threshold_function():
    """The sum of signed weights over the predicates that hold decides, as in a perceptron."""
    rules = RuleList((Rule(HIGH, 1), Rule(LOWER, 0), Rule(LOW, 1)), default=0)
    voters = as_rule_vote(rules).voters
    x = np.array([1.0, 3.0, 4.0, 5.0, 6.0, np.nan])
    table = Table([NumericColumn("x", x)], x.size)
    sums = sum(v.weight * (2 * v.output - 1) * v.condition.holds(table) for v in voters)
    assert (sums > 0).astype(int).tolist() == rules.classify(table).tolist() == [0, 0, 1, 1, 1, 0]


def test_a_tree_a_vote_and_a_list_with_huge_weights_are_refused():
    with pytest.raises(InputError, match="A Tree is not a list"):
        as_rule_vote(Tree((Leaf(0),)))
    with pytest.raises(InputError, match="A RuleVote is not a list"):
        as_rule_vote(RuleVote((), 0))
    with pytest.raises(InputError, match=r"exceed 2\*\*53"):
        as_rule_vote(RuleList(tuple(Rule(LOW, i % 2) for i in range(90)), 0))
