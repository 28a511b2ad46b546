"""rulewright compare: the table of a user, from the command line."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SHORT = ("--learner", "tree", "--learner", "lda", "--folds", 3, "--repeats", 1, "-j", 1)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_table_is_compared_and_written(rulewright, table, tmp_path):
    page, sheet = tmp_path / "page.html", tmp_path / "page.csv"
    done = rulewright(
        "compare", table, "--target", "class", *SHORT, "--report", page, "--out", sheet
    )
    assert done.code == 0, done.err
    for text in ("The lowest error is that of", "300 rows; 3-fold", "Paired tests against"):
        assert text in done.out
    assert "Column 'id'" in done.err  # a key is left out, and said
    assert "<svg" in page.read_text()
    with sheet.open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["Learners"] and rows[1][:2] == ["learner", "error"]


def test_classes_may_be_numbers(rulewright, tmp_path):
    file = tmp_path / "numbers.csv"
    lines = [f"{row % 10},{1 + (row % 10 > 4)}" for row in range(60)]
    file.write_text("\n".join(["x,class", *lines]))
    found = rulewright("compare", file, "--target", "class", *SHORT, "--json").json
    assert not found["left_out"]
    assert {one["learner"] for one in found["learners"]} == {"tree", "lda"}


def test_json_is_the_same_as_python(rulewright, table):
    import pandas as pd

    from rulewright import compare

    found = rulewright("compare", table, "--target", "class", *SHORT, "--json").json
    data = pd.read_csv(table).drop(columns="id")
    labels = data.pop("class")
    python = compare(["tree", "lda"], data, labels, folds=3, repeats=1)
    for one, other in zip(found["learners"], python.measures, strict=True):
        assert one["learner"] == other.name
        assert one["errors"] == pytest.approx(other.errors.tolist())
    assert found["summary"] == python.summary


def test_groups_times_test_files_and_costs(rulewright, table, tmp_path):
    grouped = rulewright("compare", table, "--target", "class", *SHORT, "--group", "city")
    assert "groups kept together" in grouped.out, grouped.err
    timed = rulewright("compare", table, "--target", "class", *SHORT, "--time", "id")
    assert "in the order of time" in timed.out, timed.err
    costs = rulewright("compare", table, "--target", "class", *SHORT, "--class-costs", "bad=5")
    assert "per case" in costs.out, costs.err
    lines = table.read_text().splitlines(keepends=True)
    (tmp_path / "new.csv").write_text("".join([lines[0], *lines[200:]]))
    held = rulewright("compare", table, "--target", "class", *SHORT, "--test", tmp_path / "new.csv")
    assert "tested on 101 other rows" in held.out, held.err


def test_wrong_input_has_a_way_out(rulewright, table, tmp_path):
    wrong = [
        (("--learner", "trees"), "Choose some of: auto"),
        (("--report", tmp_path / "page.pdf"), "must end in .md, .csv, .html"),
        (("--group", "city", "--time", "id"), "exclude each other"),
        (("--class-costs", "balanced"), "must be CLASS=NUMBER"),
    ]
    for options, message in wrong:
        done = rulewright("compare", table, "--target", "class", *options)
        assert done.code == 1 and message in done.err


@pytest.mark.slow
def test_a_killed_comparison_goes_on_where_it_was(rulewright, table, tmp_path):
    """The final table is identical, except for the times of the fits that were run again."""
    program = Path(sys.executable).with_name("rulewright")
    store = tmp_path / "store.duckdb"
    command = [program, "compare", table, "--target", "class", "--drop", "id", "--folds", 4]
    command += ["--repeats", 1, "--learner", "tree", "--learner", "ripper", "-j", 1]

    def run():
        options = ["--json", "--store", store]
        return subprocess.Popen(list(map(str, [*command, *options])), stdout=subprocess.PIPE)

    killed = run()
    wal = Path(f"{store}.wal")
    while not wal.exists() or wal.stat().st_size < 2000:  # a cell is finished
        assert killed.poll() is None
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    after = json.loads(run().communicate()[0])
    again = rulewright(*command[1:], "--json", "--store", store).json
    assert after == again  # nothing is run a third time: even the times are the same
    undisturbed = rulewright(*command[1:], "--json", "--store", tmp_path / "other.duckdb").json
    for found in (after, undisturbed):
        assert found.pop("results")
        for one in found["learners"]:
            assert one.pop("fit_seconds") > 0
    assert after == undisturbed
