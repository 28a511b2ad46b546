"""Covering machines of balls and half-spaces as users meet them."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score

from rulewright import SetCoveringMachine, load_model
from rulewright.errors import InputError
from rulewright.rules import Ball, HalfSpace

CANCER = load_breast_cancer(as_frame=True)
X, Y = CANCER.data.iloc[:, :4], CANCER.target


@pytest.mark.parametrize("kind", ["conjunction", "disjunction", "best"])
@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("scale", ["none", "standard", "rank"])
@pytest.mark.parametrize("family", ["balls", "half_spaces"])
def test_every_size_verifies_and_comes_back_from_its_file(
    family, scale, consistent, kind, tmp_path
):
    rows = slice(0, None, 4)
    data, y = X.iloc[rows].reset_index(drop=True), Y.iloc[rows].reset_index(drop=True)
    machine = SetCoveringMachine(
        kind=kind, family=family, scale=scale, consistent=consistent, penalty=2.0, max_rules=3
    ).fit(data, y)
    for entry in machine.path_:
        entry.certificate.verify(entry.model, data, y)
        if consistent:
            examples = list(entry.certificate.examples)
            assert (entry.model.predict(data.iloc[examples]) == y[examples]).all()
    machine.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    loaded.certificate.verify(loaded, data, y)
    assert (loaded.predict(X) == machine.predict(X)).all()
    assert machine.score(data, y) > 0.8


def test_a_consistent_machine_pays_less_for_its_message():
    named, implied = (
        SetCoveringMachine(family="half_spaces", penalty=1.0, max_rules=3, consistent=c).fit(X, Y)
        for c in (False, True)
    )
    for one, other in zip(named.path_, implied.path_, strict=False):
        if one.model.body == other.model.body:
            assert other.certificate.message_nats <= one.certificate.message_nats


def test_duplicates_sit_exactly_on_the_border_in_training_and_in_prediction():
    """The same row again is on the same side, bit for bit, for every metric and kernel."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 3)) * [1.0, 1e-3, 1e5]
    y = (data[:, 0] + rng.normal(size=60) > 0).astype(int)
    options = [{"metric": m} for m in ("l1", "l2", "linf")]
    options += [{"metric": "kernel", "kernel": "rbf", "gamma": 1e-3}]
    options += [{"family": "half_spaces", "kernel": k} for k in ("linear", "rbf", "polynomial")]
    for option in options:
        machine = SetCoveringMachine(**{"family": "balls", "max_rules": 3, **option}).fit(data, y)
        part = machine.model_.body.parts[0]
        border = data[[part.anchored_on[-1]]]
        assert bool(part.holds(machine.model_.table(border))[0])  # it does not fire there
        single = [machine.model_.predict(data[[row]])[0] for row in range(60)]
        assert single == machine.predict(data).tolist()


def test_a_kernel_may_be_a_function_or_precomputed():
    rows = slice(0, None, 5)
    data, y = X.to_numpy()[rows], Y.to_numpy()[rows]

    def likeness(a, b):
        return float(np.exp(-1e-3 * ((a - b) ** 2).sum()))

    options = {"family": "half_spaces", "max_rules": 2}
    named = SetCoveringMachine(kernel="rbf", gamma=1e-3, **options).fit(data, y)
    own = SetCoveringMachine(kernel=likeness, **options).fit(data, y)
    gram = rbf_kernel(data, data, gamma=1e-3)
    given = SetCoveringMachine(kernel="precomputed", **options).fit(gram, y)
    for machine, rows_given in ((own, data), (given, gram)):
        assert machine.path_[0].usefulness == pytest.approx(named.path_[0].usefulness, abs=2)
        machine.certificate_.verify(machine.model_, rows_given, y)
    assert cross_val_score(given, gram, y, cv=3).mean() > 0.7


def test_a_mixture_takes_the_best_of_both():
    mixed = SetCoveringMachine(family=["thresholds", "balls", "half_spaces"], penalty=2.0).fit(X, Y)
    for family in ("thresholds", "balls", "half_spaces"):
        alone = SetCoveringMachine(family=family, penalty=2.0).fit(X, Y)
        assert mixed.path_[0].usefulness >= alone.path_[0].usefulness
    mixed.certificate_.verify(mixed.model_, X, Y)


def test_reading_a_ball_and_a_half_space():
    ball = SetCoveringMachine(family="balls", max_rules=1).fit(X, Y)
    half = SetCoveringMachine(family="half_spaces", max_rules=1).fit(X, Y)
    assert isinstance(ball.model_.body.parts[0], Ball)
    assert isinstance(half.model_.body.parts[0], HalfSpace)
    centre, _ = ball.model_.body.parts[0].anchored_on
    toward, away, _ = half.model_.body.parts[0].anchored_on
    assert f"example {centre} ({min(X.columns)} {X[min(X.columns)].iloc[centre]:g}" in str(
        ball.model_
    )
    assert f"more like example {toward} than example {away}" in str(half.model_)
    assert " mean radius " in str(half.model_)
    assert "distance" in ball.explain(X.head(1))["why"].item()
    assert "margin" in half.explain(X.head(1))["why"].item()


@pytest.mark.slow
def test_10_000_rows_neither_exhaust_memory_nor_run_for_ever():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(10_000, 4))
    y = (data[:, 0] + data[:, 1] > 0).astype(int)
    for family in ("balls", "half_spaces"):
        machine = SetCoveringMachine(family=family, max_rules=1)
        with pytest.warns(UserWarning, match="max_candidates") as caught:
            machine.fit(data, y)
        assert len([w for w in caught if "max_candidates" in str(w.message)]) == 1
        assert machine.score(data, y) > 0.7


def test_more_memory_than_there_may_be_is_refused_with_the_way_out():
    data = np.arange(40_000.0).reshape(-1, 1)
    machine = SetCoveringMachine(family="half_spaces", max_candidates=None)
    with pytest.raises(InputError, match=r"needs 11.9 GB.*Set max_candidates"):
        machine.fit(data, np.arange(40_000) % 2)


def test_infinite_distances_do_no_harm():
    data = np.array([[1e200, 0.0], [-1e200, 1.0], [1e200, 2.0], [-1e200, 3.0]] * 5)
    y = np.array([0, 1, 0, 1] * 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for family in ("balls", "half_spaces"):
            machine = SetCoveringMachine(family=family).fit(data, y)
            machine.certificate_.verify(machine.model_, data, y)
            assert machine.predict(data).shape == (20,)


def test_a_distance_that_overflows_hides_no_other_ball():
    data = np.array([[0.0], [1.0], [2.0], [1e200]])
    machine = SetCoveringMachine(kind="disjunction", family="balls").fit(data, [1, 0, 1, 0])
    assert machine.path_[-1].size > 0


def test_what_is_missing_in_prediction_is_refused():
    machine = SetCoveringMachine(family="balls", max_rules=1).fit(X, Y)
    holes = X.head(3).copy()
    holes.iloc[1, 0] = np.nan
    with pytest.raises(InputError, match="'mean radius' has 1 missing values"):
        machine.predict(holes)
