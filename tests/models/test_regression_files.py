"""Files of regression models: they come back, and anything else is a clear error."""

import dataclasses
import json
import os

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import QUADRUPLE
from strategies.hostile import tampered
from strategies.regressions import FIELDS, regression_models

from rulewright import load_model, save_model
from rulewright.certificates import from_json, model_schema
from rulewright.data import Field
from rulewright.errors import FileError, InputError, ModelFileError
from rulewright.models import RegressionModel, to_json
from rulewright.rules import Category, Leaf, Split, Threshold, Tree

VALIDATOR = jsonschema.Draft202012Validator(model_schema())
BODY = Tree(
    (
        Split((Threshold("a", False, 17.55, anchored_on=(3,)),), (1, 2)),
        Leaf(0),
        Split((Category("colour", ("red",)),), (3, 4)),
        Leaf(1),
        Leaf(2),
    )
)
MODEL = RegressionModel(
    FIELDS,
    BODY,
    (12.5, 0.1 + 0.2, -3.0),
    ((6.0, 1.5), (3.0, 0.0), (1.0, 0.0)),
    target="größe <b>",
)
DATA = pd.DataFrame(
    {"a": [17.55, np.nan], "b": [0.0, 1.0], "colour": ["red", None], "flag": [True, False]}
)


@pytest.fixture
def path(tmp_path):
    save_model(MODEL, tmp_path / "model.json")
    return tmp_path / "model.json"


def written(path, **changes):
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **changes}), encoding="utf-8")


@given(regression_models())
def test_a_model_comes_back_to_the_last_bit(model):
    content = json.loads(json.dumps(to_json(model), allow_nan=False))
    VALIDATOR.validate(content)
    loaded = from_json(content)
    assert loaded == model
    assert [v.hex() for v in loaded.values] == [v.hex() for v in model.values]
    assert str(loaded) == str(model)


def test_a_file_holds_all_of_a_model(path):
    loaded = load_model(path)
    assert loaded == MODEL
    assert (loaded.target, loaded.named) == (MODEL.target, MODEL.named)
    assert loaded.predict(DATA).tolist() == [12.5, -3.0]
    unnamed = dataclasses.replace(MODEL, named=False, target=None)
    save_model(unnamed, path)
    loaded = load_model(path)
    assert (loaded.target, loaded.named) == (None, False)


@pytest.mark.slow
def test_a_deep_tree_comes_back_and_answers(path):
    nodes = []
    for level in range(5_000):
        test = Threshold("a", False, float(level))
        nodes += [Split((test,), (2 * level + 1, 2 * level + 2)), Leaf(level)]
    values = tuple(level / 7 for level in range(5_001))
    deep = RegressionModel(FIELDS, Tree((*nodes, Leaf(5_000))), values, ((1.0, 0.0),) * 5_001)
    save_model(deep, path)
    loaded = load_model(path)
    assert loaded == deep
    assert loaded.predict(pd.DataFrame({"a": [3.5, np.nan]})).tolist() == [4 / 7, 5_000 / 7]
    assert str(loaded).endswith(f"else: {values[-1]!r}")


def test_saving_twice_gives_the_same_bytes(path, tmp_path):
    save_model(load_model(path), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert json.loads(path.read_text(encoding="utf-8"))["task"] == "regression"


def test_a_file_that_cannot_be_written_leaves_the_old_one(path):
    before = path.read_bytes()
    columns = (*FIELDS, Field("half \ud800", "numeric"))
    with pytest.raises(InputError, match="rename it"):
        save_model(dataclasses.replace(MODEL, columns=columns), path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["model.json"]
    with pytest.raises(FileError, match="Cannot write"):
        save_model(MODEL, path.parent / "none" / "model.json")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_a_clear_error(path, share):
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: int(share * len(text))], encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"model.json: this is not a model file, or it was"):
        load_model(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "classification"}, "'task' must be 'regression', or absent"),
        ({"task": None}, "'task' must be"),
        ({"task": ["regression"]}, "'task' must be"),
        ({"version": 2}, "has version 2.*Upgrade"),
        ({"values": [1.0, 2.0]}, "do not fit together: the leaves must be numbered"),
        ({"values": [1.0, 2.0, "3"]}, "'values' must hold finite numbers"),
        ({"values": [1.0, 2.0, True]}, "'values' must hold finite numbers"),
        ({"values": [1.0, 2.0, 10**400]}, "'values' must hold finite numbers"),
        ({"values": {"0": 1.0}}, "'values' must be a list"),
        ({"evidence": [[1.0, 1.0]]}, "do not fit together: the evidence needs"),
        ({"evidence": [[1.0, 1.0], [1.0, 1.0], [1.0]]}, "a weight and a spread for each leaf"),
        ({"evidence": [[1.0, 1.0], [1.0, 1.0], "12"]}, "a weight and a spread for each leaf"),
        ({"evidence": [[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]}, "of 0 or more"),
        ({"evidence": [[1.0, 1.0], [1.0, 1.0], [-1.0, 1.0]]}, "of 0 or more"),
        ({"evidence": [[1.0, 1.0], [1.0, 1.0], [1.0, None]]}, "finite numbers"),
        ({"body": {"node": "rule_list", "listed": [], "default": 0}}, "'rule_list' is not allowed"),
        ({"body": {"node": "tree", "nodes": [{"node": "leaf", "output": 7}]}}, "be numbered"),
        ({"target": 3}, "'target' must be text or null"),
        ({"named": 1}, "'named' must be true or false"),
        ({"columns": []}, "use column 'a'"),
    ],
)
def test_a_file_that_was_tampered_with_says_where(path, change, message):
    written(path, **change)
    with pytest.raises(ModelFileError, match=f"model.json: .*{message}"):
        load_model(path)


def test_infinite_values_are_no_numbers_in_a_file(path):
    text = path.read_text(encoding="utf-8")
    for number in ("NaN", "Infinity", "1e999"):
        path.write_text(text.replace("12.5", number), encoding="utf-8")
        with pytest.raises(ModelFileError, match="not a number in JSON|finite numbers"):
            load_model(path)


@pytest.mark.parametrize("name", ["target", "named", "columns", "body", "values", "evidence"])
def test_a_file_that_lacks_a_member_says_which(name):
    content = to_json(MODEL)
    del content[name]
    with pytest.raises(ModelFileError, match=f"lacks '{name}'"):
        from_json(content)


def test_a_regression_model_is_never_taken_for_a_classifier():
    content = to_json(MODEL)
    del content["task"]
    with pytest.raises(ModelFileError, match="lacks 'certificate'"):
        from_json(content)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(content)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({**to_json(MODEL), "classes": [0, 1]})


@QUADRUPLE
@given(st.data())
def test_one_changed_value_never_does_worse_than_a_clear_error(data):
    try:
        loaded = from_json(data.draw(tampered(to_json(MODEL))))
    except ModelFileError:
        return
    try:
        assert np.isfinite(loaded.predict(DATA)).all()
        str(loaded)
    except InputError:
        return
