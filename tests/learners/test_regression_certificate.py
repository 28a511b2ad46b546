"""Certificates of regression trees: the bound, its verification, what is refused, its validity."""

import copy
import dataclasses
import io
import json
import math
from functools import cache
from types import SimpleNamespace

import joblib
import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import binom
from simulating_splits import accepted
from sklearn.datasets import load_diabetes

from rulewright import TreeRegressor, load_model
from rulewright.bounds import bounded_loss_bound
from rulewright.certificates import (
    RegressionCertificate,
    RegressionRows,
    from_json,
    make_regression_pool,
    model_schema,
    regression_splitter,
)
from rulewright.data import detect_table
from rulewright.errors import CertificateError, InputError, ModelFileError
from rulewright.learners import TreeRegressorSettings, checked_regression_candidates
from rulewright.models import to_json
from rulewright.selection import run_recipe, run_regression_recipe


def mixed(rows=160, seed=0):
    """Ties, missing values, categories, heavy errors, and repeated numbers of the target."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=rows).round(1),
            "town": rng.choice(["Alba", "Asti", "Bra"], rows),
            "constant": 1.0,
            "flag": rng.random(rows) < 0.5,
        }
    )
    y = 5.0 * (X["size"] > 0) + 3.0 * (X["town"] == "Bra") + rng.standard_t(2, rows).round(1)
    X.loc[rng.random(rows) < 0.1, "size"] = np.nan
    X["town"] = X["town"].where(rng.random(rows) >= 0.1, None)
    return X, y.rename("rent")


@cache
def fitted(**options):
    X, y = mixed()
    tree = TreeRegressor(certificate="split", n_splits=2, **options).fit(X, y)
    return SimpleNamespace(X=X, y=y, tree=tree, model=tree.model_, certificate=tree.certificate_)


FITS = [{}, {"criterion": "absolute_error"}, {"random_state": 3}, {"loss_scale": 4.0}]


@pytest.fixture(params=FITS, ids=str)
def found(request):
    return fitted(**request.param)


def bound_by_hand(mean, n, budget):
    """Smaller one of the bounds of Hoeffding and Bentkus, by root finding."""

    def kl(u):
        first = mean * math.log(mean / u) if mean else 0.0
        return first + (1 - mean) * math.log((1 - mean) / (1 - u))

    hoeffding = brentq(lambda u: n * kl(u) - budget, mean + 1e-12, 1 - 1e-12, xtol=1e-14)
    k = math.ceil(n * mean)
    bentkus = 1.0
    if k < n:
        bentkus = brentq(lambda u: binom.logcdf(k, n, u) + 1 + budget, k / n, 1 - 1e-12, xtol=1e-14)
    return min(hoeffding, bentkus)


def test_the_bound_is_that_of_the_losses_on_the_check_rows(found):
    c = found.certificate
    assert (c.n, c.design, c.n_splits) == (80, 80, 2)
    budget = math.log(1 / c.delta) + math.log(c.n_splits) - c.log_prior
    assert c.bound == pytest.approx(c.scale * bound_by_hand(c.mean_loss, c.n, budget), rel=1e-8)
    assert c.mean_loss < c.bound / c.scale < 1


def test_the_losses_and_the_scale_are_measured_on_their_rows(found):
    """The split is drawn here once more, from the key, and the losses are clipped by hand."""
    c = found.certificate
    split = regression_split(found)
    design, check = found.y.to_numpy()[split.design], found.y.to_numpy()[split.check]
    low, high = np.percentile(design, [1, 99])
    assert c.scale == (4.0 if c.recipe["parameters"]["loss_scale"] else high - low)
    apart = np.abs(found.tree.predict(found.X)[split.check] - check)
    assert c.mean_loss == pytest.approx(np.minimum(apart / c.scale, 1).mean(), rel=1e-12)
    assert c.mean_error == pytest.approx(np.minimum(apart, c.scale).mean(), rel=1e-12)


def rows_of(X, y, weight=None):
    y = np.asarray(y, float)
    weight = np.ones(y.size) if weight is None else np.asarray(weight, float)
    return RegressionRows(detect_table(X), y, weight, np.arange(y.size))


def regression_split(found):
    c = found.certificate
    splitter = regression_splitter(rows_of(found.X, found.y), c.recipe, c.seed, c.check_share)
    assert splitter.key.hex() == c.key
    return splitter.split(c.split)


def test_the_values_of_leaves_are_those_of_the_design_rows(found):
    rows = regression_split(found).design
    answers = found.model.body.answer(found.model.table(found.X))[rows]
    median = found.tree.criterion == "absolute_error"
    for leaf, value in enumerate(found.model.values):
        numbers = np.sort(found.y.to_numpy()[rows][answers == leaf])
        wanted = numbers[(numbers.size - 1) // 2] if median else numbers.mean()
        assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_the_pool_has_the_constant_and_probabilities_that_sum_to_1(found):
    c = found.certificate
    design = rows_of(found.X, found.y).take(regression_split(found).design)
    members = run_regression_recipe(c.recipe, design).members
    pool = make_regression_pool(members, design, c.recipe["parameters"]["loss_scale"])
    assert (pool.size, pool.digest) == (c.pool_size, c.pool_digest)
    assert pool.log_prior[c.place - 1] == c.log_prior
    assert math.fsum(np.exp(pool.log_prior)) == pytest.approx(1, rel=1e-12)
    literals = [member.body.literals for member in pool.candidates]
    assert 0 in literals
    assert len({member.identity for member in pool.candidates}) == pool.size
    penalties = 0.3 * np.array(pool.losses) + literals
    assert (np.diff(penalties) >= 0).all()
    gibbs = np.exp(-penalties)
    shares = 0.5 / pool.size + 0.5 * gibbs / gibbs.sum()
    np.testing.assert_allclose(np.exp(pool.log_prior), shares, rtol=1e-9)


def test_the_candidate_with_the_smallest_bound_is_chosen(found):
    settings = found.tree.settings()
    every = checked_regression_candidates(settings, rows_of(found.X, found.y))
    best = min(
        every,
        key=lambda one: (
            one.certificate.bound,
            one.member.body.literals,
            one.certificate.split,
            one.certificate.place,
        ),
    )
    assert best.certificate == found.certificate
    assert {one.certificate.split for one in every} == {1, 2}


def test_large_trees_have_at_most_60_candidates_and_the_constant():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 3)), rng.normal(size=1500)
    recipe = TreeRegressor(certificate="split", n_splits=1).fit(X[:60], y[:60]).certificate_.recipe
    members = run_regression_recipe(recipe, rows_of(X, y)).members
    assert 40 <= len(members) <= 61
    sizes = [member.body.literals for member in members]
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert sizes[-1] > 1000


def test_without_pruning_there_are_the_whole_tree_and_the_constant():
    assert fitted(pruning="none").certificate.pool_size == 2


def test_pruning_sets_the_largest_candidate():
    X, y = mixed()
    alpha = TreeRegressor().cost_complexity_pruning_path(X, y).ccp_alphas[-3]
    pruned = fitted(ccp_alpha=float(alpha)).certificate
    assert 1 <= pruned.pool_size < fitted().certificate.pool_size


# Verification.


def test_what_is_not_forged_is_accepted(found):
    held = found.certificate.verify(found.model, found.X, found.y)
    assert held.holds
    assert held.certificate is found.certificate
    assert "Taken on trust" in str(held)
    by_name = found.X[found.X.columns[::-1]]
    assert found.certificate.verify(found.model, by_name, found.y.to_numpy()).holds


def consistent(certificate, **changes):
    """Make the bound fit what was changed, as a forger would."""
    changed = dataclasses.replace(certificate, **changes)
    return dataclasses.replace(changed, bound=changed.recomputed_bound())


def refused(found, reason, /, *, model=None, X=None, y=None, **changes):
    forged = consistent(found.certificate, **changes) if changes else found.certificate
    data = (found.X if X is None else X), (found.y if y is None else y)
    with pytest.raises(CertificateError, match=reason):
        forged.verify(model or found.model, *data)
    assert not forged.check(model or found.model, *data).holds


def test_a_changed_value_of_a_leaf_is_refused(found):
    values = (found.model.values[0] + 0.001, *found.model.values[1:])
    changed = dataclasses.replace(found.model, values=values)
    refused(found, "A rule or a value was changed", model=changed)


def test_a_changed_cut_is_refused():
    found = fitted()
    text = json.dumps(to_json(found.model)["body"])
    body = next(
        one.body
        for one in (fitted(criterion="absolute_error").model, fitted(loss_scale=4.0).model)
        if json.dumps(to_json(one)["body"]) != text
    )
    leaves = len(body.outputs)
    changed = dataclasses.replace(
        found.model, body=body, values=(1.0,) * leaves, evidence=((1.0, 0.0),) * leaves
    )
    refused(found, "A rule or a value was changed", model=changed)


@pytest.mark.parametrize("part", ["design", "check"])
def test_a_changed_number_of_the_target_is_refused(found, part):
    """With a seed the key does not depend on the data, and the pool or the loss differs."""
    rows = getattr(regression_split(found), part)
    answers = found.model.predict(found.X)
    row = rows[np.argmin(np.abs(answers - found.y)[rows])]
    y = found.y.copy()
    y.iloc[row] += 0.9
    wanted = "the key of the certificate"
    if found.certificate.seed is not None:
        wanted = "The pool differs|gives? the scale" if part == "design" else "measuring again"
    refused(found, wanted, y=y)


def test_a_changed_cell_is_refused(found):
    X = found.X.copy()
    X["size"] = -X["size"]
    refused(found, "The pool differs|the key of the certificate", X=X)


def test_a_changed_scale_is_refused(found):
    c = found.certificate
    reason = "its recipe says loss_scale" if c.scale == 4.0 else "give the scale"
    refused(found, reason, scale=c.scale / 2)


def test_another_place_is_refused(found):
    c = found.certificate
    for place in sorted(set(range(1, c.pool_size + 1)) - {c.place})[:3]:
        refused(found, f"is not candidate {place} of the pool", place=place)
    refused(found, "are not possible", place=c.pool_size + 1)


def test_another_split_is_refused(found):
    other = 3 - found.certificate.split
    refused(found, "The pool differs|give the scale|is not candidate", split=other)


@pytest.mark.cross_section(13)
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"mean_loss": 0.001}, "mean loss on the 80 check rows"),
        ({"log_prior": -0.01}, "prior probability of the model"),
        ({"delta": 0.5}, "its recipe says delta = 0.05"),
        ({"n_splits": 3}, "its recipe says n_splits = 2"),
        ({"n": 90}, "80 check rows; the certificate says 90"),
        ({"pool_size": 99}, "The pool differs"),
        ({"pool_digest": "00"}, "The pool differs"),
        ({"key": "00"}, "the key of the certificate"),
        ({"check_share": 0.3}, "its recipe says check_share = None"),
        ({"seed": 7}, "its recipe says random_state"),
    ],
    ids=str,
)
def test_changed_numbers_are_refused(found, changes, reason):
    refused(found, reason, **changes)


def test_a_bound_that_does_not_follow_is_refused(found):
    forged = dataclasses.replace(found.certificate, bound=found.certificate.bound * 0.99)
    with pytest.raises(CertificateError, match="its own numbers give"):
        forged.verify(found.model, found.X, found.y)


def test_changed_evidence_is_refused(found):
    for place in (0, 1):
        row = list(found.model.evidence[0])
        row[place] += 0.5
        changed = dataclasses.replace(found.model, evidence=(tuple(row), *found.model.evidence[1:]))
        refused(found, "weight and the spread of leaf 1", model=changed)


def test_a_changed_recipe_is_refused(found):
    recipe = copy.deepcopy(found.certificate.recipe)
    recipe["parameters"]["max_depth"] = 1
    refused(found, "The pool differs|the key of the certificate", recipe=recipe)


def test_recipes_of_classes_and_of_numbers_are_not_confused():
    found = fitted(random_state=3)
    recipe = {**found.certificate.recipe, "learner": "tree", "parameters": {}}
    with pytest.raises(CertificateError, match="'tree' of the recipe predicts no numbers"):
        run_regression_recipe(recipe, rows_of(found.X, found.y))
    with pytest.raises(CertificateError, match="'tree-regressor' of the recipe learns no classes"):
        run_recipe(found.certificate.recipe, None)


def test_data_of_another_shape_is_refused(found):
    refused(found, "There are 160 rows but 3 numbers", y=[1.0, 2.0, 3.0])
    refused(found, "missing or infinite", y=np.full(160, np.nan))


# Rows and weights.


@pytest.mark.parametrize("options", [{}, {"criterion": "absolute_error"}], ids=str)
def test_the_order_of_rows_and_columns_changes_nothing(options):
    found = fitted(**options)
    rng = np.random.default_rng(1)
    rows = rng.permutation(len(found.X))
    X = found.X.iloc[rows, ::-1].reset_index(drop=True)
    y = found.y.iloc[rows].reset_index(drop=True)
    tree = TreeRegressor(certificate="split", n_splits=2, **options).fit(X, y)
    assert tree.certificate_ == found.certificate
    assert str(tree.model_) == str(found.model)
    assert tree.model_.values == found.model.values
    assert tree.certificate_.verify(tree.model_, X, y).holds
    assert found.certificate.verify(found.model, X, y).holds
    np.testing.assert_allclose(tree.model_.evidence, found.model.evidence, rtol=1e-12)


def test_rows_of_weight_zero_count_as_absent():
    found = fitted()
    extra = pd.concat([found.X, found.X.head(30)], ignore_index=True)
    y = np.append(found.y, np.full(30, 1e6))
    weight = np.append(np.ones(len(found.X)), np.zeros(30))
    tree = TreeRegressor(certificate="split", n_splits=2).fit(extra, y, weight)
    assert tree.certificate_ == found.certificate
    assert tree.model_.values == found.model.values
    held = tree.certificate_.verify(tree.model_, extra, y, weight)
    assert any("30 of the 190 rows count as absent" in one for one in held.assumptions)
    with pytest.raises(CertificateError, match="the key of the certificate"):
        tree.certificate_.verify(tree.model_, extra, y)


def test_weights_are_relative_and_needed_to_verify():
    X, y = mixed()
    weight = np.random.default_rng(2).random(len(X)) + 0.1
    one, other = (
        TreeRegressor(certificate="split", n_splits=2).fit(X, y, weight * factor)
        for factor in (1.0, 8.0)
    )
    assert one.certificate_ == other.certificate_
    assert one.model_ == other.model_
    assert one.certificate_.verify(one.model_, X, y, weight).holds
    with pytest.raises(CertificateError, match="the key of the certificate"):
        one.certificate_.verify(one.model_, X, y)


def test_minus_zero_is_zero():
    X = np.arange(40.0)[:, np.newaxis]
    y = np.where(X[:, 0] > 20, 1.0, 0.0)
    signed = np.where(y == 0, -0.0, y)
    one, other = (TreeRegressor(certificate="split").fit(X, each) for each in (y, signed))
    assert one.certificate_ == other.certificate_
    assert one.certificate_.verify(other.model_, X, y).holds


@pytest.mark.parametrize("constant", [0.0, 7.5])
def test_a_constant_target_has_no_error(constant):
    X, _ = mixed(60)
    tree = TreeRegressor(certificate="split").fit(X, np.full(60, constant))
    c = tree.certificate_
    assert tree.model_.values == (constant,)
    assert (c.mean_loss, c.scale, c.pool_size, c.log_prior) == (0.0, 1.0, 1, 0.0)
    assert c.bound == pytest.approx(1 - (0.05 / 5) ** (1 / 30), rel=1e-9)
    assert c.verify(tree.model_, X, np.full(60, constant)).holds


def test_the_scale_is_the_whole_range_where_the_percentiles_are_equal():
    y = np.zeros(1000)
    y[::200] = 3.0
    tree = TreeRegressor(certificate="split", n_splits=1).fit(np.arange(1000.0)[:, None], y)
    assert tree.certificate_.scale == 3.0


def test_dates_and_declared_categories_verify():
    X, y = mixed(80)
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(80) * 37 % 80, unit="D")
    X["code"] = np.arange(80) % 3
    y = y + 20.0 * (X["day"] > "2024-02-10")
    tree = TreeRegressor(certificate="split", categorical_features=["code"]).fit(X, y)
    assert "day" in tree.model_.body.columns
    assert tree.certificate_.verify(tree.model_, X, y).holds


def test_key_columns_are_left_out_and_verify():
    X, y = mixed(100)
    X["ticket"] = [f"A/{number}" for number in range(100)]
    with pytest.warns(UserWarning, match="'ticket' is left out"):
        tree = TreeRegressor(certificate="split", n_splits=2).fit(X, y)
    assert "ticket" not in tree.model_.body.columns
    assert tree.certificate_.verify(tree.model_, X, y).holds


def test_an_estimator_saved_by_joblib_keeps_its_certificate(found):
    file = io.BytesIO()
    joblib.dump(found.tree, file)
    file.seek(0)
    again = joblib.load(file)
    assert again.certificate_ == found.certificate
    assert again.certificate_.verify(again.model_, found.X, found.y).holds


def test_a_second_fit_without_a_certificate_forgets_the_first():
    X, y = mixed(60)
    tree = TreeRegressor(certificate="split", n_splits=1).fit(X, y)
    assert tree.certificate_ is not None
    assert tree.set_params(certificate=None).fit(X, y).certificate_ is None


def test_threads_and_generators_give_certificates_that_hold():
    X, y = mixed()
    one, two = (
        TreeRegressor(certificate="split", n_splits=2, n_jobs=jobs).fit(X, y) for jobs in (1, 2)
    )
    assert one.certificate_ == two.certificate_
    drawn = TreeRegressor(certificate="split", random_state=np.random.default_rng(5)).fit(X, y)
    assert drawn.certificate_.seed is not None
    assert drawn.certificate_.verify(drawn.model_, X, y).holds


# Parameters and errors.


def test_without_asking_there_is_no_certificate():
    tree = TreeRegressor().fit(*mixed(30))
    assert tree.certificate_ is None
    assert tree.model_.certificate is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"certificate": "compression"}, "certificate must be 'split' or None"),
        ({"n_splits": 0}, "n_splits must be a whole number of 1 or more"),
        ({"check_share": 1.0}, r"check_share must be in \(0, 1\)"),
        ({"delta": 0.0}, "delta must be"),
        ({"loss_scale": 0.0}, "loss_scale must be a number above 0"),
        ({"loss_scale": math.inf}, "loss_scale must be a number above 0"),
        ({"time_budget": 1.0}, "time_budget and certificate='split' exclude each other"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense_are_refused(options, reason):
    with pytest.raises(InputError, match=reason):
        TreeRegressor(**{"certificate": "split", **options}).fit(*mixed(30))


def test_too_few_rows_are_refused():
    X = np.arange(3.0)[:, np.newaxis]
    with pytest.raises(InputError, match="needs at least 4 rows, got 3. Use certificate=None"):
        TreeRegressor(certificate="split").fit(X, [1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="got 3"):
        weight = [1, 1, 1, 0]
        TreeRegressor(certificate="split").fit(np.arange(4.0)[:, None], np.arange(4.0), weight)
    tree = TreeRegressor(certificate="split").fit(np.arange(4.0)[:, None], np.arange(4.0))
    assert tree.certificate_.bound <= tree.certificate_.scale
    assert tree.certificate_.verify(tree.model_, np.arange(4.0)[:, None], np.arange(4.0)).holds


def test_groups_and_times_are_refused():
    X, y = mixed(30)
    for more in ({"groups": np.arange(30)}, {"times": np.arange(30)}):
        with pytest.raises(InputError, match="takes no groups and no times"):
            TreeRegressor(certificate="split").fit(X, y, **more)


def test_precomputed_distances_are_refused():
    distances = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    tree = TreeRegressor(certificate="split", family="balls", metric="precomputed")
    with pytest.raises(InputError, match="precomputed distances.*Use certificate=None"):
        tree.fit(distances, np.arange(12.0))


def test_a_range_that_is_no_number_is_refused():
    y = np.tile([1e308, -1e308], 10)
    X = np.arange(20.0)[:, np.newaxis]
    with pytest.raises(InputError, match="range of the target is too large"):
        TreeRegressor(certificate="split").fit(X, y)


# Words and files.


def test_the_sentence_rounds_the_bound_up():
    X, y = load_diabetes(return_X_y=True)
    certificate = TreeRegressor(certificate="split", loss_scale=20.0).fit(X, y).certificate_
    numbers = {"bound": 3.0101, "mean_loss": 0.11, "n": 142, "scale": 20.0}
    assert dataclasses.replace(certificate, **numbers).sentence == (
        "On average a new case is off by at most 3.02 (95 % confidence; errors above 20 count as "
        "20). Mean error 2.2 on the 142 rows that were not used to learn it."
    )


def test_a_file_holds_the_certificate(found, tmp_path):
    found.tree.save_model(tmp_path / "rent.json")
    loaded = load_model(tmp_path / "rent.json")
    assert loaded.certificate == found.certificate
    assert loaded.certificate.cautions == found.certificate.cautions
    assert loaded.certificate.unverified
    assert "Not verified against data" in str(loaded.certificate)
    assert loaded.certificate.verify(loaded, found.X, found.y).holds
    content = json.loads((tmp_path / "rent.json").read_text())
    jsonschema.Draft202012Validator(model_schema()).validate(content)
    again = RegressionCertificate.from_json(content["certificate"])
    assert again == found.certificate
    assert found.certificate.sentence in found.tree._repr_html_()


def test_a_file_without_a_certificate_loads():
    content = to_json(TreeRegressor().fit(*mixed(30)).model_)
    assert "certificate" not in content
    assert from_json(content).certificate is None
    assert from_json({**content, "certificate": None}).certificate is None


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("bound", 0.5, "its own numbers give"),
        ("bound", -1.0, "bound must be 0 or more"),
        ("bound", "much", "bound must be a number"),
        ("scale", 0.0, "scale must be above 0"),
        ("mean_loss", 1.5, "mean_loss must be from 0 to 1"),
        ("n", 0, "n must be 1 or more"),
        ("place", 999, "are not possible"),
        ("delta", 0.2, "its recipe says delta"),
        ("form", "holdout", "form must be 'split'"),
        ("recipe", {}, "must have a learner"),
        ("recipe", None, "recipe must be an object"),
        ("other", 1, "its members are not"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(name, value, reason):
    content = copy.deepcopy(to_json(fitted().model))
    content["certificate"][name] = value
    with pytest.raises(ModelFileError, match=reason):
        from_json(content)


def test_a_certificate_of_classes_is_refused_in_a_regression_model():
    content = {**to_json(fitted().model), "certificate": {"form": "split", "counts": [1, 2]}}
    with pytest.raises(ModelFileError, match="its members are not"):
        from_json(content)


def test_a_rounded_model_has_no_certificate(found):
    assert found.model.rounded(0, found.X).model.certificate is None


def test_rows_in_the_order_of_the_target_get_a_caution():
    X, y = mixed()
    order = np.argsort(y.to_numpy(), kind="stable")
    tree = TreeRegressor(certificate="split", n_splits=1).fit(X.iloc[order], y.iloc[order])
    (caution,) = tree.certificate_.cautions
    assert "ordered by column 'rent'" in caution
    held = tree.certificate_.verify(tree.model_, X.iloc[order], y.iloc[order])
    assert held.cautions == (caution,)
    assert fitted().certificate.cautions == ()


def test_repeated_rows_get_a_caution():
    X = pd.DataFrame({"size": np.repeat(np.arange(40.0), 25)}).sample(frac=1, random_state=0)
    tree = TreeRegressor(certificate="split", n_splits=1).fit(X, X["size"] * 2)
    assert any("all columns and the target are equal" in c for c in tree.certificate_.cautions)


# Validity.

VALUES = np.array([-60.0, -2.0, -1.0, 0.0, 1.0, 2.0, 60.0])
HEAVY = np.array([0.05, 0.15, 0.2, 0.2, 0.2, 0.15, 0.05])
TOSSED = np.array([0.5, 0, 0, 0, 0, 0, 0.5])
CELLS = np.array([[a, b] for a in range(4) for b in range(4)], float)


def failures(samples, shares, settings, rows=60):
    """Numbers of samples whose chosen bound is below the truth: as certified, and not paid for."""
    rng = np.random.default_rng(0)
    cells, failed = detect_table(CELLS), np.zeros(2, int)
    for _ in range(samples):
        X = CELLS[rng.integers(0, 16, rows)]
        y = rng.choice(VALUES, rows, p=shares)
        every = checked_regression_candidates(settings, rows_of(X, y))
        unpaid = [
            c.scale * bounded_loss_bound(c.mean_loss, c.n, delta=settings.delta)
            for c in (one.certificate for one in every)
        ]
        paid = [one.certificate.bound for one in every]
        for place, bounds in enumerate((paid, unpaid)):
            best = int(np.argmin(bounds))
            failed[place] += true_error(every[best], cells, shares) > bounds[best]
    return failed


def true_error(one, cells, shares):
    """Expected clipped error, from all 16 cells and 7 numbers."""
    predicted = np.array(one.member.values)[one.member.body.answer(cells)]
    apart = np.minimum(np.abs(np.subtract.outer(predicted, VALUES)), one.certificate.scale)
    return float((apart @ shares).mean())


@pytest.mark.simulations
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_bounds_hold_with_heavy_noise(delta):
    settings = TreeRegressorSettings(certificate="split", n_splits=3, delta=delta)
    paid, _ = failures(100, HEAVY, settings)
    assert paid <= accepted(100, delta)


@pytest.mark.slow
def test_bounds_hold_with_tossed_numbers_and_would_not_if_the_choice_were_free():
    """Predictions are medians, so that all losses are 0 or 1, where the bounds have least slack."""
    settings = TreeRegressorSettings(
        criterion="absolute_error", certificate="split", n_splits=5, loss_scale=1.0, delta=0.5
    )
    paid, unpaid = failures(100, TOSSED, settings)
    assert paid <= accepted(100, 0.5)
    assert unpaid > accepted(100, 0.5)
