"""What is printed is shown by a terminal and never obeyed; data for programs stay as they are."""

import csv
import io
import json
import os
import pty
import select
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rulewright import load_model
from rulewright.cli.console import busy
from rulewright.render import console_text, json_text

RED, LEFT, C1 = "\x1b[31m", "\u202e", "\x9b31m"
EVIL = f"{RED}ill{LEFT}{C1}[red]\x07"
NAME = f"age{RED}\x07{LEFT}{C1}[bold]"
UNSAFE = ("\x1b", "\x07", "\x9b", LEFT)


def is_safe(text):
    return not any(letter in text for letter in UNSAFE)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=200).round(6)
    frame = pd.DataFrame({NAME: numbers, "city": rng.choice([EVIL, "Bern"], 200)})
    frame["class"] = np.where((frame[NAME] > 0) & (frame["city"] == EVIL), EVIL, "well")
    path = tmp_path / f"evil{RED}.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def model(rulewright, table, tmp_path):
    path = tmp_path / f"model{LEFT}.json"
    report = tmp_path / f"report{RED}.html"
    options = ("--target", "class", "--learner", "tree", "--out", path, "--report", report)
    done = rulewright("fit", table, *options)
    assert done.code == 0, done.err
    assert is_safe(done.out + done.err)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["certificate"]["cautions"] = [f"Beware {EVIL}"]
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("show", "MODEL", "--decimals", "1", "--data", "DATA"),
        ("predict", "MODEL", "DATA", "--json"),
        ("explain", "MODEL", "DATA", "--json"),
        ("fit", "DATA", "--target", "class", "--learner", "rule-list"),
        ("fit", "DATA", "--target", "class", "--learner", "rule-vote", "--json"),
    ],
)
def test_no_command_prints_a_control_character(rulewright, model, table, tmp_path, command):
    places = {"MODEL": model, "DATA": table, "OUT": tmp_path / f"out{RED}.csv"}
    done = rulewright(*(places.get(word, word) for word in command))
    assert done.code == 0, done.err
    assert is_safe(done.out + done.err)


@pytest.mark.parametrize(
    "command",
    [
        ("predict", "MODEL", EVIL),
        ("predict", EVIL, "DATA"),
        ("predict", "MODEL", "DATA", "--keep", EVIL),
        ("predict", "MODEL", "DATA", "--out", f"/{EVIL}/x"),
        ("predict", "MODEL", "DATA", "--table", EVIL),
        ("fit", "DATA", "--target", EVIL),
        ("fit", "DATA", "--target", "city", "--class-costs", f"{EVIL}=x"),
        ("fit", "DATA", "--target", "city", "--learner", EVIL),
        ("fit", "DATA", "--target", "city", "--learner", "rule-list", "--rules", f"{EVIL} > 3"),
        ("fit", "DATA", "--target", "city", f"--{EVIL}"),
        ("fit", "DATA", "--target", "city", "--family", EVIL),
        (EVIL,),
        ("data", EVIL),
    ],
)
def test_no_error_prints_a_control_character(rulewright, model, table, command):
    places = {"MODEL": model, "DATA": table}
    for more in ((), ("--json",)):
        done = rulewright(*(places.get(word, word) for word in command), *more)
        assert done.code in (1, 2)
        assert is_safe(done.out + done.err)


def test_data_for_programs_stay_as_they_are(rulewright, model, table):
    done = rulewright("predict", model, table, "--keep", "city")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    frame = pd.read_csv(table)
    assert [row["city"] for row in rows] == frame["city"].tolist()
    assert [row["prediction"] for row in rows] == load_model(model).predict(frame).tolist()
    lines = rulewright("predict", model, table, "--keep", "city", "--json").out.splitlines()
    assert [json.loads(line)["city"] for line in lines] == frame["city"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_rows_on_a_terminal_are_escaped(model, table, command):
    ours, theirs = pty.openpty()
    arguments = [sys.executable, "-m", "rulewright", command, model, table, "--keep", "city"]
    run = subprocess.Popen(arguments, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert run.wait() == 0
    text = shown.decode()
    assert text.count("\n") == 201
    assert is_safe(text)
    assert "\\x1b[31mill\\u202e\\x9b31m[red]\\x07" in text


def test_progress_and_cautions_are_escaped(monkeypatch, capsys):
    monkeypatch.setattr("rulewright.cli.console.PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    told = []
    monkeypatch.setattr(
        "rich.progress.Progress.update", lambda self, task, description: told.append(description)
    )
    with busy(quiet=False) as tell:
        tell(f"reading {EVIL}", 3, None)
    assert told
    assert all(map(is_safe, told))


def test_escaping_keeps_what_people_read():
    kept = "Genève, 東京, שלום, می‌روم, 👩‍🔬, [red]a[/red]\n second line"
    assert console_text(kept) == kept
    assert console_text("\udcff\x7f\u2066\t") == "\\udcff\\x7f\\u2066\\t"


def test_json_says_the_same_when_it_is_escaped():
    value = {"a": "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x202E, 0xFEFF, 0xE0041]))}
    text = json_text(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert text.isascii()


def test_a_name_that_is_no_text_is_printed(rulewright, model, table, tmp_path):
    path = os.fsdecode(bytes(tmp_path) + b"/out\xff.csv")
    done = rulewright("predict", model, table, "--out", path)
    assert done.code == 0
    assert "out\\udcff.csv" in done.out
    assert os.path.exists(path)


def test_progress_is_written_to_the_file_that_a_program_names(monkeypatch, tmp_path):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("RULEWRIGHT_PROGRESS", str(path))
    monkeypatch.setattr("rulewright.cli.console.PROGRESS_PAUSE", 3600.0)
    with busy(quiet=True) as report_progress:
        report_progress("reading", 0, None)
        report_progress("rules", 1, 10)
        report_progress("rules", 2, 10)  # too soon after the last
    assert json.loads(path.read_text()) == {"what": "rules", "done": 1, "total": 10}
