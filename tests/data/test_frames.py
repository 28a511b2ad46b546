"""Tables from arrays and dataframes of every library."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rulewright.data import (
    CategoricalColumn,
    CategoryOrder,
    Field,
    NumericColumn,
    Table,
    detect_table,
    fit_table,
    frame,
    frame_library,
    keep_known,
)
from rulewright.errors import InputError

MIXED = {
    "age": [41, None, 19],
    "income": [1.5, 2.5, None],
    "city": ["Bern", None, "Aosta"],
    "member": [True, False, None],
}


def cells(table):
    return {column.name: column.cells() for column in table.columns}


def test_a_frame_of_any_library_gives_the_same_table(make_frame):
    table = detect_table(make_frame(MIXED))
    assert table.rows == 3
    assert table.named
    assert table.fields == (
        Field("age", "numeric"),
        Field("income", "numeric"),
        Field("city", "text", 2),
        Field("member", "boolean", 2),
    )
    assert cells(table) == {
        "age": [41, None, 19],
        "income": [1.5, 2.5, None],
        "city": ["Bern", None, "Aosta"],
        "member": ["True", "False", None],
    }


def test_categories_of_every_library_are_text():
    pandas = pd.DataFrame({"x": pd.Categorical(["u", None, "v"], categories=["w", "v", "u"])})
    polars = pl.DataFrame(
        {
            "x": pl.Series(["u", None, "v"], dtype=pl.Categorical),
            "y": pl.Series(["u", None, "v"], dtype=pl.Enum(["u", "v"])),
        }
    )
    arrow = pa.table({"x": pa.array(["u", None, "v"]).dictionary_encode()})
    for data in (pandas, polars, arrow):
        for column in detect_table(data).columns:
            assert isinstance(column, CategoricalColumn)
            assert column.categories == ("u", "v")
            assert column.cells() == ["u", None, "v"]


def test_a_pandas_category_of_numbers_stays_a_category():
    column = detect_table(pd.DataFrame({"x": pd.Categorical([2, 10, None])})).columns[0]
    assert column.kind == "code"
    assert column.categories == ("2", "10")


def test_numbers_are_numeric_unless_declared(make_frame):
    data = make_frame({"code": [3, 1, 3], "size": [1, 2, 3]})
    assert [f.kind for f in detect_table(data).fields] == ["numeric", "numeric"]
    declared = detect_table(data, ["code"])
    assert [f.kind for f in declared.fields] == ["code", "numeric"]
    assert declared.columns[0].categories == ("1", "3")
    assert detect_table(np.array([[1, 2], [3, 4]]), [1]).columns[1].kind == "code"


def test_an_array_is_looked_at_where_it_lies():
    matrix = np.arange(6.0).reshape(3, 2)
    table = detect_table(matrix)
    assert table.names == ["x0", "x1"]
    assert not table.named
    assert all(np.shares_memory(column.values, matrix) for column in table.columns)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.float16])
def test_arrays_of_other_numbers_become_doubles(dtype):
    column = detect_table(np.array([[1], [2]], dtype)).columns[0]
    assert column.values.dtype == np.float64


def test_an_array_of_objects_is_told_apart_column_by_column():
    data = np.array([[1, "a", True, None], [2.5, "b", False, 4]], dtype=object)
    assert [f.kind for f in detect_table(data).fields] == ["numeric", "text", "boolean", "numeric"]


def test_an_array_of_booleans_holds_categories():
    assert detect_table(np.array([[True], [False]])).fields == (Field("x0", "boolean", 2),)


def test_a_column_of_mixed_objects_is_text():
    column = detect_table(
        pd.DataFrame({"x": pd.Series([1, "a", 2.5, None], dtype=object)})
    ).columns[0]
    assert column.cells() == ["1", "a", "2.5", None]


def test_a_column_of_nothing_but_nulls_is_numeric(make_frame):
    assert detect_table(make_frame({"x": [None, None]})).fields[0].kind == "numeric"


def test_the_numbers_that_pandas_gives_in_want_of_names_are_no_names():
    table = detect_table(pd.DataFrame(np.zeros((2, 2))))
    assert table.names == ["x0", "x1"]
    assert not table.named


def test_other_numbers_are_names_by_their_text():
    data = pd.DataFrame([[1, 2], [3, 4]], columns=[7, np.int64(2010)])
    table = detect_table(data)
    assert table.names == ["7", "2010"]
    assert table.named
    again = fit_table(data[[2010, 7]], table.fields, {"7", "2010"}, named=True)
    assert cells(again) == {"7": [1, 3], "2010": [2, 4]}


def test_columns_of_a_model_without_names_are_found_by_their_numbers():
    fields = detect_table(pd.DataFrame(np.zeros((2, 3)))).fields
    data = pd.DataFrame([[1, 2, 3], [4, 5, 6]])[[2, 0, 1]]
    table = fit_table(data, fields, {"x0", "x2"}, named=False)
    assert cells(table) == {"x0": [1, 4], "x2": [3, 6]}
    with pytest.raises(InputError, match="needs column 'x2'"):
        fit_table(data[[0, 1]].rename(columns={1: 5}), fields, {"x2"}, named=False)


def test_names_of_several_levels_and_of_strange_types_are_refused_with_the_way_out():
    levels = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    with pytest.raises(InputError, match=r"one level.*\('a', 'x'\).*Join the levels"):
        detect_table(pd.DataFrame([[1, 2]], columns=levels))
    with pytest.raises(InputError, match=r"got 1.5 of type float.*astype\(str\)"):
        detect_table(pd.DataFrame([[1, 2]], columns=[1.5, 2.5]))
    with pytest.raises(InputError, match=r"all be text or all be whole numbers, got 1 "):
        detect_table(pd.DataFrame([[1, 2]], columns=["a", 1]))


LARGE = 2**53 + 1


def large_numbers():
    """Large whole numbers in every container that holds them with all digits."""
    values = [LARGE, 5]
    yield pd.DataFrame({"x0": values})
    yield pd.DataFrame({"x0": pd.array(values, dtype="Int64")})
    yield pd.DataFrame({"x0": pd.Series(values, dtype=object)})
    yield pl.DataFrame({"x0": values})
    yield pl.DataFrame({"x0": pl.Series(values, dtype=pl.UInt64)})
    yield pl.DataFrame({"x0": pl.Series([Decimal(v) for v in values])})
    yield pa.table({"x0": values})
    yield pa.table({"x0": pa.array([Decimal(v) for v in values], pa.decimal128(20, 0))})
    yield np.array([[v] for v in values])
    yield np.array([[v] for v in values], dtype=np.uint64)
    yield np.array([[v] for v in values], dtype=object)


@pytest.mark.parametrize("data", list(large_numbers()), ids=lambda data: type(data).__module__)
def test_whole_numbers_that_would_lose_digits_are_refused_or_kept_as_codes(data):
    message = rf"Column 'x0' holds the whole number {LARGE}.*--drop.*categorical_features"
    with pytest.raises(InputError, match=message):
        detect_table(data)
    with pytest.raises(InputError, match=message):
        fit_table(data, (Field("x0", "numeric"),), {"x0"}, named=False)
    declared = detect_table(data, [0])
    assert cells(declared) == {"x0": [str(LARGE), "5"]}
    again = fit_table(data, declared.fields, {"x0"}, named=False)
    assert cells(again) == {"x0": [str(LARGE), "5"]}


@pytest.mark.parametrize("values", [[2**53, -(2**53)], [2**60, 3], [1e300, 9007199254740993.0]])
def test_large_numbers_that_lose_nothing_are_numbers(make_frame, values):
    assert detect_table(make_frame({"x": values})).numbers("x").tolist() == values
    assert detect_table(np.array(values).reshape(-1, 1)).numbers("x0").tolist() == values


def test_complex_columns_of_a_frame_are_refused():
    for values in (np.array([1 + 2j, 3j]), pd.Series([1 + 2j, 3j], dtype=object)):
        with pytest.raises(InputError, match=r"'z'.*(Complex data not supported|type complex)"):
            detect_table(pd.DataFrame({"z": values}))


def test_ordered_categories_keep_their_order_in_every_container(recwarn):
    labels = ["low", "mid", "high"]
    grades = pd.Categorical(["low", "high", None], categories=labels, ordered=True)
    arrow = pa.DictionaryArray.from_arrays(pa.array([0, 2, None]), labels, ordered=True)
    enum = pl.Series("grade", ["low", "high", None], pl.Enum(labels))
    for data in (
        pd.DataFrame({"grade": grades}),
        pa.table({"grade": arrow}),
        pl.DataFrame({"grade": enum}),
    ):
        table = detect_table(data)
        assert table.fields == (Field("grade", "text", 3, CategoryOrder(tuple(labels))),)
        assert table.categories("grade").codes.tolist() == [0, 2, -1]
        plain = fit_table(pd.DataFrame({"grade": ["high"]}), table.fields, {"grade"}, named=True)
        assert plain.categories("grade").codes.tolist() == [2]
        assert plain.fields == table.fields
    unordered = detect_table(pd.DataFrame({"grade": grades.as_unordered()}))
    assert unordered.fields == (Field("grade", "text", 2),)
    assert not recwarn.list


def test_new_values_without_a_place_take_the_order_from_a_column():
    fields = [Field("grade", "text", 2, CategoryOrder(("low", "high")))]
    new = fit_table(pd.DataFrame({"grade": ["low", "top"]}), fields, {"grade"}, named=True)
    assert new.categories("grade").cells() == ["low", "top"] and new.fields[0].order is None


def test_strange_arrays_are_refused():
    with pytest.raises(InputError, match="Complex data not supported"):
        detect_table(np.array([[1j]]))
    with pytest.raises(InputError, match="two dimensions"):
        detect_table(np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="type dict"):
        detect_table(np.array([[{}]], dtype=object))


def test_infinite_values_are_refused_by_name_and_row(make_frame):
    with pytest.raises(InputError, match=r"Column 'x', row 1: the value is infinite"):
        detect_table(make_frame({"x": [1.0, float("inf")]}))
    with pytest.raises(InputError, match="Column 'x0', row .*: the value is infinite"):
        detect_table(np.array([[np.inf], [-np.inf]]))


def test_values_so_large_that_their_sum_overflows_are_fine():
    assert detect_table(np.full((4, 1), 1e308)).columns[0].values[0] == 1e308


def test_duplicate_names_are_named():
    data = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    with pytest.raises(InputError, match="occur more than once: 'a'"):
        detect_table(data)
    with pytest.raises(InputError, match="occur more than once: 'a'"):
        detect_table(pa.table([[1], [2]], names=["a", "a"]))


def test_a_declared_category_must_be_there():
    with pytest.raises(InputError, match="'z' is declared categorical"):
        detect_table(pd.DataFrame({"a": [1]}), ["z"])
    with pytest.raises(InputError, match="positions from 0 to 0"):
        detect_table(np.zeros((2, 1)), [1])
    with pytest.raises(InputError, match="must be a list"):
        detect_table(pd.DataFrame({"a": [1]}), "a")


FIELDS = (Field("a", "numeric"), Field("b", "text", 2), Field("c", "numeric"))


def test_new_data_is_found_by_name_in_any_order_and_only_as_needed(make_frame):
    data = make_frame({"other": [0, 0], "b": ["u", "new"], "a": [1, 2]})
    table = fit_table(data, FIELDS, {"a", "b"}, named=True)
    assert cells(table) == {"a": [1, 2], "b": ["u", "new"]}


def test_new_data_without_names_is_found_by_position():
    data = np.array([[1, "u", 3], [2, "v", 4]], dtype=object)
    table = fit_table(data, FIELDS, {"c", "b"}, named=True)
    assert cells(table) == {"b": ["u", "v"], "c": [3, 4]}
    unnamed = fit_table(pd.DataFrame({"p": [1], "q": ["u"], "r": [3]}), FIELDS, {"c"}, named=False)
    assert cells(unnamed) == {"c": [3]}


def test_a_missing_column_is_named(make_frame):
    with pytest.raises(InputError, match=r"needs column 'b'.*Its columns are: 'a'"):
        fit_table(make_frame({"a": [1]}), FIELDS, {"a", "b"}, named=True)
    with pytest.raises(InputError, match="2 columns without names.*trained on 3"):
        fit_table(np.zeros((1, 2)), FIELDS, {"a"}, named=True)


def test_text_in_a_numeric_column_is_refused_with_an_example(make_frame):
    with pytest.raises(InputError, match=r"'a' was numeric in training but is text now: 'high'"):
        fit_table(make_frame({"a": ["high", "high"]}), FIELDS, {"a"}, named=True)


def test_numbers_and_booleans_find_their_category_by_text(make_frame):
    fields = (Field("a", "text", 2), Field("b", "boolean", 2), Field("c", "code", 2))
    data = make_frame({"a": [1, 2], "b": ["true", "FALSE"], "c": [1.0, 2.5]})
    table = fit_table(data, fields, {"a", "b", "c"}, named=True)
    assert cells(table) == {"a": ["1", "2"], "b": ["True", "False"], "c": ["1", "2.5"]}


@pytest.mark.parametrize("truths", [[1, 0, None], [1.0, 0.0, None], ["1", "0", None]])
def test_zero_and_one_may_stand_for_booleans(make_frame, truths):
    data = make_frame({"b": truths})
    table = fit_table(data, (Field("b", "boolean", 2),), {"b"}, named=True)
    assert cells(table) == {"b": ["True", "False", None]}


def test_a_code_is_the_same_number_in_any_spelling(make_frame):
    data = make_frame({"c": ["1", "2.0", "abc", None]})
    table = fit_table(data, (Field("c", "code", 2),), {"c"}, named=True)
    assert cells(table) == {"c": ["1", "2", "abc", None]}


def test_numbers_that_no_double_holds_are_refused():
    with pytest.raises(InputError, match="'x0' holds a number that is too large"):
        detect_table(np.array([[10**400], [1]], dtype=object))
    text = detect_table(np.array([[10**400], ["x"]], dtype=object))
    assert cells(text) == {"x0": [str(10**400), "x"]}


@pytest.mark.parametrize("dtype", ["period[M]", "interval"])
def test_strange_pandas_types_are_refused(dtype):
    values = {
        "period[M]": pd.period_range("2020-01", periods=2, freq="M"),
        "interval": pd.interval_range(0, 2),
    }[dtype]
    with pytest.raises(InputError, match=f"'a' holds values of type {dtype[:6]}"):
        detect_table(pd.DataFrame({"a": values}))


def test_a_category_of_dates_is_known_by_its_text():
    dates = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])).astype("category")
    table = fit_table(pd.DataFrame({"b": dates}), (Field("b", "text", 2),), {"b"}, named=True)
    assert cells(table) == {"b": ["2020-01-01", "2020-01-02"]}


def test_booleans_may_stand_for_numbers(make_frame):
    table = fit_table(make_frame({"a": [True, None]}), FIELDS, {"a"}, named=True)
    assert cells(table) == {"a": [1, None]}


def test_a_table_stays_what_it_is():
    table = Table([NumericColumn("a", np.array([1.0]))], 1)
    assert detect_table(table) is table
    assert cells(fit_table(table, FIELDS, {"a"}, named=True)) == {"a": [1]}
    with pytest.raises(InputError, match="was text in training but is numeric"):
        fit_table(table.renamed(["b"]), FIELDS, {"b"}, named=True)


def test_unknown_columns_are_left_out_only_where_all_known_ones_are_there(make_frame):
    data = make_frame({"x": [1], "a": [2], "b": [3]})
    assert detect_table(keep_known(data, ["b", "a"])).names == ["a", "b"]
    assert keep_known(data, ["a", "z"]) is data
    assert keep_known(data, ()) is data


def test_answers_come_in_the_callers_library(make_frame):
    data = make_frame({"x": [1]})
    answer = frame({"y": [1, 2]}, frame_library(data))
    assert type(answer) is type(data)


def test_answers_without_any_library_are_plain_records(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert frame({"y": [1, 2]}) == [{"y": 1}, {"y": 2}]
    with pytest.raises(InputError, match="pip install pandas"):
        frame({"y": [1]}, "pandas")


def test_a_lazy_frame_is_refused_with_the_way_out():
    with pytest.raises(InputError, match="collect"):
        detect_table(pl.DataFrame({"a": [1.0]}).lazy())
