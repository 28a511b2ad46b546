"""Models in fewer words: the same answers, evidence that follows, certificates that still hold."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS

from rulewright import load_model, save_model
from rulewright.certificates import Code, certify, certify_held_out, held_rows
from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.errors import CertificateError, InputError
from rulewright.families import (
    Categories,
    Examples,
    ExpertTests,
    Intervals,
    Midpoints,
    Site,
    Thresholds,
)
from rulewright.models import Model
from rulewright.rules import (
    AllOf,
    AnyOf,
    Category,
    Conjunction,
    Disjunction,
    Interval,
    Leaf,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
    spaces_of,
)

FIELDS = (
    Field("a", "numeric"),
    Field("b", "numeric"),
    Field("colour", "text", 3),
    Field("flag", "boolean", 2),
)
RANDOM = np.random.default_rng(3)
ROWS = 60
TABLE = Table(
    [
        NumericColumn("a", np.arange(ROWS) % 12.0),
        NumericColumn("b", RANDOM.permutation(ROWS).astype(float)),
        CategoricalColumn(
            "colour",
            "text",
            (np.arange(ROWS) % 3).astype(np.int32),
            ("blue", "green", "red"),
        ),
        CategoricalColumn(
            "flag", "boolean", (np.arange(ROWS) % 2).astype(np.int32), ("False", "True")
        ),
    ],
    ROWS,
)
A = TABLE.numbers("a")
Y = ((A > 3) & (A <= 7)).astype(np.int32)
ABOVE = Threshold("a", True, 3.0, anchored_on=(3,))
HIGHER = Threshold("a", True, 5.0, anchored_on=(5,))
BELOW = Threshold("a", False, 7.0, anchored_on=(7,))
BETWEEN = Interval("a", 3.0, 7.0, anchored_on=(3, 7), low_open=True)
RED = Category("colour", ("red",))
OLD = Threshold("b", True, 50.0, anchored_on=(int(np.argmax(TABLE.numbers("b") == 50.0)),))
FAMILIES = (Thresholds(), Categories())


def counted(body, table, y, classes):
    """Training weight of each class where each rule answers."""
    answers = body.answer(table)
    return tuple(
        tuple(float(((answers == rule) & (y == c)).sum()) for c in range(classes))
        for rule in range(len(body.rules))
    )


def certified(body, code=None):
    code = code or Code(FAMILIES, 2, combinations=("all", "any"))
    certificate = certify(body, TABLE, Y, code)
    model = Model(FIELDS, ("n", "y"), body, counted(body, TABLE, Y, 2), certificate=certificate)
    certificate.verify(model, TABLE, np.array(["n", "y"])[Y])
    return model


def verify(model):
    model.certificate.verify(model, TABLE, np.array(["n", "y"])[Y])


@given(ARRANGEMENTS, tables())
def test_evidence_follows_the_rules_that_remain(body, table):
    y = np.arange(table.rows) % 3
    model = Model(FIELDS, ("x", "y", "z"), body, counted(body, table, y, 3))
    simple = model.simplified()
    assert simple.evidence == counted(simple.body, table, y, 3)
    if any(table.missing(name).any() for name in spaces_of(body)):
        return
    assert (simple.predict(table) == model.predict(table)).all()
    on_rows = model.simplified(table)
    assert on_rows.evidence == counted(on_rows.body, table, y, 3)
    assert (on_rows.predict(table) == model.predict(table)).all()


MERGED = {
    "a list": (
        RuleList((Rule(AllOf((ABOVE, RED, BELOW)), 1), Rule(OLD, 0), Rule(RED, 1)), 0),
        RuleList((Rule(AllOf((BETWEEN, RED)), 1), Rule(OLD, 0), Rule(RED, 1)), 0),
    ),
    "a rule of two bounds alone": (
        RuleList((Rule(AllOf((ABOVE, BELOW)), 1),), 0),
        RuleList((Rule(BETWEEN, 1),), 0),
    ),
    "outside": (
        RuleList((Rule(AnyOf((replace(ABOVE, above=False), replace(BELOW, above=True))), 0),), 1),
        RuleList((Rule(replace(BETWEEN, inside=False), 0),), 1),
    ),
    "a vote": (
        RuleVote((WeightedRule(AllOf((BELOW, ABOVE)), 1, 1.0), WeightedRule(RED, 0, 0.5)), 0),
        RuleVote((WeightedRule(BETWEEN, 1, 1.0), WeightedRule(RED, 0, 0.5)), 0),
    ),
    "a tree": (
        Tree((Split((AllOf((ABOVE, BELOW)),), (1, 2)), Leaf(1), Leaf(0))),
        Tree((Split((BETWEEN,), (1, 2)), Leaf(1), Leaf(0))),
    ),
    "a conjunction of conditions": (
        Conjunction((ABOVE, BELOW, AnyOf((RED, OLD))), 1, 0),
        Conjunction((BETWEEN, AnyOf((RED, OLD))), 1, 0),
    ),
    "the last rule as the default": (
        RuleList((Rule(AllOf((ABOVE, BELOW)), 1), Rule(OLD, 0)), 0),
        RuleList((Rule(BETWEEN, 1),), 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MERGED)
def test_a_certificate_of_two_thresholds_holds_for_their_interval(name, tmp_path):
    long, short = MERGED[name]
    model = certified(long)
    simple = model.simplified()
    assert simple.body == short
    assert simple.certificate is model.certificate
    verify(simple)
    save_model(simple, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    verify(again)
    assert again.simplified() is again


@pytest.mark.parametrize(
    "machine, short",
    [
        (Conjunction((BELOW, ABOVE, RED), 1, 0), Conjunction((BETWEEN, RED), 1, 0)),
        (
            Disjunction((replace(BELOW, above=True), replace(ABOVE, above=False)), 1, 0),
            Disjunction((replace(BETWEEN, inside=False),), 1, 0),
        ),
    ],
)
@pytest.mark.parametrize("families", [FAMILIES, (*FAMILIES, Intervals())])
def test_a_certificate_of_a_machine_holds_for_its_interval(machine, short, families):
    model = certified(machine, Code(families, 2))
    simple = model.simplified()
    assert simple.body == short and simple.certificate is model.certificate
    verify(simple)


def test_a_merged_interval_that_was_changed_is_refused():
    simple = certified(MERGED["a list"][0]).simplified()
    for changed in (
        replace(BETWEEN, low=2.0),
        replace(BETWEEN, low_open=False),
        replace(BETWEEN, anchored_on=(7, 3)),
    ):
        body = RuleList((Rule(AllOf((changed, RED)), 1), *simple.body.listed[1:]), 0)
        with pytest.raises(CertificateError):
            verify(replace(simple, body=body))


def test_midpoints_keep_both_rows_of_each_cut():
    examples = Examples(TABLE, Y, np.arange(ROWS), np.arange(ROWS))
    low = Midpoints().build(Site("a", (True,)), examples, (3, 4))
    high = Midpoints().build(Site("a", (False,)), examples, (7, 8))
    code = Code((Midpoints(),), 2, combinations=("all",))
    simple = certified(RuleList((Rule(AllOf((low, high)), 1),), 0), code).simplified()
    assert simple.body.listed[0].condition.anchored_on == (3, 4, 7, 8)
    verify(simple)


def test_an_experts_bound_stays_apart_from_a_learned_one():
    written = Threshold("a", True, 3.0)
    code = Code((Thresholds(), ExpertTests(("a > 3", "a <= 7"))), 2, combinations=("all",))
    mixed = certified(RuleList((Rule(AllOf((written, BELOW)), 1),), 0), code)
    assert mixed.simplified() is mixed
    both = AllOf((written, Threshold("a", False, 7.0)))
    simple = certified(RuleList((Rule(both, 1),), 0), code).simplified()
    assert simple.body == RuleList((Rule(BETWEEN, 1),), 0)
    verify(simple)


def test_what_the_message_told_and_is_left_out_costs_the_certificate():
    model = certified(RuleList((Rule(AllOf((ABOVE, HIGHER)), 1),), 0))
    simple = model.simplified()
    assert simple.body == RuleList((Rule(HIGHER, 1),), 0)
    assert simple.certificate is None and model.certificate is not None


def test_on_rows_what_makes_no_difference_is_left_out_with_the_certificate():
    never = Rule(AllOf((RED, Threshold("a", True, 11.0, anchored_on=(11,)))), 1)
    ever = Threshold("b", True, 0.0, anchored_on=(int(np.argmin(TABLE.numbers("b"))),))
    body = RuleList((never, Rule(AllOf((RED, BELOW)), 1), Rule(AllOf((ever, BELOW)), 1)), 0)
    model = certified(body)
    assert model.simplified() is model
    simple = model.simplified(TABLE)
    assert simple.body.listed[0] == Rule(AllOf((RED, BELOW)), 1)
    assert simple.certificate is None
    assert (simple.predict(TABLE) == model.predict(TABLE)).all()
    assert simple.evidence == counted(simple.body, TABLE, Y, 2)


def test_a_certificate_from_rows_held_out_stays_where_answers_stay():
    held = held_rows(ROWS, 20, seed=1)
    body = RuleList((Rule(AllOf((Threshold("a", True, 3.0), Threshold("a", True, 5.0))), 1),), 0)
    wrong = (body.classify(TABLE) != Y)[held]
    certificate = certify_held_out(wrong, Y[held], held, seed=1, classes=2)
    model = Model(FIELDS, ("n", "y"), body, ((0.0, 0.0),) * 2, certificate=certificate)
    simple = model.simplified()
    assert simple.body == RuleList((Rule(Threshold("a", True, 5.0), 1),), 0)
    verify(simple)


def test_rows_without_the_columns_are_refused():
    model = certified(MERGED["a list"][0])
    with pytest.raises(InputError):
        model.simplified(np.zeros((3, 2)))
