"""The canonical order against a plain sort, and what does not change it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.mixed import tables

from rulewright.data import (
    CategoricalColumn,
    NumericColumn,
    Table,
    canonical_columns,
    canonical_rows,
    canonical_table,
    first_by_content,
    sorted_rows,
)


def told(table, *more):
    """What each row holds, comparable: missing numbers come last, missing categories first."""
    cells = []
    for column in table.columns:
        if isinstance(column, CategoricalColumn):
            cells.append(column.codes.tolist())
        else:
            cells.append([(np.isnan(v), 0.0 if np.isnan(v) else v) for v in column.values.tolist()])
    return list(zip(*cells, *(values.tolist() for values in more), strict=True))


@pytest.fixture(params=[1, 2**10], ids=["sorted often", "sorted late"])
def likely_apart(request, monkeypatch):
    monkeypatch.setattr("rulewright.data.canonical_order.MIN_CODES_PER_ROW", request.param)


@pytest.mark.usefixtures("likely_apart")
def test_rows_are_sorted_as_a_plain_sort_does():
    @given(tables(), st.randoms(use_true_random=False))
    def check(table, random):
        y = np.array([random.randrange(2) for _ in range(table.rows)])
        rows = told(table, y)
        order, group = sorted_rows(table, y)
        assert order.tolist() == sorted(range(table.rows), key=lambda row: (rows[row], row))
        number = {content: i for i, content in enumerate(sorted(set(rows)))}
        assert group.tolist() == [number[rows[row]] for row in order]

    check()


@given(tables(), st.data())
def test_the_first_row_of_each_group_is_that_of_a_plain_sort(table, data):
    y, group = (
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=table.rows, max_size=table.rows)))
        for _ in range(2)
    )
    rows = np.array(data.draw(st.permutations(range(table.rows))))[: table.rows // 2 + 1]
    contents = told(table, y, np.arange(table.rows))
    expected = [
        min((row for row in rows.tolist() if group[row] == number), key=lambda row: contents[row])
        for number in sorted(set(group[rows].tolist()))
    ]
    found = first_by_content(table, rows, group[rows], y, np.arange(table.rows))
    assert found.tolist() == expected


@given(tables(), st.randoms(use_true_random=False))
def test_neither_order_nor_increasing_functions_change_the_canonical_order(table, random):
    y = np.array([random.randrange(2) for _ in range(table.rows)], np.int32)
    rows, names = list(range(table.rows)), table.names
    random.shuffle(rows)
    random.shuffle(names)
    other = canonical_table(table.select(names).take(np.array(rows)))
    table = canonical_table(table)
    one, two = canonical_rows(table, y), canonical_rows(other, y[rows])
    assert told(table.take(one), y[one]) == told(other.take(two), y[rows][two])
    bent = Table(
        [
            NumericColumn(c.name, 3 * c.values - 7) if isinstance(c, NumericColumn) else c
            for c in table.columns
        ],
        table.rows,
    )
    assert canonical_rows(bent, y).tolist() == one.tolist()


def test_many_columns_of_few_values_are_packed_without_running_over():
    values = np.random.default_rng(0).integers(0, 3, (3000, 60)).astype(float)
    values[1000:2000] = values[:1000]
    table = Table([NumericColumn(f"c{j:02}", values[:, j]) for j in range(60)], 3000)
    order, group = sorted_rows(table)
    assert order.tolist() == np.lexsort(values.T[::-1]).tolist()
    assert group[-1] + 1 == np.unique(values, axis=0).shape[0]


def test_categories_are_sorted_by_text_and_codes_by_number():
    codes = np.array([0, 1, 2, -1], np.int32)
    text = CategoricalColumn("t", "text", codes, ("b", "10", "9")).by_text()
    assert text.categories == ("10", "9", "b")
    assert text.codes.tolist() == [2, 0, 1, -1]
    assert CategoricalColumn("c", "code", codes, ("10", "9", "2")).by_text().categories == (
        "2",
        "9",
        "10",
    )


def test_names_that_come_from_positions_keep_their_order():
    columns = [NumericColumn(f"x{j}", np.zeros(1)) for j in (2, 10)]
    assert [c.name for c in canonical_columns(columns, named=False)] == ["x2", "x10"]
    assert [c.name for c in canonical_columns(columns, named=True)] == ["x10", "x2"]


def test_the_shuffle_is_no_fixed_pattern_of_ranks():
    column = NumericColumn("x", np.arange(40.0))
    rng = np.random.default_rng(0)
    firsts = [canonical_rows(Table([column], 40), rng.integers(0, 2, 40))[0] for _ in range(50)]
    assert len(set(firsts)) > 10


def test_an_empty_table_has_an_order():
    assert canonical_rows(Table([], 0)).size == 0
    assert sorted(canonical_rows(Table([], 5))) == [0, 1, 2, 3, 4]
