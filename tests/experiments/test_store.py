"""Results survive a kill, and are never mixed up with other files."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from rulewright.data import ResultStore
from rulewright.errors import FileError, InputError

PROGRAM = Path(__file__).with_name("slow_squares.py")


class Program:
    """A run of the program; its output goes to files, which no process keeps open."""

    def __init__(self, store, log, seconds, jobs=1):
        self.files = [store.with_suffix(suffix) for suffix in (".out", ".err")]
        arguments = [sys.executable, PROGRAM, store, log, seconds, jobs]
        with self.files[0].open("w") as out, self.files[1].open("w") as err:
            self.process = subprocess.Popen(list(map(str, arguments)), stdout=out, stderr=err)

    def output(self):
        self.process.wait(60)
        return [path.read_text() for path in self.files]


def finished(store):
    """Numbers of the cells in a store whose process has ended."""
    with duckdb.connect(str(store)) as connection:
        rows = connection.execute("SELECT parameters FROM cells").fetchall()
    return sorted(json.loads(text)["number"] for (text,) in rows)


@pytest.mark.cross_section(1)
@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_goes_on_where_it_was(tmp_path, jobs):
    undisturbed, _ = Program(tmp_path / "a.duckdb", tmp_path / "a.log", 0, jobs).output()
    store, log = tmp_path / "b.duckdb", tmp_path / "b.log"
    killed = Program(store, log, 0.25, jobs)
    while not log.exists() or len(log.read_text().split()) < 5:
        assert killed.process.poll() is None, killed.output()
        time.sleep(0.02)
    killed.process.send_signal(signal.SIGKILL)
    killed.output()
    time.sleep(0.6)  # processes of a killed run end after their cell
    done = finished(store)
    assert 1 <= len(done) < 8
    log.unlink()
    again, errors = Program(store, log, 0, jobs).output()
    assert again == undisturbed != "", errors
    assert sorted(map(int, log.read_text().split())) == sorted(set(range(8)) - set(done))


def test_a_second_process_is_refused(tmp_path):
    path = tmp_path / "results.duckdb"
    with ResultStore(path):
        second = Program(path, tmp_path / "log", 0)
        _, error = second.output()
    assert second.process.returncode
    assert f"in use by process {os.getpid()}. Wait until it has ended" in error
    assert not (tmp_path / "log").exists()


def test_results_stay_in_the_file(tmp_path):
    path = tmp_path / "it's [1].duckdb"
    with ResultStore(path) as store:
        store.put("k", "f", {"x": "é\0"}, {"y": [1.5, None, True, "z"]}, 0.25)
        store.put("k", "f", {}, {"y": "another"}, 1.0)
    with ResultStore(path) as store:
        assert store.get(["k", "l"]) == {"k": ({"y": [1.5, None, True, "z"]}, 0.25)}


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "results.duckdb"
    path.touch()
    with ResultStore(path) as store:
        assert store.get(["k"]) == {}


def test_a_file_of_another_kind_is_refused(tmp_path):
    text, other, view = (tmp_path / name for name in ("a.csv", "b.duckdb", "c.duckdb"))
    text.write_text("a,b\n1,2\n")
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE cells AS SELECT 1 AS key")
    with duckdb.connect(str(view)) as connection:
        connection.execute("CREATE VIEW cells AS SELECT 1 AS key")
    with pytest.raises(FileError, match="Cannot keep results in .*a.csv.*Choose another file"):
        ResultStore(text)
    for path in (other, view):
        with pytest.raises(FileError, match="a database with other tables, not a file of results"):
            ResultStore(path)
    assert text.read_text() == "a,b\n1,2\n"


def test_results_must_be_json_without_nan():
    with ResultStore(None) as store:
        for wrong in ({"x": float("nan")}, {"x": {1, 2}}):
            with pytest.raises(InputError, match="f must return JSON values without NaN"):
                store.put("k", "f", {}, wrong, 0.0)


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(FileError, match="Choose a path in an existing folder"):
        ResultStore(tmp_path / "none" / "results.duckdb")
