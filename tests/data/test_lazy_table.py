"""Tables in engines: the same counts as from the rows in memory."""

import re

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, HARD, NAMES, as_lists, lazy_table, oracle, ugly_frame
from oracles.counts import RowCounts
from strategies.effort import examples

from rulewright.data import (
    CLOSED,
    MODULUS,
    Condition,
    Fork,
    HashRange,
    KeyHash,
    LazyTable,
    RowPart,
    ValueRange,
    detect_table,
)
from rulewright.errors import EngineError, InputError

SENDING = pytest.mark.skipif(
    tuple(map(int, re.findall("[0-9]+", duckdb.__version__)[:3])) < (1, 5, 4),
    reason="earlier versions of DuckDB count by queries",
)
HOSTILE = f"a{HARD}b--; DROP TABLE t"
NUMBERS = st.sampled_from(
    [None, float("nan"), -0.0, 0.0, 0.1, 0.1 + 2**-55, 1e308, -1e308, 5e-324, 7.0]
)
TEXTS = st.sampled_from([None, "", "é", "E", "e", "'", HOSTILE, "NULL", "nan"])


@st.composite
def frames(draw):
    rows = draw(st.integers(2, 20))

    def column(values):
        return draw(st.lists(values, min_size=rows, max_size=rows))

    return pl.DataFrame(
        {
            HOSTILE: pl.Series(column(NUMBERS), dtype=pl.Float64),
            "whole": pl.Series(column(st.sampled_from([None, -3, 0, 2**53])), dtype=pl.Int64),
            "text": pl.Series(column(TEXTS), dtype=pl.String),
            "flag": pl.Series(column(st.sampled_from([None, False, True])), dtype=pl.Boolean),
            "y": pl.Series(["n", "p", *column(st.sampled_from("np"))[2:]], dtype=pl.String),
        }
    )


ROUTE = Fork(
    HOSTILE,
    (Condition("up_to", 0.05),),
    (
        Fork("text", (Condition("among", categories=("é", "'", HOSTILE)),), (4, CLOSED)),
        Fork("flag", (Condition("missing"), Condition("among", categories=("True",))), (5, 6, 7)),
    ),
)
CELLS = [ValueRange(node, -2e308, 2e308) for node in (4, 5, 6, 7)]


@pytest.mark.parametrize("engine", [*ENGINES, "parts", "queries", "streams"])
@examples(1 / 50)
@given(frame=frames())
def test_an_engine_counts_as_rows_do(engine, frame):
    expected, found = oracle(frame), lazy_table(engine, frame)
    for name in ("fields", "classes", "missing", "ranges", "category_counts", "rows", "keys"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.class_counts.tolist() == expected.class_counts.tolist()
    cells = dict.fromkeys((HOSTILE, "whole"), CELLS)
    assert as_lists(found.by_value(ROUTE, cells)) == as_lists(expected.by_value(ROUTE, cells))
    names = ["text", "flag"]
    assert as_lists(found.by_category(ROUTE, names)) == as_lists(expected.by_category(ROUTE, names))


@pytest.mark.parametrize("engine", [*ENGINES, "parts", "queries", "streams"])
@pytest.mark.parametrize("most", [1, 2, 5, 40])
def test_rows_find_their_cells_among_many(engine, most):
    """Cells of several nodes in any order, with gaps between them; rows of every node."""
    random = np.random.default_rng(most)
    frame = pl.DataFrame(
        {
            "x": pl.Series(random.integers(0, 30, 200).tolist()).cast(pl.Float64),
            "z": random.integers(0, 4, 200),
            "y": ["n", "p"] * 100,
        }
    ).with_columns(x=pl.when(pl.col("x") != 9).then("x"))
    conditions = tuple(Condition("up_to", float(cut)) for cut in range(3))
    route = Fork("z", conditions, (8, 2, CLOSED, 5))
    ends = {node: np.sort(random.permutation(30)[:28]).reshape(-1, 2) for node in (2, 5, 8)}
    cells = [ValueRange(node, low, high) for node in ends for low, high in ends[node].tolist()]
    cells = [cells[place] for place in random.permutation(len(cells))[:most].tolist()]
    expected, found = oracle(frame), lazy_table(engine, frame)
    asked = {"x": cells}
    assert as_lists(found.by_value(route, asked)) == as_lists(expected.by_value(route, asked))
    counted = sum(found.by_bin(route, asked)["x"].counts.sum(axis=0))
    assert counted == expected.by_value(route, asked)["x"].counts.sum()


@pytest.mark.parametrize("engine", [*ENGINES, "parts", "queries", "streams"])
def test_every_column_is_counted_below_several_forks(engine):
    """Polars gave no values to the cells of later columns, whose numbers have over 32 bits."""
    rows = range(60)
    frame = pl.DataFrame(
        {
            "s": [["a", "b", "c"][i % 3] for i in rows],
            "x": [float(i % 7) for i in rows],
            "z": [float(i % 5) for i in rows],
            "y": [["n", "p"][i % 2] for i in rows],
        }
    )
    inner = Fork("x", (Condition("up_to", 2.0),), (CLOSED, 0))
    tests = (Condition("missing"), Condition("among", categories=("a",)))
    route = Fork("s", tests, (inner, inner, CLOSED))
    expected, found = oracle(frame), lazy_table(engine, frame)
    cells = {name: [ValueRange(0, 0.0, 6.0)] for name in ("x", "z")}
    assert as_lists(found.by_value(route, cells)) == as_lists(expected.by_value(route, cells))
    bins = {name: counts.counts.sum() for name, counts in found.by_bin(route, cells).items()}
    assert bins == {
        name: counts.counts.sum() for name, counts in expected.by_bin(route, cells).items()
    }


def rows_of(patterns):
    """Cells, class and number of rows of each pattern, joined and in order."""
    cells = [column.cells() for column in patterns.table.columns]
    keys = [*map(str, zip(*cells, patterns.labels.tolist(), strict=True))]
    return sorted(
        {
            key: sum(n for k, n in zip(keys, patterns.rows, strict=True) if k == key)
            for key in keys
        }.items()
    )


@pytest.mark.parametrize("engine", [*ENGINES, "parts", "queries", "streams"])
def test_bins_cuts_and_patterns_are_those_of_the_rows(engine):
    values = [0.5, 1.5, 2.0, 2.0, None, 9.0, -0.0, 100.0]
    frame = pl.DataFrame({"x": values, "s": list("aabbccab"), "y": list("npnpnpnp")})
    expected, found = oracle(frame), lazy_table(engine, frame)
    bins = found.by_bin(0, {"x": [ValueRange(0, 0.0, 1.75), ValueRange(0, 2.0, 100.0)]})["x"]
    assert bins.cell.tolist() == [0, 0, 0, 1, 1, 1]
    assert bins.low.tolist() == bins.high.tolist() == [0.0, 0.5, 1.5, 2.0, 9.0, 100.0]
    assert bins.counts.sum(axis=1).tolist() == [1, 1, 1, 2, 1, 1]
    coarse = found.by_bin(0, {"x": [ValueRange(0, -1e308, 1e308)]})["x"]
    assert (coarse.low.tolist(), coarse.high.tolist()) == ([0.0], [100.0])
    wanted = {"x": np.array([1.75, 50.0])}
    assert found.largest_up_to(wanted)["x"].tolist() == [1.5, 9.0]
    cuts = {"x": np.array([0.0, 1.5])}
    assert rows_of(found.patterns(cuts, ["s"])) == rows_of(expected.patterns(cuts, ["s"]))
    assert rows_of(found.patterns({}, [])) == [("(0,)", 4.0), ("(1,)", 4.0)]


@pytest.mark.parametrize("engine", [*ENGINES, "parts", "queries", "streams"])
@pytest.mark.parametrize(
    ("columns", "target", "message"),
    [
        ({"x": [1, 2], "y": ["a", "b"]}, "z", "The data has no column 'z'"),
        ({"y": ["a", "b"]}, "y", "no column besides the class 'y'"),
        ({"x": [1, 2], "y": ["a", None]}, "y", "1 of 2 labels are missing in column 'y'"),
        ({"x": [], "y": []}, "y", "columns but no rows"),
        ({"x": [1.0, float("inf")], "y": ["a", "b"]}, "y", "'x' has an infinite value"),
        ({"x": [1, -(2**53) - 1], "y": ["a", "b"]}, "y", "'x' holds the whole number -9007199254"),
        ({"x": [[1], [2]], "y": ["a", "b"]}, "y", "Column 'x' holds values of type"),
    ],
)
def test_what_cannot_be_counted_is_refused(engine, columns, target, message):
    frame = pl.DataFrame(columns)
    if not frame.height:
        frame = frame.with_columns(pl.col("x").cast(pl.Float64), pl.col("y").cast(pl.String))
    with pytest.raises(InputError, match=message):
        lazy_table(engine, frame, target)


def test_an_error_of_the_engine_names_the_query():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1.5 AS x, 'a' AS y")
    relation = connection.sql("SELECT CAST(y AS DOUBLE) AS x, y FROM t")
    with pytest.raises(
        EngineError, match="could not .*Conversion Error.*\nThe query was: .*SELECT"
    ):
        LazyTable(relation, "y")


@pytest.mark.parametrize("name", ["Sepal.Length", 'a"b'])
def test_names_that_duckdb_1_reads_as_several_are_refused(name, monkeypatch):
    frame = pl.DataFrame({name: [1.0, 2.0], "x": [1.0, 2.0], "y": ["a", "b"]})
    monkeypatch.setattr(duckdb, "__version__", "1.5.0")
    with pytest.raises(InputError, match=r"DuckDB 1.5.0 cannot count column .* Rename the column"):
        LazyTable(ENGINES["duckdb"](frame), "y")
    assert LazyTable(ENGINES["duckdb"](frame), "y", drop=[name]).rows == 2
    assert LazyTable(frame.lazy(), "y").rows == 2


def test_numbers_booleans_and_decimals_are_classes():
    frame = pl.DataFrame({"x": [1.0, 2.0], "y": [10, 9], "z": [True, False], "d": ["1.5", "2"]})
    frame = frame.with_columns(pl.col("d").cast(pl.Decimal(10, 2)))
    assert LazyTable(frame.lazy(), "y").classes == (9, 10)
    assert LazyTable(frame.lazy(), "z").classes == (False, True)
    assert LazyTable(frame.lazy(), "d").classes == (1.5, 2.0)
    assert LazyTable(ENGINES["duckdb"](frame), "d").ranges == {"x": (1.0, 2.0), "y": (9.0, 10.0)}


@pytest.mark.parametrize("engine", [*ENGINES, "parts", "queries", "streams"])
def test_rows_of_conjunctions_and_values_above_numbers_are_those_of_the_rows(engine):
    values = [0.5, 1.5, 2.0, 2.0, None, 9.0, -0.0, 100.0]
    texts = ["a", "a", "b", "b", None, "c", "a", "b"]
    frame = pl.DataFrame({"x": values, "s": texts, "y": list("npnpnpnp")})
    expected, found = oracle(frame), lazy_table(engine, frame)
    for parts in (
        (("x", Condition("from", 2.0)), ("s", Condition("not_among", categories=("c",)))),
        (("x", Condition("present")), ("s", Condition("among", categories=("a",)))),
        (("s", Condition("missing")),),
    ):
        route = Fork("", (Condition("all", parts=parts),), (3, CLOSED))
        rows = {node: counts.tolist() for node, counts in found.by_node(route).items()}
        assert rows == {node: c.tolist() for node, c in expected.by_node(route).items()}
    wanted = {"x": np.array([50.0, -1.0, 1.5])}
    assert found.smallest_above(wanted)["x"].tolist() == [100.0, 0.0, 2.0]


def rows_by_depth(found):
    lines = zip(found.depth.tolist(), found.counts.tolist(), strict=True)
    return {tuple(depth): counts for depth, counts in lines}


@pytest.mark.parametrize("engine", [*ENGINES, "parts"])
def test_rows_are_counted_by_rule_and_fetched_by_the_hash_of_their_keys(engine):
    frame = ugly_frame(150).with_columns(number=pl.int_range(pl.len()) * 10**11)
    a, whole, text, flag = NAMES[:4]
    tests = [
        Condition("all", parts=((a, Condition("above", 0.1)), (whole, Condition("up_to", 1)))),
        Condition("all", parts=((text, Condition("among", categories=("--", "'"))),)),
        Condition("all", parts=((a, Condition("missing")),)),
        Condition("all", parts=((flag, Condition("not_among", categories=("True",))),)),
    ]
    drawn = HashRange(KeyHash.of(b"any", 1), ((MODULUS // 3, MODULUS), (0, MODULUS // 2)))
    same = HashRange(KeyHash.of(b"any", 2), ((0, MODULUS // 3),) * 2)
    parts = [
        RowPart(),
        RowPart(inside=(tests[1],), outside=(tests[0], tests[2])),
        RowPart(outside=(tests[1], tests[3]), drawn=drawn),
        RowPart(inside=(tests[3],), drawn=same),
    ]
    keys = frame["number"].to_numpy()
    plain = frame.drop("number")
    labels = np.array([0 if label == "n" else 1 for label in plain["y"].to_list()], np.int32)
    expected = RowCounts(detect_table(plain.drop("y")), labels, ("n", "p"), keys=keys)
    with lazy_table(engine, frame, key="number") as found:
        asked = ([], [[one] for one in tests], [tests[:2], tests[2:]], [tests])
        for part, rules in zip(parts, asked, strict=True):
            counted = rows_by_depth(found.by_depth(part, rules))
            assert counted == rows_by_depth(expected.by_depth(part, rules))
            names = [whole, text, a, flag]
            rows, codes = found.rows_of(part, names)
            wanted, labels_wanted = expected.rows_of(part, names)
            lines = zip(*(c.cells() for c in rows.columns), codes.tolist(), strict=True)
            lines_wanted = zip(
                *(c.cells() for c in wanted.columns), labels_wanted.tolist(), strict=True
            )
            assert sorted(map(str, lines)) == sorted(map(str, lines_wanted))
            assert rows.columns[1].categories == wanted.columns[1].categories
    nothing = RowPart(inside=(tests[2],), outside=(tests[2],))
    assert found.by_depth(nothing, [tests]).counts.shape == (0, 2)
    assert found.rows_of(nothing, [a, text])[0].rows == 0


def test_the_depths_of_many_rules_are_put_into_several_words():
    frame = ugly_frame(40)
    tests = [
        Condition("all", parts=((NAMES[1], Condition("above", float(cut))),)) for cut in range(3)
    ]
    rules = [[tests[i % 3], tests[(i + 1) % 3]] for i in range(90)]
    found = LazyTable(frame.lazy(), "y").by_depth(RowPart(), rules)
    assert rows_by_depth(found) == rows_by_depth(oracle(frame).by_depth(RowPart(), rules))


@SENDING
def test_rows_are_sent_once(monkeypatch):
    sent, batches = [], "rulewright.data.streamed_rows.StreamedRows.batches"
    with lazy_table("duckdb", ugly_frame()) as table:
        send = table._kept._rows.batches
        monkeypatch.setattr(batches, lambda _, *about: sent.append(about) or send(*about))
        for _ in range(3):
            table.by_node(0)
            table.by_category(0, ["where"])
    assert len(sent) == 1


def test_the_rows_that_rules_leave_are_counted_as_all_rows_are():
    frame = ugly_frame()
    expected = oracle(frame)
    with lazy_table("duckdb", frame) as table:
        first, second, third = (Condition(kind, 0.1) for kind in ("above", "up_to", "missing"))
        others = Condition("all", parts=(("a", second), ("it's", Condition("missing"))))
        for closing in ([first], [first, others], [first, others, third], [others], [third], []):
            route = Fork("where", (Condition("missing"),), (5, 6))
            for condition in reversed(closing):
                route = Fork("a", (condition,), (CLOSED, route))
            found = table.by_node(route)
            assert {n: rows.tolist() for n, rows in found.items()} == {
                n: rows.tolist() for n, rows in expected.by_node(route).items()
            }


@SENDING
def test_a_table_that_changes_is_refused():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT i AS x, i % 2 AS y FROM range(100) r(i)")
    with LazyTable(connection.table("t"), "y") as table:
        connection.execute("INSERT INTO t VALUES (1, 1)")
        with pytest.raises(EngineError, match="had 100 rows at first, and then 101. Learn from"):
            table.by_node(0)
