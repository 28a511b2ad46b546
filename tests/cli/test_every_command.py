"""What holds of every command: safe output, narrow terminals, documented JSON, help, line ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rulewright import TreeClassifier, load_model, save_model
from rulewright.cli.commands import COMMANDS, load_command

RED, LEFT, C1 = "\x1b[31m", "\u202e", "\x9b31m"
EVIL = f"{RED}ill{LEFT}{C1}[red]\x07"
NAME = f"age{RED}\x07{LEFT}{C1}[bold]"
UNSAFE = ("\x1b", "\x07", "\x9b", LEFT)
CARD = "rulewright.experiments.card.card"
COMMANDS_PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
FIT = ("--target", "class", "--learner", "scm", "--max-rules", "2", "-j", "1")

CALLS = {
    "fit": ("DATA", *FIT),
    "learners": ("scm",),
    "show": ("MODEL",),
    "predict": ("MODEL", "DATA", "--out", "OUT.csv"),
    "explain": ("MODEL", "DATA", "--out", "OUT.csv"),
    "test": ("MODEL", "DATA", "--by", "city"),
    "monitor": ("MODEL", "DATA", "--time", "city"),
    "plot": ("MODEL", "--what", "rules", "--out", "OUT.svg"),
    "model-card": ("MODEL", "--data", "DATA", "--by", "city"),
    "export": ("MODEL", "--to", "english", "--out", "OUT.txt"),
    "certify": ("MODEL", "DATA", "--by", "city", "--rules"),
    "edit": ("MODEL", "--out", "OUT.rules"),
    "compare": ("DATA", "--target", "class", "--learner", "tree", "--learner", "majority",
                "--quick", "-j", "1", "--store", "STORE"),
    "reproduce": (),
    "card": ("--quick", "--learner", "tree", "-j", "1", "--store", "STORE"),
    "serve": ("MODEL", "DATA", "--no-browser", "--folder", "OUT.session"),
    "data": ("DATA", "--target", "class"),
}  # fmt: skip
ROWS_OF_JSON = ("predict", "explain")


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    """A folder with a table and a model of hostile names and values."""
    folder = tmp_path_factory.mktemp("evil")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({NAME: rng.normal(size=200), "city": rng.choice([EVIL, "Bern"], 200)})
    frame["class"] = np.where((frame[NAME] > 0) & (frame["city"] == EVIL), EVIL, "well")
    table, path = folder / f"evil{RED}.csv", folder / f"model{LEFT}.json"
    frame.to_csv(table, index=False)
    fitted = TreeClassifier(certificate="split", n_splits=2)
    fitted.fit(frame.drop(columns="class"), frame["class"])
    save_model(fitted.model_, path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["certificate"]["cautions"] = [f"Beware {EVIL}"]
    data["target"] = "class"
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return {"DATA": table, "MODEL": path, "STORE": folder / "store.duckdb"}


@pytest.fixture
def call(rulewright, evil, tmp_path, monkeypatch):
    """Run a command on the hostile table, in a narrow terminal without colour."""
    monkeypatch.setattr(f"{CARD}.REFERENCE", "majority")
    monkeypatch.setattr(f"{CARD}.QUICK_NUMERIC", ("iris",))
    monkeypatch.setattr(f"{CARD}.QUICK_ROWS", (50, 100))
    monkeypatch.setattr(f"{CARD}.MIXED_ROWS", 60)
    monkeypatch.setattr("rulewright.workbench.WorkbenchServer.serve_forever", lambda server: None)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(command, *more):
        words = []
        for word in CALLS[command]:
            place = evil.get(word, word)
            if word.startswith("OUT."):
                place = tmp_path / f"out{RED}.{word.removeprefix('OUT.')}"
            words.append(place)
        if command == "plot":
            pytest.importorskip("matplotlib")
        done = rulewright(command, *words, *more)
        assert done.code == 0, done.err
        return done

    return run


def is_safe(text):
    return not any(letter in text for letter in UNSAFE)


def documented():
    """Members of the JSON of each command: those that are always there, and all."""
    found = {}
    rows = re.findall(r"^\| (`.+?) \| (.+) \|$", COMMANDS_PAGE.read_text(encoding="utf-8"), re.M)
    for names, members in rows:
        always, _, _ = members.partition(";")
        for name in re.findall(r"`([a-z-]+)", names):
            if name in COMMANDS:
                texts = (re.findall(r"`([a-z_]+)`", text) for text in (always, members))
                known = found.setdefault(name, [])
                known.append(tuple(map(set, texts)))
    return found


def test_every_command_is_called():
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("command", CALLS)
def test_names_and_values_do_nothing_in_a_narrow_terminal(call, command):
    done = call(command)
    assert done.out
    assert is_safe(done.out + done.err)


@pytest.mark.parametrize("command", CALLS)
def test_the_json_of_a_command_is_safe_and_has_the_documented_members(call, command):
    done = call(command, "--json")
    assert is_safe(done.out + done.err)
    lines = done.out.splitlines()
    assert len(lines) == 1
    value = json.loads(lines[0])
    members = set(value[0] if isinstance(value, list) else value)
    if command == "certify":
        listed = {*call("show", "--json").json["certificate"]}
        members -= listed - {"text", "cautions"}
    known = documented()[command]
    if command in ROWS_OF_JSON:
        assert members == known[0][1]
        return
    assert any(always <= members <= every for always, every in known), (members, known)


def test_the_json_of_certified_rules_has_the_documented_members(rulewright, table, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("age > 40 -> good\notherwise -> bad\n", encoding="utf-8")
    done = rulewright("certify", rules, table, "--target", "class", "--json")
    assert set(done.json) == documented()["certify"][1][0]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_no_colour(rulewright, monkeypatch, command):
    for columns in ("40", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setenv("NO_COLOR", "1")
        done = rulewright(command, "--help")
        assert done.code == 0
        assert not re.search(r"\x1b\[[0-9;]*[349][0-7]", done.out)
        text = " ".join(done.out.split())
        assert re.search(rf"Examples?: rulewright {command} ", text), text
    assert "json" in {parameter.name for parameter in load_command(command).params}


def test_windows_line_ends_change_nothing(rulewright, model, table, tmp_path):
    plain = rulewright("predict", model, table).out
    rules, windows = tmp_path / "rules.txt", tmp_path / "windows.csv"
    windows.write_bytes(b"\xef\xbb\xbf" + table.read_bytes().replace(b"\n", b"\r\n"))
    assert rulewright("predict", model, windows).out == plain
    assert rulewright("edit", model, "--out", rules).code == 0
    unix = rulewright("certify", rules, table, "--target", "class", "--json").json
    rules.write_bytes(b"\xef\xbb\xbf" + rules.read_bytes().replace(b"\n", b"\r\n"))
    assert rulewright("certify", rules, windows, "--target", "class", "--json").json == unix
    fits = [
        rulewright("fit", path, *FIT, "--drop", "id", "--json").json for path in (table, windows)
    ]
    assert fits[0]["rules"] == fits[1]["rules"]
    model.write_bytes(model.read_bytes().replace(b"\n", b"\r\n"))
    assert rulewright("show", model).code == 0


@pytest.mark.slow
def test_windows_line_ends_come_through_standard_input(rulewright, model, table):
    run = subprocess.run(
        [sys.executable, "-m", "rulewright", "predict", model, "-"],
        input=table.read_bytes().replace(b"\n", b"\r\n"),
        capture_output=True,
        env={**os.environ, "COLUMNS": "40", "NO_COLOR": "1"},
        check=True,
    )
    assert run.stdout.decode() == rulewright("predict", model, table).out


@pytest.mark.parametrize(
    "aliases",
    [("--keep", "--only", ["age"]), ("--positive-tests", "--positive-only", [])],
)
def test_an_option_in_plain_words_is_the_same_option(rulewright, table, tmp_path, aliases):
    *names, value = aliases
    bodies = []
    for number, name in enumerate(names):
        path = tmp_path / f"{number}.json"
        done = rulewright("fit", table, *FIT, "--drop", "id", name, *value, "--out", path)
        assert done.code == 0, done.err
        bodies.append(load_model(path).body)
    assert bodies[0] == bodies[1]
    listed = rulewright("learners", "scm", "--json").json[0]["options"]
    assert {"option": names[0], "aliases": [names[1]]}.items() <= next(
        each for each in listed if each["option"] == names[0]
    ).items()


def test_an_option_of_another_learner_is_named(rulewright, table):
    done = rulewright("fit", table, *FIT, "--max-depth", "3")
    assert done.code == 2
    assert "--max-depth is an option of --learner" in " ".join(done.err.split())
