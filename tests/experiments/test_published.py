"""Experiments of the papers: same folds for all, no leaks, pages with the published numbers."""

import json

import numpy as np
import pytest
from sklearn.model_selection import KFold

from rulewright import SetCoveringMachine, TreeRulesClassifier
from rulewright.data import detect_table
from rulewright.experiments import Result
from rulewright.experiments.published import (
    C50_PACKAGE,
    STAND_IN,
    Dlm,
    DlmTable1,
    ScFigures,
    Scm,
    ScmTable1,
    ScmTable2,
    ScTable,
    Svm,
    cross_validation,
    half_space_bounds,
    learners,
    optimal_errors,
    rule_errors,
    rule_points,
    selected_machine,
    two_best,
    typed_subsets,
)

PUBLISHED = "rulewright.experiments.published"
EXPERIMENTS = [DlmTable1(), ScmTable1(), ScmTable2(), ScTable(), ScFigures()]
by_name = pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda each: each.name)


@pytest.fixture
def small(monkeypatch):
    """A small table in place of those of the papers."""
    draw = np.random.default_rng(5)
    X = draw.integers(0, 9, (60, 3)).astype(float)
    y = ((X[:, 0] + X[:, 1] > 8) ^ (draw.random(60) < 0.1)).astype(np.int64)
    for module in ("machine_cells", "bound_cells", "selection_cells"):
        monkeypatch.setattr(f"{PUBLISHED}.{module}.prepared", lambda name: (X, y))
    return X, y


@by_name
@pytest.mark.parametrize("quick", [True, False])
def test_cells_are_registered_functions_of_json(experiment, quick):
    cells = experiment.cells(quick)
    for cell in cells:
        json.dumps(dict(cell.parameters), allow_nan=False)
    for function in {cell.function: cell for cell in cells}.values():
        assert callable(function.resolved())


@by_name
def test_all_learners_have_the_same_splits(experiment):
    """Which rows are in a fold depends on table, repeat and fold, and on nothing else."""
    where = {}
    for cell in experiment.cells(quick=False):
        place = tuple(cell.parameters.get(name) for name in ("repeat", "fold"))
        what = {k: v for k, v in cell.parameters.items() if k not in ("table", "repeat", "fold")}
        key = cell.function, cell.parameters["table"], repr(sorted(what.items(), key=str))
        where.setdefault(key, set()).add(place)
    by_table = {}
    for (function, table, _), places in where.items():
        by_table.setdefault((function, table), []).append(places)
    for places in by_table.values():
        fewest = min(places, key=len)
        assert all(fewest <= each for each in places)


def test_errors_of_a_machine_are_those_of_a_plain_loop(small):
    X, y = small
    cell = cross_validation("BreastW", Scm("balls", "d", 1.5, 3), repeat=4)
    found = cell.run(None)
    expected = []
    for train, test in KFold(10, shuffle=True, random_state=4).split(X):
        machine = SetCoveringMachine(
            kind="disjunction", family="balls", penalty=1.5, max_rules=3, n_jobs=1
        ).fit(X[train], y[train])
        expected.append(int((machine.predict(X[test]) != y[test]).sum()))
    assert [errors[-1] for errors in found["errors"]] == expected
    assert all(len(errors) == 3 for errors in found["errors"])


@pytest.mark.parametrize("machine", [Svm(0.1, 1), Dlm("c", 2.0, float("inf"), 2)], ids=str)
def test_other_machines_run_on_the_same_folds(small, machine):
    found = cross_validation("BreastW", machine, repeat=0).run(None)
    assert len(found["errors"]) == 10
    assert found["rows"] == 60


class Spy:
    """A learner that records the rows of training and testing by their first column."""

    seen = ()

    def fit(self, X, y):
        self.rows = set(_ids(X))
        return self

    def predict(self, X):
        tested = set(_ids(X))
        assert not tested & self.rows
        Spy.seen += tuple(tested)
        return np.zeros(len(tested))

    n_support_ = np.array([1])


def _ids(X):
    return (X[:, 0] if isinstance(X, np.ndarray) else X.numbers("x0")).tolist()


def test_no_test_row_reaches_a_fit(small, monkeypatch):
    rows = np.arange(60.0)[:, None]
    y = small[1]
    monkeypatch.setattr(f"{PUBLISHED}.machine_cells.prepared", lambda name: (rows, y))
    monkeypatch.setattr(f"{PUBLISHED}.machine_cells.estimator", lambda parameters: Spy())
    monkeypatch.setattr(f"{PUBLISHED}.rule_cells.prepared", lambda name: (detect_table(rows), y))
    monkeypatch.setattr(f"{PUBLISHED}.rule_cells.LEARNERS", {"DL": lambda seed: Spy()})
    for run in (
        lambda: cross_validation("BreastW", Svm(0.1, 1), repeat=2).run(None),
        lambda: rule_errors({"table": "labor", "learner": "DL", "repeat": 2}, None),
    ):
        Spy.seen = ()
        run()
        assert sorted(Spy.seen) == rows[:, 0].tolist()


def test_bounds_of_half_spaces_are_ordered_as_their_forms(small):
    parameters = {"table": "BreastW", "repeat": 0}
    machine = Scm("half_spaces", "c", 1.2, 2, consistent=True)
    found = half_space_bounds({**parameters, **machine.parameters()}, None)
    assert found["printed"] <= found["ordered"] <= 60
    assert found["compression"] <= found["closed"]
    assert found["errors"] <= found["compression"]
    assert typed_subsets([(0, 2, 1), (0, 3, 1)], np.array([1, 1, 0, 0])) == {
        "a": 1,
        "b": 2,
        "c": 1,
        "r": 2,
    }


@pytest.mark.parametrize("way", ["cv", "bound", "split"])
def test_a_machine_is_chosen_from_the_training_rows(small, way):
    cells = [cell.parameters for cell in ScmTable2().cells(quick=True)]
    parameters = next(each for each in cells if each["way"] == way)
    found = selected_machine(parameters, None)
    assert 0 <= found["errors"] <= found["tested"] == 6
    assert found["size"] >= 0


def test_the_optimal_errors_are_the_minimum_over_penalties_and_sizes():
    cells = [
        {"repeat": 0, "errors": [[3, 1], [4]], "tested": 10, "rows": 20},
        {"repeat": 0, "errors": [[2], [0, 1, 1]], "tested": 10, "rows": 20},
    ]
    # Sums: 5, 3, 3 at the first penalty, and 4, 5, 5 at the second.
    assert optimal_errors([faked_result(cell) for cell in cells]) == 3


def faked_result(values):
    cell = type("FakeCell", (), {"parameters": values})()
    return Result(cell, values, 0.0)


def test_rules_are_counted_in_training_and_on_held_out_rows():
    draw = np.random.default_rng(3)
    X = draw.standard_normal((80, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    y[:8] = "no"
    train, held = detect_table(X[:60]), detect_table(X[60:])
    model = TreeRulesClassifier().fit(train, y[:60]).model_
    (point, *_) = rule_points(model, train, y[:60], held, y[60:])
    rule = model.rules[0]
    covered = rule.condition.holds(train)
    own = y[:60] == model.classes[rule.output]
    assert (point.n, point.p) == ((covered & ~own).sum(), (covered & own).sum())
    assert point.corrected_n >= point.n
    assert 0 <= point.corrected_p <= point.p
    held_out = rule.condition.holds(held).sum()
    assert point.held_n + point.held_p == pytest.approx(3 * held_out)


def faked(cell):
    """A result of the right shape without any work."""
    function = cell.function.rpartition(".")[2]
    parameters = cell.parameters
    seed = sum(map(ord, repr(sorted(parameters.items(), key=str))))
    draw = np.random.default_rng(seed)
    if function == "machine_errors":
        sizes = parameters.get("max_rules") or 1
        errors = draw.integers(1, 9, (10, sizes)).tolist()
        return {"rows": 100, "errors": errors, "sizes": [2] * 10, "examples": [4] * 10}
    if function == "half_space_bounds":
        names = ("ordered", "printed", "made valid", "closed", "compression", "split")
        names += ("misses", "alarms", "errors", "split errors")
        return {"rows": 100, **{name: float(draw.integers(5, 50)) for name in names}}
    if function == "selected_machine":
        common = {"rows": 100, "tested": 10, "seconds": 0.5}
        if parameters["way"] == "optimal":
            return {**common, "errors": [[3, 2], [4]]}
        return {**common, "errors": int(draw.integers(0, 5)), "size": 2, "bound": 0.4}
    if function == "rule_errors":
        errors = int(draw.integers(5, 40))
        return {"rows": 100, "errors": errors, "rules": 3.0, "literals": 5.0}
    names = ("n", "p", "held_n", "held_p", "corrected_n", "corrected_p")
    points = [dict(zip(names, draw.integers(0, 9, 6).tolist(), strict=True)) for _ in range(3)]
    return {"points": points, "rows": 50}


@by_name
@pytest.mark.parametrize("quick", [True, False])
def test_a_page_has_its_tables_in_every_format(experiment, quick):
    results = [Result(cell, faked(cell), 0.1) for cell in experiment.cells(quick)]
    page = experiment.page(results, quick)
    assert page.tables
    assert page.text(100).splitlines()[0] == page.title
    for table in page.tables:
        names = [column if isinstance(column, str) else column.name for column in table.columns]
        assert len(set(names)) == len(names)
        assert all(len(row) == len(names) for row in table.rows)
        assert table.title in page.html()
    assert "nan" not in page.csv()


def test_the_table_of_rules_shows_the_published_errors_beside_ours():
    experiment = ScTable()
    results = [Result(cell, faked(cell), 0.1) for cell in experiment.cells(quick=True)]
    table = experiment.page(results, quick=True).tables[0]
    assert [row[0] for row in table.rows[::2]] == [f"{name}, paper" for name in learners()]
    assert table.rows[0][1:7] == ["15.5", "3.0", "19.7", "20.7", "18.0", "32.7"]
    # Two published results of each task are highlighted: on Australian, C5.0 and WV+CS.
    best = {table.rows[row][0] for row, column in table.emphasis if column == 1 and row % 2 == 0}
    assert best == {f"{learners()[4]}, paper", "WV+CS, paper"}


def test_the_two_best_are_the_lowest_with_ties():
    assert two_best([[3.0, 1.0, 2.0], [1.0, 1.0, 1.0]]) == {(1, 0), (2, 0), (0, 1), (1, 1), (2, 1)}


@pytest.mark.parametrize("installed", [True, False])
def test_boosted_tree_rules_stand_for_c50_where_its_package_is_absent(monkeypatch, installed):
    spec = object() if installed else None
    monkeypatch.setattr(f"{PUBLISHED}.rule_learners.find_spec", lambda name: spec)
    assert (C50_PACKAGE in learners()) == installed
    assert (STAND_IN in learners()) != installed
    experiment = ScTable()
    results = [Result(cell, faked(cell), 0.1) for cell in experiment.cells(quick=True)]
    text = experiment.page(results, quick=True).text(1000)
    assert ("boosted trees stand for C5.0" in text) != installed
