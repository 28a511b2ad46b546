"""rulewright test and monitor, and the notices of predict and explain."""

import json

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from rulewright.evaluation import result_schema


def people(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], rows),
            "age": rng.integers(18, 80, rows),
            "date": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, rows), "D"),
        }
    )
    good = (frame["sex"] == "female") & (frame["age"] > 40)
    frame["class"] = np.where(good ^ (rng.random(rows) < 0.05), "good", "bad")
    return frame


@pytest.fixture
def model(rulewright, tmp_path):
    people(400).to_csv(tmp_path / "training.csv", index=False)
    options = ("--target", "class", "--drop", "date", "--learner", "tree", "--certificate", "split")
    done = rulewright("fit", tmp_path / "training.csv", *options, "--out", tmp_path / "m.json")
    assert done.code == 0, done.err
    return tmp_path / "m.json"


@pytest.fixture
def later(tmp_path):
    people(300, 1).to_csv(tmp_path / "later.csv", index=False)
    return tmp_path / "later.csv"


@pytest.fixture
def changed(tmp_path):
    frame = people(300, 1)
    frame["sex"] = frame["sex"].str[0].str.upper()
    frame.to_csv(tmp_path / "changed.csv", index=False)
    return tmp_path / "changed.csv"


def validate(data):
    Draft202012Validator(result_schema()).validate(data)


def test_a_model_is_tested(rulewright, model, later, tmp_path):
    report = tmp_path / "r.html"
    done = rulewright("test", model, later, "--by", "sex", "--cost", "good=3", "--report", report)
    assert (done.code, done.err) == (0, "")
    assert "Within the certificate" in done.out and "By sex" in done.out
    assert "<svg" in report.read_text()
    assert rulewright("test", model, later, "--report", report).code == 0  # its own file
    found = rulewright("test", model, later, "--by", "sex", "--json").json
    validate(found)
    assert found["rows"] == 300 and found["certificate"]["within"] is True


def test_an_excess_of_errors_can_fail_a_run(rulewright, model, changed):
    assert rulewright("test", model, changed).code == 0
    done = rulewright("test", model, changed, "--fail-on-excess")
    assert done.code == 3 and "More errors than the certificate allows" in done.out


def test_a_test_needs_classes(rulewright, model, later, tmp_path):
    people().drop(columns="class").to_csv(tmp_path / "no.csv", index=False)
    done = rulewright("test", model, tmp_path / "no.csv")
    assert done.code == 1 and "no column 'class'" in done.err
    done = rulewright("test", model, later, "--weight", "age", "--target", "sex")
    assert done.code == 1 and "the model's classes are 'bad', 'good'" in done.err
    assert rulewright("test", model, later, "--report", tmp_path / "r.pdf").code == 1


def test_predict_notices_f_for_female(rulewright, model, later, changed, tmp_path):
    assert rulewright("predict", model, later, "--out", tmp_path / "a.csv").err == ""
    done = rulewright("predict", model, changed, "--out", tmp_path / "b.csv")
    assert done.code == 0
    first = done.err.splitlines()[0]
    assert first.startswith("Drift: Column sex: 300 of 300 values (100.0 %) are categories that")
    assert "at most 1 % of runs" in done.err.splitlines()[-1]
    assert rulewright("predict", model, changed, "--out", tmp_path / "b.csv", "--quiet").err == ""
    done = rulewright("explain", model, changed, "--out", tmp_path / "c.csv", "--fail-on-drift")
    assert done.code == 3 and (tmp_path / "c.csv").exists()
    found = rulewright("predict", model, changed, "--out", tmp_path / "b.csv", "--json").json
    assert found["drift"]["findings"][0]["kind"] == "unseen_categories"


def test_batches_of_rows_are_counted_together(rulewright, model, changed, tmp_path):
    whole = rulewright("predict", model, changed, "--out", tmp_path / "b.csv")
    parts = rulewright("predict", model, changed, "--out", tmp_path / "b.csv", "--batch", 7)
    assert parts.err == whole.err


def test_each_run_is_a_line_of_a_log(rulewright, model, later, changed, tmp_path):
    log = tmp_path / "runs.jsonl"
    options = ("--out", tmp_path / "a.csv", "--log", log)
    rulewright("predict", model, later, *options)
    done = rulewright("predict", model, changed, *options, "--fail-on-drift")
    assert done.code == 3
    records = [json.loads(line) for line in log.read_text().splitlines()]
    for record in records:
        validate(record)
    assert [record["exit_code"] for record in records] == [0, 3]
    assert sum(records[0]["predictions"].values()) == 300
    refused = rulewright("predict", model, later, "--log", later)
    assert refused.code == 1 and "it is the input" in refused.err
    (tmp_path / "notes.txt").write_text("mine\n")
    refused = rulewright("predict", model, later, "--log", tmp_path / "notes.txt")
    assert refused.code == 1 and "not a log of rulewright" in refused.err
    assert (tmp_path / "notes.txt").read_text() == "mine\n"


def test_a_file_without_a_profile_gives_one_note(rulewright, model, later, tmp_path):
    data = json.loads(model.read_text())
    del data["profile"]
    old = tmp_path / "old.json"
    old.write_text(json.dumps(data))
    done = rulewright("predict", old, later, "--out", tmp_path / "a.csv")
    assert done.code == 0 and done.err.startswith("Note: The model has no training profile")
    done = rulewright("predict", old, later, "--out", tmp_path / "a.csv", "--fail-on-drift")
    assert done.code == 3


def test_probabilities_are_named_for_what_they_are(rulewright, model, later, tmp_path):
    rulewright("predict", model, later, "--out", tmp_path / "a.csv", "--all-classes")
    found = pd.read_csv(tmp_path / "a.csv")
    both = found[["probability_of_bad", "probability_of_good"]]
    assert np.allclose(both.sum(axis=1), 1)
    of_prediction = np.where(found["prediction"] == "good", both.iloc[:, 1], both.iloc[:, 0])
    assert np.allclose(found["predicted_class_probability"], of_prediction)


def test_months_and_files_are_batches(rulewright, model, later, changed, tmp_path):
    page = tmp_path / "watch.html"
    done = rulewright("monitor", model, later, "--time", "date", "--out", page)
    assert (done.code, done.err) == (0, "")
    assert "2024-01" in done.out and "2024-02" in done.out and "<svg" in page.read_text()
    done = rulewright("monitor", model, later, changed, "--fail-on-drift", "--json")
    assert done.code == 3
    validate(done.json)
    assert [batch["name"] for batch in done.json["batches"]] == ["later.csv", "changed.csv"]
    assert [bool(b["drift"]["findings"]) for b in done.json["batches"]] == [False, True]
    small = rulewright("monitor", model, later, changed, "--batch", 11, "--json", "--fail-on-drift")
    assert small.json == done.json
    assert rulewright("monitor", model, later, later).code == 1
    assert rulewright("monitor", model, later, "--period", "hour").code == 2


def test_hostile_values_do_not_reach_the_terminal(rulewright, model, later, tmp_path):
    frame = people(300, 1).assign(sex="F\x1b]0;x\x07", city="\x1b[31mB")
    frame.to_csv(tmp_path / "bad.csv", index=False)
    calls = [
        ("predict", model, tmp_path / "bad.csv", "--out", tmp_path / "a.csv"),
        ("test", model, tmp_path / "bad.csv", "--by", "city"),
        ("monitor", model, tmp_path / "bad.csv", "--time", "city"),
    ]
    for call in calls:
        done = rulewright(*call)
        assert done.code == 0, done.err
        assert "\x1b" not in done.out + done.err and "\\x1b" in done.out + done.err
