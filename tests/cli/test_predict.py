"""rulewright predict, certify and data."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from rulewright import load_model


def answers(model, frame):
    loaded = load_model(model)
    explained = loaded.explain(frame)
    return explained["prediction"].tolist(), explained["rule"].tolist()


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_predictions_are_those_of_the_model_row_by_row(rulewright, model, table, tmp_path, name):
    out = tmp_path / name
    done = rulewright("predict", model, table, "--out", out, "--keep", "id", "--batch", "7")
    assert done.code == 0
    assert "300 rows answered" in done.out
    found = pd.read_csv(out) if name.endswith("csv") else pd.read_parquet(out)
    labels, rules = answers(model, pd.read_csv(table))
    assert found["prediction"].tolist() == labels
    assert found["rule"].tolist() == rules
    assert found["row"].tolist() == list(range(300))
    assert found["id"].astype(int).tolist() == list(range(300))
    assert found["predicted_class_probability"].between(0, 1).all()


def test_predictions_go_to_the_screen_without_a_file(rulewright, model, table):
    done = rulewright("predict", model, table)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["prediction"] for row in rows] == answers(model, pd.read_csv(table))[0]


def test_predictions_are_json_lines_for_machines(rulewright, model, table, tmp_path):
    lines = rulewright("predict", model, table, "--json").out.splitlines()
    assert json.loads(lines[4])["row"] == 4
    said = rulewright("predict", model, table, "--out", tmp_path / "p.csv", "--json").json
    assert said["rows"] == 300
    assert sum(said["predictions"].values()) == 300


def test_borders_missing_values_and_new_categories_are_answered_alike(rulewright, model, tmp_path):
    loaded = load_model(model)
    cuts = [part.cut for part in loaded.body.parts if hasattr(part, "cut")]
    ages = [*cuts, *(np.nextafter(c, np.inf) for c in cuts), np.nan, 0.0]
    frame = pd.DataFrame({"age": ages})
    frame["city"] = (["Bern", "Chur", "Nowhere", None] * len(ages))[: len(ages)]
    frame["income"] = 1.0
    path = tmp_path / "edge.csv"
    frame.to_csv(path, index=False)
    done = rulewright("predict", model, path)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["prediction"] for row in rows] == loaded.predict(frame).tolist()


def test_only_the_columns_in_use_are_needed(rulewright, model, table, tmp_path):
    used = list(load_model(model).body.columns)
    few = tmp_path / "few.csv"
    pd.read_csv(table)[used[::-1]].to_csv(few, index=False)
    assert rulewright("predict", model, few).out == rulewright("predict", model, table).out


def test_a_model_whose_column_is_missing_from_the_data_is_said(rulewright, model, table, tmp_path):
    used = load_model(model).body.columns[0]
    path = tmp_path / "less.csv"
    pd.read_csv(table).drop(columns=used).to_csv(path, index=False)
    done = rulewright("predict", model, path)
    assert done.code == 1
    assert f"less.csv has no column '{used}'" in done.err


def test_a_word_in_a_numeric_column_leaves_no_half_written_file(rulewright, model, table, tmp_path):
    used = next(c for c in load_model(model).columns if c.is_numeric).name
    frame = pd.read_csv(table).astype({used: object})
    frame.loc[250, used] = "many"
    path, out = tmp_path / "bad.csv", tmp_path / "out.csv"
    frame.to_csv(path, index=False)
    done = rulewright("predict", model, path, "--out", out, "--batch", "50")
    assert done.code == 1
    assert "'many'" in done.err
    assert not out.exists()
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_a_column_to_keep_must_be_there(rulewright, model, table):
    done = rulewright("predict", model, table, "--keep", "name")
    assert done.code == 1
    assert "no column 'name'" in done.err


@pytest.mark.slow
def test_a_file_larger_than_the_memory_it_may_use_is_answered(model, tmp_path):
    """Two million rows, 90 MB of text, within the little memory that one batch needs."""
    path, out = tmp_path / "large.csv", tmp_path / "out.csv"
    line = "41.5,Bern,20.25,a text that no rule looks at\n" * 10_000
    with path.open("w") as file:
        file.write("age,city,income,other\n")
        for _ in range(200):
            file.write(line)
    program = (
        "import resource, sys; from rulewright.cli.main import app\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "app(sys.argv[1:], standalone_mode=False)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, "predict", str(model), str(path), "--out", str(out)],
        capture_output=True,
        text=True,
        check=True,
    )
    kilobytes = int(run.stdout.splitlines()[-1])
    assert "2,000,000 rows answered" in run.stdout
    assert kilobytes * 1024 < path.stat().st_size
    with out.open() as file:
        assert sum(1 for _ in file) == 2_000_001


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(model, table):
    command = f"{sys.executable} -m rulewright predict {model} {table} | head -n 2"
    run = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert run.stdout.count("\n") == 2
    assert run.stderr == ""


LEFT_OVER = "import sys; from rulewright.cli.main import _flush; sys.stdout.write('x'); _flush()"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["predict", "show", "certify", "left over"])
def test_a_reader_that_has_gone_is_no_error(model, table, command):
    reads, writes = os.pipe()
    os.close(reads)
    arguments = {
        "show": ["-m", "rulewright", "show", model],
        "left over": ["-c", LEFT_OVER],
    }.get(command, ["-m", "rulewright", command, model, table])
    buffered = {name: v for name, v in os.environ.items() if name != "PYTHONUNBUFFERED"}
    run = subprocess.run(
        [sys.executable, *arguments], stdout=writes, stderr=subprocess.PIPE, env=buffered
    )
    os.close(writes)
    assert run.stderr == b""


def stopped_while_writing(model, folder, number):
    """Run predict on a long file, and send it a signal once it has written something."""
    path, out = folder / "large.csv", folder / "out.csv"
    path.write_text("age,city,income\n" + "41.5,Bern,20.25\n" * 2_000_000)
    command = [sys.executable, "-m", "rulewright", "predict", model, path, "--out", out]
    ignored = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and so would the run
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGHUP, ignored)
    while run.poll() is None and not any(
        part.stat().st_size for part in folder.glob(".out.csv.*/output")
    ):
        time.sleep(0.01)
    run.send_signal(number)
    _, err = run.communicate(timeout=60)
    return run.returncode, err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_leaves_no_half_written_file(model, tmp_path, number, code):
    assert stopped_while_writing(model, tmp_path, number) == (code, "Stopped.\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["large.csv", "model.json", "people.csv"]


@pytest.mark.slow
def test_the_next_run_removes_what_a_killed_one_left(rulewright, model, table, tmp_path):
    code, _ = stopped_while_writing(model, tmp_path, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert list(tmp_path.glob(".out.csv.*"))
    assert rulewright("predict", model, table, "--out", tmp_path / "out.csv").code == 0
    assert not list(tmp_path.glob(".*"))


def test_certify_holds_for_the_training_table(rulewright, model, table):
    done = rulewright("certify", model, table)
    assert done.code == 0
    assert "The certificate holds" in done.out
    said = rulewright("certify", model, table, "--json").json
    assert said["holds"]
    assert said["bound"] == load_model(model).certificate.bound
    assert "takes for granted that these columns of people.csv" in done.out
    assert said["columns_not_offered"] == ["id"]


def test_certify_names_the_target_where_the_model_does_not(rulewright, model, table, tmp_path):
    data = json.loads(model.read_text())
    model.write_text(json.dumps({**data, "target": None}))
    assert "give --target" in rulewright("certify", model, table).err
    assert rulewright("certify", model, table, "--target", "class").code == 0


@pytest.mark.parametrize("what", ["row", "label", "cut", "bound"])
def test_certify_fails_for_anything_else(rulewright, model, table, what):
    frame = pd.read_csv(table)
    data = json.loads(model.read_text())
    if what == "row":
        frame = frame.iloc[1:]
    elif what == "label":
        frame.loc[5, "class"] = "good" if frame.loc[5, "class"] == "bad" else "bad"
    elif what == "cut":
        part = next(p for p in data["body"]["parts"] if p["node"] == "threshold")
        part["cut"] += 0.5
    else:
        data["certificate"]["bound"] /= 2
    frame.to_csv(table, index=False)
    model.write_text(json.dumps(data))
    done = rulewright("certify", model, table)
    assert done.code == (1 if what == "bound" else 3)  # a bound against its own counts is no file
    assert done.err.startswith("Error: ")


def test_data_lists_describes_and_writes(rulewright, tmp_path, monkeypatch):
    monkeypatch.delenv("RULEWRIGHT_DATA", raising=False)
    assert "wdbc" in rulewright("data").out
    out = tmp_path / "wdbc.csv"
    done = rulewright("data", "wdbc", "--out", out)
    assert "569 rows, 30 numeric and 0 categorical columns" in done.out
    frame = pd.read_csv(out)
    assert frame.shape == (569, 31)
    assert set(frame["class"]) == {"malignant", "benign"}
    said = rulewright("data", "iris", "--json").json
    assert said["classes"] == {"setosa": 50, "versicolor": 50, "virginica": 50}
    assert any(d["name"] == "wine" for d in json.loads(rulewright("data", "--json").out))
    assert rulewright("data", "--out", out).code == 2
