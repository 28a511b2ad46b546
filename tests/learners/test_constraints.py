"""Constraints on tests: every learner that has the option respects it, whatever the data."""

import json
import math
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import constraints as oracle
from sklearn.base import clone
from strategies.effort import EIGHTH

import rulewright
from rulewright import (
    AutoClassifier,
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRegressor,
)
from rulewright.certificates import from_json
from rulewright.errors import InputError
from rulewright.families import GivenPredicates, Thresholds
from rulewright.learners import CONSTRAINTS, ESTIMATORS, SETTINGS, options_of, recipe_of
from rulewright.models import to_json
from rulewright.selection import AutoSettings

pytestmark = pytest.mark.filterwarnings("ignore:Column '", "ignore:A category")
CLASSIFIERS = [getattr(rulewright, name) for name in ESTIMATORS if name != "TreeRegressor"]
SMALL = {
    "max_rules": 3,
    "beam_width": 2,
    "max_terms": 2,
    "max_rounds": 4,
    "n_folds": 2,
    "max_leaf_nodes": 6,
}
"""Limits that keep a fit short, for learners that have them."""


def small(estimator, **options):
    """An estimator with limits, and options that it must have."""
    known = options_of(estimator.settings_class)
    return estimator(**{name: value for name, value in SMALL.items() if name in known} | options)


def quietly(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fit()


def with_option(name):
    """Classifiers that have an option."""
    found = [c for c in CLASSIFIERS if name in options_of(c.settings_class)]
    return pytest.mark.parametrize("estimator", found, ids=lambda cls: cls.__name__)


NUMBERS = [-1.25, -0.5, 0.1, 0.25, 0.3, 0.75, 1.0, 2.5, 7.0, 13.0, 117.2, 117.7, np.nan]


@st.composite
def tables(draw, least=6, most=18):
    """A frame with ties, missing values, categories and twins, and labels of two classes."""
    rows = draw(st.integers(least, most))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))

    twin = np.array(column(NUMBERS))
    frame = pd.DataFrame(
        {
            "a": np.array(column(NUMBERS)),
            "b": twin,
            "c": twin,
            "whole": np.array(column(range(4)), float),
            "colour": pd.Series(column(["blue", "green", "red", None]), dtype=object),
            "flag": np.array(column([True, False])),
        }
    )
    labels = st.lists(st.sampled_from("ny"), min_size=rows, max_size=rows)
    return frame, np.array(draw(labels.filter(lambda drawn: len(set(drawn)) == 2)))


def checked(fitted, X, y):
    """Verify the certificate of a model, and of the model that its file holds."""
    fitted.certificate_.verify(fitted.model_, X, y)
    loaded = from_json(json.loads(json.dumps(to_json(fitted.model_))))
    loaded.certificate.verify(loaded, X, y)
    assert (loaded.predict(X) == fitted.predict(X)).all()
    return fitted


RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "income": RNG.normal(30, 9, 240).round(2),
        "age": RNG.integers(18, 80, 240).astype(float),
        "debt": RNG.exponential(5, 240).round(3),
        "town": RNG.choice(["Alba", "Asti", "Bra"], 240),
        "owner": RNG.random(240) < 0.4,
        "joined": pd.Timestamp("2015-01-01") + pd.to_timedelta(RNG.integers(0, 3000, 240), "D"),
    }
)
X.loc[RNG.random(240) < 0.1, "debt"] = np.nan
Y = np.where(
    ((X["income"] > 28) & (X["town"] != "Bra")) ^ (X["debt"] > 9) ^ (RNG.random(240) < 0.06),
    "good",
    "bad",
)
FOR_PEOPLE = {
    "GROUPS": [["income", "town"], ["debt", "town", "age"]],
    "DIRECTIONS": {"income": 1, "debt": -1},
}
OPTIONS = {
    "round_cuts": [True],
    "cuts": ["integers", "deciles"],
    "positive_tests": [True],
    "max_columns": [1, 2, 3],
    "interactions": ["pairwise", "no_interactions", "GROUPS"],
    "monotonic_cst": ["DIRECTIONS"],
}
"""Values of each constraint; groups and directions of columns depend on the table."""
FOR_DRAWN = {"GROUPS": [["a", "b", "colour"], ["a", "flag"]], "DIRECTIONS": {"a": 1, "whole": -1}}
HOLDS = {
    "round_cuts": lambda model, X, _: oracle.are_round(model.body, X),
    "cuts": lambda model, X, cuts: oracle.are_among(model.body, X, cuts),
    "positive_tests": lambda model, X, _: oracle.are_positive(model.body),
    "max_columns": lambda model, X, most: len(set(model.body.columns)) <= most,
    "monotonic_cst": lambda model, X, cst: oracle.is_monotone(model, X, cst),
    "interactions": lambda model, X, groups: oracle.are_together(model.body, X.columns, groups),
}
"""Whether a model, learnt from X, respects a constraint."""


def test_every_constraint_has_a_test():
    every = [AutoSettings, *SETTINGS.values()]
    known = {
        name
        for settings in every
        for name, (_, option) in options_of(settings).items()
        if option.group == CONSTRAINTS
    }
    assert known == set(OPTIONS) == set(HOLDS)


VARIANTS = {
    "SetCoveringMachine": [{"kind": "disjunction"}, {"kind": "best", "penalty": 3.0}],
    "DecisionListMachine": [{"family": ["thresholds", "subsets"]}, {"penalty": 2.0}],
    "RuleListClassifier": [
        {"conditions": "syndromes"},
        {"covering": "weighting"},
        {"beam_width": None, "max_terms": 2},
        {"default": "majority", "criterion": "entropy", "size": "bound"},
    ],
    "RuleVoteClassifier": [{"conditions": "syndromes"}, {"correction": "sc"}],
    "RipperClassifier": [{"k": 0}, {"prune": False}, {"algorithm": "irep"}],
    "SlipperClassifier": [{"prune": False}, {"n_rounds": 5}],
    "TreeClassifier": [
        {"preset": "c4.5"},
        {"preset": "id3"},
        {"pruning": "none", "max_leaf_nodes": None},
        {"pruning": "reduced-error"},
        {"pruning": "bound"},
        {"criterion": "error", "missing": "fractional"},
        {"class_costs": {"y": 3.0}},
    ],
    "TreeRulesClassifier": [
        {"n_rounds": 3},
        {"n_rounds": 3, "base": "trees"},
        {"subsets": True, "min_samples_leaf": 1.0},
    ],
}
"""Other ways to learn, which must respect the constraints too."""


CASES = [
    pytest.param(estimator, name, value, id=f"{estimator.__name__}-{name}-{value}")
    for estimator in CLASSIFIERS
    for name, values in OPTIONS.items()
    if name in options_of(estimator.settings_class)
    for value in values
]


@pytest.mark.cross_section(17)
@pytest.mark.parametrize(("estimator", "name", "value"), CASES)
@EIGHTH
@given(case=tables(), data=st.data())
def test_a_constraint_holds_on_any_data(estimator, name, value, case, data):
    X, y = case
    value = FOR_DRAWN.get(value, value)
    variant = data.draw(st.sampled_from([{}, *VARIANTS.get(estimator.__name__, ())]))
    fitted = quietly(lambda: small(estimator, **{name: value}, **variant).fit(X, y))
    checked(fitted, X, y)
    assert HOLDS[name](fitted.model_, X, value)


@pytest.mark.cross_section(17)
@pytest.mark.parametrize(("estimator", "name", "value"), CASES)
def test_a_constraint_holds_in_all_forms_of_the_certificate(estimator, name, value):
    value = FOR_PEOPLE.get(value, value)
    fitted = checked(small(estimator, **{name: value}).fit(X, Y), X, Y)
    assert HOLDS[name](fitted.model_, X, value)
    order = RNG.permutation(len(X))
    columns = RNG.permutation(X.columns)
    other = small(estimator, **{name: value}).fit(X[columns].iloc[order], Y[order])
    assert (other.predict(X[columns]) == fitted.predict(X)).all()
    assert other.certificate_.bound == pytest.approx(fitted.certificate_.bound)
    split = {"certificate": "split", "n_splits": 2, "random_state": 1}
    splitting = small(estimator, **{name: value}, **split).fit(X, Y)
    checked(splitting, X, Y)
    if name != "round_cuts" and value != "deciles":  # those are functions of the design rows
        assert HOLDS[name](splitting.model_, X, value)
    held = small(estimator, **{name: value}, certificate="holdout", random_state=1).fit(X, Y)
    checked(held, X, Y)


@with_option("round_cuts")
@EIGHTH
@given(case=tables())
def test_round_cuts_change_no_training_answer(estimator, case):
    X, y = case
    plain, rounded = (
        quietly(lambda r=r: small(estimator, round_cuts=r).fit(X, y)) for r in (False, True)
    )
    assert (plain.predict(X) == rounded.predict(X)).all()
    assert np.array_equal(plain.predict_proba(X), rounded.predict_proba(X))
    assert rounded.model_.body.literals == plain.model_.body.literals


@with_option("round_cuts")
def test_round_cuts_have_no_more_digits(estimator):
    plain, rounded = (small(estimator, round_cuts=r).fit(X, Y) for r in (False, True))
    assert (plain.predict(X) == rounded.predict(X)).all()
    digits = [
        sum(len(repr(cut).strip("0.")) for _, cut in oracle.cuts(one.model_.body))
        for one in (plain, rounded)
    ]
    assert digits[1] <= digits[0]
    families = rounded.certificate_.families
    assert "rounded" in [family.name for family in families]
    assert len(rounded.certificate_.examples) >= len(plain.certificate_.examples)


def test_dates_are_cut_at_the_first_of_a_month_or_year():
    days = pd.to_datetime(["2019-11-05", "2020-12-20", "2021-02-03", "2021-05-05"] * 8)
    y = np.array([0, 0, 1, 1] * 8)
    model = SetCoveringMachine(round_cuts=True).fit(pd.DataFrame({"day": days}), y).model_
    assert "day > 2021-01-01" in str(model)


def test_a_cut_that_is_moved_by_hand_is_no_longer_certified():
    fitted = SetCoveringMachine(round_cuts=True).fit(X, Y)
    data = to_json(fitted.model_)
    text = json.dumps(data)
    (_, cut), *_ = oracle.cuts(fitted.model_.body)
    forged = from_json(json.loads(text.replace(f'"cut": {cut!r}', f'"cut": {cut + 0.25!r}')))
    assert oracle.cuts(forged.body) != oracle.cuts(fitted.model_.body)
    with pytest.raises(rulewright.errors.CertificateError):
        forged.certificate.verify(forged, X, Y)


FAMILIES = ["intervals", "midpoints", "coarse", "balls", "half_spaces", "half_planes"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("option", [{"round_cuts": True}, {"cuts": "deciles"}], ids=str)
def test_cuts_of_other_families_are_refused(family, option):
    (name,) = option
    with pytest.raises(InputError, match=f"{name} applies to thresholds, not to .* '{family}'"):
        SetCoveringMachine(family=["thresholds", family], **option).fit(X[["age"]], Y)


def test_consistent_machines_refuse_other_cuts():
    with pytest.raises(InputError, match="cuts and consistent=True exclude each other"):
        SetCoveringMachine(cuts="integers", consistent=True).fit(X, Y)


def test_a_family_with_cuts_of_its_own_keeps_them():
    fitted = SetCoveringMachine(family=Thresholds("integers"), round_cuts=True).fit(X[["debt"]], Y)
    assert fitted.certificate_.families[0].cuts == "integers"
    assert oracle.are_among(fitted.model_.body, X, "integers")


def test_trees_refuse_single_categories_where_tests_must_be_positive():
    with pytest.raises(InputError, match="positive_tests=True excludes the family 'categories'"):
        TreeClassifier(family=["thresholds", "categories"], positive_tests=True).fit(X, Y)


def test_given_predicates_are_tested_for_being_true():
    family = GivenPredicates(functions={"old": partial(_is_old)})
    for positive in (False, True):
        fitted = SetCoveringMachine(family=family, positive_tests=positive, kind="best")
        fitted.fit(X, np.where(X["age"] > 50, "a", "b"))
        assert ("says no" in str(fitted.model_)) != positive
        fitted.certificate_.verify(fitted.model_, X, np.where(X["age"] > 50, "a", "b"))


def _is_old(columns):
    return columns["age"] > 50


def test_a_shorter_message_describes_positive_tests():
    towns = X[["town"]]
    y = np.where(X["town"] == "Bra", "a", "b")
    both = [SetCoveringMachine(positive_tests=p).fit(towns, y) for p in (False, True)]
    plain, positive = (fitted.certificate_.message_nats for fitted in both)
    assert positive == pytest.approx(plain - math.log(2)) or positive < plain


@pytest.mark.cross_section(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"), [(name, values[-1]) for name, values in OPTIONS.items()]
)
def test_the_automatic_choice_passes_constraints_on(name, value):
    value = FOR_PEOPLE.get(value, value)
    settings = AutoSettings(**{name: value})
    learners = settings.learners()
    for learner in learners:
        assert getattr(learner, name) == value
    able = {known for known, made in SETTINGS.items() if name in options_of(made)}
    assert {one.learner for one in learners} <= able | {"machines"}
    fitted = checked(AutoClassifier(**{name: value}, n_splits=1).fit(X, Y), X, Y)
    if name not in ("round_cuts", "cuts"):
        assert HOLDS[name](fitted.model_, X, value)


NUMBERS_TO_PREDICT = (
    X["income"].to_numpy() / 3 - X["debt"].fillna(4).to_numpy() + (X["town"] == "Bra")
)


@pytest.mark.parametrize("certificate", [None, "split"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for name, values in OPTIONS.items()
        for value in values
        if name != "monotonic_cst"
    ],
)
def test_regression_trees_respect_constraints(name, value, certificate):
    value = FOR_PEOPLE.get(value, value)
    tree = TreeRegressor(**{name: value}, max_leaf_nodes=9, certificate=certificate)
    tree.fit(X, NUMBERS_TO_PREDICT)
    if certificate:
        certified = tree.model_.certificate
        certified.verify(tree.model_, X, NUMBERS_TO_PREDICT)
    if not certificate or name not in ("round_cuts", "cuts"):
        assert HOLDS[name](tree.model_, X, value)
    if name == "round_cuts" and not certificate:
        plain = TreeRegressor(max_leaf_nodes=9).fit(X, NUMBERS_TO_PREDICT)
        assert (plain.predict(X) == tree.predict(X)).all()


def test_regression_trees_keep_directions():
    tree = TreeRegressor(monotonic_cst={"income": 1, "debt": -1}, round_cuts=True, max_columns=2)
    tree.fit(X, NUMBERS_TO_PREDICT)
    for name, sign in (("income", 1), ("debt", -1)):
        answers = [tree.predict(X.assign(**{name: value})) for value in np.linspace(0, 60, 25)]
        assert (sign * np.diff(answers, axis=0) >= 0).all()


MESSAGES = [
    ({"interactions": [["income", "nope"]]}, "interactions has 'nope', which is not a column"),
    ({"interactions": "triples"}, "interactions must be a list of lists of column names"),
    ({"interactions": ["income"]}, "interactions must be a list of lists of column names"),
    ({"max_columns": 0}, "max_columns must be a whole number of at least 1"),
    ({"round_cuts": 1}, "round_cuts must be True or False"),
    ({"monotonic_cst": {"town": 1}}, "monotonic_cst has 'town', which is not a numeric column"),
]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(("options", "message"), MESSAGES, ids=str)
def test_wrong_constraints_are_refused(estimator, options, message):
    with pytest.raises(InputError, match=message):
        estimator(**options).fit(X, Y)


@pytest.mark.parametrize("family", ["balls", "half_spaces", "half_planes", "functions"])
@pytest.mark.parametrize("name", ["max_columns", "interactions", "monotonic_cst"])
def test_tests_of_several_columns_are_refused(family, name):
    value = {"max_columns": 2, "interactions": "pairwise", "monotonic_cst": {"age": 1}}[name]
    given = GivenPredicates(functions={"old": _is_old}) if family == "functions" else family
    machine = SetCoveringMachine(family=["thresholds", given], **{name: value}, max_rules=2)
    if (family, name) == ("half_planes", "monotonic_cst"):
        fitted = machine.fit(X[["income", "age"]], Y)
        assert oracle.is_monotone(fitted.model_, X[["income", "age"]], value)
        return
    with pytest.raises(InputError, match=f"{name} needs tests of single columns, but the family"):
        machine.fit(X[["income", "age"]], Y)


SUMS = {"family": ["thresholds", "half_planes"]}
SUMMING = {
    "machine": SetCoveringMachine(max_rules=2, **SUMS),
    "list machine": DecisionListMachine(max_rules=2, **SUMS),
    "list": RuleListClassifier(max_rules=2, **SUMS),
    "polished list": RuleListClassifier(max_rules=2, polish=True, **SUMS),
    "tree": TreeClassifier(max_leaf_nodes=4, **SUMS),
    "polished tree": TreeClassifier(max_leaf_nodes=4, polish=True, **SUMS),
    "tree of splits": TreeClassifier(max_leaf_nodes=4, certificate="split", n_splits=2, **SUMS),
    "regression tree": TreeRegressor(max_leaf_nodes=4, **SUMS),
}


@pytest.mark.parametrize("option", [{"forbid": ["b"]}, {"keep": ["a", "c"]}], ids=str)
@pytest.mark.parametrize("name", SUMMING)
def test_columns_that_are_left_out_are_in_no_half_plane(name, option):
    """Families of several columns were given every numeric column, as balls are."""
    columns = np.random.default_rng(0).normal(size=(120, 3))
    table = pd.DataFrame(columns, columns=list("abc"))
    y = (table["a"] > table["b"]).astype(int)
    free = clone(SUMMING[name]).fit(table, y)
    assert "b" in free.model_.body.columns
    learner = clone(SUMMING[name]).set_params(**option).fit(table, y)
    assert "b" not in learner.model_.body.columns


@pytest.mark.parametrize(
    "rule",
    [
        "income > 30 -> bad",
        "income <= 30 and age > 20 -> good",
        "20 <= income <= 30 -> good",
        "not (income <= 30) -> good",
    ],
)
def test_rules_against_a_direction_are_refused(rule):
    learner = RuleListClassifier(rules=[rule], monotonic_cst={"income": 1})
    with pytest.raises(InputError, match="does not respect monotonic_cst"):
        learner.fit(X, Y)


def test_rules_in_a_direction_are_kept():
    rules = ["income > 30 and town = Bra -> good", "debt is missing -> bad"]
    fitted = RuleListClassifier(rules=rules, monotonic_cst={"income": 1, "debt": -1}).fit(X, Y)
    assert str(fitted.model_).count("income > 30") >= 1
    assert oracle.is_monotone(fitted.model_, X, {"income": 1, "debt": -1})


def test_directions_hold_for_machines_that_are_consistent():
    for kind in ("conjunction", "disjunction"):
        options = {"kind": kind, "consistent": True, "monotonic_cst": {"income": 1, "debt": -1}}
        fitted = checked(SetCoveringMachine(**options).fit(X, Y), X, Y)
        assert oracle.is_monotone(fitted.model_, X, options["monotonic_cst"])


def test_several_classes_share_the_columns_of_a_vote():
    three = np.where(X["age"] > 60, "old", Y)
    for threads in (1, 2):
        fitted = SlipperClassifier(n_rounds=4, max_columns=2, n_jobs=threads).fit(X, three)
        assert len(set(fitted.model_.body.columns)) <= 2
    listed = RipperClassifier(max_columns=2).fit(X, three)
    assert len(set(listed.model_.body.columns)) <= 2


def test_limits_that_are_not_reached_change_no_model():
    free = {"max_columns": 6, "interactions": [list(X.columns)]}
    for estimator in CLASSIFIERS:
        one, other = small(estimator).fit(X, Y), small(estimator, **free).fit(X, Y)
        assert one.model_.body == other.model_.body


def test_a_rule_is_grown_on_when_a_column_is_not_allowed():
    """The terms before the first that is not allowed are those of a rule without constraints."""
    free = RipperClassifier(prune=False).fit(X, Y).model_.body.listed[0]
    pair = RipperClassifier(prune=False, interactions="pairwise").fit(X, Y).model_.body.listed[0]
    assert len(set(free.condition.columns)) > 2
    assert set(pair.condition.columns) <= set(free.condition.columns)


def test_recipes_stay_the_same_without_constraints():
    recipe = recipe_of(SETTINGS["scm"]())
    assert not set(OPTIONS) & set(recipe["parameters"])
    assert recipe_of(SETTINGS["scm"](round_cuts=True))["parameters"]["round_cuts"] is True
