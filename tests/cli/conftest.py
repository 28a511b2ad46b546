"""A command line to call, and a table to call it on."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rulewright.cli import run


@pytest.fixture
def rulewright(monkeypatch, capsys):
    """Run a command in this process; give its exit code and what it printed."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["rulewright", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run()
        out, err = capsys.readouterr()
        code = stop.value.code or 0
        said = json.loads(out) if "--json" in arguments and out.count("\n") == 1 else None
        return SimpleNamespace(code=code, out=out, err=err, json=said)

    return call


def people(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": np.arange(rows),
            "age": rng.integers(18, 80, rows).astype(float),
            "city": rng.choice(["Bern", "Chur", "Genève"], rows),
            "income": np.round(rng.lognormal(3, 1, rows), 1),
        }
    )
    good = (frame["age"] > 40) & (frame["city"] != "Chur")
    frame.loc[rng.random(rows) < 0.1, "age"] = np.nan
    frame["class"] = np.where(good, "good", "bad")
    return frame


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    return path


@pytest.fixture
def model(rulewright, table, tmp_path):
    path = tmp_path / "model.json"
    options = ("--target", "class", "--drop", "id", "--learner", "scm")
    done = rulewright("fit", table, *options, "--out", path)
    assert done.code == 0, done.err
    return path
