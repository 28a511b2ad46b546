"""The standard grid, chosen from by certificate."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from rulewright.data import detect_table
from rulewright.families import as_families
from rulewright.learners import GreedyTask, Sample
from rulewright.selection import (
    PENALTIES,
    best_by_certificate,
    choices,
    make_runs,
    standard_runs,
)

X, Y = load_breast_cancer(return_X_y=True)
SAMPLE = Sample.of(detect_table(X), Y.astype(np.int32), (0, 1))
TASK = GreedyTask(SAMPLE, as_families("auto"))


def test_the_smallest_bound_of_all_that_were_tried_is_kept():
    tried = make_runs(standard_runs(TASK, 4), prune=False)
    bounds = [choice.entry.certificate.bound for choice in choices(tried)]
    assert best_by_certificate(tried).entry.certificate.bound == min(bounds)
    assert {run.run.point for run in tried} == set(range(len(PENALTIES)))
    assert {run.run.arrangement for run in tried} == {"conjunction", "disjunction"}


def test_the_choice_of_kind_is_paid_for():
    for choice in choices(make_runs(standard_runs(TASK, 2), prune=False)):
        certificate = choice.entry.certificate
        assert certificate.settings == 2
        assert dict(certificate.message)["which of the settings tried"] == np.log(2)
        certificate.verify(choice.entry.model, X, Y)


def test_the_choice_is_the_same_for_any_number_of_threads_and_with_pruning():
    found = []
    for threads, prune in ((1, False), (2, False), (1, True)):
        task = GreedyTask(SAMPLE, as_families("auto"), threads=threads)
        found.append(best_by_certificate(make_runs(standard_runs(task, 12), prune=prune)).entry)
    assert found[0] == found[1] == found[2]


def test_pruned_runs_are_shorter_and_lack_only_worse_machines():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 3))
    y = (points[:, 0] + 0.4 * rng.normal(size=300) > 0).astype(np.int32)
    sample = Sample.of(detect_table(points), y, (0, 1))
    task = GreedyTask(sample, as_families("balls"))
    whole = make_runs(standard_runs(task, np.inf), prune=False)
    pruned = make_runs(standard_runs(task, np.inf), prune=True)
    best = best_by_certificate(whole).worth
    assert sum(len(run.path) for run in pruned) < 0.8 * sum(len(run.path) for run in whole)
    for cut, run in zip(pruned, whole, strict=True):
        assert run.path[: len(cut.path)] == cut.path
        assert all(entry.certificate.bound > best for entry in run.path[len(cut.path) :])


def test_more_classes_get_a_list():
    wine = load_wine()
    sample = Sample.of(detect_table(wine.data), wine.target.astype(np.int32), (0, 1, 2))
    tried = make_runs(standard_runs(GreedyTask(sample, as_families("auto")), 5), prune=False)
    assert {run.run.arrangement for run in tried} == {"list"}
    entry = best_by_certificate(tried).entry
    assert entry.certificate.bound < 0.5
    entry.certificate.verify(entry.model, wine.data, wine.target)
