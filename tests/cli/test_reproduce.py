"""rulewright reproduce: lists experiments, runs one, keeps its results, writes pages."""

import pytest

from rulewright.experiments import (
    EXPERIMENTS,
    Cell,
    Experiment,
    ResultPage,
    ResultTable,
    cell_function,
)

CALLS = []


@cell_function
def cubed(parameters, context):
    CALLS.append(parameters["number"])
    return {"cube": parameters["number"] ** 3}


class Cubes(Experiment):
    name = "cubes"
    title = "Cubes of numbers"

    def cells(self, quick):
        return [Cell.of(cubed, number=number) for number in range(2 if quick else 4)]

    def page(self, results, quick):
        rows = [[f"number {r.cell.parameters['number']}", r.values["cube"]] for r in results]
        return ResultPage(self.title, [ResultTable("Cubes", ["number", "cube"], rows)])


@pytest.fixture(autouse=True)
def cubes(monkeypatch, tmp_path):
    CALLS.clear()
    monkeypatch.setitem(EXPERIMENTS, "cubes", Cubes())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_experiments_are_listed(rulewright):
    assert "cubes" in rulewright("reproduce").out
    assert {"name": "cubes", "title": "Cubes of numbers"} in rulewright("reproduce", "--json").json


def test_an_experiment_is_run_once(rulewright, tmp_path):
    first = rulewright("reproduce", "cubes", "-j", 1, "--quick")
    assert first.code == 0, first.err
    assert "number 1     1" in first.out
    assert "2 cells, 0 of them from earlier runs" in first.out
    whole = rulewright("reproduce", "cubes", "-j", 1)
    assert "4 cells, 2 of them from earlier runs" in whole.out
    assert CALLS == [0, 1, 2, 3]
    assert (tmp_path / "cache" / "rulewright" / "reproduce-cubes.duckdb").exists()


@pytest.mark.parametrize("suffix", ["md", "csv", "html"])
def test_pages_are_written_in_three_formats(rulewright, tmp_path, suffix):
    path = tmp_path / f"page.{suffix}"
    options = ("-j", 1, "--store", tmp_path / "store.duckdb", "--out", path)
    done = rulewright("reproduce", "cubes", *options)
    assert done.code == 0, done.err
    assert "number 3" in path.read_text() and "27" in path.read_text()
    again = rulewright("reproduce", "cubes", *options)
    assert again.code == (1 if suffix == "csv" else 0)  # CSV has no mark of ours
    assert rulewright("reproduce", "cubes", *options, "--overwrite").code == 0


def test_a_file_of_the_user_is_not_overwritten(rulewright, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("mine")
    done = rulewright("reproduce", "cubes", "--out", path)
    assert done.code == 1 and "Refusing to overwrite" in done.err
    assert path.read_text() == "mine" and CALLS == []


def test_json_has_tables_and_cells(rulewright):
    found = rulewright("reproduce", "cubes", "-j", 1, "--json").json
    assert found["tables"][0]["rows"][2] == ["number 2", 8]
    assert found["cells"][3]["result"] == {"cube": 27}


def test_wrong_names_have_a_way_out(rulewright, tmp_path):
    assert "Choose one of: " in rulewright("reproduce", "triangles").err
    done = rulewright("reproduce", "cubes", "--out", tmp_path / "page.pdf")
    assert done.code == 1 and "--out must end in .md, .csv, .html" in done.err
