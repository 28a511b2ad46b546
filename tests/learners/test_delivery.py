"""deliver="all": a model with a split certificate that the learner also finds in all rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_breast_cancer
from strategies.effort import EIGHTH
from strategies.mixed import tables

from rulewright import AutoClassifier, RipperClassifier, SetCoveringMachine
from rulewright.certificates import DesignRows, PoolMember
from rulewright.errors import InputError
from rulewright.learners import SETTINGS, Sample, learn, run_settings

NOTICE = "No model learnt from all rows occurs among the candidates, so "


def noisy(rows=120, seed=0):
    """Numbers of which the first two matter, and a third of the labels at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    y = np.where(rng.random(rows) < 0.3, rng.random(rows) < 0.5, X[:, 0] + X[:, 1] > 0)
    return pd.DataFrame(X, columns=list("abcde")), y.astype(int)


def identity(body):
    """A model as text, without its training rows."""
    return PoolMember(body, "").identity


def learnt_from_all(settings, sample):
    """Models that the learners of the settings make of all rows."""
    design = DesignRows(
        sample.table, sample.y, sample.weight, sample.classes, np.arange(sample.y.size)
    )
    result = run_settings(settings, design, sample.categorical)
    return [member.body for group in result.learners for member in group]


@pytest.mark.parametrize(
    "machine", [SetCoveringMachine(n_splits=10, check_share=1 / 3), AutoClassifier()]
)
def test_the_model_is_among_those_learnt_from_all_rows(machine):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    machine = machine.set_params(certificate="split", deliver="all").fit(X, y)
    sample = machine._sample(X, y, None)
    learnt = {identity(body) for body in learnt_from_all(machine.settings(), sample)}
    assert identity(machine.model_.body) in learnt
    assert machine.model_.body.literals > 0
    assert machine.certificate_.form == "split"
    machine.certificate_.verify(machine.model_, X, y)


def test_it_only_chooses_so_the_splits_and_their_recipe_stay_the_same():
    X, y = noisy()
    both = [
        RipperClassifier(certificate="split", deliver=deliver).fit(X, y).certificate_
        for deliver in ("best", "all")
    ]
    assert both[0].recipe == both[1].recipe
    assert both[0].key == both[1].key
    assert "deliver" not in both[0].recipe["parameters"]


def fall_back():
    """A sample of which RIPPER learns other models than from its parts."""
    for seed in range(20):
        X, y = noisy(seed=seed)
        estimator = RipperClassifier(certificate="split", deliver="all", n_splits=1)
        sample = estimator._sample(X, y, None)
        path = learn(estimator.settings(), sample)
        if path.notices:
            return X, y, sample, path
    raise AssertionError("every sample has a model in common with its parts")


def test_without_a_model_in_common_the_best_candidate_is_delivered_with_a_notice():
    X, y, sample, path = fall_back()
    (notice,) = path.notices
    assert notice.startswith(NOTICE)
    settings = SETTINGS["ripper"](certificate="split", n_splits=1)
    best = learn(settings, sample)
    assert best.notices == ()
    assert path.entry.model == best.entry.model
    assert path.entry.certificate == best.entry.certificate
    path.entry.certificate.verify(path.entry.model, X, y)
    known = {identity(body) for body in learnt_from_all(settings, sample) if body.literals}
    every = {identity(entry.model.body) for entry in path.entries if entry.model.body.literals}
    assert every
    assert not known & every


def test_one_answer_for_all_rows_counts_only_where_nothing_else_is_learnt():
    X, y = pd.DataFrame({"a": np.zeros(40)}), np.repeat([0, 1], [30, 10])
    estimator = RipperClassifier(certificate="split", deliver="all")
    path = learn(estimator.settings(), estimator._sample(X, y, None))
    assert path.entry.model.body.literals == 0
    assert path.notices == ()
    _, _, sample, path = fall_back()
    settings = SETTINGS["ripper"](certificate="split", deliver="all", n_splits=1)
    assert any(not body.literals for body in learnt_from_all(settings, sample))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column .* categories in:UserWarning")
@pytest.mark.parametrize("learner", ["scm", "ripper", "tree"])
@EIGHTH
@given(data=st.data(), table=tables(least_rows=12, most_rows=40))
def test_on_any_data_the_model_is_learnt_from_all_rows_or_there_is_a_notice(learner, data, table):
    y = data.draw(hnp.arrays(np.int32, table.rows, elements=st.integers(0, 1)))
    y[:4] = 0, 1, 0, 1
    settings = SETTINGS[learner](certificate="split", deliver="all", n_splits=2)
    sample = Sample.of(table, y, ("no", "yes"))
    try:
        path = learn(settings, sample)
    except InputError as error:  # a class is absent from the design rows, or no column is left
        assert "too rare" in str(error) or "column" in str(error)
        return
    learnt = learnt_from_all(settings, sample)
    body = path.entry.model.body
    if path.notices:
        assert path.notices[0].startswith(NOTICE)
        assert identity(body) not in {identity(one) for one in learnt if one.literals}
    else:
        assert identity(body) in {identity(one) for one in learnt}
        assert body.literals or not any(one.literals for one in learnt)
    path.entry.certificate.verify(path.entry.model, table, np.array(["no", "yes"])[y])


def test_another_delivery_is_refused():
    with pytest.raises(InputError, match="deliver must be one of 'best', 'all', got 'most'"):
        SETTINGS["scm"](deliver="most")
