"""Cells are run once, in any number of processes, and their results are in order."""

import pytest

from rulewright.data import ResultStore
from rulewright.errors import InputError
from rulewright.experiments import (
    CELL_FUNCTIONS,
    Cell,
    cell_function,
    code_key,
    files_key,
    run_cells,
)

CALLS = []


@cell_function
def halved(parameters, context):
    CALLS.append(parameters["number"])
    return {"half": parameters["number"] / 2, "context": context}


def cells(*numbers):
    return [Cell.of(halved, number=number) for number in numbers]


def test_results_are_in_the_order_of_the_cells():
    CALLS.clear()
    found = run_cells(cells(3, 1, 2, 1), context="c")
    assert [result.values["half"] for result in found] == [1.5, 0.5, 1.0, 0.5]
    assert CALLS == [3, 1, 2]
    assert all(result.seconds >= 0 and result.values["context"] == "c" for result in found)


def test_known_cells_are_not_run_again():
    CALLS.clear()
    with ResultStore(None) as store:
        run_cells(cells(1, 2), store=store)
        run_cells(cells(2, 3, 1), store=store)
        assert CALLS == [1, 2, 3]
        run_cells(cells(1), store=store, context_key="another table")
    assert CALLS == [1, 2, 3, 1]


def test_results_of_other_code_are_not_used(monkeypatch, tmp_path):
    CALLS.clear()
    with ResultStore(None) as store:
        run_cells(cells(1), store=store)
        monkeypatch.setattr("rulewright.experiments.cells.code_key", lambda: "changed")
        run_cells(cells(1), store=store)
    assert CALLS == [1, 1]
    assert code_key() == code_key() != "changed"
    source = tmp_path / "a.py"
    source.write_text("x = 1")
    before = files_key({"a.py": source}, ["numpy 1"])
    assert files_key({"a.py": source}, ["numpy 1"]) == before
    assert files_key({"a.py": source}, ["numpy 2"]) != before
    assert files_key({"b.py": source}, ["numpy 1"]) != before
    source.write_text("x = 2")
    assert files_key({"a.py": source}, ["numpy 1"]) != before


@pytest.mark.slow
def test_processes_give_the_same_results():
    numbers = range(12)
    alone, together = (run_cells(cells(*numbers), jobs=jobs) for jobs in (1, 2))
    assert [r.values for r in alone] == [r.values for r in together]


def test_progress_counts_kept_cells_and_estimates_the_time_left():
    seen = []
    with ResultStore(None) as store:
        run_cells(cells(1, 2), store=store)
        progress = lambda done, total, left: seen.append((done, total, left))  # noqa: E731
        run_cells(cells(1, 2, 3, 4), store=store, progress=progress)
    assert [(done, total) for done, total, _ in seen] == [(2, 4), (3, 4), (4, 4)]
    assert seen[0][2] is None and seen[1][2] > 0 and seen[2][2] == 0


def test_keys_differ_by_function_parameters_and_context():
    one = Cell("f", {"a": 1, "b": 2})
    assert one.key() == Cell("f", {"b": 2, "a": 1}).key()
    others = [Cell("g", {"a": 1, "b": 2}), Cell("f", {"a": 1, "b": 3}), Cell("f", {"a": 1})]
    assert len({one.key(), one.key("t"), *(other.key() for other in others)}) == 5


def test_a_function_must_be_registered():
    with pytest.raises(InputError, match="must be registered as a function of cells"):
        Cell.of(lambda parameters, context: {}, number=1)
    assert CELL_FUNCTIONS[cells(1)[0].function] is halved


def test_an_error_of_a_cell_keeps_the_others():
    @cell_function
    def fails(parameters, context):
        raise InputError("This cell fails.")

    with ResultStore(None) as store:
        with pytest.raises(InputError, match="This cell fails"):
            run_cells([*cells(1), Cell.of(fails)], store=store)
        assert len(store.get([cells(1)[0].key()])) == 1
