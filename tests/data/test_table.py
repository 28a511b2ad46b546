"""Tables and labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.data import (
    CategoricalColumn,
    NumericColumn,
    Table,
    detect_table,
    labels_of,
    text_labels,
)
from rulewright.errors import InputError

COLOUR = CategoricalColumn("colour", "text", np.array([1, -1, 0], np.int32), ("blue", "red"))
SIZE = NumericColumn("size", np.array([3.0, np.nan, 2.0]))
TABLE = Table([SIZE, COLOUR], 3)


def test_columns_are_found_by_name():
    assert TABLE.numbers("size") is SIZE.values
    assert TABLE.categories("colour") is COLOUR
    assert TABLE.missing("colour").tolist() == [False, True, False]
    assert TABLE.missing("size").tolist() == [False, True, False]
    assert len(TABLE) == 3
    assert "size" in repr(TABLE)


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(InputError, match=r"no column 'weight'.* 'size', 'colour'"):
        TABLE.column("weight")


def test_a_column_of_the_other_kind_is_refused():
    with pytest.raises(InputError, match="'colour' must be numeric, but holds categories such as"):
        TABLE.numbers("colour")
    with pytest.raises(InputError, match="'size' must hold categories, but is numeric"):
        TABLE.categories("size")


def test_names_must_be_unique():
    with pytest.raises(InputError, match="occur more than once: 'size'"):
        Table([SIZE, SIZE], 3)


def test_rows_are_taken_by_number_or_mask():
    assert TABLE.take(np.array([2, 0])).column("colour").cells() == ["blue", "red"]
    masked = TABLE.take(np.array([True, False, True]))
    assert masked.rows == 2
    assert masked.column("size").cells() == [3, 2]


def test_columns_are_selected_dropped_and_renamed():
    assert TABLE.select(["colour"]).names == ["colour"]
    assert TABLE.without(["colour"]).names == ["size"]
    assert TABLE.renamed(["a", "b"]).names == ["a", "b"]
    with pytest.raises(InputError):
        TABLE.without(["weight"])


def labels(values):
    found, known = labels_of(detect_table(np.array(values, dtype=object).reshape(-1, 1)), "x0")
    return found.tolist(), known.tolist()


def test_whole_numbers_become_integer_labels():
    found, known = labels([1, 0, None])
    assert found[:2] == [1, 0]
    assert isinstance(found[0], int)
    assert known == [True, True, False]


def test_labels_keep_their_type():
    assert labels(["b", "a"])[0] == ["b", "a"]
    assert labels([True, False])[0] == [True, False]
    assert labels([0.5, 1.5])[0] == [0.5, 1.5]


def test_categories_seen_once_tell_how_many_were_not_seen():
    def column(*codes):
        return CategoricalColumn("c", "text", np.array(codes, np.int32), ("a", "b", "c"))

    assert column(0, 0, 1, 1).unseen_share() == 0.0
    assert column(0, 1, 2, -1).unseen_share() == 0.75
    assert column().unseen_share() == 0.0


def test_categories_that_no_row_has_can_be_forgotten():
    codes = np.array([3, -1, 1, 3], np.int32)
    table = Table([CategoricalColumn("c", "text", codes, ("a", "b", "c", "d"))], 4)
    column = table.observed().categories("c")
    assert column.categories == ("b", "d")
    assert column.cells() == table.categories("c").cells() == ["d", None, "b", "d"]
    assert table.observed().fields[0].categories == 2
    empty = Table([CategoricalColumn("c", "text", codes[:0], ("a",))], 0)
    assert empty.observed().categories("c").categories == ()


@given(codes=st.lists(st.integers(-1, 3), max_size=12), copies=st.sampled_from([1, 5_000]))
def test_categories_are_counted_as_by_hand(codes, copies):
    column = CategoricalColumn("c", "text", np.array(codes * copies, np.int32), tuple("bdac"))
    assert column.counts.tolist() == [copies * codes.count(code) for code in range(4)]
    assert column.singletons == sum(copies * codes.count(code) == 1 for code in range(4))


@given(codes=st.lists(st.integers(0, 3), min_size=1, max_size=12), ordered=st.booleans())
def test_labels_of_texts_are_numbered_in_sorted_order(codes, ordered):
    texts = ("10", "9", "a", "A")
    column = CategoricalColumn("c", "text", np.array(codes, np.int32), texts, ordered)
    labels, _ = labels_of(Table([column], len(codes)), "c")
    classes, numbers = text_labels(column)
    expected, places = np.unique(labels.astype(str), return_inverse=True)
    assert classes == expected.tolist()
    assert numbers.tolist() == places.tolist()
    assert numbers.dtype == np.int32
