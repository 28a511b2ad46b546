"""The page on extending the library: its code runs as it stands, in a program of its own."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extending.md"
CLI = """
import sys
sys.argv = ["rulewright", "fit", "data.csv", "--target", "y", "--learner", "stump", *OPTIONS]
from rulewright.cli.main import run
try:
    run()
except SystemExit as stop:
    assert not stop.code, stop.code
"""


def run(code, folder):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


def code():
    return "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S))


def test_the_code_of_the_page_runs(tmp_path):
    done = run(code(), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "x0 is not a multiple of 3" in done.stdout
    assert "2 rules on 2 columns" in done.stdout


def test_a_new_learner_and_family_are_on_the_command_line(tmp_path):
    data = "\n".join(["a,b,y", *(f"{n},{n * n % 17},{n % 3 == 0}" for n in range(60))])
    (tmp_path / "data.csv").write_text(data, encoding="utf-8")
    options = ["--family", "multiples", "--forbid", "b", "--out", "model.json"]
    done = run(code() + CLI.replace("OPTIONS", str(options)), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a multiple of 3" in done.stdout
    assert (tmp_path / "model.json").exists()
