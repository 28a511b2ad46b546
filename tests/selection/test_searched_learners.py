"""BoundSearch with every learner, every form of certificate and every way to choose."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from rulewright import (
    AutoClassifier,
    BoundSearch,
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRegressor,
    TreeRulesClassifier,
    load_model,
)
from rulewright.bounds import compression_tail
from rulewright.certificates import chosen_among, make_splitter
from rulewright.data import canonical_rows, detect_table
from rulewright.errors import CertificateError, InputError
from rulewright.families import Thresholds
from rulewright.learners import SETTINGS, Sample, Settings, in_search_order
from rulewright.rules import encode
from rulewright.selection import GridSettings, run_recipe

RNG = np.random.default_rng(7)
NAMES = ["length", "width", "depth"]
X = pd.DataFrame(np.round(RNG.normal(size=(120, 3)), 1), columns=NAMES)
Y = np.where(X["length"] + X["width"] + 0.6 * RNG.normal(size=120) > 0, "yes", "no")

LEARNERS = {
    "scm": (SetCoveringMachine(max_rules=3), {"penalty": [1, 2]}),
    "dlm": (DecisionListMachine(max_rules=3), {"penalty": [1, 2]}),
    "rule-list": (RuleListClassifier(max_rules=3), {"max_terms": [1, 2]}),
    "rule-vote": (RuleVoteClassifier(max_rules=3), {"max_terms": [1, 2]}),
    "ripper": (RipperClassifier(), {"k": [0, 2]}),
    "slipper": (SlipperClassifier(n_rounds=4), {"prune": [True, False]}),
    "tree": (TreeClassifier(), {"pruning": ["bound", "pessimistic"], "max_depth": [2]}),
    "tree-rules": (TreeRulesClassifier(), {"n_rounds": [1, 3]}),
    "scorecard": (ScorecardClassifier(3), {"max_points": [2, 5]}),
}


def search(estimator, grid, X=X, y=Y, weight=None, groups=None, **options):
    options = {"cv": 3, **options}
    return BoundSearch(estimator, grid, **options).fit(X, y, sample_weight=weight, groups=groups)


def with_form(name, form):
    estimator, grid = LEARNERS[name]
    return clone(estimator).set_params(certificate=form), grid


def test_every_learner_is_searched_here():
    assert set(LEARNERS) == set(SETTINGS)


@pytest.mark.cross_section(9)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "by"),
    [
        ("compression", "bound"),
        ("compression", "cv"),
        ("compression", "holdout"),
        ("split", "bound"),
        ("split", "cv"),
        ("holdout", "cv"),
    ],
)
@pytest.mark.parametrize("name", LEARNERS)
def test_the_certificate_of_the_choice_verifies_from_its_file(name, form, by, tmp_path):
    estimator, grid = with_form(name, form)
    found = search(estimator, grid, by=by)
    assert found.certificate_.form == ("holdout" if by == "holdout" else form)
    found.save_model(tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert model == found.model_
    assert model.certificate.verify(model, X, Y).holds
    assert found.path_[-1].model.body == found.model_.body
    assert int(found.results_["chosen"].sum()) == 1
    assert {name for name in found.results_ if name.startswith("param_")} == {
        f"param_{name}" for name in grid
    }
    best = found.best_estimator_
    assert type(best) is type(estimator)
    assert best.certificate_ is found.certificate_
    assert (best.predict(X) == found.predict(X)).all()
    assert {name: getattr(best, name) for name in found.best_params_} == found.best_params_


@pytest.mark.cross_section(9)
@pytest.mark.slow
@pytest.mark.parametrize(("form", "by"), [("compression", "bound"), ("split", "cv"), (None, "cv")])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_estimator_with_the_best_parameters_makes_the_chosen_model(name, form, by):
    found = search(*with_form(name, form), by=by)
    again = clone(found.best_estimator_).fit(X, Y)
    assert again.model_.body == found.model_.body
    assert (found.model_.certificate is None) == (form is None)


def tail_by_hand(certificate, settings):
    """Compute the bound of a compression certificate that pays for one choice among settings."""
    return compression_tail(
        m=certificate.m,
        roles=[len(rows) for rows in certificate.roles.values()],
        k=certificate.errors,
        log_message=certificate.message_nats + math.log(settings),
        delta=certificate.delta,
        aside=sum(certificate.aside),
    )


EXPERT = ["length > 0 -> yes"]


@pytest.mark.parametrize(
    ("estimator", "grid", "number"),
    [
        (RipperClassifier(), {"k": [0, 1, 2], "min_covered": [1.0, 2.0]}, 1),
        (SlipperClassifier(n_rounds=2), {"prune": [True, False], "random_state": [0, 1]}, 1),
        (RuleListClassifier(max_rules=3), {"criterion": ["wracc", "entropy"]}, 1),
        (RuleListClassifier(max_rules=2), {"conditions": ["conjunctions", "syndromes"]}, 2),
        (RuleListClassifier(max_rules=2), {"rules": [None, EXPERT]}, 2),
        (RuleVoteClassifier(max_rules=2), {"family": ["auto", "intervals", "thresholds"]}, 3),
        (TreeClassifier(max_depth=2), {"pruning": ["bound", "none"], "criterion": ["gini"]}, 1),
        (TreeClassifier(max_depth=2), {"preset": ["cart", "c4.5", "id3"]}, 3),
        (TreeRulesClassifier(), {"confidence": [0.1, 0.25]}, 1),
        (TreeRulesClassifier(), {"n_rounds": [1, 2, 3], "subsets": [True, False]}, 4),
    ],
    ids=str,
)
def test_the_certificate_pays_for_what_a_reconstruction_depends_on(estimator, grid, number):
    found = search(estimator, grid)
    alone = clone(found.best_estimator_).fit(X, Y).certificate_
    assert found.certificate_.settings == number * alone.settings
    assert found.certificate_.bound == pytest.approx(tail_by_hand(alone, number), abs=1e-12)
    paid = dict(found.certificate_.message).get("which of the settings tried", 0.0)
    assert paid == pytest.approx(math.log(number * alone.settings))
    found.certificate_.verify(found.model_, X, Y)


def test_all_candidates_of_all_points_are_on_the_table():
    estimator, grid = LEARNERS["rule-list"]
    found = search(estimator, grid).results_
    paths = [clone(estimator).set_params(max_terms=terms).fit(X, Y).path_ for terms in (1, 2)]
    bounds = [entry.certificate.bound for path in paths for entry in path]
    assert found["bound"].to_numpy() == pytest.approx(bounds, abs=1e-12)
    assert found["param_max_terms"].tolist() == [1] * len(paths[0]) + [2] * len(paths[1])
    assert found["bound"][found["chosen"]].item() == min(bounds)


VARIED = {
    "rule-list": [{}, {"covering": "weighting"}, {"default": "abstain"}, {"family": "intervals"},
                  {"rules": EXPERT}, {"conditions": "syndromes"}, {"correction": "sc"}],
    "rule-vote": [{}, {"default": "abstain"}, {"family": "missing"}, {"criterion": "gini"}],
    "ripper": [{}, {"algorithm": "irep"}, {"prune": False}, {"class_costs": {"yes": 3}}],
    "slipper": [{}, {"prune": False}, {"n_rounds": 2}],
    "tree": [{}, {"missing": "fractional"}, {"preset": "c4.5"}, {"preset": "id3"},
             {"family": ["thresholds", "categories"]}, {"family": "thresholds"},
             {"criterion": "wracc"}, {"pruning": "reduced-error"}],
    "tree-rules": [{}, {"n_rounds": 3}, {"n_rounds": 3, "base": "trees"}, {"subsets": True},
                   {"winnow": True}],
}  # fmt: skip
"""Settings that a search may choose among, besides those of machines."""


@pytest.mark.parametrize("name", VARIED)
def test_settings_of_one_code_have_certificates_of_one_code(name):
    """Otherwise a choice among them would not be paid for."""
    table = X.assign(colour=RNG.choice(["red", "green", "blue"], 120))
    table.loc[::7, "length"] = np.nan
    found = []
    for options in VARIED[name]:
        fitted = clone(LEARNERS[name][0]).set_params(**options).fit(table, Y)
        c, kind = fitted.certificate_, type(fitted.model_.body)
        found.append((fitted.settings().codes(), (c.families, c.combinations, c.implied, kind)))
    for codes, code in found:
        assert all(other == code for others, other in found if others == codes)


def test_settings_of_an_unknown_learner_have_a_code_each():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class OwnSettings(SETTINGS["ripper"]):
        codes = Settings.codes

    grid = GridSettings.of(OwnSettings(), [{"k": 0}, {"k": 1}, {"k": 1}, {"min_covered": 3.0}])
    assert len(grid.codes()) == 3


def one_list(body):
    """Models with one answer are the same list without rules."""
    constant = len(set(body.outputs)) == 1 and not body.abstains
    return type(BASELINE)((), body.outputs[0]) if constant else body


def pool_by_hand(settings, design):
    """Return candidates by text with their probabilities; each learner has the same share."""
    prior, bodies = {}, {}
    for learner in settings:
        sample = in_search_order(design, learner.families())
        most = np.bincount(sample.y).argmax()
        found = [one_list(member.body) for member in learner.candidates(sample)]
        own = {}
        for body in [*found, type(BASELINE)((), int(most))]:
            own.setdefault(text_of(body), body)
        penalty = {
            text: 0.3 * (body.classify(sample.table) != sample.y).sum() + body.literals
            for text, body in own.items()
        }
        kept = sorted(own, key=penalty.get)[:60]
        weight = np.exp([-penalty[text] for text in kept])
        for text, part in zip(kept, weight / weight.sum(), strict=True):
            share = (0.5 / len(kept) + 0.5 * part) / len(settings)
            prior[text] = prior.get(text, 0.0) + share
            bodies.setdefault(text, own[text])
    return [(bodies[text], prior[text]) for text in prior]


BASELINE = RipperClassifier().fit(X, Y).model_.body


def text_of(body):
    def plain(value):
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items() if name != "anchored_on"}
        return [plain(part) for part in value] if isinstance(value, list | tuple) else value

    return repr(plain(encode(body)))


def binomial_limit(wrong, rows, nats):
    """Return the largest error rate at which so few errors have the probability exp(-nats)."""
    return float(beta.isf(math.exp(-nats), wrong + 1, rows - wrong)) if wrong < rows else 1.0


@pytest.mark.parametrize("name", ["ripper", "scm", "tree"])
def test_a_pool_over_a_grid_is_the_union_by_hand(name):
    estimator, grid = with_form(name, "split")
    found = search(estimator.set_params(n_splits=2), grid)
    certificate = found.certificate_
    table, y = detect_table(X), (Y == "yes").astype(np.int32)
    splitter = make_splitter(
        table, y, np.ones(120), ("no", "yes"), recipe=certificate.recipe, seed=None,
        check_share=None,
    )  # fmt: skip
    points = [dict(zip(grid, values, strict=True)) for values in zip(*grid.values(), strict=False)]
    if name == "tree":
        points = [{"pruning": pruning, "max_depth": 2} for pruning in grid["pruning"]]
    settings = [clone(estimator).set_params(**point).settings() for point in points]
    bounds = []
    for number in (1, 2):
        split = splitter.split(number)
        design = Sample.of(table.take(split.design), y[split.design], ("no", "yes"))
        new, labels = table.take(split.check), y[split.check]
        for body, prior in pool_by_hand(settings, design):
            wrong = int((body.classify(new) != labels).sum())
            nats = math.log(2 / prior) + math.log(16 / 15) - math.log(0.05)
            bounds.append(binomial_limit(wrong, labels.size, nats))
    assert certificate.tail is None
    assert certificate.settings == 1
    assert certificate.bound == pytest.approx(min(bounds), rel=1e-9)
    assert found.results_["bound"].min() == certificate.bound
    assert certificate.recipe["learner"] == "grid"
    assert certificate.verify(found.model_, X, Y).holds


def test_a_split_certificate_of_a_choice_by_cross_validation_pays_for_the_points():
    found = search(RipperClassifier(certificate="split"), {"k": [0, 1, 2]}, by="cv")
    alone = clone(found.best_estimator_).fit(X, Y).certificate_
    c = found.certificate_
    assert (c.settings, c.split, c.place, c.key) == (3, alone.split, alone.place, alone.key)
    assert dict(c.message)["which of 3 recipes"] == pytest.approx(math.log(3))
    nats = c.message_nats - math.log(0.05)
    assert c.message_nats == pytest.approx(alone.message_nats + math.log(3))
    assert c.split_bound == pytest.approx(binomial_limit(c.errors, c.m, nats), rel=1e-9)
    unpaid = dataclasses.replace(c, settings=1)
    with pytest.raises(CertificateError, match="pays .* nats for the choice"):
        unpaid.verify(found.model_, X, Y)


def test_a_holdout_certificate_of_a_choice_by_cross_validation_pays_for_the_points():
    found = search(RipperClassifier(certificate="holdout"), {"k": [0, 1, 2]}, by="cv")
    c = found.certificate_
    assert c.settings == 3
    assert c.bound == pytest.approx(binomial_limit(c.errors, c.m, math.log(3 / 0.05)), rel=1e-9)


def test_the_price_of_a_choice_includes_the_compression_form_of_a_split_certificate():
    split = RipperClassifier(certificate="split").fit(X, Y).certificate_
    tail = RipperClassifier(delta=0.05 / 16, missing_tests=False).fit(X, Y).certificate_
    both = dataclasses.replace(split, tail=tail)
    both = dataclasses.replace(both, bound=both.recomputed_bound())
    priced = chosen_among(both, 4)
    assert priced.settings == priced.tail.settings == 4
    assert priced.tail.bound == pytest.approx(tail_by_hand(tail, 4), abs=1e-12)
    assert priced.bound == min(priced.split_bound, priced.tail.bound)
    assert chosen_among(both, 1) is both


@pytest.mark.parametrize("form", ["compression", "split"])
def test_cross_validation_is_the_one_made_by_hand(form):
    estimator, grid = with_form("ripper", form)
    results = search(estimator, grid, by="cv", random_state=3).results_
    codes = (Y == "yes").astype(int)
    order = canonical_rows(detect_table(X[sorted(NAMES)]), codes, np.ones(120))
    parts = StratifiedKFold(3, shuffle=True, random_state=3).split(order, codes[order])
    folds = [(np.sort(order[train]), np.sort(order[test])) for train, test in parts]
    lost = [
        sum(
            (clone(estimator).set_params(k=k).fit(X.iloc[a], Y[a]).predict(X.iloc[b]) != Y[b]).sum()
            for a, b in folds
        )
        for k in grid["k"]
    ]
    assert results["cv_loss"].tolist() == pytest.approx([number / 120 for number in lost])


@pytest.mark.parametrize("form", ["compression", "split"])
def test_neither_order_nor_threads_change_the_choice(form):
    estimator, grid = with_form("ripper", form)
    one, again = (search(estimator, grid) for _ in range(2))
    order = RNG.permutation(120)
    other = search(estimator, grid, X=X[NAMES[::-1]].iloc[order], y=Y[order], n_jobs=2)
    for found in (again, other):
        assert found.best_params_ == one.best_params_
        assert found.certificate_.bound == one.certificate_.bound
        assert str(found.model_) == str(one.model_)


@pytest.mark.parametrize("form", ["compression", "split"])
def test_rows_of_weight_zero_are_absent(form):
    estimator, grid = with_form("ripper", form)
    weight = (np.arange(120) % 4 != 1).astype(float)
    kept = np.flatnonzero(weight)
    weighted = search(estimator, grid, weight=weight)
    dropped = search(estimator, grid, X=X.iloc[kept], y=Y[kept])
    assert weighted.certificate_.bound == dropped.certificate_.bound
    assert weighted.best_params_ == dropped.best_params_
    weighted.certificate_.verify(weighted.model_, X, Y, sample_weight=weight)


@pytest.mark.parametrize("form", ["compression", "split"])
def test_costs_that_differ_in_the_grid_are_compared_by_those_of_the_estimator(form):
    grid = {"class_costs": [None, {"yes": 5}, {"no": 5}]}
    estimator = RipperClassifier(certificate=form)
    plain = search(estimator, grid).results_
    assert (plain["worth"] == plain["bound"]).all()
    dear = search(clone(estimator).set_params(class_costs={"yes": 5}), grid)
    assert dear.certificate_.cost_bound([1, 5]) == dear.results_["worth"].min()
    agreed = search(estimator, {"class_costs": [{"yes": 5}], "k": [0, 2]}).results_
    assert (agreed["worth"] > agreed["bound"]).any()


def test_a_split_certificate_keeps_groups_together_in_a_search_too():
    groups = np.arange(120) // 3
    estimator, grid = with_form("ripper", "split")
    for by in ("bound", "cv"):
        found = search(estimator, grid, by=by, groups=groups)
        assert found.certificate_.unit == "group"
        assert "takes rows to be independent" not in str(found.certificate_)
        assert found.certificate_.verify(found.model_, X, Y, groups=groups).holds
    times = BoundSearch(estimator, grid).fit(X, Y, times=np.arange(120))
    assert times.certificate_.unit == "time"


def test_a_generator_draws_the_seed_of_a_pool_once():
    estimator = RipperClassifier(certificate="split", random_state=np.random.RandomState(3))
    found = search(estimator, {"k": [0, 2]})
    assert isinstance(found.certificate_.seed, int)
    assert found.certificate_.verify(found.model_, X, Y).holds


def test_the_best_estimator_has_the_attributes_of_its_learner():
    estimator, grid = LEARNERS["slipper"]
    assert search(estimator, grid).best_estimator_.rounds_ == {"yes": 4}
    estimator, grid = LEARNERS["tree-rules"]
    assert search(estimator, grid, by="holdout").best_estimator_.kept_columns_ == sorted(NAMES)


def test_certificate_is_another_name_of_bound():
    estimator, grid = LEARNERS["ripper"]
    one, other = (search(estimator, grid, by=by) for by in ("bound", "certificate"))
    assert one.certificate_ == other.certificate_


def test_a_forged_recipe_of_a_grid_is_refused():
    found = search(RipperClassifier(certificate="split"), {"k": [0, 2]})
    parameters = found.certificate_.recipe["parameters"]
    for changed in ({"estimator": "magic"}, {"points": 3}, {"points": []}):
        recipe = {**found.certificate_.recipe, "parameters": {**parameters, **changed}}
        forged = dataclasses.replace(found.certificate_, recipe=recipe)
        with pytest.raises(CertificateError, match="do not give the key"):
            forged.verify(found.model_, X, Y)
        with pytest.raises(CertificateError, match="This version cannot run its recipe"):
            run_recipe(recipe, None)


RIPPER = RipperClassifier()
BAD = [
    ((AutoClassifier(), {}), {}, "cannot search AutoClassifier, which chooses among all learners"),
    ((TreeRegressor(), {}), {}, "needs a classifier of this library.*found TreeRegressor"),
    ((RIPPER, {"certificate": ["split"]}), {}, "must not hold 'certificate': the form"),
    ((RIPPER, {"n_splits": [2]}), {}, "must not hold 'n_splits': the splits are settled"),
    ((RIPPER, {"check_share": [0.2]}), {}, "must not hold 'check_share'"),
    ((RIPPER, {"price": [1]}), {}, "Invalid parameter 'price'"),
    ((RIPPER, {"k": [-1]}), {}, "k must be"),
    ((RipperClassifier(certificate=None), {}), {}, "by='bound' chooses by certificates, but"),
    ((RipperClassifier(certificate="holdout"), {}), {}, "by='bound' does not pay.*by='holdout'"),
    (
        (RipperClassifier(certificate="split"), {}),
        {"cross_validate": True},
        "cross_validate=True is not available",
    ),
    (
        (TreeClassifier(certificate="split"), {"criterion": [lambda p, n, P, N: p - n]}),
        {},
        "must be a value that a file can hold",
    ),
]


@pytest.mark.parametrize(("given", "options", "message"), BAD)
def test_bad_input_is_refused_clearly(given, options, message):
    with pytest.raises(ValueError, match=message):
        search(*given, **options)


def test_times_need_a_split_certificate():
    with pytest.raises(InputError, match="times need certificate='split'"):
        BoundSearch(RIPPER, {"k": [0]}).fit(X, Y, times=np.arange(120))


def test_a_family_may_be_in_the_grid_of_a_pool():
    grid = {"family": [Thresholds(), "intervals"]}
    found = search(RuleListClassifier(max_rules=2, certificate="split", n_splits=2), grid)
    assert found.certificate_.verify(found.model_, X, Y).holds
