"""The walk through is run, and the page of commands names what they print."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from rulewright.cli import run
from rulewright.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
WALK = (ROOT / "docs" / "walkthrough.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
PARTS = re.compile(r"<!-- file: (\S+) -->\n```text\n(.*?)```|```console\n(.*?)```", re.S)


def timeless(text):
    return re.sub(r"\d+\.\d\d s\b", "N s", text)


def said(arguments, monkeypatch, capsys):
    """What a command prints, on standard output and then on standard error."""
    if arguments[0] == "python":
        subprocess.run([sys.executable, *arguments[1:]], check=True)
        return ""
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as stop:
        run()
    printed = capsys.readouterr()
    assert not stop.value.code, printed.err
    return printed.out + printed.err


@pytest.mark.slow
def test_the_walk_through_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    count = 0
    for name, content, console in PARTS.findall(WALK):
        if name:
            Path(name).write_text(content, encoding="utf-8")
        for part in console.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found = said(shlex.split(command), monkeypatch, capsys)
            assert timeless(found) == timeless(output), command
            count += 1
    assert count == 10


def test_the_page_lists_all_commands():
    listed = dict(re.findall(r"^\| `rulewright (\S+)` \| (.*) \|$", PAGE, re.M))
    assert listed == {name: summary for name, (_, summary) in COMMANDS.items()}


def members(command):
    (row,) = re.findall(rf"^\| `{command}` \| (.*) \|$", PAGE, re.M)
    whole = row.partition(";")[0]
    return set(re.findall(r"`(\w+)`", whole))


def test_the_page_names_the_members_of_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"a": range(120), "y": ["k" if n > 50 else "l" for n in range(120)]})
    frame.to_csv("d.csv", index=False)
    Path("r.txt").write_text("a > 50 -> k\notherwise -> l\n", encoding="utf-8")
    commands = {
        "data FILE": "data d.csv --target y",
        "fit": "fit d.csv --target y --learner tree --out m.json",
        "show": "show m.json",
        "edit": "edit m.json",
        "certify RULES": "certify r.txt d.csv --target y",
        "learners NAME": "learners tree",
        "test": "test m.json d.csv",
        "monitor": "monitor m.json d.csv",
    }
    for name, command in commands.items():
        text = said(["rulewright", *command.split(), "--json"], monkeypatch, capsys)
        found = json.loads(text.splitlines()[0])
        found = found[0] if isinstance(found, list) else found
        assert set(found) - {"model"} == members(name) - {"model"}, name
