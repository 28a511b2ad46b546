"""Models of trees as models of lists: the same answers, the evidence of the leaves regrouped."""

import numpy as np
import pytest
from hypothesis import given
from strategies.mixed import tables
from strategies.nodes import trees

from rulewright.certificates import Code, certify
from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import Thresholds
from rulewright.models import Model
from rulewright.rules import (
    AllOf,
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
LOW = Threshold("a", False, 2.0, anchored_on=(1,))
LOWER = Threshold("a", False, 1.0, anchored_on=(0,))
TREE = Tree((Split((LOW,), (1, 2)), Split((LOWER,), (3, 4)), Leaf(1), Leaf(1), Leaf(0)))
TABLE = Table([NumericColumn("a", np.array([1.0, 2.0, 3.0, 4.0]))], 4)


def counted(body, table, y):
    """Training weight of each class where each rule answers."""
    answers = body.answer(table)
    return tuple(
        tuple(float(((answers == rule) & (y == c)).sum()) for c in range(3))
        for rule in range(len(body.rules))
    )


@given(trees(shared=False), tables())
def test_a_list_answers_as_its_tree_and_has_the_evidence_of_its_rules(tree, table):
    y = np.arange(table.rows) % 3
    model = Model(FIELDS, ("x", "y", "z"), tree, counted(tree, table, y))
    listed = model.as_rule_list()
    assert isinstance(listed.body, RuleList)
    assert listed.evidence == counted(listed.body, table, y)
    if not any(table.missing(name).any() for name in spaces_of(tree)):
        assert (listed.predict(table) == model.predict(table)).all()


def test_a_list_has_no_certificate_and_the_tree_keeps_its_own():
    y = np.array([1, 0, 1, 1], np.int32)
    code = Code((Thresholds(),), 2, combinations=())
    certificate = certify(TREE, TABLE, y, code)
    # Leaves in the order of the nodes: a > 2, a <= 1, and what is between.
    evidence = ((0.0, 2.0), (0.0, 1.0), (1.0, 0.0))
    model = Model((Field("a", "numeric"),), ("n", "y"), TREE, evidence, certificate=certificate)
    listed = model.as_rule_list()
    assert listed.certificate is None
    assert model.certificate is certificate
    assert listed.body == RuleList((Rule(AllOf((LOW, Threshold("a", True, 1.0))), 0),), default=1)
    assert listed.evidence == ((1.0, 0.0), (0.0, 3.0))
    assert (listed.columns, listed.classes) == (model.columns, model.classes)
    assert str(listed) == ("the first of these that holds:\n  1. n if 1 < a <= 2\notherwise y")
    assert listed.body.anchors == (0, 1)


def test_a_vote_is_no_list():
    vote = RuleVote((WeightedRule(LOW, 1, 1.0),), default=0)
    model = Model((Field("a", "numeric"),), ("n", "y"), vote, ((1.0, 0.0), (0.0, 1.0)))
    with pytest.raises(InputError, match="RuleVote cannot be written as a list of rules"):
        model.as_rule_list()
