"""BuildSCM in cases that can be followed by hand."""

import math

import numpy as np
import pytest

from rulewright.data import NumericColumn, Table, detect_table
from rulewright.families import as_families
from rulewright.learners import GreedyTask, Sample, covering_stages
from rulewright.learners.scm import build_scm
from rulewright.models import read_penalty
from rulewright.rules import Conjunction, Disjunction, Threshold


def steps_of(task, kind, p, max_rules):
    return list(build_scm(task, kind, read_penalty(p), max_rules))


def task_of(columns, y, family="auto"):
    table = Table([NumericColumn(n, np.array(x, float)) for n, x in columns.items()], len(y))
    return GreedyTask(Sample.of(table, np.array(y, np.int32), ("no", "yes")), as_families(family))


def test_a_penalty_is_the_decimal_that_was_typed():
    """0.1 + 0.2 is not 0.3: ten times a loss at 0.1 ties with one more covered, exactly."""
    x = [0.0] * 11 + [1.0]
    y = [0] + [1] * 10 + [1]
    steps = steps_of(task_of({"x": x}, y), "conjunction", 0.1, 1)
    # Rejecting the heap covers 1 and loses 10 at 0.1 each: useful by exactly nothing, yet taken.
    assert [step.predicate for step in steps] == [Threshold("x", True, 0.0)]


def test_valiants_algorithm_is_the_machine_with_infinite_penalty():
    """Valiant (1984), Haussler (1988): keep the attributes true of all positives, then cover."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 6)).astype(float)
    y = (X[:, 1] * (1 - X[:, 4])).astype(np.int32)
    columns = {f"a{j}": X[:, j] for j in range(6)}
    steps = steps_of(task_of(columns, y), "conjunction", math.inf, math.inf)
    assert {step.predicate for step in steps} == {
        Threshold("a1", True, 0.0),
        Threshold("a4", False, 0.0),
    }
    assert not any((step.settled & (y == 1)).any() for step in steps)  # no positive is lost


def path_of(task, kind, p, most):
    return [stage.entry for stage in covering_stages(task, kind, read_penalty(p), most)]


def test_a_greedy_cover_stops_when_all_is_covered():
    task = task_of({"x": [1, 2, 3, 4]}, [1, 1, 0, 0])
    assert len(steps_of(task, "conjunction", 1.0, 10)) == 1


def test_nothing_to_cover_with_means_the_majority():
    task = task_of({"x": [5, 5, 5]}, [1, 0, 1])
    (entry,) = path_of(task, "conjunction", 1.0, 5)
    assert entry.size == 0
    assert entry.model.body == Conjunction((), then=1, otherwise=0)
    assert entry.errors == 1
    assert str(entry.model) == "always yes"


def test_a_negative_usefulness_is_still_taken_where_there_is_no_better():
    """Both thresholds are false on the missing row, so each loses it; one covers all the same."""
    task = task_of({"x": [1, 1, math.nan, math.nan]}, [0, 1, 1, 1])
    steps = steps_of(task, "conjunction", 5.0, 1)
    assert len(steps) == 1
    assert (steps[0].settled & (task.sample.y == 0)).sum() == 1


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_the_model_is_the_same_for_any_number_of_threads(kind):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(400, 12)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 5]) > 0.3).astype(np.int32)
    sample = Sample.of(detect_table(X), y, (0, 1))
    tasks = [GreedyTask(sample, as_families("auto"), threads=n) for n in (1, 2, 8)]
    paths = [path_of(task, kind, 1.5, 8) for task in tasks]
    assert paths[0] == paths[1] == paths[2]


def test_kinds_are_built_as_they_are_named():
    task = task_of({"x": [1, 2, 3, 4]}, [0, 1, 1, 0])
    assert isinstance(path_of(task, "conjunction", 1.0, 3)[-1].model.body, Conjunction)
    assert isinstance(path_of(task, "disjunction", 1.0, 3)[-1].model.body, Disjunction)
