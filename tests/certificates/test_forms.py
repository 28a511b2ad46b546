"""Forms of certificates: a registry by name, and files of earlier versions."""

import dataclasses
import json
from pathlib import Path
from typing import ClassVar

import jsonschema
import numpy as np
import pytest

from rulewright import SetCoveringMachine
from rulewright.certificates import (
    FORMS,
    Certificate,
    HoldoutCertificate,
    certificate_from_json,
    load_model,
    model_schema,
    to_json,
)
from rulewright.errors import ModelFileError

FILES = Path(__file__).parent / "files"
EARLIER = {"compression_1": "compression", "structure_1": "compression", "holdout_1": "holdout"}


def training():
    """The table and labels that the stored files were made from."""
    n = np.arange(60)
    X = np.column_stack([(n * 37) % 60, (n * n * 7) % 61, (n * 13) % 17]).astype(float)
    y = ((X[:, 0] > 25) & (X[:, 1] < 40)).astype(int)
    y[::11] = 1 - y[::11]
    return X, y


def test_each_form_is_registered_by_its_name():
    assert list(FORMS) == ["compression", "holdout", "split", "written"]
    for name, form in FORMS.items():
        assert form.form == name
        assert set(form.parsers) == set(form.members())


@pytest.mark.parametrize(("file", "form"), EARLIER.items())
def test_a_file_of_an_earlier_version_loads_and_verifies(file, form):
    X, y = training()
    model = load_model(FILES / f"{file}.json")
    assert model.certificate.form == form
    assert model.certificate.verify(model, X, y).holds
    stored = json.loads((FILES / f"{file}.json").read_text())
    assert model.certificate.bound == stored["certificate"]["bound"]
    jsonschema.validate(stored, model_schema())
    jsonschema.validate(json.loads(json.dumps(to_json(model))), model_schema())


@pytest.mark.parametrize("file", EARLIER)
def test_a_file_that_contradicts_its_bound_is_refused(file, tmp_path):
    stored = json.loads((FILES / f"{file}.json").read_text())
    stored["certificate"]["bound"] /= 2
    (tmp_path / "m.json").write_text(json.dumps(stored))
    with pytest.raises(ModelFileError, match="its own counts give"):
        load_model(tmp_path / "m.json")


def test_the_fitted_machine_of_an_earlier_file_is_the_same_today():
    X, y = training()
    machine = SetCoveringMachine(ties="coverage").fit(X, y)
    earlier = load_model(FILES / "compression_1.json")
    assert machine.model_ == earlier
    assert machine.certificate_ == earlier.certificate


@dataclasses.dataclass(frozen=True, repr=False, kw_only=True)
class TwiceHeld(HoldoutCertificate):
    """A form that a test adds: it has one member more."""

    form: ClassVar[str] = "twice"
    parsers: ClassVar = {**HoldoutCertificate.parsers, "times": lambda value, name: int(value)}
    times: int = 2

    @classmethod
    def own_schema(cls):
        return {**super().own_schema(), "times": {"type": "integer"}}


def test_a_form_is_added_by_its_class_and_one_entry(monkeypatch):
    monkeypatch.setitem(FORMS, "twice", TwiceHeld)
    data = json.loads((FILES / "holdout_1.json").read_text())
    data["certificate"] |= {"form": "twice", "times": 3}
    certificate = certificate_from_json(data["certificate"])
    assert isinstance(certificate, TwiceHeld)
    assert certificate.times == 3
    assert certificate_from_json(json.loads(json.dumps(certificate.to_json()))) == certificate
    jsonschema.validate(data, model_schema())


def test_a_certificate_without_a_form_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Certificate(bound=0.1, delta=0.05, counts=(1, 1), wrong=(0, 0))


def test_rows_are_renumbered_in_every_form():
    rows = np.arange(60)[::-1]
    for file in EARLIER:
        certificate = load_model(FILES / f"{file}.json").certificate
        changed = certificate.renumbered(rows)
        assert changed.examples == tuple(sorted(59 - row for row in certificate.examples))
        if isinstance(certificate, HoldoutCertificate):
            assert changed.held == tuple(sorted(59 - row for row in certificate.held))
