"""Model files that released versions made still load, answer as they did, and verify."""

import inspect
import json
from typing import get_args

import jsonschema
import numpy as np
import pytest
from golden import make

import rulewright
from rulewright import load_model
from rulewright.certificates import model_schema
from rulewright.data import Kind
from rulewright.errors import CertificateError
from rulewright.families import FAMILIES
from rulewright.models import Model
from rulewright.rules import NODES, node_schemas

FILES = sorted(make.FOLDER.glob("*/*.json"))
IDS = [f"{path.parent.name}-{path.stem}" for path in FILES]
DATA = {path: json.loads(path.read_text(encoding="utf-8")) for path in FILES}
INPUTS = make.inputs()
TRAINING = make.patients().head(make.ROWS)
TARGETS = {("ill", "well"): "outcome", (0, 1, 2): "severity"}
VALIDATOR = jsonschema.Draft202012Validator(model_schema())
ADVICE = "Add it to tests/golden/make.py and run `make golden`."


def nodes_in(data):
    """All nodes of a file, as JSON objects."""
    if isinstance(data, dict):
        if "node" in data:
            yield data
        for part in data.values():
            yield from nodes_in(part)
    elif isinstance(data, list):
        for part in data:
            yield from nodes_in(part)


NODES_IN_FILES = [node for data in DATA.values() for node in nodes_in(data)]


@pytest.fixture(params=FILES, ids=IDS)
def path(request):
    return request.param


def test_a_file_loads_and_answers_as_it_did(path):
    model = load_model(path, functions=make.FUNCTIONS)
    expected = json.loads(path.with_suffix(".answers").read_text(encoding="utf-8"))
    found = make.answers(model)
    assert set(found) == set(expected)
    assert found["predict"] == expected["predict"]
    if isinstance(model, Model):
        assert np.allclose(found["predict_proba"], expected["predict_proba"], rtol=1e-12, atol=0)


def test_a_certificate_verifies(path):
    model = load_model(path, functions=make.FUNCTIONS)
    if DATA[path].get("certificate") is None:
        assert getattr(model, "certificate", None) is None
        return
    columns = [column.name for column in model.columns]
    labels = TRAINING[TARGETS[model.classes]]
    try:
        assert model.certificate.verify(model, TRAINING[columns], labels)
    except CertificateError as error:
        # A later version of a learner may find other candidates; then the file names its version.
        assert model.certificate.form == "split"
        assert "The pool differs: the certificate was made by version" in str(error)


def test_a_file_fits_the_published_schema(path):
    VALIDATOR.validate(DATA[path])


def test_every_answer_depends_on_the_row():
    """A file whose model always answers alike would show little."""
    assert [path.stem for path in FILES if len(set(map(str, _predictions(path)))) == 1] == []


def _predictions(path):
    return json.loads(path.with_suffix(".answers").read_text(encoding="utf-8"))["predict"]


def none_absent(wanted, found, what):
    absent = sorted(set(wanted) - set(found))
    assert not absent, f"No golden file has the {what} {', '.join(absent)}. {ADVICE}"


def test_every_estimator_has_a_golden_file():
    estimators = {"from_sklearn"} | {
        name for name in rulewright.__all__ if inspect.isclass(getattr(rulewright, name))
    }
    estimators -= {"CertifiedClassifier"}  # the models of other libraries have no file
    none_absent(estimators, {path.stem.partition("-")[0] for path in FILES}, "estimator")


def test_every_kind_of_node_has_a_golden_file():
    none_absent(NODES, {node["node"] for node in NODES_IN_FILES}, "node")


def test_every_choice_of_a_node_has_a_golden_file():
    """Such as every metric, kernel and scaling."""
    choices = {
        (name, member, choice)
        for name, schema in node_schemas().items()
        for member, described in schema.get("properties", {}).items()
        for choice in described.get("enum", ())
    }
    assert ("metric", "kind", "l1") in choices
    found = {
        (node["node"], member, value)
        for node in NODES_IN_FILES
        for member, value in node.items()
        if isinstance(value, str)
    }
    none_absent(map(str, choices), map(str, found), "choice")


def test_every_family_and_kind_of_column_has_a_golden_file():
    certificates = [data["certificate"] for data in DATA.values() if data.get("certificate")]
    families = [family for each in certificates for family in each["families"]]
    names = {family if isinstance(family, str) else family["name"] for family in families}
    none_absent(FAMILIES, names, "family")
    columns = {column["kind"] for data in DATA.values() for column in data["columns"]}
    none_absent(get_args(Kind), columns, "kind of column")


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "old.json").write_text("kept")
    model = make.classifier(make.ARRANGEMENTS["rule_list"])
    make.write([("old", model), ("new", model)], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "new.answers",
        "new.json",
        "old.json",
    ]
    assert (tmp_path / "old.json").read_text() == "kept"
