"""Trees of any depth, and what is said of their leaves."""

import numpy as np
import pytest
from hypothesis import given
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS, PREDICATES, trees

from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError
from rulewright.render import arrangement_text
from rulewright.rules import (
    AllOf,
    AnyOf,
    Category,
    Leaf,
    Missing,
    Share,
    Split,
    Threshold,
    Tree,
    decode,
    encode,
    merge_conditions,
)
from rulewright.rules.trees import MAX_TESTS


def chain(depth):
    """A tree that is one long path: ``x <= level`` ends it."""
    nodes = []
    for level in range(depth):
        test = Threshold("x", False, float(level))
        nodes += [Split((test,), (2 * level + 1, 2 * level + 2)), Leaf(level % 2)]
    return Tree((*nodes, Leaf(2)))


@given(ARRANGEMENTS)
def test_there_is_an_output_a_rule(arrangement):
    assert arrangement.outputs == tuple(rule.output for rule in arrangement.rules)


@given(trees())
def test_the_grounds_of_a_leaf_are_the_tests_on_its_path(tree):
    for answer, rule in enumerate(tree.rules):
        assert AllOf(tree.grounds(answer)) == rule.condition


@given(PREDICATES, PREDICATES, PREDICATES, tables())
def test_condensed_predicates_hold_together_where_all_do(one, other, third, table):
    path = one, other, ~one, ~third, third, ~other
    for length in range(len(path) + 1):
        some = path[:length]
        assert (AllOf(merge_conditions(some)).holds(table) == AllOf(some).holds(table)).all()


def test_only_the_tightest_cuts_are_kept():
    tests = [Threshold("x", above, cut) for cut in (3.0, 1.0, 2.0) for above in (True, False)]
    tightest = Threshold("x", True, 3.0), Threshold("x", False, 1.0)
    assert merge_conditions(tests) == tightest
    strict = Threshold("x", False, 1.0, cut_above=True)
    assert merge_conditions([tests[3], strict, strict]) == (strict,)
    others = [Category("c", (value,), among=False, if_missing=True) for value in "ba"]
    assert merge_conditions(others) == (Category("c", ("a", "b"), among=False, if_missing=True),)


@pytest.mark.slow
def test_a_tree_of_very_many_splits_in_a_row_is_like_any_other():
    depth = 20_000
    tree = chain(depth)
    x = np.append(np.linspace(-1.0, depth, 1000), np.nan)
    table = Table([NumericColumn("x", x)], x.size)
    leaf = np.where(np.isnan(x) | (x > depth - 1), depth, np.ceil(np.maximum(x, 0)))
    assert tree.answer(table).tolist() == leaf.tolist()
    assert tree.literals == depth
    assert len(tree.grounds(depth)) == depth
    assert merge_conditions(tree.grounds(5)) == (
        Threshold("x", True, 4.0, if_missing=True),
        Threshold("x", False, 5.0),
    )
    text = arrangement_text(tree, "abc")
    assert text.count("\n") == 2 * depth - 1
    assert len(text) < 100 * text.count("\n")


@pytest.mark.slow
def test_a_deep_tree_is_encoded_and_decoded():
    tree = chain(20_000)
    assert decode(encode(tree)) == tree


def test_a_text_writes_the_depth_where_it_indents_no_more():
    lines = arrangement_text(chain(30), "abc").splitlines()
    assert lines[40:44] == [
        f"{'  ' * 20}if x <= 20: a",
        f"{'  ' * 20}else:",
        f"{'  ' * 20}[21] if x <= 21: b",
        f"{'  ' * 20}[21] else:",
    ]
    assert lines[-1] == f"{'  ' * 20}[29] else: c"


def test_rules_that_no_memory_could_hold_are_refused():
    depth = 10_000
    assert depth * depth / 2 > MAX_TESTS
    with pytest.raises(InputError, match=r"50015000 tests, more than 20000000: .* Print"):
        chain(depth).rules  # noqa: B018
    assert len(chain(1000).rules) == 1001


@pytest.mark.parametrize("shares", [(16,), (8, 8, 0), (8, 7), (17, -1)])
def test_shares_are_sixteenths_one_a_branch(shares):
    with pytest.raises(ValueError, match="one for each branch, and sum to 16"):
        Split((Threshold("x", True, 1.0),), (1, 2), shares)


def test_a_tree_says_where_rows_are_shared_out():
    split = Split((Threshold("x", False, 1.0),), (3, 4))
    tree = Tree((Split((Missing("y"),), (1, 2), (5, 11)), split, *map(Leaf, (0, 1, 2))))
    assert [tree.shares_to(answer) for answer in range(3)] == [
        (Share(("y",), 11),),
        (Share(("y",), 5),),
        (Share(("y",), 5),),
    ]
    assert tree.rules[1].condition == AllOf(
        (AnyOf((Missing("y"), Missing("y"))), Threshold("x", False, 1.0))
    )
    cut = Threshold("x", False, 1.0)
    tree = Tree((Split((cut,), (1, 2), (16, 0)), Leaf(0), Leaf(1)))
    assert tree.grounds(0) == (Threshold("x", False, 1.0, if_missing=True),)
    assert tree.grounds(1) == (Threshold("x", True, 1.0, if_missing=True),)
