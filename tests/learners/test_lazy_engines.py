"""Lazy frames: the same model files as from dataframes, from DuckDB and from Polars."""

import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pytest
from lazy_frames import ENGINES, NAMES, ugly_frame

from rulewright import RipperClassifier, SlipperClassifier, TreeClassifier
from rulewright.data import LazyTable
from rulewright.errors import InputError
from rulewright.learners import TimeBudgetWarning, TreeSettings, learn_lazily
from rulewright.rules import Split

GROWN_TREE = "rulewright.learners.tree.counted_tree"


def written(estimator, folder):
    estimator.save_model(folder / "model.json")
    return (folder / "model.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("parameters", "exact"), [({"max_depth": 3}, 5), ({"preset": "id3", "max_depth": 2}, 10_000)]
)
def test_a_lazy_frame_gives_the_model_of_the_dataframe(
    tmp_path, monkeypatch, engine, parameters, exact
):
    monkeypatch.setattr(LazyTable, "exact_rows", exact)
    frame = ugly_frame(classes="npq" if exact == 5 else "np")
    tree = TreeClassifier(certificate=None, **parameters)
    expected = written(tree.fit(frame.drop("y"), frame["y"]), tmp_path)
    assert written(tree.fit(frame, target="y"), tmp_path) == expected
    importances = tree.feature_importances_
    lazy = tree.fit(ENGINES[engine](frame), target="y")
    assert written(lazy, tmp_path) == expected
    assert lazy.feature_importances_.tolist() == importances.tolist()
    assert lazy.predict(frame.drop("y")).tolist() == lazy.model_.predict(frame.drop("y")).tolist()
    assert lazy.feature_names_in_.tolist() == NAMES[:-1] and lazy.n_features_in_ == 5


def test_rows_keep_the_tree_whatever_their_order(tmp_path):
    frame = ugly_frame(40)
    tree = TreeClassifier(certificate=None, max_depth=1)
    files = {written(tree.fit(f.lazy(), target="y"), tmp_path) for f in (frame, frame.reverse())}
    assert len(files) == 1


def test_keys_are_left_out_as_in_memory(tmp_path):
    frame = pl.DataFrame(
        {
            "id": range(30),
            "ticket": [f"A/{i}" for i in range(30)],
            "x": [i % 7 for i in range(30)],
            "y": ["n" if i % 7 < 3 else "p" for i in range(30)],
        }
    )
    tree = TreeClassifier(certificate=None)
    with pytest.warns(UserWarning, match="is left out"):
        expected = written(tree.fit(frame, target="y"), tmp_path)
    with pytest.warns(UserWarning, match="is left out"):
        assert written(tree.fit(frame.lazy(), target="y"), tmp_path) == expected


def test_a_lazy_frame_gives_no_certificate_and_says_so():
    message = (
        "no certificate: a certificate in the compression form .* Name a column of keys and use"
    )
    with pytest.warns(UserWarning, match=message):
        fitted = TreeClassifier(max_depth=1).fit(ugly_frame(30).lazy(), target="y")
    assert fitted.certificate_ is None


@pytest.mark.parametrize(
    ("estimator", "arguments", "message"),
    [
        (TreeClassifier(), {}, "A LazyFrame holds no rows yet. Call its collect"),
        (
            TreeClassifier(),
            {"target": "y", "y": ["n"] * 9},
            "without y, sample_weight, groups and times",
        ),
        (
            TreeClassifier(categorical_features=["a"]),
            {"target": "y"},
            "categorical_features does not apply to a lazy frame. Cast",
        ),
        (SlipperClassifier(), {"target": "y"}, "'slipper' needs the rows in memory. Collect them"),
        (
            RipperClassifier(),
            {"target": "y"},
            "'ripper' divides the rows of a lazy table by",
        ),
        (TreeClassifier(polish=True), {"target": "y"}, "polish needs the rows in memory"),
        (TreeClassifier(pruning="bound"), {"target": "y"}, "pruning: a lazy table supports none"),
        (TreeClassifier(family="intervals"), {"target": "y"}, "family: a lazy table supports"),
        (TreeClassifier(criterion="laplace"), {"target": "y"}, "criterion: a lazy table supports"),
    ],
)
@pytest.mark.filterwarnings("ignore:The model has no certificate")
def test_what_needs_rows_in_memory_is_refused(estimator, arguments, message):
    with pytest.raises(InputError, match=message):
        estimator.fit(ugly_frame(30).lazy(), **arguments)


@pytest.mark.parametrize("engine", ENGINES)
def test_c45_with_missing_values_is_that_of_memory(tmp_path, engine):
    frame = ugly_frame(60)
    tree = TreeClassifier("c4.5", certificate=None, max_depth=3, pruning="none")
    fitted = tree.fit(frame, target="y")
    expected = written(fitted, tmp_path)
    splits = [node for node in fitted.model_.body.nodes if isinstance(node, Split)]
    assert sum(bool(split.shares) for split in splits) == 2  # rows go down all branches
    assert written(tree.fit(ENGINES[engine](frame), target="y"), tmp_path) == expected


def test_a_tree_of_too_many_splits_is_refused(monkeypatch):
    monkeypatch.setattr(f"{GROWN_TREE}.MAX_SPLITS", 1)
    with pytest.raises(InputError, match="over 1 splits, which is more than queries can hold"):
        TreeClassifier(certificate=None).fit(ugly_frame(60).lazy(), target="y")


def test_time_is_kept():
    with pytest.warns(TimeBudgetWarning, match="the tree has 1 leaf"):
        tree = TreeClassifier(certificate=None, time_budget=1e-9)
        tree.fit(ugly_frame(60).lazy(), target="y")


def test_an_interrupted_fit_leaves_nothing_behind(tmp_path):
    frame = ugly_frame(60)
    with duckdb.connect(tmp_path / "w.db") as connection:
        connection.register("incoming", frame.to_arrow())
        connection.execute("CREATE TABLE t AS FROM incoming")
        connection.unregister("incoming")

        def interrupt(what, done, most):
            if what.startswith("level 2"):
                raise KeyboardInterrupt

        settings = TreeSettings(certificate=None, max_depth=2)
        with pytest.raises(KeyboardInterrupt):
            learn_lazily(settings, LazyTable(connection.table("t"), "y"), progress=interrupt)
        left = connection.execute(
            "SELECT table_name FROM duckdb_tables() UNION ALL "
            "SELECT view_name FROM duckdb_views() WHERE NOT internal"
        )
        assert left.fetchall() == [("t",)]
        seen = []
        learn_lazily(
            settings,
            LazyTable(connection.table("t"), "y"),
            progress=lambda *step: seen.append(step),
        )
        assert [what for what, *_ in seen] == [
            "level 1 of the tree",
            "level 2 of the tree",
            "pruning",
        ]


KILLED = """
import sys, time
import duckdb
from rulewright.data import LazyTable
from rulewright.learners import TreeSettings, learn_lazily

def wait(what, done, most):
    if what.startswith("level 2"):
        print("in the middle", flush=True)
        time.sleep(3600)

connection = duckdb.connect(sys.argv[1])
table = LazyTable(connection.table("t"), "y")
learn_lazily(TreeSettings(certificate=None, max_depth=2), table, progress=wait)
"""


@pytest.mark.slow
def test_a_killed_fit_leaves_the_database_as_it_was(tmp_path):
    path, frame = tmp_path / "w.db", ugly_frame(60)
    frame.write_parquet(tmp_path / "t.parquet")
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path / 't.parquet'}'")
    before = path.read_bytes()
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as fit:
        assert fit.stdout.readline() == "in the middle\n"
        fit.kill()
        fit.wait(60)
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} <= {"w.db", "t.parquet", "w.db.wal"}
    tree = TreeClassifier(certificate=None, max_depth=2)
    expected = written(tree.fit(frame, target="y"), tmp_path)
    with duckdb.connect(path) as connection:
        assert written(tree.fit(connection.table("t"), target="y"), tmp_path) == expected
        left = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert left == [("t",)]


@pytest.mark.parametrize(
    ("X", "arguments", "message"),
    [
        (np.zeros((2, 1)), {"target": "y"}, "names a column of a dataframe, but X is a ndarray"),
        (pl.DataFrame({"x": [1]}), {"target": "y"}, "no column 'y'"),
        (pl.DataFrame({"y": [1]}), {"target": "y", "y": [1]}, "give y or target, not both"),
    ],
)
def test_the_column_of_labels_is_one_of_a_dataframe(X, arguments, message):
    with pytest.raises(InputError, match=message):
        TreeClassifier().fit(X, **arguments)
