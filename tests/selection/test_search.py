"""BoundSearch: the best certificate of a grid, or the fewest errors in testing."""

import dataclasses
import math

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import (
    KFold,
    ParameterGrid,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from strategies.mixed import tables

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine, load_model
from rulewright.bounds import compression_tail
from rulewright.data import canonical_rows, detect_table
from rulewright.errors import CertificateError, InputError
from rulewright.families import GivenPredicates
from rulewright.learners import covering_stages

RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(120, 3)), 1)
Y = (X[:, 0] + X[:, 1] + 0.6 * RNG.normal(size=120) > 0).astype(int)
THREE = Y + (X[:, 2] > 0.5)
NAMES = ["length", "width", "depth"]
PENALTIES = {"penalty": [0.5, 1, 3, math.inf]}


def search(machine=None, grid=PENALTIES, X=X, y=Y, weight=None, **options):
    machine = SetCoveringMachine() if machine is None else machine
    return BoundSearch(machine, grid, **options).fit(X, y, sample_weight=weight)


def repriced(certificate, settings):
    """Give the bound of a certificate that pays for a choice among so many settings."""
    return compression_tail(
        m=certificate.m,
        roles=[len(rows) for rows in certificate.roles.values()],
        k=certificate.errors,
        log_message=certificate.message_nats + math.log(settings),
        delta=certificate.delta,
        aside=sum(certificate.aside),
    )


def by_hand(machine, grid, settings, X=X, y=Y):
    """Fit every point of the grid, and give the bounds of all sizes."""
    return [
        repriced(entry.certificate, settings)
        for point in ParameterGrid(grid)
        for entry in clone(machine).set_params(**point).fit(X, y).path_
    ]


@pytest.mark.parametrize(
    ("machine", "grid", "number", "y"),
    [
        (SetCoveringMachine(max_rules=6), PENALTIES, 1, Y),
        (
            SetCoveringMachine(max_rules=4),
            {
                "kind": ["conjunction", "disjunction"],
                "family": ["thresholds", "balls"],
                "penalty": [1, 2],
            },
            4,
            Y,
        ),
        (
            SetCoveringMachine(family="half_spaces", max_rules=2),
            [{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": [0.1, 1.0]}],
            3,
            Y,
        ),
        (SetCoveringMachine(family="balls"), {"scale": ["none", "standard", "rank"]}, 3, Y),
        (
            DecisionListMachine(family="balls", max_rules=5),
            {"types": ["simple", "complex"]},
            2,
            THREE,
        ),
        (
            DecisionListMachine(family="auto", max_rules=5),
            {"penalty": [1, 5], "consistent": [True, False]},
            2,
            THREE,
        ),
    ],
)
def test_the_smallest_certified_error_of_all_is_chosen(machine, grid, number, y):
    found = search(machine, grid, y=y, prune=False)
    bounds = by_hand(machine, grid, number, y=y)
    assert found.certificate_.settings == number
    assert found.certificate_.bound == pytest.approx(min(bounds), abs=1e-12)
    assert found.results_["bound"].to_numpy() == pytest.approx(bounds, abs=1e-12)
    found.certificate_.verify(found.model_, X, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column")
@settings(max_examples=25, deadline=None)
@given(tables(least_rows=4), st.data())
def test_the_smallest_is_chosen_on_ugly_data_and_pruning_changes_nothing(table, data):
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=table.rows, max_size=table.rows)))
    y[:2] = 0, 1
    machine = SetCoveringMachine(delta=data.draw(st.sampled_from([0.05, 0.9])))
    grid = {"penalty": [0.5, math.inf], "kind": ["conjunction", "disjunction"]}
    whole = search(machine, grid, X=table, y=y, prune=False)
    pruned = search(machine, grid, X=table, y=y)
    assert whole.certificate_.bound == pytest.approx(min(by_hand(machine, grid, 2, table, y)))
    assert pruned.model_ == whole.model_
    assert pruned.certificate_ == whole.certificate_
    assert pruned.best_params_ == whole.best_params_
    pruned.certificate_.verify(pruned.model_, table, y)


@pytest.mark.parametrize(
    ("machine", "grid", "y"),
    [
        (SetCoveringMachine(kind="best", max_rules=None), PENALTIES, Y),
        (SetCoveringMachine(family="balls", max_rules=None, consistent=True), PENALTIES, Y),
        (SetCoveringMachine(family="balls", scale="rank", max_rules=None), PENALTIES, Y),
        (SetCoveringMachine(max_rules=None, class_costs={0: 3}), PENALTIES, Y),
        (SetCoveringMachine(max_rules=None), {"class_costs": [None, {0: 3}], "penalty": [1, 9]}, Y),
        (DecisionListMachine(max_rules=None), {"penalty": [0.5, 2, math.inf]}, THREE),
        (DecisionListMachine(family="half_spaces", scale="standard"), {"penalty": [1]}, Y),
    ],
)
def test_neither_pruning_nor_threads_change_the_choice(machine, grid, y):
    whole = search(machine, grid, y=y, prune=False)
    for options in ({"prune": True}, {"prune": True, "n_jobs": 2}, {"prune": False, "n_jobs": -1}):
        other = search(machine, grid, y=y, **options)
        assert other.model_ == whole.model_
        assert other.certificate_ == whole.certificate_
        assert other.best_params_ == whole.best_params_
        assert other.path_ == whole.path_


@pytest.mark.filterwarnings("ignore:(types|metric) has no effect")
@pytest.mark.filterwarnings("ignore:Family 'balls' has")
@pytest.mark.parametrize(
    ("machine", "grid", "number"),
    [
        (SetCoveringMachine(), {"penalty": [1, 2, 3]}, 1),
        (SetCoveringMachine(), {"max_rules": [1, 2], "random_state": [0, 1]}, 1),
        (SetCoveringMachine(family="balls"), {"max_candidates": [5, None]}, 1),
        (SetCoveringMachine(), {"class_costs": [None, {1: 2}, {0: 2}]}, 1),
        (DecisionListMachine(), {"penalty": [1, (1, 2), {0: 1, 1: 3}]}, 1),
        (SetCoveringMachine(), {"kind": ["conjunction", "disjunction"]}, 2),
        (SetCoveringMachine(kind="best"), {"penalty": [1, 2]}, 2),
        (SetCoveringMachine(), {"kind": ["best", "conjunction"]}, 2),
        (SetCoveringMachine(kind="best"), {"consistent": [True, False]}, 4),
        (SetCoveringMachine(), {"family": ["thresholds", "balls", ["thresholds", "balls"]]}, 3),
        (SetCoveringMachine(), {"family": ["auto", ["thresholds", "categories", "missing"]]}, 1),
        pytest.param(
            SetCoveringMachine(),
            {"metric": ["l1", "l2"], "kernel": ["linear", "rbf"]},
            1,
            marks=pytest.mark.filterwarnings("ignore:.* no effect with family='auto'"),
        ),
        (SetCoveringMachine(family="balls"), {"metric": ["l1", "l2", "linf"]}, 3),
        (SetCoveringMachine(family="balls"), {"gamma": [1, 2], "kernel": ["rbf", "linear"]}, 1),
        (
            SetCoveringMachine(family="balls", metric="kernel", max_rules=1),
            {"gamma": [1, 2], "kernel": ["rbf", "linear"]},
            3,
        ),
        (
            SetCoveringMachine(family="half_spaces", max_rules=1),
            {"gamma": [1, 2], "degree": [2]},
            1,
        ),
        (
            SetCoveringMachine(family="half_spaces", kernel="rbf", max_rules=1),
            {"gamma": [1, 2], "coef0": [0.0, 1.0]},
            2,
        ),
        (SetCoveringMachine(family="balls"), {"scale": ["none", "rank"]}, 2),
        (DecisionListMachine(family="balls"), {"types": ["simple", "complex"]}, 2),
        (DecisionListMachine(family="auto"), {"types": ["simple", "complex"]}, 1),
    ],
)
def test_only_what_a_reconstruction_depends_on_is_paid_for(machine, grid, number):
    certificate = search(machine, grid).certificate_
    assert certificate.settings == number
    paid = dict(certificate.message).get("which of the settings tried", 0.0)
    assert paid == pytest.approx(math.log(number))


def test_the_certificate_verifies_after_a_file_and_a_forged_one_does_not(tmp_path):
    found = search(SetCoveringMachine(kind="best"), {"family": ["thresholds", "balls"]})
    found.save_model(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model == found.model_
    assert model.certificate == found.certificate_
    assert model.certificate.settings == 4
    model.certificate.verify(model, X, Y)
    forged = dataclasses.replace(found.certificate_, settings=1)
    with pytest.raises(CertificateError, match="message is not the one that rebuilds the model"):
        forged.verify(model, X, Y)


def by_size(entry):
    return entry.size


def lost_by_hand(machine, grid, folds, sizes, y=Y, weight=None):
    """Cross-validate each point of the grid; one fit a fold gives the losses of all sizes."""
    weight = np.ones(len(y)) if weight is None else weight
    lost = []
    for point, many in zip(ParameterGrid(grid), sizes, strict=True):
        rates = []
        for train, test in folds:
            fitted = clone(machine).set_params(**point).fit(X[train], y[train], weight[train])
            # The path has no size whose last rule changes nothing: the next smaller stands for it.
            entries = [
                max((e for e in fitted.path_ if e.size <= size), key=by_size) for size in many
            ]
            rates.append(
                [weight[test] @ (e.model.predict(X[test]) != y[test]) for e in entries]
                / weight[test].sum()
            )
        shares = [weight[test].sum() / weight.sum() for _, test in folds]
        lost.append((shares @ np.array(rates), np.std(rates, axis=0, ddof=1) / np.sqrt(len(folds))))
    return lost


@pytest.mark.parametrize(
    ("machine", "grid", "y"),
    [
        (SetCoveringMachine(max_rules=4), PENALTIES, Y),
        (DecisionListMachine(family="auto", max_rules=5), {"penalty": [0.5, 1, 4]}, THREE),
    ],
)
def test_cross_validation_is_the_one_made_by_hand(machine, grid, y):
    found = search(machine, grid, y=y, by="cv", cv=5, random_state=3)
    results = found.results_
    sizes = [list(part["size"]) for _, part in results.groupby(results.columns[0])]
    order = canonical_rows(detect_table(X), y, np.ones(len(y)))
    parts = StratifiedKFold(5, shuffle=True, random_state=3).split(X[order], y[order])
    folds = [(order[train], order[test]) for train, test in parts]
    lost = lost_by_hand(machine, grid, folds, sizes, y)
    assert results["cv_loss"].to_numpy() == pytest.approx(np.concatenate([a for a, _ in lost]))
    assert results["cv_deviation"].to_numpy() == pytest.approx(np.concatenate([b for _, b in lost]))
    chosen = results[results["chosen"]].iloc[0]
    assert chosen["cv_loss"] == results["cv_loss"].min()
    assert chosen["size"] == results["size"][results["cv_loss"] == chosen["cv_loss"]].min()
    refitted = clone(machine).set_params(**found.best_params_).fit(X, y)
    assert refitted.model_ == found.model_
    found.certificate_.verify(found.model_, X, y)


def test_weights_count_in_cross_validation():
    weight = np.round(RNG.uniform(0.5, 3, size=120), 1)
    folds = list(KFold(4).split(X))
    machine = SetCoveringMachine(max_rules=3)
    results = search(machine, by="cv", cv=KFold(4), weight=weight).results_
    sizes = [list(part["size"]) for _, part in results.groupby("param_penalty")]
    lost = lost_by_hand(machine, PENALTIES, folds, sizes, weight=weight)
    assert results["cv_loss"].to_numpy() == pytest.approx(np.concatenate([a for a, _ in lost]))


def test_one_greedy_run_gives_all_sizes(monkeypatch):
    runs = []
    monkeypatch.setattr(
        "rulewright.learners.scm.settings.covering_stages",
        lambda *a: runs.append(a) or covering_stages(*a),
    )
    search(SetCoveringMachine(max_rules=8), {"penalty": [1, 2]}, by="cv", cv=3)
    assert len(runs) == 2 * (1 + 3)


@pytest.mark.parametrize("by", ["bound", "cv", "holdout"])
def test_rows_of_weight_zero_are_absent_and_the_others_keep_their_numbers(by):
    weight = (np.arange(120) % 4 != 1).astype(float)
    kept = np.flatnonzero(weight)
    machine = SetCoveringMachine(family="balls", max_rules=3)
    weighted = search(machine, weight=weight, by=by, cv=3)
    dropped = search(machine, X=X[kept], y=Y[kept], by=by, cv=3)
    assert weighted.best_params_ == dropped.best_params_
    assert weighted.model_.evidence == dropped.model_.evidence
    assert weighted.certificate_.bound == dropped.certificate_.bound
    one, other = weighted.tail_certificate_, dropped.tail_certificate_
    assert one.examples == tuple(kept[list(other.examples)])
    if by == "holdout":
        assert weighted.certificate_.held == tuple(kept[list(dropped.certificate_.held)])
    weighted.certificate_.verify(weighted.model_, X, Y, sample_weight=weight)


def test_folds_that_are_given_name_the_rows_of_the_table():
    """Found by scikit-learn's check of weights: folds were taken among the rows that count."""
    weight = (np.arange(120) > 30).astype(float)
    folds = list(KFold(3).split(X))
    inside = [(train[train > 30] - 31, test[test > 30] - 31) for train, test in folds]
    machine = SetCoveringMachine(max_rules=3)
    outer = search(machine, by="cv", cv=folds, weight=weight)
    inner = search(machine, X=X[31:], y=Y[31:], by="cv", cv=inside)
    assert (outer.results_["cv_loss"] == inner.results_["cv_loss"]).all()
    masks = [(np.isin(np.arange(120), a), np.isin(np.arange(120), b)) for a, b in folds]
    assert (search(machine, by="cv", cv=masks).model_) == (
        search(machine, by="cv", cv=folds).model_
    )


def test_folds_may_come_from_any_splitter():
    splitter = ShuffleSplit(3, random_state=0)
    found = search(by="cv", cv=splitter)
    same = search(by="cv", cv=list(splitter.split(X)))
    assert (found.results_["cv_loss"] == same.results_["cv_loss"]).all()
    assert search(by="cv", cv=np.int64(3)).best_params_ == search(by="cv", cv=3).best_params_


def test_a_fold_may_lack_a_class():
    rare = np.zeros(120, int)
    rare[[3, 50]] = 1
    for by in ("cv", "holdout"):
        assert search(y=rare, by=by, cv=10).certificate_.bound < 0.3
        lists = search(DecisionListMachine(), {"penalty": [1]}, y=rare + Y, by=by, cv=10)
        assert lists.predict(X).shape == (120,)


def test_cross_validation_beside_changes_no_choice():
    for by in ("bound", "holdout"):
        plain, crossed = (search(by=by, cv=3, cross_validate=c) for c in (False, True))
        assert crossed.model_ == plain.model_
        assert crossed.certificate_ == plain.certificate_
        assert "cv_loss" not in plain.results_
        assert crossed.results_["cv_loss"].between(0, 1).all()
    folds = search(by="cv", cv=3)
    beside = search(by="bound", cv=3, cross_validate=True)
    assert (folds.results_["cv_loss"] == beside.results_["cv_loss"]).all()


def test_results_are_a_frame_of_the_library_that_came_in():
    grid = [
        {"penalty": [1, 2.5]},
        {"penalty": np.array([4.0]), "max_rules": [None, 2], "kind": ["best"]},
    ]
    columns = {
        "param_kind", "param_max_rules", "param_penalty", "arrangement", "size", "train_error",
        "bound", "worth", "examples", "message_bits", "run_seconds", "chosen",
    }  # fmt: skip
    frames = pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES)
    for frame in frames:
        found = search(grid=grid, X=frame, prune=False)
        assert type(found.results_) is type(frame)
        assert set(found.results_.columns) == columns
        assert len(found.results_) == sum(
            len(SetCoveringMachine(penalty=p, kind=kind, max_rules=most).fit(X, Y).path_)
            for p, most, kinds in (
                (1, 10, ["conjunction"]),
                (2.5, 10, ["conjunction"]),
                (4.0, None, ["conjunction", "disjunction"]),
                (4.0, 2, ["conjunction", "disjunction"]),
            )
            for kind in kinds
        )
        assert found.results_["param_penalty"].dtype in (np.float64, pl.Float64)
        assert int(found.results_["chosen"].sum()) == 1
        assert isinstance(found.get_rules(), type(frame))
        if hasattr(found, "feature_names_in_"):  # scikit-learn does not name polars' columns always
            assert found.feature_names_in_.tolist() == NAMES
            assert found.best_estimator_.feature_names_in_.tolist() == NAMES
        else:
            assert isinstance(frame, pl.DataFrame)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "i"),
        ([1, 2, 0.5], "f"),
        ([np.float64(1), math.inf], "f"),
        (np.logspace(-1, 1, 3), "f"),
    ],
)
def test_numbers_of_a_grid_stay_numbers(values, kind):
    """Found with polars, which refuses 1 and 0.5 in one column, and with arrays in a grid."""
    machine = SetCoveringMachine(max_rules=1)
    for frame in (pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES)):
        found = search(machine, {"penalty": values}, X=frame).results_["param_penalty"].to_numpy()
        assert found.dtype.kind == kind
        assert set(found) == set(values)


def test_what_is_neither_number_nor_text_is_said_in_words():
    grid = {"family": ["balls", ["thresholds", "balls"]], "consistent": [True, False]}
    results = search(SetCoveringMachine(max_rules=1), grid, X=pl.DataFrame(X)).results_
    assert set(results["param_family"]) == {"balls", "['thresholds', 'balls']"}
    assert results["param_consistent"].dtype == pl.Boolean


def test_cv_results_are_arrays_of_one_length():
    found = search(by="cv", cv=3)
    assert isinstance(found.cv_results_, dict)
    assert {len(column) for column in found.cv_results_.values()} == {len(found.results_)}
    for name, column in found.cv_results_.items():
        assert isinstance(column, np.ndarray)
        assert column.tolist() == found.results_[name].tolist()


@pytest.mark.parametrize("by", ["bound", "cv", "holdout"])
@pytest.mark.parametrize(
    ("machine", "grid", "y"),
    [
        (
            SetCoveringMachine(kind="best", max_rules=5),
            {"penalty": [0.5, 2], "family": ["balls"]},
            Y,
        ),
        (DecisionListMachine(max_rules=5), {"penalty": [0.5, 2]}, THREE),
    ],
)
def test_the_best_estimator_is_the_choice(machine, grid, y, by):
    found = search(machine, grid, y=y, by=by, cv=3, n_jobs=2)
    best = found.best_estimator_
    assert type(best) is type(machine)
    assert best.model_ is found.model_
    assert best.certificate_ is found.certificate_
    assert (best.predict(X) == found.predict(X)).all()
    assert (best.predict_proba(X) == found.predict_proba(X)).all()
    assert best.score(X, y) == found.score(X, y)
    assert len(best.get_rules()) == len(found.get_rules())
    assert found.path_[-1].model.body == found.model_.body
    assert found.path_[-1].size == found.best_params_["max_rules"]
    for name, value in found.best_params_.items():
        assert getattr(best, name) == value
    assert clone(best).get_params() == best.get_params()
    if by != "holdout":
        assert clone(best).fit(X, y).model_ == found.model_
        assert clone(machine).set_params(**found.best_params_).fit(X, y).model_ == found.model_


def test_a_search_of_three_classes():
    wine = load_wine(as_frame=True)
    machine = DecisionListMachine(family="auto")
    found = search(machine, {"penalty": [0.5, 1, 2, 5]}, X=wine.data, y=wine.target)
    assert found.classes_.tolist() == [0, 1, 2]
    assert found.certificate_.bound < 0.35
    assert len(found.certificate_.class_bounds) == 3
    found.certificate_.verify(found.model_, wine.data, wine.target)


def test_a_grid_may_be_a_list_of_grids_or_name_nothing():
    both = search(grid=[{"penalty": [1]}, {"penalty": [3], "kind": ["disjunction"]}], prune=False)
    assert both.certificate_.settings == 2
    assert set(both.results_["arrangement"]) == {"conjunction", "disjunction"}
    sizes = search(grid={}, prune=False)  # one point: only the size is chosen
    path = SetCoveringMachine().fit(X, Y).path_
    assert sizes.certificate_.bound == min(entry.certificate.bound for entry in path)


def test_costs_that_differ_in_the_grid_are_compared_by_those_of_the_machine():
    """Certified costs of different units say nothing of each other: 1 always beat 5."""
    grid = {"class_costs": [None, {1: 5}, {0: 5}]}
    plain = search(grid=grid, prune=False)
    assert plain.certificate_.bound == plain.results_["bound"].min()
    assert (plain.results_["worth"] == plain.results_["bound"]).all()
    dear = search(SetCoveringMachine(class_costs={1: 5}), grid, prune=False)
    assert dear.best_params_["class_costs"] == {1: 5}
    cost = dear.certificate_.cost_bound([1, 5])
    assert cost == dear.results_["worth"].min() < plain.certificate_.cost_bound([1, 5])
    crossed = search(SetCoveringMachine(class_costs={1: 5}), grid, by="cv", cv=3).results_
    assert crossed["cv_loss"].max() > 1
    agreed = search(grid={"class_costs": [{1: 5}], "penalty": [1, 2]}).results_
    assert (agreed["worth"] > agreed["bound"]).all()


def test_the_tail_certificate_is_the_certificate_unless_rows_are_held_out():
    for by in ("bound", "cv"):
        found = search(by=by, cv=3)
        assert found.tail_certificate_ is found.certificate_


@pytest.mark.slow
def test_distances_that_are_given_are_searched_like_others():
    points = X + 0.01 * RNG.normal(size=X.shape)  # without ties
    distances = pairwise_distances(points)
    given = SetCoveringMachine(family="balls", metric="precomputed", max_rules=3)
    made = SetCoveringMachine(family="balls", max_rules=3)
    one = search(given, PENALTIES, X=distances)
    other = search(made, PENALTIES, X=points)
    assert one.certificate_.examples == other.certificate_.examples
    assert (one.predict(distances) == other.predict(points)).all()
    for by in ("cv", "holdout"):
        tested = search(given, PENALTIES, X=distances, by=by, cv=3)
        tested.certificate_.verify(tested.model_, distances, Y)
    scores = cross_val_score(BoundSearch(given, PENALTIES), distances, Y, cv=3)
    assert scores == pytest.approx(cross_val_score(BoundSearch(made, PENALTIES), points, Y, cv=3))


def test_tags_are_those_of_the_machines_of_the_grid():
    def tags(machine, grid):
        return BoundSearch(machine, grid).__sklearn_tags__()

    assert tags(SetCoveringMachine(), PENALTIES).input_tags.allow_nan
    assert not tags(SetCoveringMachine(family="balls"), PENALTIES).input_tags.allow_nan
    assert not tags(SetCoveringMachine(), {"family": ["auto", "balls"]}).input_tags.allow_nan
    assert tags(SetCoveringMachine(family="balls"), {"metric": ["precomputed"]}).input_tags.pairwise
    assert not tags(SetCoveringMachine(), PENALTIES).classifier_tags.multi_class
    assert tags(DecisionListMachine(), {}).classifier_tags.multi_class
    assert tags(None, 3).input_tags.allow_nan  # fit is to refuse it


def test_it_is_cloned_set_and_copied_like_any_estimator(tmp_path):
    one = BoundSearch(SetCoveringMachine(family="balls", max_rules=3), PENALTIES, by="cv", cv=3)
    one.set_params(estimator__penalty=2.0, estimator__delta=0.1, cv=4)
    assert one.estimator.penalty == 2.0
    assert one.get_params()["estimator__delta"] == 0.1
    other = clone(one)
    assert other.get_params(deep=False).keys() == one.get_params(deep=False).keys()
    assert other.estimator is not one.estimator
    one.fit(X, Y)
    assert one.certificate_.delta == 0.1
    joblib.dump(one, tmp_path / "search")
    copy = joblib.load(tmp_path / "search")
    assert copy.model_ == one.model_
    assert (copy.predict(X) == one.predict(X)).all()
    assert not hasattr(one.estimator, "model_")  # the machine given is left as it was


def test_it_works_in_a_pipeline_and_in_cross_validation():
    machine = SetCoveringMachine(family="balls", max_rules=3)
    pipeline = make_pipeline(StandardScaler(), BoundSearch(machine, PENALTIES))
    assert pipeline.fit(X, Y).score(X, Y) > 0.7
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.6
    pipeline.set_params(boundsearch__estimator__max_rules=1).fit(X, Y)
    assert pipeline[-1].best_params_["max_rules"] == 1


def test_columns_are_known_by_name():
    found = search(X=pd.DataFrame(X, columns=NAMES))
    more = pd.DataFrame(X, columns=NAMES).assign(colour="red")
    assert (found.predict(more) == found.predict(more[NAMES])).all()
    with pytest.raises(ValueError, match="depth"):
        found.predict(pd.DataFrame(X[:, :2], columns=NAMES[:2]))


def test_the_machines_own_columns_of_categories_are_used():
    codes = np.column_stack([RNG.integers(0, 4, 120), X[:, 0]])
    machine = SetCoveringMachine(categorical_features=[0])
    found = search(machine, PENALTIES, X=codes, y=(codes[:, 0] == 2).astype(int))
    assert str(found.model_).endswith("x0 = 2")


def test_seeds_change_the_folds_and_the_rows_held_out():
    held = [search(by="holdout", random_state=seed).certificate_.held for seed in (None, 0, 1)]
    assert held[0] == held[1] != held[2]
    generator = search(by="holdout", random_state=np.random.RandomState(5))
    assert len(generator.certificate_.held) == 40


def test_a_failed_fit_leaves_no_model():
    found = search()
    with pytest.raises(ValueError):
        found.set_params(by="magic").fit(X, Y)
    with pytest.raises(Exception, match="not fitted"):
        found.predict(X)


BAD = [
    ({"by": "magic"}, ValueError, "by must be one of 'bound', 'cv', 'holdout', got 'magic'"),
    ({"by": None}, ValueError, "by must be one of .* got None"),
    ({"grid": []}, ValueError, "The grid is empty: give at least one value"),
    ({"grid": {"penalty": []}}, ValueError, "'penalty' need to be a non-empty sequence"),
    ({"grid": {"delta": [0.1]}}, ValueError, "must not hold 'delta': a confidence is settled"),
    ({"grid": {"categorical_features": [[0]]}}, ValueError, "must not hold 'categorical_features'"),
    ({"grid": {"n_jobs": [1]}}, ValueError, "must not hold 'n_jobs': it changes nothing"),
    ({"grid": {"price": [1]}}, ValueError, "Invalid parameter 'price'.*Valid parameters are"),
    ({"grid": {"penalty": 1}}, TypeError, "'penalty' needs to be a list.*got 1"),
    ({"grid": {"kind": "best"}}, TypeError, "'kind' needs to be a list.*got 'best'"),
    ({"grid": None}, TypeError, "should be a dict or a list, got: None"),
    ({"grid": [3]}, TypeError, "not a dict"),
    ({"grid": {"penalty": [1, -1]}}, ValueError, "penalty must be a number of 0 or more.*got -1"),
    ({"grid": {"kind": ["both"]}}, ValueError, "kind must be .* got 'both'"),
    ({"grid": {"class_costs": [{7: 2}]}}, ValueError, "some of the classes 0, 1; found 7"),
    ({"machine": 3}, ValueError, "needs a classifier of this library.*found int"),
    ({"machine": DecisionTreeClassifier()}, ValueError, "found DecisionTreeClassifier"),
    (
        {"machine": SetCoveringMachine},
        ValueError,
        r"found the class SetCoveringMachine: write SetCoveringMachine\(\)",
    ),
    (
        {"machine": BoundSearch(SetCoveringMachine(), PENALTIES)},
        ValueError,
        "found BoundSearch",
    ),
    ({"by": "cv", "cv": 1}, ValueError, "cv must be from 2 to the 120 rows.*found 1"),
    ({"by": "cv", "cv": 121}, ValueError, "cv must be from 2 to the 120 rows.*found 121"),
    ({"by": "cv", "cv": "ten"}, ValueError, "cv.*ten"),
    ({"by": "cv", "cv": True}, ValueError, "n_splits=2 or more"),
    ({"by": "cv", "cv": []}, ValueError, "cv must leave rows to learn from and rows to test"),
    ({"by": "cv", "cv": [([], [1, 2])]}, ValueError, "cv must leave rows to learn from"),
    ({"by": "cv", "cv": [([0, 1], [])]}, ValueError, "cv must leave rows to learn from"),
    ({"by": "cv", "cv": [([0, 120], [1])]}, ValueError, "cv names row 120; .* from 0 to 119"),
    ({"by": "cv", "cv": [([0, 1], [-1])]}, ValueError, "cv names row -1"),
    ({"by": "holdout", "holdout": 0}, ValueError, "holdout must be a share between 0 and 1.*0"),
    ({"by": "holdout", "holdout": 1.0}, ValueError, "share between 0 and 1; found 1.0"),
    ({"by": "holdout", "holdout": "half"}, ValueError, "share between 0 and 1; found 'half'"),
    ({"by": "holdout", "holdout": 0.001}, ValueError, "0.001 of 120 rows leaves nothing"),
    ({"random_state": "dice"}, ValueError, "random_state must be a whole number.*'dice'"),
    ({"n_jobs": 0}, ValueError, "n_jobs == 0"),
    ({"y": THREE}, ValueError, "Only binary classification is supported"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD)
def test_bad_input_is_refused_clearly(options, error, message):
    with pytest.raises(error, match=message):
        search(**options)


COINS = np.random.default_rng(0).random((4000, 40)) < 0.5


def toss(number):
    return lambda columns: COINS[columns["key"].astype(int), number]


def scaled_distance(factor):
    def distance(one, two):
        return factor * float(np.abs(one - two).sum())

    return distance


@pytest.mark.parametrize(
    ("machine", "grid"),
    [
        (
            SetCoveringMachine(max_rules=1),
            {"family": [GivenPredicates(functions={"toss": toss(i)}) for i in range(3)]},
        ),
        (SetCoveringMachine(family="balls"), {"metric": [scaled_distance(f) for f in (1, 2)]}),
        (
            SetCoveringMachine(family="half_spaces"),
            {"kernel": [lambda a, b: 0.0, lambda a, b: 1.0]},
        ),
        (
            SetCoveringMachine(
                family=[GivenPredicates(functions={"toss": toss(i)}) for i in range(2)]
            ),
            {"penalty": [1, 2]},
        ),
    ],
)
@pytest.mark.parametrize("by", ["bound", "holdout"])
def test_two_functions_of_one_name_are_refused(machine, grid, by):
    """They would be taken for one: one choice would not be paid for, or not be tried."""
    rng = np.random.default_rng(1)
    X, y = pd.DataFrame({"key": rng.integers(0, 4000, 30) * 1.0}), np.arange(30) % 2
    with pytest.raises(InputError, match="Two different functions have the name"):
        BoundSearch(machine, grid, by=by).fit(X, y)


class Distance:
    """A function that is an object: a deep copy of it is another one."""

    __name__ = "distance"

    def __call__(self, one, two):
        return float(np.abs(one - two).sum())


def test_one_function_may_be_used_at_many_points():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    machine = SetCoveringMachine(family="balls", metric=Distance(), max_rules=2)
    search = BoundSearch(machine, {"penalty": [1, 2]}).fit(X, y)
    assert search.certificate_.settings == 1


def test_functions_of_different_names_are_all_paid_for_by_the_rows_held_out():
    rng = np.random.default_rng(1)
    X, y = pd.DataFrame({"key": rng.integers(0, 4000, 30) * 1.0}), np.arange(30) % 2
    families = [GivenPredicates(functions={f"toss {i}": toss(i)}) for i in range(40)]
    search = BoundSearch(SetCoveringMachine(max_rules=1), {"family": families}, by="holdout")
    assert search.fit(X, y).certificate_.settings >= 40
