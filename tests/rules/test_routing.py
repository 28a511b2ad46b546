"""Rows routed by the kernel, against handing them down node by node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.trees import leaf_by_shares, leaves_by_nodes
from strategies.effort import DOUBLE
from strategies.mixed import tables
from strategies.nodes import ON_COLUMNS, interval, trees

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.rules import Category, Given, Interval, Leaf, Missing, Split, Threshold, Tree

EXTREME = [0.0, -0.0, 5e-324, -5e-324, 1.0, np.nextafter(1.0, 2.0), 1.7976931348623157e308]


@DOUBLE
@given(trees(ON_COLUMNS, most=8, shared=False), tables())
def test_rows_come_to_the_leaf_that_the_predicates_say(tree, table):
    assert tree.answer(table).tolist() == leaves_by_nodes(tree, table).tolist()
    assert tree.answer(table.take(np.empty(0, np.intp))).size == 0


@given(trees(shared=False), tables())
def test_rows_come_to_their_leaf_also_by_predicates_that_the_kernel_cannot_ask(tree, table):
    assert tree.answer(table).tolist() == leaves_by_nodes(tree, table).tolist()


@DOUBLE
@given(trees(ON_COLUMNS, most=8) | trees(), tables(most_rows=8))
def test_rows_that_are_shared_out_get_the_class_of_the_most_weight(tree, table):
    found = tree.answer(table).tolist()
    assert found == [leaf_by_shares(tree, table, row) for row in range(table.rows)]


def test_shares_are_added_up_by_class_and_ties_go_to_the_first():
    test, inner = Threshold("x", False, 1.0), Threshold("x", False, 0.0)
    table = Table([NumericColumn("x", np.array([0.5, 2.0, np.nan]))], 3)

    def answers(one, other, outputs):
        split = Split((inner,), (3, 4), other)
        tree = Tree((Split((test,), (1, 2), one), split, *map(Leaf, outputs)))
        return tree.answer(table).tolist()

    assert answers((10, 6), (8, 8), (0, 1, 1)) == [2, 0, 1]
    assert answers((10, 6), (8, 8), (0, 1, 2)) == [2, 0, 0]  # 6/16 against twice 5/16
    assert answers((8, 8), (8, 8), (1, 0, 0)) == [2, 0, 1]
    assert answers((8, 8), (8, 8), (0, 1, 1)) == [2, 0, 0]
    assert answers((16, 0), (1, 15), (1, 0, 0)) == [2, 0, 2]
    assert answers((0, 16), (1, 15), (1, 0, 0)) == [2, 0, 0]
    assert answers((16, 0), (), (1, 1, 0)) == [2, 0, 2]


def test_a_row_that_is_shared_out_at_every_level_of_a_deep_tree_arrives():
    depth, nodes = 20_000, []
    for level in range(depth):
        test = Threshold("x", False, float(level))
        branches = 2 * level + 1, 2 * level + 2
        nodes += [Split((test,), branches, (3, 13)), Leaf(level % 2)]
    tree = Tree((*nodes, Leaf(0)))
    table = Table([NumericColumn("x", np.array([np.nan, 7.0]))], 2)
    assert tree.answer(table).tolist() == [0, 7]


@given(
    st.sampled_from(EXTREME),
    st.sampled_from(EXTREME),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_a_cut_is_exact_to_the_last_bit(cut, other, one, two, three):
    x = np.array([*EXTREME, *(-np.array(EXTREME)), np.inf, -np.inf, np.nan])
    table = Table([NumericColumn("x", x)], x.size)
    for test in (
        Threshold("x", one, cut, two, cut_above=three),
        Interval("x", min(cut, other), max(cut, other), one, two),
        interval("x", cut, other, one, two, (), three, True),
        interval("x", cut, other, one, two, (), True, three),
    ):
        tree = Tree((Split((test,), (1, 2)), Leaf(1), Leaf(0)))
        assert tree.classify(table).tolist() == test.holds(table).tolist()


@given(st.integers(0, 200), st.sets(st.integers(0, 220)), st.booleans(), st.booleans())
def test_columns_may_have_any_number_of_categories(count, chosen, among, if_missing):
    texts = [str(number) for number in range(221)]
    codes = np.arange(-1, count).astype(np.int32)
    table = Table([CategoricalColumn("c", "text", codes, tuple(texts[:count]))], count + 1)
    values = tuple(texts[number] for number in chosen) or ("none",)
    test = Category("c", values, among, if_missing)
    tree = Tree((Split((test, Missing("c")), (1, 2, 3)), Leaf(2), Leaf(1), Leaf(0)))
    assert tree.answer(table).tolist() == leaves_by_nodes(tree, table).tolist()


def test_a_tree_answers_tables_of_other_categories_and_kinds():
    tree = Tree((Split((Given("x"), Missing("x")), (1, 2, 3)), Leaf(0), Leaf(1), Leaf(2)))
    numbers = Table([NumericColumn("x", np.array([1.0, 0.0, np.nan]))], 3)
    codes = np.array([1, 0, -1], np.int32)
    truths = Table([CategoricalColumn("x", "boolean", codes, ("False", "True"))], 3)
    others = Table([CategoricalColumn("x", "boolean", codes, ("True", "neither"))], 3)
    assert tree.answer(numbers).tolist() == [0, 2, 1]
    assert tree.answer(truths).tolist() == [0, 2, 1]
    assert tree.answer(others).tolist() == [2, 0, 1]
    assert tree.answer(truths).tolist() == [0, 2, 1]


def test_the_columns_of_a_matrix_are_read_where_they_lie():
    X = np.arange(3.0 * 100_000).reshape(-1, 3)[::-2]
    columns = [NumericColumn(name, X[:, j]) for j, name in enumerate("xyz")]
    table = Table(columns, len(X))
    tree = Tree((Split((Threshold("z", True, 100_000.0),), (1, 2)), Leaf(1), Leaf(0)))
    assert (tree.classify(table) == (X[:, 2] > 100_000.0)).all()


def test_a_column_of_another_kind_is_refused():
    table = Table([CategoricalColumn("x", "text", np.zeros(1, np.int32), ("a",))], 1)
    numbers = Table([NumericColumn("x", np.zeros(1))], 1)
    for test, wrong, match in (
        (Threshold("x", True, 1.0), table, "must be numeric"),
        (Interval("x", 1.0, 2.0), table, "must be numeric"),
        (Category("x", ("a",)), numbers, "must hold categories"),
        (Missing("y"), numbers, "no column 'y'"),
    ):
        with pytest.raises(InputError, match=match):
            Tree((Split((test,), (1, 2)), Leaf(1), Leaf(0))).answer(wrong)
