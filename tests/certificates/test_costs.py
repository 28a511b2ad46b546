"""What a certificate promises where errors have costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine
from rulewright.bounds import class_tails, compression_tail, cost_tail
from rulewright.certificates import parse_costs
from rulewright.errors import InputError

RNG = np.random.default_rng(9)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=200) > 0.3).astype(int)
THREE = Y + (X[:, 2] > 0.5)
TWO = SetCoveringMachine(max_rules=2).fit(X, Y).certificate_
SCALED = SetCoveringMachine(family="balls", scale="rank", max_rules=2).fit(X, Y).certificate_
HELD = BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}, by="holdout").fit(X, Y).certificate_
MANY = DecisionListMachine(family="auto", max_rules=4).fit(X, THREE).certificate_
ALL = {"two": TWO, "scaled": SCALED, "held": HELD, "many": MANY}


def tail(c, wrong, costs):
    return cost_tail(
        m=c.m,
        roles=[len(rows) for rows in c.roles.values()],
        wrong=wrong,
        costs=costs,
        log_message=c.message_nats,
        delta=c.delta,
        aside=sum(c.aside),
    )


@pytest.mark.parametrize("c", ALL.values(), ids=ALL)
def test_costs_by_class_are_paid_in_layers(c):
    costs = [1.0, 5.0, 5.0, 2.0][: len(c.counts)]
    assert c.cost_bound(costs) == tail(c, c.wrong, costs)
    assert c.cost_bound(costs) >= c.bound
    # By hand: every error costs 1, errors of the dear classes cost 4 more; each with half of delta.
    dear = sum(c.wrong[1:])
    sizes = [len(rows) for rows in c.roles.values()]
    layers = [
        compression_tail(c.m, sizes, k, c.message_nats, c.delta / 2, sum(c.aside))
        for k in (c.errors, dear)
    ]
    assert c.cost_bound(costs) == pytest.approx(layers[0] + 4 * layers[1])


@pytest.mark.parametrize("c", ALL.values(), ids=ALL)
def test_equal_costs_are_that_cost_times_the_bound(c):
    classes = len(c.counts)
    assert c.cost_bound([1] * classes) == c.bound
    assert c.cost_bound([7] * classes) == pytest.approx(7 * c.bound)
    assert c.cost_bound([0] * classes) == 0


def test_a_matrix_says_the_same_as_its_costs():
    assert TWO.cost_bound([[0, 1], [5, 0]]) == TWO.cost_bound([1, 5])
    matrix = np.array([[0, 1, 2], [4, 0, 3], [6, 6, 0]])
    assert MANY.cost_bound(matrix) == MANY.cost_bound([2, 4, 6])  # the worst wrong answer


@pytest.mark.parametrize("c", ALL.values(), ids=ALL)
def test_a_prior_weighs_the_bounds_of_the_classes(c):
    classes = len(c.counts)
    prior = [0.7, 0.2, 0.1][:classes] if classes == 3 else [0.9, 0.1]
    costs = [1, 5, 2][:classes]
    expected = sum(
        p * cost * rate for p, cost, rate in zip(prior, costs, c.class_bounds, strict=True)
    )
    assert c.cost_bound(costs, prior=prior) == pytest.approx(expected)
    assert c.class_bounds == class_tails(
        counts=c.counts,
        roles=list(c.role_counts.values()),
        wrong=c.wrong,
        log_message=c.message_nats,
        delta=c.delta,
        aside=c.aside,
    )


def test_the_two_kinds_of_error_are_the_bounds_of_the_classes():
    assert (TWO.false_alarm_bound, TWO.miss_rate_bound) == TWO.class_bounds
    assert MANY.miss_rate_bound is None
    assert MANY.false_alarm_bound is None
    assert len(MANY.class_bounds) == 3


def test_right_answers_that_cost_something_need_a_prior():
    matrix = [[2, 3], [5, 1]]
    alarm, miss = TWO.class_bounds
    expected = 0.9 * (2 + 1 * alarm) + 0.1 * (1 + 4 * miss)
    assert TWO.cost_bound(matrix, prior=[0.9, 0.1]) == pytest.approx(expected)
    with pytest.raises(InputError, match="needs a prior"):
        TWO.cost_bound(matrix)


def test_an_error_that_is_cheaper_than_the_right_answer_earns_nothing():
    assert TWO.cost_bound([[3, 1], [5, 0]], prior=[0.5, 0.5]) == pytest.approx(
        0.5 * 3 + 0.5 * 5 * TWO.class_bounds[1]
    )


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 1))
def test_a_cost_never_exceeds_the_dearest_error(one, two, share):
    prior = [share, 1 - share]
    for c in (TWO, SCALED, HELD):
        assert 0 <= c.cost_bound([one, two]) <= max(one, two) + 1e-9
        assert 0 <= c.cost_bound([one, two], prior=prior) <= max(one, two)


@pytest.mark.parametrize(
    ("costs", "prior", "message"),
    [
        ([1], None, r"one number for each of the 2 classes, or a matrix of 2 x 2.*\(1,\)"),
        ([1, 2, 3], None, r"found shape \(3,\)"),
        ([[1, 2]], None, r"found shape \(1, 2\)"),
        ([[0, 1], [2]], None, "costs must be numbers"),
        (["a", "b"], None, "costs must be numbers"),
        ([10**400, 1], None, "costs must be numbers"),
        (3, None, r"found shape \(\)"),
        ([-1, 2], None, "finite numbers of 0 or more"),
        ([np.inf, 2], None, "finite numbers of 0 or more"),
        ([np.nan, 2], None, "finite numbers of 0 or more"),
        ([1, 2], [0.5, 0.6], "sum to 1"),
        ([1, 2], [1.5, -0.5], "sum to 1"),
        ([1, 2], [np.nan, 1], "sum to 1"),
        ([1, 2], [1.0], "prior"),
    ],
)
def test_bad_costs_are_refused(costs, prior, message):
    with pytest.raises(InputError, match=message):
        TWO.cost_bound(costs, prior=prior)


def test_costs_are_read_for_right_and_wrong_answers():
    assert parse_costs([[1, 4], [2, 2]], 2) == ([1.0, 2.0], [3.0, 0.0])
    assert parse_costs(np.array([1, 2, 3]), 3) == ([0.0] * 3, [1.0, 2.0, 3.0])
