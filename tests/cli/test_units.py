"""Splits by group and by time on the command line."""

import json

import numpy as np
import pytest

ROWS = 240


@pytest.fixture
def visits(tmp_path):
    """Visits of patients, several of each, with a day and a sick or healthy outcome."""
    rng = np.random.default_rng(3)
    patient = np.sort(rng.integers(0, 80, ROWS))
    dose = rng.normal(size=ROWS).round(3)
    ill = (dose + 0.3 * rng.normal(size=ROWS)) > 0
    days = np.datetime64("2024-01-01") + np.arange(ROWS) // 2
    lines = ["patient,day,dose,age,state"]
    lines += [
        f"p{p},{day},{x},{30 + i % 50},{'ill' if sick else 'well'}"
        for i, (p, day, x, sick) in enumerate(zip(patient, days, dose, ill, strict=True))
    ]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("option", "column", "unit"), [("--group", "patient", "group"), ("--time", "day", "time")]
)
def test_the_column_is_stored_and_found_again(rulewright, visits, tmp_path, option, column, unit):
    file = tmp_path / "m.json"
    options = ("--learner", "tree", "--certificate", "split", "--out", file)
    rulewright("fit", visits, "--target", "state", option, column, *options)
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["certificate"]["unit"] == unit
    assert data["certificate"]["unit_column"] == column
    assert column not in [field["name"] for field in data["columns"]]
    assert "The certificate holds" in rulewright("certify", file, visits).out


def test_rows_of_a_group_stay_together(rulewright, visits, tmp_path):
    file = tmp_path / "m.json"
    rulewright("fit", visits, "--target", "state", "--group", "patient", "--out", file)
    certificate = json.loads(file.read_text(encoding="utf-8"))["certificate"]
    (mean, groups), *_ = certificate["group_losses"]
    patients = {line.split(",")[0] for line in visits.read_text(encoding="utf-8").split()[1:]}
    assert groups == len(patients) // 2
    assert 0 <= mean <= 1
    assert "groups that were not used to learn it" in rulewright("show", file).out


def test_a_changed_group_is_noticed(rulewright, visits, tmp_path):
    file = tmp_path / "m.json"
    options = ("--learner", "tree", "--certificate", "split", "--out", file)
    rulewright("fit", visits, "--target", "state", "--group", "patient", *options)
    text = visits.read_text(encoding="utf-8")
    first = text.splitlines()[1].split(",")[0]
    visits.write_text(text.replace(f"{first},", "other,", 1), encoding="utf-8")
    done = rulewright("certify", file, visits)
    assert done.code == 3
    assert "do not give the key" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--group", "patient", "--time", "day"), "--group and --time exclude each other"),
        (("--time", "patient"), "Column 'patient' must hold numbers, dates or times, not texts"),
        (("--group", "nobody"), "nobody"),
        (("--group", "patient", "--certificate", "compression"), "need certificate='split'"),
    ],
)
def test_what_cannot_be_split_is_refused(rulewright, visits, options, message):
    done = rulewright("fit", visits, "--target", "state", *options)
    assert done.code == 1
    assert message in done.err


def test_missing_groups_are_refused(rulewright, visits):
    text = visits.read_text(encoding="utf-8")
    first = text.splitlines()[1].split(",")[0]
    visits.write_text(text.replace(f"{first},", ",", 1), encoding="utf-8")
    done = rulewright("fit", visits, "--target", "state", "--group", "patient")
    assert done.code == 1
    assert "must have no missing values; row 0 has one" in done.err
