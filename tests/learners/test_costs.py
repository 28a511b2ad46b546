"""class_costs: errors that cost more than others."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from strategies.mixed import tables

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine

RNG = np.random.default_rng(11)
X = np.round(RNG.normal(size=(120, 3)), 1)
Y = (X[:, 0] + X[:, 1] + 0.8 * RNG.normal(size=120) > 0.5).astype(int)
THREE = Y + (X[:, 2] > 0.5)
COSTS = st.integers(1, 40)
MACHINES = [
    SetCoveringMachine(),
    SetCoveringMachine(kind="disjunction", penalty=2.0),
    SetCoveringMachine(penalty=np.inf),
    SetCoveringMachine(consistent=True),
    DecisionListMachine(family="auto"),
    DecisionListMachine(family="auto", penalty=(0.5, 3), consistent=True),
]


def bodies(machine):
    return [entry.model.body for entry in machine.path_]


def with_costs(machine, costs, y=Y, X=X, **options):
    machine = type(machine)(**{**machine.get_params(), "class_costs": costs, **options})
    return machine.fit(X, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Column")
@given(tables(least_rows=3), st.data())
def test_costs_search_like_weights_and_count_like_none(table, data):
    rows = table.rows
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows)))
    y[:2] = 0, 1
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows)), float)
    tenths = np.array([data.draw(COSTS), data.draw(COSTS)])
    costs = dict(enumerate((tenths / 10).tolist()))
    machine = data.draw(st.sampled_from(MACHINES))
    priced = type(machine)(**{**machine.get_params(), "class_costs": costs})
    priced.fit(table, y, sample_weight=weight)
    plain = machine.fit(table, y, sample_weight=weight * tenths[y])
    assert bodies(priced) == bodies(plain)
    assert priced.certificate_ == plain.certificate_
    assert np.sum(priced.model_.evidence) == weight.sum()
    for entry in priced.path_:
        wrong = entry.model.predict(table) != y
        assert entry.errors == wrong.sum()
        wrong[list(entry.certificate.examples)] = False
        assert entry.certificate.wrong == tuple(np.bincount(y[wrong], minlength=2))
        entry.certificate.verify(entry.model, table, y, sample_weight=weight)


@pytest.mark.parametrize("family", ["balls", "half_spaces", ["thresholds", "balls"]])
@pytest.mark.parametrize("machine", [SetCoveringMachine, DecisionListMachine])
def test_costs_search_like_weights_in_every_family(machine, family):
    priced = machine(family=family, max_rules=4, class_costs={1: 3}).fit(X, Y)
    weighted = machine(family=family, max_rules=4).fit(X, Y, sample_weight=np.where(Y, 3, 1))
    assert bodies(priced) == bodies(weighted)
    assert priced.certificate_ == weighted.certificate_
    unweighted = [[sum(Y == 0), sum(Y == 1)]]
    assert np.sum(priced.model_.evidence, axis=0, keepdims=True).tolist() == unweighted
    answers = priced.model_.body.answer(priced.model_.table(X))
    counts = [
        [((answers == a) & (Y == c)).sum() for c in (0, 1)]
        for a in range(len(priced.model_.evidence))
    ]
    assert [list(row) for row in priced.model_.evidence] == counts


@pytest.mark.parametrize("cost", [1, 2, 0.1, 1e12, 1e-12])
@pytest.mark.parametrize("machine", MACHINES)
def test_costs_that_are_all_equal_change_nothing(machine, cost):
    plain, priced = machine.fit(X, Y), with_costs(machine, {0: cost, 1: cost})
    assert [(e.model, e.certificate, e.errors) for e in priced.path_] == [
        (e.model, e.certificate, e.errors) for e in plain.path_
    ]
    useful = [entry.usefulness for entry in plain.path_]
    assert [e.usefulness for e in priced.path_] == pytest.approx([u * cost for u in useful])
    assert (priced.predict_proba(X) == plain.predict_proba(X)).all()


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["conjunction", "disjunction"]),
    st.integers(1, 40),
    st.integers(1, 30),
    st.integers(1, 30),
)
def test_a_penalty_and_a_ratio_of_costs_are_one(kind, p, zero, one):
    spared, covered = (one, zero) if kind == "conjunction" else (zero, one)
    priced = SetCoveringMachine(kind=kind, penalty=p / 8, class_costs={0: zero / 10, 1: one / 10})
    plain = SetCoveringMachine(kind=kind, penalty=Fraction(p * spared, 8 * covered))
    assert bodies(priced.fit(X, Y)) == bodies(plain.fit(X, Y))


def test_decimals_are_taken_as_they_were_typed():
    """0.6 - 3 * 0.1 is 0.3, so the rule that covers more wins; in doubles it is a hair less."""
    assert 0.6 - 3 * 0.1 < 0.3
    y = np.array([1, 1, 0, 0, 0, 0, 0])
    table = np.array([[1, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 0], [0, 0]], float)
    covering = SetCoveringMachine(kind="disjunction", ties="coverage")
    for machine in (covering, DecisionListMachine(family="auto")):
        found = with_costs(machine, {0: 0.1, 1: 0.3}, y, table, max_rules=1)
        if isinstance(machine, SetCoveringMachine):
            assert str(found.model_).endswith("x1 > 0")
            assert found.path_[0].usefulness == pytest.approx(0.3)
        tenfold = with_costs(machine, {0: 1, 1: 3}, y, table, max_rules=1)
        assert found.model_ == tenfold.model_


@pytest.mark.parametrize("scale", [1, Fraction(1, 10), 0.01, 100])
def test_only_the_ratios_of_costs_matter(scale):
    one = with_costs(DecisionListMachine(), {0: 1, 1: 3, 2: 7}, THREE)
    costs = {0: 1 * scale, 1: Fraction(repr(float(scale))) * 3, 2: Fraction(repr(float(scale))) * 7}
    assert bodies(with_costs(DecisionListMachine(), costs, THREE)) == bodies(one)


def test_the_answer_without_rules_follows_the_costs():
    x = np.zeros((40, 1))
    y = np.array([0] * 25 + [1] * 10 + [2] * 5)
    for costs, answer in ((None, 0), ({1: 2}, 0), ({1: 3}, 1), ({2: 6}, 2), ({2: 6, 1: 4}, 1)):
        machine = with_costs(DecisionListMachine(family="auto"), costs, y, x)
        assert set(machine.predict(x)) == {answer}
    two = (y > 0).astype(int)
    for machine in (SetCoveringMachine(), SetCoveringMachine(kind="disjunction")):
        assert set(with_costs(machine, {1: 1.6}, two, x).predict(x)) == {0}
        dear = with_costs(machine, {1: 1.7}, two, x)
        assert set(dear.predict(x)) == {1}
        dear.certificate_.verify(dear.model_, x, two)


def test_what_no_rule_answers_follows_the_costs():
    plain = DecisionListMachine(family="auto", max_rules=1).fit(X, THREE)
    rest = THREE[plain.model_.body.answer(plain.model_.table(X)) == 1]
    weight = np.bincount(rest, minlength=3)
    rarest = int(np.argmin(weight))
    dear = with_costs(plain, {rarest: 1000}, THREE)
    answers = {rule.output for rule in dear.model_.body.rules}
    assert rarest in answers


@pytest.mark.parametrize("costs", [{0: 8}, {1: 8}, {0: 0.5, 1: 3}])
def test_the_best_kind_is_that_of_the_least_certified_cost(costs):
    price = [costs.get(0, 1), costs.get(1, 1)]
    best = SetCoveringMachine(kind="best", class_costs=costs, max_rules=3).fit(X, Y)
    alone = [
        SetCoveringMachine(kind=kind, class_costs=costs, max_rules=3).fit(X, Y)
        for kind in ("conjunction", "disjunction")
    ]
    cheapest = min(alone, key=lambda m: m.certificate_.cost_bound(price))
    assert best.model_ == cheapest.model_


@pytest.mark.parametrize("costs", [{0: 8}, {1: 8}])
def test_a_search_chooses_the_least_certified_cost(costs):
    price = [costs.get(0, 1), costs.get(1, 1)]
    machine = SetCoveringMachine(class_costs=costs, max_rules=4)
    search = BoundSearch(machine, {"penalty": [0.5, 1, 3]}, prune=False).fit(X, Y)
    paths = [with_costs(machine, costs, penalty=p).path_ for p in (0.5, 1, 3)]
    worths = [entry.certificate.cost_bound(price) for path in paths for entry in path]
    assert search.cv_results_["worth"].tolist() == worths
    assert search.certificate_.cost_bound(price) == min(worths)


def test_a_search_by_testing_counts_costs():
    machine = SetCoveringMachine(class_costs={1: 8}, max_rules=3)
    search = BoundSearch(machine, {"penalty": [0.5, 1]}, by="holdout").fit(X, Y)
    held = list(search.certificate_.held)
    wrong = search.predict(X[held]) != Y[held]
    loss = np.where(Y[held], 8, 1)[wrong].sum() / len(held)
    assert search.cv_results_["holdout_loss"].min() == pytest.approx(loss)


def test_three_classes_search_like_weights():
    costs = {0: 2, 2: 7}
    weight = np.array([2, 1, 7])[THREE]
    for options in ({}, {"consistent": True}, {"family": "balls", "types": "complex"}):
        priced = with_costs(DecisionListMachine(**options), costs, THREE)
        assert bodies(priced) == bodies(DecisionListMachine(**options).fit(X, THREE, weight))
        priced.certificate_.verify(priced.model_, X, THREE)


def test_labels_may_be_text_and_truths():
    words = np.where(Y, "yes", "no")
    expected = with_costs(SetCoveringMachine(), {1: 4}).path_[-1].model.body
    assert with_costs(SetCoveringMachine(), {"yes": 4}, words).model_.body == expected
    assert with_costs(SetCoveringMachine(), {np.str_("yes"): 4}, words).model_.body == expected
    assert with_costs(SetCoveringMachine(), {True: 4}, Y.astype(bool)).model_.body == expected
    assert with_costs(SetCoveringMachine(), {}).model_ == SetCoveringMachine().fit(X, Y).model_


def test_a_dear_miss_is_promised_to_be_rarer():
    cancer = load_breast_cancer(as_frame=True)
    ill = 1 - cancer.target
    plain, dear = (
        SetCoveringMachine(kind="disjunction", max_rules=3, class_costs=costs).fit(cancer.data, ill)
        for costs in (None, {1: 10})
    )
    assert dear.certificate_.miss_rate_bound < plain.certificate_.miss_rate_bound - 0.03
    assert dear.certificate_.cost_bound([1, 10]) < plain.certificate_.cost_bound([1, 10])
    assert dear.certificate_.false_alarm_bound > plain.certificate_.false_alarm_bound
    dear.certificate_.verify(dear.model_, cancer.data, ill)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([1, 2], r"a dict with a number for some of the classes 0, 1; found \[1, 2\]"),
        ("equal", "got 'equal'"),
        (5, "found 5"),
        ({2: 1}, "some of the classes 0, 1; found 2"),
        ({"1": 1}, "some of the classes 0, 1; found '1'"),
        ({0: 0}, "numbers above 0, from 1e-12 to 1e.12; found 0 for class 0"),
        ({1: -1}, "found -1 for class 1"),
        ({1: np.inf}, "found inf for class 1"),
        ({1: np.nan}, "found nan for class 1"),
        ({1: "dear"}, "found 'dear' for class 1"),
        ({1: None}, "found None for class 1"),
        ({1: True}, "found True for class 1"),
        ({1: Decimal("0.5")}, "found Decimal"),
        ({1: 1 + 2j}, "numbers above 0"),
        ({1: np.complex128(2)}, "numbers above 0"),
        ({0: 1e308, 1: 1e-10}, "found 1e.308 for class 0"),
        ({0: 1e-320}, "found 1e-320 for class 0"),
    ],
)
@pytest.mark.parametrize("machine", [SetCoveringMachine(), DecisionListMachine()])
def test_bad_costs_are_refused(machine, costs, message):
    with pytest.raises(ValueError, match=message):
        with_costs(machine, costs)
