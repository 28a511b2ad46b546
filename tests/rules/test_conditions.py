"""Answers by the kernel against numpy, one predicate after the other."""

import pickle  # noqa: TID251  (joblib pickles estimators)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import evaluation as oracle
from strategies.mixed import COLOURS, tables
from strategies.nodes import ARRANGEMENTS, ON_COLUMNS, PREDICATES
from strategies.numbers import UGLY

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.rules import (
    AllOf,
    AtLeast,
    Category,
    ClassScorecard,
    ClassScoreLine,
    CompiledConditions,
    Evaluation,
    Rule,
    RuleList,
    RuleVote,
    ScoreBand,
    Scorecard,
    ScoreLine,
    Threshold,
    Tree,
    WeightedRule,
)

CLASSES = 4
WEIGHTS = st.sampled_from([-1.0, 0.0, -0.0, 0.5, 1.0, 1 / 3, 1e308, -1e308, 1e-300, 40.0])


@st.composite
def ugly_tables(draw):
    """Numbers with infinities, subnormals and both zeros, in rows or columns of a matrix."""
    rows = draw(st.integers(1, 80))
    matrix = draw(hnp.arrays(np.float64, (rows, 2), elements=UGLY))
    matrix = matrix if draw(st.booleans()) else np.asfortranarray(matrix)
    codes = draw(hnp.arrays(np.int32, (rows, 2), elements=st.integers(-1, 1)))
    return Table(
        [
            NumericColumn("a", matrix[:, 0]),
            NumericColumn("b", matrix[:, 1]),
            CategoricalColumn("colour", "text", codes[:, 0], COLOURS),
            CategoricalColumn("flag", "boolean", codes[:, 1], ("False", "True")),
        ],
        rows,
    )


def assert_same(body, table):
    by_rule = np.random.default_rng(0).random((len(body.outputs), CLASSES))
    found, chances = body.answered(table, by_rule)
    wanted = oracle.answer(body, table)
    assert body.answer(table).tolist() == found.tolist() == wanted.tolist()
    assert Evaluation(table).answer(body).tolist() == wanted.tolist()
    assert chances.tobytes() == np.ascontiguousarray(oracle.chances(body, table, by_rule)).tobytes()


@given(tables() | ugly_tables(), ARRANGEMENTS.filter(lambda body: not isinstance(body, Tree)))
def test_answers_and_probabilities_are_those_of_numpy(table, body):
    assert_same(body, table)


@given(ugly_tables(), st.lists(st.tuples(ON_COLUMNS, st.integers(0, 2), WEIGHTS), max_size=6))
def test_votes_are_the_same_to_the_last_bit(table, voters):
    body = RuleVote(tuple(WeightedRule(*voter) for voter in voters), None)
    assert_same(body, table)
    assert body.votes(table, 3).T.tolist() == oracle.count_votes(body, table, 3)[0].tolist()


@given(ugly_tables(), st.lists(st.tuples(ON_COLUMNS, st.integers(0, 2), WEIGHTS), max_size=3))
def test_votes_of_many_rows_are_those_of_numpy(table, voters):
    """The kernel answers by the pattern of true conditions where patterns are few."""
    body = RuleVote(tuple(WeightedRule(*voter) for voter in voters), None)
    many = table.take(np.arange(16 << len(voters)) % table.rows)
    assert_same(body, many)
    assert body.votes(many, 3).T.tolist() == oracle.count_votes(body, many, 3)[0].tolist()


def test_votes_by_pattern_are_those_without():
    rng = np.random.default_rng(0)
    rows = 16 << 11  # from this number on patterns are used: two blocks of them
    table = Table([NumericColumn("x", rng.normal(size=rows))], rows)
    voters = [
        WeightedRule(
            Threshold("x", bool(rng.integers(2)), float(cut)), int(rng.integers(3)), float(w)
        )
        for cut, w in zip(rng.normal(size=11), rng.normal(size=11), strict=True)
    ]
    body = RuleVote(tuple(voters), 0)
    by_rule = rng.dirichlet(np.ones(3), 12)
    answers, chances = body.answered(table, by_rule)
    for part in np.split(np.arange(rows), 2):
        some, shares = body.answered(table.take(part), by_rule)
        assert answers[part].tolist() == some.tolist()
        assert chances[part].tobytes() == shares.tobytes()


@given(tables() | ugly_tables(), st.lists(PREDICATES | ON_COLUMNS, max_size=4), st.booleans())
def test_truth_is_that_of_the_predicates(table, conditions, negated):
    found = CompiledConditions(conditions, negated=negated).truth(table)
    assert found.shape == (len(conditions), table.rows)
    for condition, truth in zip(conditions, found, strict=True):
        assert truth.tolist() == (condition.holds(table) != negated).tolist()


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 1023, 1024, 1025, 30_000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_at_the_borders_of_blocks_are_answered(rows, order):
    random = np.random.default_rng(rows)
    matrix = np.array(random.integers(0, 9, (rows, 3)), np.float64, order=order)
    matrix[random.random((rows, 3)) < 0.1] = np.nan
    names = [f"category {i}" for i in range(130)]
    codes = random.integers(-1, 130, rows).astype(np.int32)
    columns = [NumericColumn(f"x{i}", matrix[:, i]) for i in range(3)]
    table = Table([*columns, CategoricalColumn("c", "text", codes, tuple(names))], rows)
    tests = [Threshold(f"x{i % 3}", bool(i % 2), float(i), bool(i % 5)) for i in range(9)]
    tests.append(Category("c", (*names[60:70], names[128], "unseen")))
    rules = [
        Rule(AllOf((a, b)), n % 3) for n, (a, b) in enumerate(zip(tests, tests[3:], strict=False))
    ]
    assert_same(RuleList((*rules, Rule(AtLeast(3, tuple(tests)), 1)), None), table)
    assert_same(
        RuleVote(tuple(WeightedRule(t, n % 3, 0.1 * n) for n, t in enumerate(tests)), 0), table
    )
    lines = tuple(ClassScoreLine(t, (n, -n, n % 4)) for n, t in enumerate(tests))
    assert_same(ClassScorecard((1, 0, 2), lines, 0.7), table)


def test_a_list_of_known_truths_is_not_divided(monkeypatch):
    monkeypatch.setattr("rulewright.rules.conditions.MAX_CELLS", 8)
    table = Table([NumericColumn("a", np.arange(50.0))], 50)
    body = RuleList(tuple(Rule(Threshold("a", False, cut), 0) for cut in (3.0, 20.0, 9.0)), 1)
    assert Evaluation(table).answer(body).tolist() == body.answer(table).tolist()


def test_conditions_are_compiled_once_and_left_out_of_pickles():
    table = Table([NumericColumn("a", np.arange(5.0))], 5)
    body = RuleList((Rule(Threshold("a", True, 2.0), 0),), 1)
    body.answer(table)
    assert body._conditions.program(table) is body._conditions.program(table)
    again = pickle.loads(pickle.dumps(body))
    assert again == body
    assert vars(again).keys() == {"listed", "default"}


def test_a_column_of_the_wrong_kind_is_refused():
    table = Table([NumericColumn("a", np.arange(5.0))], 5)
    body = RuleList((Rule(Category("a", ("x",)), 0),), 1)
    with pytest.raises(InputError, match="must hold categories"):
        body.answer(table)
    coded = Table([CategoricalColumn("a", "text", np.zeros(5, np.int32), ("x",))], 5)
    assert body.answer(coded).tolist() == [0] * 5
    with pytest.raises(InputError, match="must be numeric"):
        RuleList((Rule(Threshold("a", True, 0.0), 0),), 1).answer(coded)


def test_a_scorecard_may_have_bands_beyond_all_totals():
    table = Table([NumericColumn("a", np.arange(5.0))], 5)
    line = ScoreLine(Threshold("a", True, 2.0), 3)
    bands = tuple(ScoreBand(low, 0, 0.5) for low in (-(2**40), -(2**39), 3, 2**40))
    assert_same(Scorecard((line,), bands), table)
