"""Selection by certificate."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from rulewright.data import detect_table
from rulewright.families import as_families
from rulewright.learners.covering import Task
from rulewright.learners.sample import Sample
from rulewright.selection import PENALTIES, select_by_certificate

X, Y = load_breast_cancer(return_X_y=True)
TASK = Task(Sample.of(detect_table(X), Y.astype(np.int32), (0, 1)), as_families("auto"))


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
    one, two = (select_by_certificate(TASK, max_rules=3, threads=n) for n in (1, 2))
    assert one == two
