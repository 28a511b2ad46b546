"""Polishing: the objective and the size never grow, and nothing is left to improve."""

import json
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import QUARTER
from strategies.mixed import tables

from rulewright import (
    AutoClassifier,
    BoundSearch,
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.certificates import from_json
from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import as_families
from rulewright.learners import Sample
from rulewright.learners.polishing import POLISHERS, PolishingTask, best_cuts, polish
from rulewright.models import to_json
from rulewright.rules import (
    AllOf,
    AtLeast,
    Category,
    Conjunction,
    Disjunction,
    Leaf,
    Missing,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
    literals_of,
)

pytestmark = pytest.mark.filterwarnings("ignore")

LEARNERS = {
    "scm": SetCoveringMachine(kind="best"),
    "dlm": DecisionListMachine(),
    "rule list": RuleListClassifier(max_rules=4, max_terms=2, beam_width=2),
    "syndromes": RuleListClassifier(conditions="syndromes", max_rules=3, max_terms=3, beam_width=2),
    "abstaining": RuleListClassifier(default="abstain", max_rules=3, max_terms=2, beam_width=2),
    "rule vote": RuleVoteClassifier(max_rules=4, max_terms=2, beam_width=2),
    "ripper": RipperClassifier(),
    "slipper": SlipperClassifier(n_rounds=4),
    "cart": TreeClassifier(),
    "id3": TreeClassifier(preset="id3"),
    "c4.5": TreeClassifier(preset="c4.5"),
    "tree rules": TreeRulesClassifier(),
    "boosted tree rules": TreeRulesClassifier(n_rounds=3),
}


def literals():
    """Single tests of the columns of ``tables``."""
    cuts = st.sampled_from([-1.0, 0.0, 1.0, 2.0])
    return st.one_of(
        st.builds(Threshold, st.sampled_from(["a", "b"]), st.booleans(), cuts),
        st.builds(
            Category,
            st.just("colour"),
            st.sampled_from([("blue",), ("green",), ("red",)]),
            st.booleans(),
        ),
        st.builds(Missing, st.sampled_from(["a", "colour"]), st.booleans()),
    )


def conditions():
    some = st.lists(literals(), min_size=2, max_size=3).map(tuple)
    return st.one_of(literals(), some.map(AllOf), st.builds(AtLeast, st.integers(1, 2), some))


def bodies(classes=3):
    """Arrangements of all kinds."""
    outputs = st.integers(0, classes - 1)
    weights = st.sampled_from([-0.5, 0.25, 0.5, 1.0])
    rules = st.lists(st.builds(Rule, conditions(), outputs), max_size=4).map(tuple)
    voters = st.lists(st.builds(WeightedRule, conditions(), outputs, weights), max_size=4)
    parts = st.lists(literals(), max_size=4, unique=True).map(tuple)
    defaults = st.one_of(st.none(), outputs)
    return st.one_of(
        st.builds(RuleList, rules, defaults),
        st.builds(RuleVote, voters.map(tuple), defaults),
        st.builds(Conjunction, parts, st.just(1), st.just(0)),
        st.builds(Disjunction, parts, st.just(1), st.just(0)),
        small_trees(outputs),
    )


@st.composite
def small_trees(draw, outputs):
    """Trees of up to three splits, one of which may have three branches."""
    leaf = lambda: Leaf(draw(outputs))  # noqa: E731
    tests = tuple(draw(literals()) for _ in range(draw(st.integers(1, 2))))
    if draw(st.booleans()):
        return Tree((Split(tests, tuple(range(1, len(tests) + 2))), *[leaf() for _ in (*tests, 0)]))
    one, two, three = (draw(literals()) for _ in range(3))
    nodes = Split((one,), (1, 2)), Split((two,), (3, 4)), Split((three,), (5, 6))
    return Tree((*nodes, leaf(), leaf(), leaf(), leaf()))


def loss_of(body, sample, costs):
    """Sum of the costs of the wrong answers, times their weights."""
    wrong = body.classify(sample.table) != sample.y
    return sum(
        Fraction(float(sample.weight[row])) * (1 if costs is None else costs[sample.y[row]])
        for row in np.flatnonzero(wrong)
    )


@st.composite
def cases(draw):
    table = draw(tables(most_rows=14))
    size = table.rows
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), np.int32)
    weights = st.sampled_from([1.0, 1.0, 2.0, 5.0])
    weight = np.array(draw(st.lists(weights, min_size=size, max_size=size)))
    costs = draw(st.sampled_from([None, (Fraction(1), Fraction(3), Fraction(2))]))
    price = draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    sample = Sample.of(table, y, ("x", "y", "z"), weight=weight)
    return sample, draw(bodies()), costs, price


@given(cases())
def test_objective_and_size_never_grow_and_a_second_time_changes_nothing(case):
    sample, body, costs, price = case
    task = PolishingTask(sample, as_families("auto"), costs, price)
    polished = polish(body, task)
    assert polished.literals <= body.literals
    assert type(polished) is type(body) or polished == Conjunction(
        (), polished.then, polished.otherwise
    )
    before, after = (
        loss_of(one, sample, costs) + Fraction(price) * one.literals for one in (body, polished)
    )
    assert after <= before
    assert polish(polished, task) == polished
    assert polished.abstains == body.abstains


@given(cases())
def test_no_single_literal_and_no_part_left_out_is_better(case):
    """Compare with all thresholds, categories and tests for missing values, one by one."""
    sample, body, costs, price = case
    if not isinstance(body, RuleList | RuleVote | Conjunction | Disjunction):
        return
    task = PolishingTask(sample, as_families("auto"), costs, price)
    polished = polish(body, task)
    polisher = POLISHERS[type(polished)](task)
    least = polisher.objective(polished)
    numbers = [
        Threshold(column, above, cut)
        for column, above in product("ab", (False, True))
        for cut in np.unique(sample.table.numbers(column)[~sample.table.missing(column)]).tolist()
    ]
    categories = [
        Category(column.name, (name,), among)
        for column in sample.table.categorical
        for name, among in product(column.categories, (False, True))
    ]
    for site in polisher.sites(polished):
        for literal in [*numbers, *categories]:
            model = polisher._with_literals(polished, (site, literal))
            assert polisher.objective(model) >= least
    for model, _ in polisher.smaller(polished):
        assert polisher.objective(polisher.refitted(model)) >= least


@given(cases())
def test_arms_are_the_losses_of_models_with_a_constant_condition(case):
    sample, body, costs, price = case
    task = PolishingTask(sample, as_families("auto"), costs, price)
    polisher = POLISHERS[type(body)](task)
    assert int(polisher.row_loss(body).sum()) == loss_of(body, sample, costs)
    for number in range(len(polisher.conditions(body))):
        for arm, constant in zip(polisher.arms(body, number), (AllOf(), ~AllOf()), strict=True):
            model = polisher.with_condition(body, number, constant)
            assert arm.tolist() == task.lost(task.evaluation.classify(model)).tolist()


@given(cases(), st.data())
def test_two_cuts_together_are_the_best_of_all_pairs(case, data):
    sample, _, _, _ = case
    present = [c for c in "ab" if not sample.table.missing(c).all()]
    if not present:
        return
    task = PolishingTask(sample, as_families("auto"))
    columns = [data.draw(st.sampled_from(present)) for _ in range(2)]
    values = [np.unique(sample.table.numbers(c)[~sample.table.missing(c)]) for c in columns]
    amounts = st.lists(st.integers(0, 5), min_size=sample.y.size, max_size=sample.y.size)
    losses = [np.array(data.draw(amounts)) for _ in range(4)]
    pairs = list(zip(columns, values, strict=True))
    old = [Threshold(c, True, float(v[0]), anchored_on=(0,)) for c, v in pairs]

    def lost(one, other):
        first, second = one.holds(sample.table), other.holds(sample.table)
        place = np.where(first, np.where(second, 0, 1), np.where(second, 2, 3))
        return int(np.choose(place, losses).sum())

    every = [
        lost(Threshold(columns[0], up, float(cut)), Threshold(columns[1], other_up, float(other)))
        for up, other_up in product((False, True), repeat=2)
        for cut, other in product(*values)
    ]
    found = best_cuts(task, *old, losses)
    assert lost(*found) == min(every)
    for literal in found:
        (row,) = literal.anchored_on
        assert literal in old or sample.table.numbers(literal.column)[row] == literal.cut


def patients(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows).astype(float),
            "dose": rng.normal(size=rows).round(1),
            "ward": rng.choice(["north", "south", "east"], rows),
        }
    )
    X.loc[::9, "dose"] = np.nan
    ill = ((X["age"] > 50) & (X["ward"] != "east")) ^ (rng.random(rows) < 0.15)
    return X, np.where(ill, "ill", "well")


def objective(model, X, y, price=1.0):
    return int((model.predict(X) != y).sum()) + price * model.body.literals


@pytest.mark.parametrize("name", LEARNERS)
def test_polished_models_are_better_and_their_certificates_verify(name):
    X, y = patients()
    plain = LEARNERS[name].fit(X, y)
    before = plain.model_
    fitted = type(plain)(**{**plain.get_params(), "polish": True}).fit(X, y)
    model = fitted.model_
    assert objective(model, X, y) <= objective(before, X, y)
    assert model.body.literals <= before.body.literals
    assert fitted.certificate_.form == "compression"
    fitted.certificate_.verify(model, X, y)
    assert from_json(json.loads(json.dumps(to_json(model)))) == model


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_polished_afterwards_is_the_model_polished_by_its_learner(name):
    X, y = patients()
    before = LEARNERS[name].fit(X, y).model_
    after = before.polished(X, y)
    fitted = type(LEARNERS[name])(**{**LEARNERS[name].get_params(), "polish": True}).fit(X, y)
    assert after.body == fitted.model_.body
    assert after.certificate.bound == fitted.certificate_.bound
    assert after.polished(X, y) == after


@pytest.mark.parametrize("name", LEARNERS)
def test_order_of_rows_and_columns_and_threads_change_nothing(name):
    X, y = patients()
    params = {**LEARNERS[name].get_params(), "polish": True}
    first = type(LEARNERS[name])(**params).fit(X, y)
    order = np.random.default_rng(1).permutation(len(y))
    other = type(LEARNERS[name])(**{**params, "n_jobs": 2})
    other.fit(X.iloc[order][["ward", "dose", "age"]], y[order])
    assert str(other.model_) == str(first.model_)
    assert other.certificate_.bound == first.certificate_.bound


@pytest.mark.parametrize("name", [n for n in LEARNERS if n not in ("ripper", "slipper")])
def test_weights_equal_repeated_rows(name):
    X, y = patients()
    times = 1 + np.arange(len(y)) % 3
    params = {**LEARNERS[name].get_params(), "polish": True}
    weighted = type(LEARNERS[name])(**params).fit(X, y, sample_weight=times)
    rows = np.repeat(np.arange(len(y)), times)
    repeated = type(LEARNERS[name])(**params).fit(X.iloc[rows], y[rows])
    assert str(weighted.model_.body) == str(repeated.model_.body) or (
        weighted.predict(X).tolist() == repeated.predict(X).tolist()
        and weighted.model_.body.literals == repeated.model_.body.literals
    )


@QUARTER
@given(st.sampled_from(list(LEARNERS)), st.integers(0, 10**6))
def test_costs_are_honoured(name, seed):
    X, y = patients(40, seed % 1000)
    costs = {"ill": 4.0, "well": 1.0}
    worth = np.where(y == "ill", 4.0, 1.0)
    before = LEARNERS[name].fit(X, y).model_
    after = before.polished(X, y, class_costs=costs)
    lost = [float(worth[model.predict(X) != y].sum()) for model in (before, after)]
    assert lost[1] + after.body.literals <= lost[0] + before.body.literals


@pytest.mark.parametrize("name", ["scm", "ripper", "cart", "slipper"])
def test_split_certificates_of_polished_candidates_verify(name):
    X, y = patients(200)
    params = {**LEARNERS[name].get_params(), "polish": True, "certificate": "split"}
    fitted = type(LEARNERS[name])(
        **params,
    ).fit(X, y)
    assert fitted.certificate_.form == "split"
    assert fitted.certificate_.recipe["parameters"]["polish"] is True
    fitted.certificate_.verify(fitted.model_, X, y)


def test_recipes_without_polishing_are_those_of_earlier_versions():
    X, y = patients(200)
    fitted = RipperClassifier(certificate="split", n_splits=1).fit(X, y)
    assert "polish" not in fitted.certificate_.recipe["parameters"]


def test_auto_polishes_the_candidates_of_all_learners():
    X, y = patients(200)
    fitted = AutoClassifier(polish=True, n_splits=2).fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)
    small = AutoClassifier(polish=True, certificate="compression").fit(X, y)
    small.certificate_.verify(small.model_, X, y)


def test_holdout_certificates_verify_and_none_is_none():
    X, y = patients(200)
    fitted = RipperClassifier(polish=True, certificate="holdout").fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)
    assert RipperClassifier(polish=True, certificate=None).fit(X, y).model_.certificate is None


def test_a_model_without_a_certificate_gets_one_for_the_usual_families():
    X, y = patients()
    plain = RipperClassifier(certificate="holdout").fit(X, y).model_
    polished = RuleListClassifier(certificate=None).fit(X, y).model_.polished(X, y)
    assert polished.certificate.form == "compression"
    assert [family.name for family in polished.certificate.families] == [
        "thresholds",
        "categories",
        "missing",
    ]
    polished.certificate.verify(polished, X, y)
    other, labels = patients(60, seed=5)
    elsewhere = plain.polished(other, labels)
    assert objective(elsewhere, other, labels) <= objective(plain, other, labels)


def test_rows_of_weight_zero_count_as_absent():
    X, y = patients()
    weight = (np.arange(len(y)) % 4 > 0).astype(float)
    fitted = RuleListClassifier(polish=True).fit(X, y, sample_weight=weight)
    fitted.certificate_.verify(fitted.model_, X, y, weight)
    kept = weight > 0
    alone = RuleListClassifier(polish=True).fit(X[kept], y[kept])
    assert str(alone.model_) == str(fitted.model_)
    plain = RuleListClassifier().fit(X, y, sample_weight=weight).model_
    assert plain.polished(X, y, sample_weight=weight) == fitted.model_


def test_forbidden_columns_are_in_no_new_test():
    X, y = patients()
    fitted = RuleListClassifier(polish=True, forbid=["ward"]).fit(X, y)
    assert "ward" not in fitted.model_.body.columns
    plain = RuleListClassifier(forbid=["ward"]).fit(X, y).model_
    assert "ward" not in plain.polished(X, y, forbid=["ward"]).body.columns
    assert plain.polished(X, y, keep=["age", "dose"]) == plain.polished(X, y, forbid=["ward"])


def test_rules_of_an_expert_stay():
    X, y = patients()
    rule = "age > 33 and dose > 0.5 -> well"
    for learner in (RuleListClassifier, RuleVoteClassifier):
        fitted = learner(rules=[rule], polish=True, max_rules=3).fit(X, y)
        first = fitted.model_.body.children[0]
        assert [literal.cut for literal in literals_of(first)] == [33.0, 0.5]
        fitted.certificate_.verify(fitted.model_, X, y)


def test_small_leaves_are_not_made():
    X, y = patients(200)
    for limit in (5, 20):
        fitted = TreeClassifier(polish=True, min_samples_leaf=limit).fit(X, y)
        assert min(sum(row) for row in fitted.model_.evidence) >= limit


def test_trees_that_divide_rows_among_branches_stay_as_they_are():
    X, y = patients()
    tree = TreeClassifier(preset="c4.5", confidence=0.5, missing_tests=False).fit(X, y).model_
    assert any(isinstance(n, Split) and n.shares for n in tree.body.nodes)
    assert tree.polished(X, y) is tree


def test_missing_values_take_the_larger_branch_where_training_has_none():
    x = np.arange(10.0)
    table = Table([NumericColumn("x", x)], 10)
    sample = Sample.of(table, (x < 7).astype(np.int32), (0, 1))
    tree = Tree((Split((Threshold("x", False, 2.0),), (1, 2)), Leaf(1), Leaf(0)))
    polished = polish(tree, PolishingTask(sample, as_families("auto")))
    split = polished.nodes[0]
    assert split.tests[0].above and split.tests[0].cut == 6.0
    assert polished.classify(Table([NumericColumn("x", np.array([np.nan]))], 1)).tolist() == [1]


def test_a_time_budget_ends_polishing():
    X, y = patients(400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = RuleListClassifier(polish=True, time_budget=1e-6).fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SetCoveringMachine(polish=True, consistent=True), "exclude each other"),
        (lambda: AutoClassifier(polish=True, consistent=True), "exclude each other"),
        (
            lambda: TreeClassifier(polish=True, monotonic_cst={"age": 1}),
            "not keep to monotonic_cst",
        ),
        (lambda: RuleListClassifier(polish=True, min_support=3.0), "does not keep to min_support"),
        (
            lambda: RuleListClassifier(polish=True, force=["age"], min_gain=0.1),
            "does not keep to min_gain, force, which are",
        ),
        (lambda: BoundSearch(RipperClassifier(polish=True), {"k": [0, 1]}), "certificate='split'"),
        (lambda: RipperClassifier(polish="yes"), "polish must be"),
    ],
)
def test_what_polishing_does_not_keep_to_is_refused(make, message):
    X, y = patients()
    with pytest.raises(InputError, match=message):
        make().fit(X, y)


def test_searches_over_settings_polish_the_candidates_of_splits():
    X, y = patients(200)
    base = RipperClassifier(polish=True, certificate="split", n_splits=2)
    fitted = BoundSearch(base, {"k": [0, 1]}).fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)


def test_wrong_arguments_of_polished_are_named():
    X, y = patients()
    model = RipperClassifier().fit(X, y).model_
    for price in (-1.0, np.inf, "high"):
        with pytest.raises(InputError, match="price must be a number of 0 or more"):
            model.polished(X, y, price=price)
    with pytest.raises(InputError, match="X has 120 rows, but y has 119 labels"):
        model.polished(X, y[1:])
    with pytest.raises(InputError, match="forbid"):
        model.polished(X, y, forbid=["height"])
    consistent = SetCoveringMachine(consistent=True).fit(X[["age"]], y).model_
    with pytest.raises(InputError, match="consistent=True cannot be polished"):
        consistent.polished(X[["age"]], y)
