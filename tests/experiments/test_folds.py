"""All learners see the same folds, and no test row reaches a fit."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from rulewright.errors import InputError
from rulewright.experiments import (
    FitRecord,
    FitRecorder,
    LeakError,
    baseline,
    held_out_fold,
    make_folds,
    time_folds,
)


def data(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    y = np.where(X[:, 0] + rng.normal(size=rows) > 0, "yes", "no")
    return np.column_stack([X, np.arange(rows)]), y


def cross_validate(estimator, X, y, folds):
    """What an experiment does with a learner, right."""
    for fold in folds:
        clone(estimator).fit(X[fold.train], y[fold.train]).predict(X[fold.test])


def leaking(estimator, X, y, folds):
    """The same with a leak: the last fold learns from a row that it is tested on."""
    for fold in folds:
        rows = fold.train if fold is not folds[-1] else np.append(fold.train, fold.test[0])
        clone(estimator).fit(X[rows], y[rows]).predict(X[fold.test])


def recorded(run, estimator=None):
    X, y = data()
    record = FitRecord()
    run(FitRecorder(estimator or GaussianNB(), record), X, y, make_folds(y, folds=5, repeats=2))
    return record.fits


def test_all_learners_have_the_same_folds():
    assert recorded(cross_validate) == recorded(cross_validate, baseline("lda"))
    assert len(recorded(cross_validate)) == 10


def test_a_planted_leak_is_caught():
    with pytest.raises(LeakError, match="was tested on row .*, which it has learnt from"):
        recorded(leaking)


@given(
    st.integers(0, 10**6), st.integers(2, 5), st.lists(st.integers(0, 2), min_size=12, max_size=40)
)
def test_folds_are_a_partition_and_depend_on_content_only(seed, folds, labels):
    y = np.array(labels)
    made = make_folds(y, folds=folds, repeats=2, seed=seed)
    again = make_folds(y.tolist(), folds=folds, repeats=2, seed=seed)
    assert [f.test.tolist() for f in made] == [f.test.tolist() for f in again]
    for repeat in range(2):
        tests = [fold.test for fold in made if fold.repeat == repeat]
        assert sorted(np.concatenate(tests)) == list(range(y.size))
    for fold in made:
        assert sorted([*fold.train, *fold.test]) == list(range(y.size))
    shuffle = np.random.default_rng(seed).permutation(y.size)
    moved = make_folds(y[shuffle], folds=folds, repeats=2, seed=seed, order=np.argsort(shuffle))
    assert [sorted(shuffle[f.test]) for f in moved] == [f.test.tolist() for f in made]


def test_groups_stay_together():
    _, y = data()
    groups = np.arange(y.size) // 4
    for fold in make_folds(y, folds=3, groups=groups):
        assert not set(groups[fold.train]) & set(groups[fold.test])


def test_folds_without_strata_are_those_of_scikit_learn():
    from sklearn.model_selection import KFold

    y = data()[1]
    wanted = KFold(10, shuffle=True, random_state=4).split(y)
    found = make_folds(y, repeats=1, seed=4, stratified=False)
    assert [(a.tolist(), b.tolist()) for a, b in wanted] == [
        (fold.train.tolist(), fold.test.tolist()) for fold in found
    ]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40), st.integers(1, 6))
def test_folds_in_time_learn_from_the_past_only(times, folds):
    values = np.array(times)
    if len(set(times)) < 2:
        with pytest.raises(InputError, match="at least two different times"):
            time_folds(values, folds=folds)
        return
    made = time_folds(values, folds=folds)
    assert 1 <= len(made) <= folds
    for fold in made:
        assert values[fold.train].max() < values[fold.test].min()
    assert sorted(np.concatenate([made[0].train, *(f.test for f in made)])) == list(
        range(values.size)
    )


def test_a_file_to_test_on_is_one_fold():
    fold = held_out_fold(3, 2)
    assert (fold.train.tolist(), fold.test.tolist()) == ([0, 1, 2], [3, 4])


@pytest.mark.parametrize("name", ["lda", "naive-bayes", "majority"])
def test_the_preparation_of_a_baseline_depends_on_training_rows_only(name):
    X, y = data()
    rows = np.arange(40)
    encoded = clone(baseline(name)).fit(X[rows], y[rows])["encoder"].transform(X[rows])
    changed = X.copy()
    changed[40:] = 1e6
    again = clone(baseline(name)).fit(changed[rows], y[rows])["encoder"].transform(X[rows])
    assert np.array_equal(encoded, again)
