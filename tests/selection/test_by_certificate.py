"""Selection by certificate."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from rulewright.data import detect_table
from rulewright.families import as_families
from rulewright.learners.sample import Sample
from rulewright.learners.task import Task
from rulewright.selection import PENALTIES, select_by_certificate

X, Y = load_breast_cancer(return_X_y=True)
SAMPLE = Sample.of(detect_table(X), Y.astype(np.int32), (0, 1))
TASK = Task(SAMPLE, as_families("auto"))


def test_the_smallest_bound_of_all_that_were_tried_is_kept():
    selection = select_by_certificate(TASK, max_rules=4)
    bounds = [candidate.entry.certificate.bound for candidate in selection.tried]
    assert selection.chosen.entry.certificate.bound == min(bounds)
    assert selection.chosen.entry in selection.path
    assert {candidate.p for candidate in selection.tried} == {float(p) for p in PENALTIES}
    assert {candidate.kind for candidate in selection.tried} == {"conjunction", "disjunction"}


def test_the_choice_of_kind_is_paid_for():
    for candidate in select_by_certificate(TASK, max_rules=2).tried:
        assert candidate.entry.certificate.kinds == 2
        candidate.entry.certificate.verify(candidate.entry.model, X, Y)


def test_the_choice_is_the_same_for_any_number_of_threads():
    tasks = [Task(SAMPLE, as_families("auto"), threads=n) for n in (1, 2)]
    one, two = (select_by_certificate(task, max_rules=3) for task in tasks)
    assert one == two


def test_more_classes_get_a_list():
    wine = load_wine()
    sample = Sample.of(detect_table(wine.data), wine.target.astype(np.int32), (0, 1, 2))
    selection = select_by_certificate(Task(sample, as_families("auto")), max_rules=5)
    assert {candidate.kind for candidate in selection.tried} == {"list"}
    assert selection.chosen.entry.certificate.bound < 0.5
    selection.chosen.entry.certificate.verify(selection.chosen.entry.model, wine.data, wine.target)
