"""The walk through is run, and the page of commands names what they print."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

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
