"""Model files: they come back, and anything else is a clear error."""

import dataclasses
import datetime
import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies.effort import QUADRUPLE
from strategies.hostile import tampered

from rulewright import SetCoveringMachine, load_front, load_model
from rulewright.certificates import from_json, model_schema
from rulewright.data import Field
from rulewright.errors import FileError, InputError, ModelFileError
from rulewright.models import save_model, to_json

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "größe <b>": np.round(RNG.normal(size=80), 2),
        "farbe": RNG.choice(["rot", "blau"], 80),
        "ja": RNG.random(80) < 0.5,
    }
)
Y = np.where((DATA["größe <b>"] > 0) & (DATA["farbe"] == "rot"), "+", "-")


@pytest.fixture(scope="module")
def machine():
    return SetCoveringMachine(max_rules=3).fit(DATA, Y)


@pytest.fixture
def path(machine, tmp_path):
    machine.save_model(tmp_path / "model.json")
    return tmp_path / "model.json"


def test_a_model_comes_back_as_it_was(machine, path):
    loaded = load_model(path)
    assert loaded == machine.model_
    assert (loaded.predict(DATA) == machine.predict(DATA)).all()
    assert str(loaded) == str(machine.model_)
    assert loaded.get_rules().equals(machine.get_rules())


def test_every_file_fits_the_published_schema(path):
    jsonschema.Draft202012Validator.check_schema(model_schema())
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), model_schema())


def test_saving_twice_gives_the_same_bytes(machine, path, tmp_path):
    machine.save_model(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_a_long_file_is_not_indented(machine, path, tmp_path, monkeypatch):
    monkeypatch.setattr("rulewright.models.files.MAX_INDENTED", 100)
    save_model(machine.model_, tmp_path / "long.json")
    assert load_model(tmp_path / "long.json") == load_model(path)
    assert (tmp_path / "long.json").read_text(encoding="utf-8").count("\n") == 1


def test_costs_and_other_sizes_come_back_and_fit_the_schema(tmp_path):
    fitted = SetCoveringMachine(max_rules=3, class_costs={"+": 5}).fit(DATA, Y)
    path = tmp_path / "front.json"
    save_model(fitted.model_, path, front=fitted.path_)
    data = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(data, model_schema())
    assert load_model(path).class_costs == (5.0, 1.0)
    front = load_front(path)
    assert [entry.size for entry in front] == [entry.size for entry in fitted.path_]
    assert [entry.model for entry in front] == [entry.model for entry in fitted.path_]
    assert [entry.certificate for entry in front] == [e.certificate for e in fitted.path_]
    for costs in ([0, 1], [1], "x", [1, None], [1, True]):
        with pytest.raises(ModelFileError):
            from_json({**data, "class_costs": costs})


def test_a_classifier_names_no_task(machine):
    assert list(to_json(machine.model_)) == [
        "format", "version", "made_by", "target", "classes", "named", "columns", "body",
        "evidence", "certificate", "profile",
    ]  # fmt: skip
    with pytest.raises(ModelFileError, match="'task' must be 'regression', or absent"):
        from_json({**to_json(machine.model_), "task": "classification"})
    with pytest.raises(ModelFileError, match="lacks 'values'"):
        from_json({**to_json(machine.model_), "task": "regression"})


def test_a_model_without_a_certificate_has_a_file_too(machine, tmp_path):
    rounded = machine.model_.rounded(1, DATA).model
    save_model(rounded, tmp_path / "r.json")
    assert load_model(tmp_path / "r.json").certificate is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_a_clear_error(path, share):
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: int(share * len(text))], encoding="utf-8")
    with pytest.raises(
        ModelFileError, match=r"model.json: this is not a model file, or it was cut"
    ):
        load_model(path)


@pytest.mark.parametrize(
    "change",
    [
        {"m": 0},
        {"positives": 10**6},
        {"misses": 10**6},
        {"false_alarms": 10**6},
        {"positive_roles": {"anchors": 7}},
        {"roles": {"anchors": list(range(100))}},
        {"message": [["everything", 1e308], ["and more", 1e308]]},
        {"message": [["\ud800", 1.0]]},
    ],
)
def test_a_certificate_whose_counts_cannot_be_is_a_clear_error(path, change):
    data = json.loads(path.read_text(encoding="utf-8"))
    data["certificate"].update(change)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"model.json: (the certificate|a name)"):
        load_model(path)


def test_a_name_that_no_file_can_hold_is_refused(machine, tmp_path):
    columns = (*machine.model_.columns, Field("half \ud800", "numeric"))
    with pytest.raises(InputError, match=r"holds '\\ud800'.*rename it"):
        save_model(dataclasses.replace(machine.model_, columns=columns), tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()


def test_a_newer_file_says_to_upgrade(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "version": 2}), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"has version 2.*reads up to 1\. Upgrade"):
        load_model(path)


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x95\x00\x00",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b'{"format": "other"}',
        b'{"format": "rulewright-model"}',
        b'{"format": "rulewright-model", "version": true}',
        b'{"format": "rulewright-model", "version": 1}',
        b'{"format": "rulewright-model", "format": "rulewright-model", "version": 1}',
        b'{"format": "rulewright-model", "version": NaN}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"1" * 10_000,
    ],
)
def test_a_file_that_is_no_model_is_a_clear_error(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="other.json"):
        load_model(path)


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(FileError, match="Cannot read .*No such file"):
        load_model(tmp_path / "none.json")
    with pytest.raises(FileError, match="Cannot read"):
        load_model(tmp_path)


def test_a_folder_that_is_not_there_is_a_clear_error(machine, tmp_path):
    with pytest.raises(FileError, match="Cannot write"):
        machine.save_model(tmp_path / "none" / "model.json")


@settings(QUADRUPLE, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_one_changed_value_never_does_worse_than_a_clear_error(machine, data):
    try:
        loaded = from_json(data.draw(tampered(to_json(machine.model_))))
    except ModelFileError:
        return
    try:
        loaded.predict(DATA)
    except InputError:
        return


def test_labels_that_are_no_json_are_refused_with_the_way_out(machine, tmp_path):
    days = (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2))
    with pytest.raises(InputError, match="is a date"):
        save_model(dataclasses.replace(machine.model_, classes=days), tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()
