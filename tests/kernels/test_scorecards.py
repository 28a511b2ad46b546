"""The kernels of scorecards against slow fits and all choices of points."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import scorecards as oracle
from strategies.effort import EIGHTH, QUARTER, examples

from rulewright.kernels import (
    ScoreSearchOptions,
    ScoreTerms,
    round_class_points,
    round_points,
    search_scores,
)

RELATIONS = {
    0: lambda x, code: (x > 0) & (x <= code),
    1: lambda x, code: x > code,
    2: lambda x, code: x == code,
    3: lambda x, code: (x > 0) & (x != code),
    4: lambda x, code: x == 0,
    5: lambda x, code: x > 0,
}


def arrays(*lists):
    return [np.array(values, np.int32) for values in lists]


@st.composite
def problems(draw, max_columns=3):
    """Codes with missing values and ties, contradictory classes, and weights of 0 and below 1."""
    rows = draw(st.integers(2, 12))
    columns = draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(0, 4, (columns, rows)).astype(np.uint8)
    own = rng.random(rows) < 0.5
    weight = rng.choice([0.0, 0.25, 1.0, 3.0], rows)
    return codes, own, weight


def all_terms(columns, sign=0):
    """All terms of columns with the codes from 0 to 3."""
    found = [(c, r, k, sign, True) for c in range(columns) for r in range(6) for k in range(1, 4)]
    column, relation, code, signs, paired = zip(*found, strict=True)
    return ScoreTerms(
        *arrays(column, relation, code, signs), np.array(paired), np.zeros(len(found), bool)
    )


def holds(codes, terms, condition):
    truth = np.ones(codes.shape[1], bool)
    for t in condition:
        if t >= 0:
            truth &= RELATIONS[int(terms.relation[t])](codes[terms.column[t]], terms.code[t])
    return truth


@QUARTER
@given(
    problems(),
    st.sampled_from([0.3, 2.0]),
    st.sampled_from([0, 1, -1]),
    st.booleans(),
    st.booleans(),
)
def test_the_loss_of_every_model_is_that_of_a_slow_fit_of_its_conditions(
    problem, ridge, sign, pairs, intervals
):
    codes, own, weight = problem
    terms = all_terms(len(codes), sign)
    options = ScoreSearchOptions(3, ridge=ridge, min_weight=0.0, pairs=pairs, intervals=intervals)
    found = search_scores(codes, own[np.newaxis], weight, terms, options)
    for score in found:
        masks = [holds(codes, terms, c) for c in score.conditions]
        signs = np.full(len(masks), sign)
        slow = oracle.fitted_loss(masks, own, weight, ridge, signs)
        assert score.loss == pytest.approx(slow, rel=1e-5, abs=1e-5)
        assert (sign * score.coefficient >= 0).all()
        assert len(set(score.conditions)) == len(score.conditions)
        assert sum(1 + (second >= 0) for _, second in score.conditions) <= 3
    losses = [score.loss for score in found]
    assert all(b <= a + 1e-6 for a, b in pairwise(losses))


@EIGHTH
@given(problems(max_columns=2))
def test_a_single_condition_is_nearly_the_best_of_all(problem):
    codes, own, weight = problem
    terms = all_terms(len(codes))
    options = ScoreSearchOptions(1, expansions=10, ridge=1.0, min_weight=0.0)
    *_, found = search_scores(codes, own[np.newaxis], weight, terms, options)
    every = [
        oracle.fitted_loss([holds(codes, terms, (t, -1))], own, weight, 1.0)
        for t in range(terms.column.size)
    ]
    none = oracle.fitted_loss(np.empty((0, own.size)), own, weight, 1.0)
    # Candidates are compared by one step of Newton's method.
    assert min(every) - 1e-6 <= found.loss <= min(every) + 0.2 * (none - min(every)) + 1e-5


def test_a_pair_is_found_where_only_both_terms_together_tell():
    rng = np.random.default_rng(0)
    codes = rng.integers(1, 4, (4, 400)).astype(np.uint8)
    own = (codes[1] == 3) & (codes[2] == 1)
    terms = all_terms(4)
    options = ScoreSearchOptions(2, pairs=True)
    found = search_scores(codes, own[np.newaxis], np.ones(400), terms, options)
    ((first, second),) = found[-1].conditions
    assert (holds(codes, terms, (first, second)) == own).all()


def test_an_interval_is_found_where_no_single_cut_tells():
    rng = np.random.default_rng(0)
    codes = rng.integers(1, 12, (3, 400)).astype(np.uint8)
    own = (codes[1] > 4) & (codes[1] <= 7)
    cuts = [(c, r, k, 0) for c in range(3) for r in (0, 1) for k in range(1, 11)]
    column, relation, code, sign = arrays(*zip(*cuts, strict=True))
    marks = np.zeros(column.size, bool)
    terms = ScoreTerms(column, relation, code, sign, marks, (code % 2 == 1) & (code != 7))
    options = ScoreSearchOptions(2, beam_width=1, intervals=True)
    found = search_scores(codes, own[np.newaxis], np.ones(400), terms, options)
    ((first, second),) = found[-1].conditions
    assert (holds(codes, terms, (first, second)) == own).all()


@QUARTER
@given(problems(), st.data())
def test_every_model_tests_the_columns_that_are_forced(problem, data):
    codes, own, weight = problem
    forced = data.draw(st.sets(st.integers(0, len(codes) - 1)))
    kept = data.draw(st.sampled_from([[], [(0, -1)]]))
    terms = all_terms(len(codes))
    options = ScoreSearchOptions(4, min_weight=0.0, pairs=True)
    found = search_scores(codes, own[np.newaxis], weight, terms, options, kept, sorted(forced))
    for score in found:
        tested = {terms.column[t] for condition in score.conditions for t in condition if t >= 0}
        assert forced <= tested
        assert list(score.conditions[: len(kept)]) == kept


@pytest.mark.parametrize("tables", [1, 3])
def test_threads_change_no_model(tables):
    rng = np.random.default_rng(0)
    rows = 70_000
    codes = rng.integers(0, 4, (4, rows)).astype(np.uint8)
    own = (codes[0] > 1) ^ (rng.random((tables, rows)) < 0.3)
    weight = rng.random(rows)
    options = ScoreSearchOptions(3, pairs=True, intervals=True)
    one, two = (
        search_scores(codes, own, weight, all_terms(4), options, threads=threads)
        for threads in (1, 3)
    )
    assert [(score.conditions, score.loss) for score in one] == [
        (score.conditions, score.loss) for score in two
    ]
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.coefficient, b.coefficient)
        assert np.array_equal(a.intercept, b.intercept)


def test_conditions_that_are_kept_are_in_every_model():
    rng = np.random.default_rng(1)
    codes = rng.integers(1, 4, (3, 60)).astype(np.uint8)
    own = codes[0] > 1
    found = search_scores(
        codes, own[np.newaxis], np.ones(60), all_terms(3), ScoreSearchOptions(3), [(20, -1)]
    )
    assert all(score.conditions[0] == (20, -1) for score in found)
    assert len(found) == 3


@st.composite
def points_problems(draw):
    rows, conditions = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    masks = rng.random((conditions, rows)) < 0.5
    weight = rng.choice([0.0, 0.25, 1.0, 3.0], rows)
    low = draw(st.sampled_from([-2, 0]))
    coefficient = rng.normal(size=conditions) * draw(st.sampled_from([0.0, 0.1, 1.0, 10.0]))
    limits = arrays([low] * conditions, [2] * conditions)
    return masks, rng.random(rows) < 0.5, weight, coefficient, *limits


@examples(1 / 12)
@given(points_problems(), st.sampled_from([0.2, 1.0]))
def test_no_change_of_a_point_improves_the_rounded_points(problem, ridge):
    masks, own, weight, coefficient, low, high = problem
    found = round_points(masks, own, weight, coefficient, low, high, ridge)
    assert ((found.points >= low) & (found.points <= high)).all()
    score = found.slope * (found.points @ masks) + found.intercept
    squares = float((found.points.astype(float) ** 2).sum())
    direct = oracle.logistic_loss(score, own, weight) + ridge / 2 * found.slope**2 * squares
    assert found.loss == pytest.approx(direct, abs=1e-7)
    slow = oracle.points_loss(found.points, masks, own, weight, ridge)
    assert found.loss == pytest.approx(slow, rel=1e-4, abs=1e-4)
    for j in range(len(masks)):
        for value in range(low[j], high[j] + 1):
            other = found.points.copy()
            other[j] = value
            assert oracle.points_loss(other, masks, own, weight, ridge) >= found.loss - 1e-4
    largest = np.abs(coefficient).max() or 1.0
    naive = np.clip(np.rint(coefficient / largest * 2), low, high)
    assert found.loss <= oracle.points_loss(naive, masks, own, weight, ridge) + 1e-4


@examples(1 / 12)
@given(points_problems())
def test_rounded_points_are_near_the_best_of_all(problem):
    masks, own, weight, _, low, high = problem
    coefficient = np.where(own @ masks.T > (~own) @ masks.T, 1.0, -1.0)
    found = round_points(masks, own, weight, coefficient, low, high, 0.5)
    best = oracle.best_points_loss(masks, own, weight, low, high, 0.5)
    none = oracle.points_loss(np.zeros(len(masks)), masks, own, weight, 0.5)
    assert best - 1e-4 <= found.loss <= best + 0.35 * (none - best) + 1e-4


@QUARTER
@given(points_problems(), st.integers(2, 4))
def test_points_of_several_classes_have_the_loss_that_they_claim(problem, classes):
    masks, _, weight, _, low, high = problem
    rng = np.random.default_rng(weight.size)
    y = rng.integers(0, classes, weight.size).astype(np.int32)
    every = np.vstack([masks, np.ones((1, y.size), bool)])
    coefficient = rng.normal(size=(len(every), classes))
    limits = np.append(low, -8).astype(np.int32), np.append(high, 8).astype(np.int32)
    found = round_class_points(every, y, weight, coefficient, *limits, 0.5)
    slow = oracle.class_points_loss(found.points, found.slope, every, y, weight, 0.5)
    assert found.loss == pytest.approx(slow, abs=1e-7)
    naive = np.clip(
        np.rint(coefficient * 2 / np.abs(coefficient).max()),
        *(limit[:, np.newaxis] for limit in limits),
    )
    losses = [
        oracle.class_points_loss(naive, slope, every, y, weight, 0.5)
        for slope in np.linspace(0, 3, 61)
    ]
    assert found.loss <= min(losses) + 0.3 * abs(min(losses)) + 0.05


def test_points_have_no_common_factor():
    masks = np.array([[True, True, False, False], [True, False, True, False]])
    own = np.array([True, True, False, False])
    found = round_points(masks, own, np.ones(4), np.array([4.0, 2.0]), *arrays([-5, -5], [5, 5]), 1)
    assert np.gcd.reduce(found.points) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": np.array([1.0, np.nan])}, "weights"),
        ({"low": np.array([3], np.int32)}, "limits of points"),
        ({"coefficient": np.array([np.inf])}, "finite"),
        ({"coefficient": np.ones(2)}, "one entry per condition"),
        ({"ridge": -1.0}, "ridge"),
        ({"own": np.array([True])}, "one entry per row"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    given = {
        "holds": np.array([[True, False]]),
        "own": np.array([True, False]),
        "weight": np.ones(2),
        "coefficient": np.ones(1),
        "low": np.array([-2], np.int32),
        "high": np.array([2], np.int32),
        "ridge": 1.0,
    }
    with pytest.raises(ValueError, match=message):
        round_points(**{**given, **change})
