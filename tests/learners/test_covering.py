"""BuildSCM against brute force, step by step."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import covering as oracle
from strategies.mixed import tables

from rulewright.data import NumericColumn, Table, detect_table
from rulewright.families import as_families, prepare
from rulewright.learners.covering import Task, build_scm, covering_paths
from rulewright.learners.parameters import read_penalty
from rulewright.learners.sample import Sample
from rulewright.rules import Conjunction, Disjunction, Threshold

PENALTIES = [0.0, 0.1, 0.5, 1.0, 1.1, 3.0, math.inf]


@st.composite
def tasks(draw, weights=(1.0,)):
    table = draw(tables(most_rows=14, least_rows=2))
    y = draw(hnp.arrays(np.int32, table.rows, elements=st.integers(0, 1)))
    weight = draw(hnp.arrays(np.float64, table.rows, elements=st.sampled_from(list(weights))))
    names = draw(st.sampled_from([["thresholds"], ["categories", "missing"], ["auto"]]))
    families = as_families(names)
    return Task(Sample.of(table, y, ("no", "yes"), weight=weight), families)


def names_of(task):
    return [family.name for family in task.families]


def steps_of(task, kind, p, max_rules):
    search = prepare(task.families, task.sample.table)
    return list(build_scm(task, kind, read_penalty(p), max_rules, search))


@settings(max_examples=200)
@given(
    tasks(weights=(0.5, 1.0, 2.0, 3.0)),
    st.sampled_from(["conjunction", "disjunction"]),
    st.sampled_from(PENALTIES),
    st.sampled_from([1, 3, math.inf]),
)
def test_every_step_takes_the_most_useful_predicate_in_the_documented_order(task, kind, p, most):
    chosen = [step.predicate for step in steps_of(task, kind, p, most)]
    expected = oracle.build_scm(
        task.sample.table, task.sample.y, task.sample.weight, kind, p, most, names_of(task)
    )
    assert chosen == [h for h, _ in expected]


@given(tasks(), st.sampled_from(PENALTIES))
def test_the_path_counts_what_its_models_do(task, p):
    kinds = ("conjunction", "disjunction")
    search = prepare(task.families, task.sample.table)
    for path in covering_paths(task, kinds, read_penalty(p), 4, search):
        for entry in path:
            answers = entry.model.body.classify(task.sample.table)
            assert entry.errors == (answers != task.sample.y).sum()
            assert entry.size == entry.model.body.literals
            rule = entry.model.body.answer(task.sample.table)
            for number, weights in enumerate(entry.model.evidence):
                here = rule == number
                assert list(weights) == [(task.sample.y[here] == c).sum() for c in (0, 1)]


@given(tasks(), st.sampled_from([1.0, 2.0, math.inf]))
def test_every_certificate_on_the_path_verifies(task, p):
    search = prepare(task.families, task.sample.table)
    for path in covering_paths(task, ("conjunction", "disjunction"), read_penalty(p), 4, search):
        for entry in path:
            labels = np.array(["no", "yes"])[task.sample.y]
            entry.certificate.verify(entry.model, task.sample.table, labels)


@given(tasks(), st.sampled_from(PENALTIES))
def test_usefulness_is_what_the_last_rule_covers_less_what_it_loses(task, p):
    for kind in ("conjunction", "disjunction"):
        search = prepare(task.families, task.sample.table)
        (path,) = covering_paths(task, (kind,), read_penalty(p), 4, search)
        expected = oracle.build_scm(
            task.sample.table, task.sample.y, task.sample.weight, kind, p, 4, names_of(task)
        )
        for entry, (_, value) in zip(path, expected, strict=False):
            if p == math.inf:
                loses, covers = -value[0], value[1]
                assert entry.usefulness == (covers if loses == 0 else -math.inf)
            else:
                assert entry.usefulness == pytest.approx(float(value[0]))


def task_of(columns, y, family="auto"):
    table = Table([NumericColumn(n, np.array(x, float)) for n, x in columns.items()], len(y))
    return Task(Sample.of(table, np.array(y, np.int32), ("no", "yes")), as_families(family))


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
    assert all(step.counts[1] == 0 for step in steps)  # no positive is lost


def test_a_greedy_cover_stops_when_all_is_covered():
    task = task_of({"x": [1, 2, 3, 4]}, [1, 1, 0, 0])
    assert len(steps_of(task, "conjunction", 1.0, 10)) == 1


def test_nothing_to_cover_with_means_the_majority():
    task = task_of({"x": [5, 5, 5]}, [1, 0, 1])
    (path,) = covering_paths(
        task, ("conjunction",), read_penalty(1.0), 5, prepare(task.families, task.sample.table)
    )
    (entry,) = path
    assert entry.size == 0
    assert entry.model.body == Conjunction((), then=1, otherwise=0)
    assert entry.errors == 1
    assert str(entry.model) == "always yes"


def test_a_negative_usefulness_is_still_taken_where_there_is_no_better():
    """Both thresholds are false on the missing row, so each loses it; one covers all the same."""
    task = task_of({"x": [1, 1, math.nan, math.nan]}, [0, 1, 1, 1])
    steps = steps_of(task, "conjunction", 5.0, 1)
    assert len(steps) == 1
    assert steps[0].counts[0] == 1


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_the_model_is_the_same_for_any_number_of_threads(kind):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(400, 12)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 5]) > 0.3).astype(np.int32)
    table = detect_table(X)
    task = Task(Sample.of(table, y, (0, 1)), as_families("auto"))
    paths = [
        covering_paths(task, (kind,), read_penalty(1.5), 8, prepare(task.families, table, n))
        for n in (1, 2, 8)
    ]
    assert paths[0] == paths[1] == paths[2]


def test_kinds_are_built_as_they_are_named():
    task = task_of({"x": [1, 2, 3, 4]}, [0, 1, 1, 0])
    search = prepare(task.families, task.sample.table)
    conjunction, disjunction = covering_paths(
        task, ("conjunction", "disjunction"), read_penalty(1.0), 3, search
    )
    assert isinstance(conjunction[-1].model.body, Conjunction)
    assert isinstance(disjunction[-1].model.body, Disjunction)
