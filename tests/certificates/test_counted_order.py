"""Cautions about what changes along a column of rows that stay in an engine."""

import re
from collections import Counter
from itertools import combinations
from math import comb, exp

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES

from rulewright import DecisionListMachine, TreeClassifier
from rulewright.certificates import exchangeability
from rulewright.certificates.counted_order import GROUPS, OrderedCounts
from rulewright.data import Field, LazyTable
from rulewright.errors import InputError
from rulewright.models import Model
from rulewright.rules import RuleList

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
CONSTANT = Model(
    columns=(Field("time", "numeric"),),
    classes=("a", "b"),
    body=RuleList((), 0),
    evidence=((1, 1),),
    target="y",
    named=True,
)
TREE = TreeClassifier(max_depth=2, certificate="split", n_splits=1)


def drifting(rows=4_000, late=0.2, values=900, seed=0):
    """Rows in a random order whose classes are wrong more often late in time."""
    random = np.random.default_rng(seed)
    time, x = random.integers(0, values, rows), random.random(rows)
    wrong = random.random(rows) < np.where(time >= values // 2, late, 0.05)
    return pl.DataFrame(
        {
            "key": np.arange(rows),
            "x": x,
            "time": time,
            "day": pl.Series(time, dtype=pl.Int32).cast(pl.Date),
            "y": np.where((x > 0.5) != wrong, "a", "b"),
        }
    )


def deviations_of(counts):
    counts = np.array(counts, np.float64)
    ends = np.arange(counts.shape[0], dtype=np.float64)
    return OrderedCounts(Field("time", "numeric"), ends, counts, None)._deviations(counts)


# The statistic


@given(st.lists(st.integers(0, 2), min_size=1, max_size=30))
def test_rows_with_different_values_deviate_as_rows_in_memory(y):
    y = np.array(y, np.int32)
    counts = np.eye(3)[y]
    expected = exchangeability._deviations(y)
    np.testing.assert_allclose(deviations_of(counts)[: expected.size], expected, atol=1e-9)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.data())
def test_no_order_is_less_probable_than_its_limit_with_equal_values(sizes, data):
    rows = sum(sizes)
    marked = data.draw(st.integers(1, rows), label="marked")
    group = np.repeat(np.arange(len(sizes)), sizes)
    found = Counter()
    for places in combinations(range(rows), marked):
        counts = np.zeros((len(sizes), 2))
        np.add.at(counts, (group, np.isin(np.arange(rows), places).astype(int)), 1)
        found[round(abs(float(deviations_of(counts)[1])), 9)] += 1
    for limit in found:
        share = sum(n for size, n in found.items() if size >= limit) / comb(rows, marked)
        assert share <= 2 * exp(-((limit - 1e-8) ** 2) / 2) + 1e-12


def test_rows_in_no_order_hardly_ever_get_a_caution():
    said = 0
    for seed in range(60):
        frame = drifting(400, late=0.05, seed=seed)
        with LazyTable(frame.drop("key", "day").lazy(), "y") as table:
            said += len(OrderedCounts.of(table, CONSTANT, "time").cautions(table.classes))
    assert said == 0


# What is found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "end"), [("time", "4[3-7][0-9]"), ("day", "1971-0[345]-[0-9]+")]
)
def test_errors_that_become_more_frequent_are_found_on_every_engine(engine, column, end):
    frame = ENGINES[engine](drifting())
    tree = TREE.fit(frame, target="y", key="key", order_by=column)
    [caution] = tree.certificate_.cautions
    assert caution.startswith(f"The model's errors become more frequent along '{column}': ")
    assert re.search(rf" % of the [12],\d\d\d rows up to {end}, [12]", caution)
    assert column not in [field.name for field in tree.model_.columns]
    verified = tree.certificate_.verify(tree.model_, frame, order_by=column)
    assert verified.cautions == (
        caution,
        "Repeated rows were not examined, which needs the rows in memory.",
    )


def test_the_shares_are_those_of_the_rows():
    frame = drifting(2_000, values=100)
    with LazyTable(frame.drop("key", "day").lazy(), "y") as table:
        counts = OrderedCounts.of(table, CONSTANT, "time")
    assert counts.ends.tolist() == sorted(frame["time"].unique().to_list())
    per_value = frame.group_by("time").agg(
        pl.len().alias("rows"), (pl.col("y") != "a").sum().alias("wrong")
    )
    assert counts.wrong.tolist() == per_value.sort("time")["wrong"].to_list()
    assert counts.rows.sum(axis=1).tolist() == per_value.sort("time")["rows"].to_list()


def test_a_class_that_becomes_more_frequent_is_found():
    random = np.random.default_rng(1)
    time = random.integers(0, 2_000, 3_000)
    y = np.where(random.random(3_000) < 0.2 + 0.2 * (time > 1_000), "ill", "well")
    frame = pl.DataFrame({"key": np.arange(3_000), "x": random.random(3_000), "time": time, "y": y})
    tree = TREE.fit(frame.lazy(), target="y", key="key", order_by="time")
    [caution] = tree.certificate_.cautions
    assert re.match("Class 'well' becomes less frequent along 'time': (79|80)[.]", caution)
    assert re.search("rows up to (9[5-9][0-9]|10[0-4][0-9]), (58|59|60|61)[.]", caution)


def test_the_key_can_be_the_order():
    frame = drifting().sort("time").with_columns(key=np.arange(4_000))
    tree = TREE.fit(frame.lazy(), target="y", key="key", order_by="key")
    assert "along 'key'" in tree.certificate_.cautions[0]
    verified = tree.certificate_.verify(tree.model_, frame.lazy(), order_by="key")
    assert verified.cautions[0] == tree.certificate_.cautions[0]


def test_rows_without_a_value_do_not_count():
    frame = drifting().with_columns(pl.when(pl.col("x") < 0.7).then("time").alias("time"))
    with LazyTable(frame.drop("key", "day").lazy(), "y") as table:
        counts = OrderedCounts.of(table, CONSTANT, "time")
    assert counts.rows.sum() == (frame["x"] < 0.7).sum()
    assert counts.ends.size <= GROUPS


def test_a_model_with_too_many_tests_gets_the_caution_about_classes_only(monkeypatch):
    tree = TREE.fit(drifting().lazy(), target="y", key="key")
    monkeypatch.setattr("rulewright.data.lazy_queries.MAX_PATTERNS", 2 * GROUPS)
    with LazyTable(drifting().drop("key").lazy(), "y") as table:
        counts = OrderedCounts.of(table, tree.model_, "time")
    assert counts.wrong is None
    assert counts.cautions(("a", "b")) == [
        "Whether errors become more frequent along 'time' was not examined: the tests of the model "
        "tell too many rows apart."
    ]


# What is said without it, and what is refused


def test_without_a_column_the_notices_ask_for_one():
    frame = drifting()
    tree = TREE.fit(frame.lazy(), target="y", key="key")
    assert tree.certificate_.cautions == ()
    [notice] = tree.notices_
    assert "name a column of their order, such as a date, as order_by" in notice
    assert tree.certificate_.verify(tree.model_, frame.lazy()).cautions == (notice,)


def test_categories_that_occur_once_are_found_as_in_memory():
    places = [f"p{i}" if i < 60 else f"often {i % 4}" for i in range(300)]
    frame = pl.DataFrame({"key": np.arange(300), "place": places})
    frame = frame.with_columns(y=pl.when(pl.col("place") == "often 1").then(1).otherwise(0))
    rules = DecisionListMachine(certificate="split", n_splits=1, max_rules=1, family="categories")
    in_memory = rules.fit(frame, target="y", key="key").certificate_.cautions
    found = rules.fit(frame.lazy(), target="y", key="key").certificate_.cautions
    assert len(found) == 1 and "'place' has 64 categories in 300 rows" in found[0]
    assert found[0] in in_memory


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("word", "but 'word' holds text. Cast it in the query"),
        ("y", "order_by names 'y', the class"),
        ("none", "a column without a value"),
        ("tiem", "no column 'tiem'. Did you mean 'time'"),
    ],
)
def test_columns_without_an_order_are_refused(column, message):
    frame = drifting(200).with_columns(
        word=pl.lit("late"), none=pl.lit(None, pl.Float64), more=pl.col("x")
    )
    with pytest.raises(InputError, match=message):
        TREE.fit(frame.lazy(), target="y", key="key", order_by=column)


def test_rows_in_memory_have_an_order_of_their_own():
    frame = drifting(200)
    with pytest.raises(InputError, match="sort them by the column"):
        TREE.fit(frame, target="y", key="key", order_by="time")
    tree = TREE.fit(frame, target="y", key="key")
    with pytest.raises(InputError, match="sort them by the column"):
        tree.certificate_.verify(tree.model_, frame, frame["y"], order_by="time")


def test_an_order_without_a_certificate_is_refused():
    with pytest.raises(InputError, match="order_by is for the cautions of a certificate"):
        TreeClassifier(certificate=None).fit(drifting(200).lazy(), target="y", order_by="time")
