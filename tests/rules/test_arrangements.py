"""Arrangements: which rule answers, and with what."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import answers as oracle
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS, PREDICATES

from rulewright.data import NumericColumn, Table
from rulewright.rules import (
    ABSTAIN,
    AllOf,
    Conjunction,
    Disjunction,
    Leaf,
    Missing,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

LARGEST = np.finfo(np.float64).max
TABLE = Table([NumericColumn("x", np.array([1.0, 2.0, 3.0, np.nan]))], 4)
LOW, HIGH = Threshold("x", False, 1.0), Threshold("x", True, 2.0)


@given(ARRANGEMENTS, tables())
def test_every_row_is_answered_by_one_rule_and_gets_its_class(arrangement, table):
    answers = arrangement.answer(table)
    outputs = [rule.output for rule in arrangement.rules]
    assert ((answers >= 0) & (answers < len(outputs))).all()
    assert arrangement.classify(table).tolist() == [outputs[a] for a in answers]


@given(ARRANGEMENTS, tables())
def test_the_grounds_of_an_answer_hold_where_it_answers(arrangement, table):
    answers = arrangement.answer(table)
    for answer in set(answers.tolist()):
        for ground in arrangement.grounds(answer):
            assert ground.holds(table)[answers == answer].all()


def test_a_voter_that_always_holds_does_not_speak_for_the_others():
    vote = RuleVote((WeightedRule(LOW, 0, -1.0), WeightedRule(AllOf(), 0, 0.5)), default=1)
    assert vote.answer(TABLE).tolist() == [1, 1, 1, 1]
    assert vote.grounds(1) == ()
    assert vote.grounds(0) == (LOW,)


@given(ARRANGEMENTS, tables())
def test_the_runner_up_is_what_would_answer_instead(arrangement, table):
    answers = arrangement.answer(table)
    found = arrangement.runner_up(table, answers)
    assert found.tolist() == oracle.runner_up(arrangement, table, answers.tolist())


@st.composite
def votes(draw):
    """Votes of several rules, negative weights and such as cancel out among them."""
    weights = st.sampled_from([-2.0, -1.0, 0.0, 0.1, 0.2, 0.3, 1.0, 1e308]) | st.floats(-5, 5)
    voter = st.builds(WeightedRule, PREDICATES, st.integers(0, 2), weights)
    voters = draw(st.lists(voter, max_size=8).map(tuple))
    return RuleVote(voters, draw(st.none() | st.integers(0, 2)))


@given(votes(), tables(), st.data())
def test_votes_are_added_up_in_the_order_of_the_rules(vote, table, data):
    held = [voter.condition.holds(table).tolist() for voter in vote.voters]
    sums = [oracle.sums(vote, [h[row] for h in held]) for row in range(table.rows)]
    found = vote.votes(table, 3)
    expected = [[s.get(c, -np.inf) for c in range(3)] for s in sums]
    assert found.tolist() == np.clip(expected, None, LARGEST).tolist()
    answers = vote.answer(table)
    for row, of_row in enumerate(sums):
        ranked = sorted(of_row, key=lambda output: (-min(of_row[output], LARGEST), output))
        assert vote.outputs[answers[row]] == (ranked[0] if ranked else vote.default_rule.output)
    rows = np.array(data.draw(st.lists(st.integers(0, table.rows - 1), max_size=5)), np.intp)
    assert vote.votes(table.take(rows), 3).tolist() == found[rows].tolist()


@given(votes(), tables())
def test_the_likeliest_class_of_a_vote_is_its_answer(vote, table):
    rng = np.random.default_rng(len(vote.voters))
    by_rule = rng.dirichlet(np.ones(3), len(vote.rules))
    found = vote.chances(table, by_rule)
    answers = vote.answer(table)
    assert found.sum(axis=1) == pytest.approx(np.ones(table.rows))
    silent = answers == len(vote.voters)
    assert (found[silent] == by_rule[-1]).all()
    assert (found.argmax(axis=1) == vote.classify(table))[~silent].all()


def test_the_chances_of_a_vote_are_shares_of_its_doubled_odds():
    voters = (
        WeightedRule(LOW, 0, 0.75),
        WeightedRule(LOW, 1, 0.5),
        WeightedRule(LOW, 1, 0.5),
        WeightedRule(HIGH, 1, -0.25),
    )
    by_rule = np.array([[0.25, 0.5, 0.25]] * 5)
    found = RuleVote(voters, 1).chances(TABLE, by_rule)
    assert found[0] == pytest.approx(oracle.chances({0: 0.75, 1: 1.0}, 3))
    assert found[1].tolist() == found[3].tolist() == [0.25, 0.5, 0.25]
    # Against a class that nobody speaks for, what is answered gets a hair more.
    assert found[2] == pytest.approx(np.ones(3) / 3) and found[2].argmax() == 1
    log_odds = math.log(found[0, 1] / found[0, 0])
    assert log_odds == pytest.approx(2 * (1.0 - 0.75))


@given(ARRANGEMENTS)
def test_an_arrangement_is_as_large_as_its_literals(arrangement):
    def count(node):
        return sum(map(count, node.children)) if node.children else node.literals

    assert arrangement.literals == count(arrangement)


def test_a_conjunction_is_answered_by_the_first_part_that_fails():
    both = Conjunction((~LOW, HIGH), then=1, otherwise=0)
    assert both.classify(TABLE).tolist() == [0, 0, 1, 0]
    assert both.answer(TABLE).tolist() == [0, 1, 2, 1]
    assert both.grounds(2) == (~LOW, HIGH)


def test_a_disjunction_is_answered_by_the_first_part_that_holds():
    either = Disjunction((LOW, HIGH), then=1, otherwise=0)
    assert either.classify(TABLE).tolist() == [1, 0, 1, 0]
    assert either.answer(TABLE).tolist() == [0, 2, 1, 2]
    assert either.grounds(2) == (~LOW, ~HIGH)


@given(tables())
def test_a_conjunction_is_the_negation_of_the_disjunction_of_negations(table):
    parts = (Threshold("a", True, 0.0), Missing("colour"))
    conjunction = Conjunction(parts, then=1, otherwise=0)
    disjunction = Disjunction(tuple(~part for part in parts), then=0, otherwise=1)
    assert (conjunction.classify(table) == disjunction.classify(table)).all()


def test_empty_junctions_give_one_answer():
    assert Conjunction((), then=1, otherwise=0).classify(TABLE).tolist() == [1] * 4
    assert Disjunction((), then=1, otherwise=0).classify(TABLE).tolist() == [0] * 4


def test_a_list_is_answered_by_the_first_rule_that_holds():
    rules = RuleList((Rule(LOW, 2), Rule(AllOf((~LOW, ~HIGH)), 1)), default=0)
    assert rules.classify(TABLE).tolist() == [2, 1, 0, 1]


def test_without_a_default_there_is_no_answer_where_no_rule_holds():
    listed = RuleList((Rule(LOW, 2), Rule(HIGH, 1)), default=None)
    vote = RuleVote((WeightedRule(LOW, 2, 0.5), WeightedRule(HIGH, 1, -1.0)), default=None)
    for body in (listed, vote):
        assert body.abstains
        assert body.classify(TABLE).tolist() == [2, ABSTAIN, 1, ABSTAIN]
        assert body.answer(TABLE).tolist() == [0, 2, 1, 2]
        assert body.rules[-1] == Rule(AllOf(), ABSTAIN)
        assert body.grounds(2) == (~LOW, ~HIGH)
    assert RuleList((), None).classify(TABLE).tolist() == [ABSTAIN] * 4
    for body in (RuleList((), 0), Conjunction((), 1, 0), Tree((Leaf(0),))):
        assert not body.abstains


def test_a_vote_goes_to_the_larger_sum_and_ties_to_the_lower_class():
    voters = (
        WeightedRule(AllOf(), 0, 1.0),
        WeightedRule(LOW, 1, 0.75),
        WeightedRule(LOW, 1, 0.5),
        WeightedRule(HIGH, 1, 1.0),
    )
    vote = RuleVote(voters, default=1)
    assert vote.classify(TABLE).tolist() == [1, 0, 0, 0]
    assert vote.answer(TABLE).tolist() == [1, 0, 0, 0]
    assert RuleVote((), default=1).classify(TABLE).tolist() == [1] * 4


def test_a_class_that_nothing_speaks_for_cannot_win_a_vote():
    vote = RuleVote((WeightedRule(LOW, 1, -1.0),), default=0)
    assert vote.classify(TABLE).tolist() == [1, 0, 0, 0]


def test_a_tree_is_walked_from_its_root():
    tree = Tree(
        (
            Split((LOW, HIGH), (1, 2, 3)),
            Leaf(0),
            Leaf(1),
            Split((Missing("x"),), (4, 5)),
            Leaf(2),
            Leaf(3),
        )
    )
    assert tree.classify(TABLE).tolist() == [0, 3, 1, 2]
    assert tree.rules[2].condition == AllOf((~LOW, ~HIGH, Missing("x")))
    assert tree.literals == 3


def test_a_deep_tree_needs_no_deep_stack():
    depth = 20_000
    nodes = []
    for level in range(depth):
        nodes += [Split((Threshold("x", False, float(level)),), (2 * level + 1, 2 * level + 2))]
        nodes += [Leaf(level % 2)]
    tree = Tree((*nodes, Leaf(1)))
    assert tree.classify(TABLE).tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tree(()),
        lambda: Tree((Split((LOW,), (1, 1)), Leaf(0))),
        lambda: Tree((Split((LOW,), (1, 2)), Leaf(0))),
        lambda: Tree((Split((LOW,), (0, 1)), Leaf(0))),
        lambda: Tree((Leaf(0), Leaf(1))),
        lambda: Split((), (1,)),
        lambda: Split((LOW,), (1,)),
        lambda: WeightedRule(LOW, 1, float("nan")),
    ],
)
def test_arrangements_that_make_no_sense_cannot_be_made(make):
    with pytest.raises(ValueError):
        make()
