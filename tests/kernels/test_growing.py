"""Trees that are grown, against trying every split of every node; scores are compared, not choices.

Of splits that are equally good any may be chosen, so each node of a grown tree is asked: are these
its examples, is this the gain of its split, and is no other split better?
"""

import itertools
import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import growing as oracle
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies.effort import EIGHTH
from strategies.numbers import TIED

from rulewright.kernels import (
    CUT,
    INTERVAL,
    LEAF,
    MULTIWAY,
    PRESENT,
    ColumnLimits,
    GrowthOptions,
    TrainingColumns,
    grow_tree,
)

CLOSE = 1e-9
CLASS_IMPURITIES = ("gini", "entropy", "error")
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0])  # sums of these are exact
TARGETS = st.sampled_from([-2.0, -0.25, 0.0, 0.5, 1.0, 4.0])


@st.composite
def soils(draw, classes=(1, 4), numbers=False, missing=True, directed=False, most_rows=12):
    rows = draw(st.integers(1, most_rows))
    values = st.one_of(TIED, st.just(np.nan)) if missing else TIED
    matrix = draw(hnp.arrays(np.float64, (rows, draw(st.integers(0, 2))), elements=values))
    categories = draw(st.lists(st.integers(1, 4), max_size=2))
    codes = [
        draw(hnp.arrays(np.int32, rows, elements=st.integers(-1 if missing else 0, count - 1)))
        for count in categories
    ]
    count = draw(st.integers(*classes))
    labels = hnp.arrays(np.int32, rows, elements=st.integers(0, count - 1))
    targets = hnp.arrays(np.float64, rows, elements=TARGETS)
    weights = st.one_of(st.just(np.ones(rows)), hnp.arrays(np.float64, rows, elements=WEIGHTS))
    ways = hnp.arrays(np.int8, matrix.shape[1], elements=st.integers(-1, 1))
    return TrainingColumns(
        list(matrix.T),
        codes,
        categories,
        draw(targets if numbers else labels),
        draw(weights),
        count,
        draw(ways) if directed else None,
    )


@st.composite
def all_habits(draw, impurities=CLASS_IMPURITIES, **fixed):
    """Ways to grow and to stop; those that are fixed stay."""
    drawn = {
        "impurity": draw(st.sampled_from(impurities)),
        "cuts": draw(st.sampled_from([True, True, False])),
        "intervals": draw(st.booleans()),
        "categories": draw(st.sampled_from(["none", "single", "subset", "multiway"])),
        "fractional": draw(st.booleans()),
        "max_depth": draw(st.sampled_from([np.inf, np.inf, 0, 1, 2])),
        "min_split": draw(st.sampled_from([0.0, 2.0, 3.5])),
        "min_leaf": draw(st.sampled_from([0.0, 1.0, 1.75])),
        "min_gain": draw(st.sampled_from([0.0, 0.0, 0.05])),
    }
    return GrowthOptions(**{**drawn, **fixed})


def cases(training, options):
    return st.builds(oracle.Case, training, options, st.none(), st.just(ColumnLimits()))


@st.composite
def limited(draw, cases, *, whole_tree=True):
    """Cases with limits on the columns of the tree, or only on those of its paths."""
    case = draw(cases)
    columns = len(case.training.numeric) + len(case.training.codes)
    marks = hnp.arrays(np.bool_, (draw(st.integers(0, 3)), columns))
    limits = ColumnLimits(
        draw(st.sampled_from([1, 2, np.inf])) if whole_tree else np.inf,
        draw(st.sampled_from([1, 2, np.inf])),
        draw(st.one_of(st.none(), marks)),
        draw(st.one_of(st.none(), hnp.arrays(np.bool_, columns))) if whole_tree else None,
    )
    none = limits.groups is not None and not len(limits.groups)
    return case._replace(limits=limits._replace(groups=None) if none else limits)


# What is checked of each node


def check(case):
    """Every node of the tree that grows is as the definitions have it."""
    grown = grow_tree(case.training, case.options, scoring=case.scoring, limits=case.limits)
    tree, places = grown.tree, oracle.places(case, grown.tree)
    for node, place in enumerate(places):
        check_record(case, grown, node, place)
        if tree.kind[node] == LEAF:
            check_leaf(case, tree, node, place)
        else:
            check_way(case, tree, node, place)
            check_choice(case, tree, node, place)
    return grown, places


def check_record(case, grown, node, place):
    if case.training.answers.dtype == np.int32:
        weights = oracle.class_weights(case, place.rows, place.weight)
    else:
        y = case.training.answers[place.rows]
        weights = [(place.weight * y**k).sum() for k in range(3)]
    assert grown.tree.weight[node] == pytest.approx(weights, abs=CLOSE)
    check_value(case, grown.value[node], place)
    assert place.lower - CLOSE <= grown.value[node] <= place.upper + CLOSE
    if case.scoring is None:
        impurity = oracle.impurity(case, place.rows, place.weight)
        assert grown.impurity[node] == pytest.approx(impurity, abs=CLOSE)


def check_value(case, value, place):
    if case.options.impurity == "absolute" and case.options.fractional:
        # Shares of weights may make half of the weight a little more, or a little less.
        y = case.training.answers[place.rows]
        assert value in [oracle.lower_median(y, place.weight, slack) for slack in (-CLOSE, CLOSE)]
    else:
        wanted = oracle.value(case, place.rows, place.weight)
        assert value == pytest.approx(wanted, abs=CLOSE)


def check_way(case, tree, node, place):
    """Where a cut lies, whose numbers it has, and where missing values go."""
    split = oracle.taken(case, tree, node, place)
    kind, column = split.kind, split.column
    assert set(split.own[split.own >= 0]) == set(range(oracle.children(tree, node).size)) or (
        kind == PRESENT and set(split.own) == {-1, 0} and oracle.children(tree, node).size == 2
    )
    weights = [tree.weight[child] for child in oracle.children(tree, node)]
    totals = [w.sum() if case.training.answers.dtype == np.int32 else w[0] for w in weights]
    if tree.missing[node] >= 0:
        assert tree.largest[node] == tree.missing[node]
    else:
        assert totals[tree.largest[node]] == pytest.approx(max(totals), abs=CLOSE)
    if kind in (CUT, INTERVAL):
        check_numbers(case, tree, node, place, column)
    missing = oracle.is_missing(case, place, column)
    everywhere = oracle.Place(np.arange(case.training.answers.size), case.training.weight)
    somewhere = oracle.is_missing(case, everywhere, column).any()
    if kind == PRESENT:
        assert tree.missing[node] == 1
    elif case.options.fractional and somewhere:
        assert tree.missing[node] == -1
    elif kind == MULTIWAY:
        known = [place.weight[split.own == b].sum() for b in range(len(totals))]
        assert known[tree.missing[node]] == pytest.approx(max(known), abs=CLOSE)
    elif case.options.impurity == "absolute" or not missing.any():
        assert tree.missing[node] == oracle.larger_side(place, split.own)
    else:
        assert tree.missing[node] in (0, 1)


def check_numbers(case, tree, node, place, column):
    x, low, high = case.training.numeric[column], tree.low[node], tree.high[node]
    here = x[place.rows]
    assert tree.low_row[node] == np.flatnonzero(x == low)[0]
    if tree.kind[node] == INTERVAL:
        assert tree.high_row[node] == np.flatnonzero(x == high)[0]
        assert low in here and high in here
        if case.options.cuts:
            assert np.nanmin(here) < low and high < np.nanmax(here)
        return
    below, above = here[here <= low].max(), here[here > low].min()
    assert high == above
    assert low == x[x <= below / 2 + above / 2].max()
    assert not np.signbit(low) or low != 0.0


def check_choice(case, tree, node, place):
    """No split that must be tried is better, and this one is allowed."""
    split = oracle.taken(case, tree, node, place)
    assert place.depth < case.options.max_depth
    assert place.weight.sum() >= case.options.min_split - CLOSE
    assert oracle.is_allowed(case, place, split, CLOSE)
    assert split.column in oracle.asked_at(case, place)
    if case.options.by_ratio:
        check_ratio(case, tree, node, place, split)
        return
    gain = oracle.gain(case, place, split.branch)
    assert tree.gain[node] == pytest.approx(gain, abs=CLOSE)
    assert gain >= case.options.min_gain * case.training.weight.sum() - CLOSE
    sure, possible = best_values(case, place)
    assert sure - CLOSE <= oracle.paid(case, place, split) <= possible + CLOSE


def best_values(case, place):
    """The best of what must be tried, and of what may be."""
    sure, possible = [-np.inf], [-np.inf]
    for column in oracle.asked_at(case, place):
        sure += oracle.best_on(case, place, column, -slack_of(case))[0]
        possible += oracle.best_on(case, place, column, CLOSE)[1]
    return max(sure), max(possible)


def slack_of(case):
    """Sums are exact but for shares of weights, and but for means and medians."""
    return CLOSE if case.options.fractional or case.training.directions is not None else 0.0


def check_leaf(case, tree, node, place):
    """A leaf is pure, or too small, or too deep, or no split of it is allowed or good enough."""
    assert oracle.children(tree, node).size == 0
    if oracle.is_pure(case, place) or place.depth >= case.options.max_depth:
        return
    if place.rows.size < 2 or place.weight.sum() < case.options.min_split + slack_of(case):
        return
    if np.isfinite(case.options.max_leaves):
        return
    if case.options.by_ratio:
        best, least = best_paid(case, place), 1e-6 * place.weight.sum()
    else:
        best, least = best_values(case, place)[0], -np.inf
    enough = case.options.min_gain * case.training.weight.sum()
    if case.options.min_gain > 0:
        least = max(least, enough)
    assert best <= least + CLOSE


# C4.5


def best_paid(case, place):
    values = [paid_values(case, place, column) for column in oracle.asked_at(case, place)]
    return max([max(v) for v in values if v], default=-np.inf)


def paid_values(case, place, column):
    least = 1e-6 * place.weight.sum()
    return [g for g in oracle.best_on(case, place, column, 0.0)[1] if g > least]


def check_ratio(case, tree, node, place, split):
    """Of the columns whose gain is at least average, this one has the largest ratio."""
    gains, ratios = {}, {}
    least = 1e-6 * place.weight.sum()
    for column in oracle.asked_at(case, place):
        found = [
            (oracle.paid(case, place, c), c)
            for c in oracle.candidates(case, place, column, 0.0)
            if c.sure or case.options.fractional
        ]
        found = [(g, c) for g, c in found if g > least]
        if found:
            gains[column] = max(g for g, c in found)
            ratios[column] = [
                g / oracle.information(place, c.branch)
                for g, c in found
                if g >= gains[column] - CLOSE
            ]
    bar = np.mean(list(gains.values())) - 1e-3 * place.weight.sum()
    assert tree.gain[node] == pytest.approx(gains[split.column], abs=CLOSE)
    assert gains[split.column] >= bar - CLOSE
    passed = [min(ratios[c]) for c, g in gains.items() if g >= bar + CLOSE]
    ratio = tree.gain[node] / oracle.information(place, split.branch)
    assert min(abs(ratio - r) for r in ratios[split.column]) < CLOSE
    assert ratio >= max(passed) - CLOSE


# The tests


@given(cases(soils(), all_habits()))
def test_every_node_of_a_classification_tree_is_the_best_there_is(case):
    check(case)


@given(cases(soils(classes=(2, 2)), all_habits(min_leaf=0.0)))
def test_for_two_classes_no_interval_and_no_set_of_categories_is_better(case):
    check(case)


@given(cases(soils(numbers=True), all_habits(impurities=["variance"])))
def test_every_node_of_a_regression_tree_is_the_best_there_is(case):
    check(case)


@given(cases(soils(numbers=True), all_habits(impurities=["variance"], min_leaf=0.0)))
def test_for_numbers_no_interval_and_no_set_of_categories_is_better(case):
    check(case)


@given(cases(soils(numbers=True), all_habits(impurities=["absolute"])))
def test_every_node_of_a_tree_of_medians_is_the_best_there_is(case):
    check(case)


@given(
    cases(
        soils(most_rows=14),
        all_habits(impurities=["entropy"], by_ratio=True, intervals=False),
    )
)
def test_the_largest_gain_ratio_of_columns_of_average_gain_is_chosen(case):
    assume(not (case.options.fractional and case.options.categories == "subset"))
    check(case)


def interval_sums(values):
    """Sums of all intervals of rows, by their first and last; those that end too soon are NaN."""
    upto = np.concatenate([[0.0], np.cumsum(values)])
    sums = upto[None, 1:] - upto[:-1, None]
    sums[np.tril_indices(values.size, -1)] = np.nan
    sums[0, -1] = np.nan
    return sums


@pytest.mark.parametrize("weighed", [False, True])
def test_of_many_intervals_the_best_is_found(weighed):
    """Enough rows that the hull of all intervals has many corners."""
    rows = 1500
    rng = np.random.default_rng(8)
    x = rng.permutation(rows).astype(float)
    weight = rng.choice([0.5, 1.0, 2.0], rows) if weighed else np.ones(rows)
    y = (rng.random(rows) < 0.4 + 0.3 * np.sin(x / 200)).astype(float)
    w = weight[np.argsort(x)]
    inside, ones = interval_sums(w), interval_sums((weight * y)[np.argsort(x)])
    apart = ones * weight.sum() - inside * (weight * y).sum()
    best = np.nanmax(apart**2 / (weight.sum() * inside * (weight.sum() - inside)))
    options = GrowthOptions("variance", intervals=True, cuts=False, max_leaves=2, min_leaf=0.0)
    of_numbers = grow_tree(TrainingColumns([x], [], [], y, weight, 1), options)
    assert of_numbers.tree.gain[0] == pytest.approx(best)
    training = TrainingColumns([x], [], [], y.astype(np.int32), weight, 2)
    of_classes = grow_tree(training, replace(options, impurity="gini"))
    assert of_classes.tree.gain[0] == pytest.approx(2 * best)


@pytest.mark.parametrize("categories", ["single", "subset", "multiway"])
def test_the_level_of_the_numbers_to_predict_does_not_matter(categories):
    X, y = continuous(300, 7)
    codes = np.digitize(X[:, 3], [-1.0, 0.0, 1.0]).astype(np.int32)
    options = GrowthOptions("variance", intervals=True, categories=categories, max_leaves=10)
    level = TrainingColumns([X[:, 0], X[:, 1]], [codes], [4], y, np.ones(y.size), 1)
    one, other = (grow_tree(level._replace(answers=y + up), options) for up in (0.0, 2.0**20))
    assert one.tree.kind.tolist() == other.tree.kind.tolist()
    assert one.tree.low.tolist() == other.tree.low.tolist()
    assert one.tree.gain == pytest.approx(other.tree.gain, rel=1e-6)


# Columns that are limited


@given(limited(cases(soils(most_rows=16), all_habits())))
def test_every_node_is_the_best_on_the_columns_that_it_may_test(case):
    grown, places = check(case)
    tested = {int(column) for column in grown.tree.column if column >= 0}
    used = case.limits.used
    before = set() if used is None else set(np.flatnonzero(used).tolist())
    assert len(tested - before) <= max(case.limits.max_columns - len(before), 0)
    assert all(len(place.path) <= case.limits.max_on_path for place in places)


@given(
    limited(
        cases(soils(), all_habits(impurities=["entropy"], by_ratio=True, intervals=False)),
        whole_tree=False,
    )
)
def test_the_largest_gain_ratio_is_that_of_a_column_that_a_node_may_test(case):
    assume(not (case.options.fractional and case.options.categories == "subset"))
    check(case)


@given(cases(soils(most_rows=16), all_habits()))
def test_limits_that_are_not_reached_change_nothing(case):
    columns = len(case.training.numeric) + len(case.training.codes)
    limits = ColumnLimits(max(columns, 1), max(columns, 1), np.ones((1, columns), bool))
    one = grow_tree(case.training, case.options).tree
    other = grow_tree(case.training, case.options, limits=limits).tree
    assert sorted(one.column.tolist()) == sorted(other.column.tolist())
    assert sorted(one.gain.tolist()) == sorted(other.gain.tolist())


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (ColumnLimits(max_columns=0), "maximum number of columns must be 1 or more"),
        (ColumnLimits(groups=np.ones((1, 3), bool)), "groups must have one mark per column"),
        (ColumnLimits(used=np.ones(3, bool)), "used must have one mark per column"),
    ],
)
def test_wrong_limits_are_refused(limits, message):
    labels = np.array([0, 1], np.int32)
    training = TrainingColumns([np.array([1.0, 2.0])], [], [], labels, np.ones(2), 2)
    with pytest.raises(ValueError, match=message):
        grow_tree(training, GrowthOptions(), limits=limits)


# Leaves that are limited


@given(
    cases(
        soils(most_rows=16),
        all_habits(categories="subset", cuts=True, intervals=False, max_depth=np.inf),
    ),
    st.integers(1, 8),
)
def test_the_most_useful_node_is_split_next(case, most):
    case = case._replace(options=replace(case.options, max_leaves=most, min_gain=0.0))
    grown, places = check(case)
    tree = grown.tree
    best = [splittable_gain(case, place) for place in places]
    frontier = {0}
    splits = np.flatnonzero(tree.kind != LEAF)
    for node in sorted(splits, key=lambda i: tree.branches[tree.start[i]]):
        assert tree.gain[node] >= max(best[i] for i in frontier) - CLOSE
        frontier = frontier - {node} | set(oracle.children(tree, node).tolist())
    assert len(frontier) <= most
    if len(frontier) < most:
        assert max(best[i] for i in frontier) == -np.inf


def splittable_gain(case, place):
    """The gain of the best split that a node surely may make."""
    small = place.rows.size < 2 or place.weight.sum() < case.options.min_split + slack_of(case)
    return -np.inf if small or oracle.is_pure(case, place) else best_values(case, place)[0]


# Directions


DIRECTED = {"directed": True, "most_rows": 14}


@given(cases(soils(classes=(2, 3), **DIRECTED), all_habits()))
def test_shares_of_a_class_keep_the_directions_they_are_given(case):
    check_directions(case, check(case)[0])


@given(cases(soils(numbers=True, **DIRECTED), all_habits(impurities=["variance", "absolute"])))
def test_numbers_keep_the_directions_they_are_given(case):
    check_directions(case, grow_tree(case.training, case.options))
    if case.options.impurity == "variance" or not case.options.fractional:
        check(case)


def check_directions(case, grown):
    """Along each directed column, all else fixed, what is predicted never turns back."""
    grid = [-3.0, -2.0, -1.5, -1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0]
    numeric = len(case.training.numeric)
    others = [range(count) for count in case.training.categories]
    for column in range(numeric):
        direction = oracle.direction_of(case, column)
        rest = [[None] if j == column else grid for j in range(numeric)]
        for fixed in itertools.product(*rest, *others) if direction else []:
            numbers, codes = list(fixed[:numeric]), fixed[numeric:]
            values = []
            for numbers[column] in grid:
                values.append(grown.value[oracle.leaf_of(grown.tree, numbers, codes)])
            assert (direction * np.diff(values) >= -CLOSE).all()


# Functions that score


def laplace(covered, whole):
    return (covered.max(1) + 1) / (covered.sum(1) + covered.shape[1])


def lift(covered, whole):
    return covered[:, 0] - covered.sum(1) * whole[0] / whole.sum()


@given(
    st.builds(
        oracle.Case,
        soils(classes=(1, 3)),
        all_habits(),
        st.sampled_from([laplace, lift]),
        st.just(ColumnLimits()),
    )
)
def test_a_split_is_as_good_as_the_best_score_of_its_branches(case):
    check(case)


SMALL = TrainingColumns(
    [np.arange(6.0)], [], [], np.array([0, 1, 0, 0, 1, 1], np.int32), np.ones(6), 2
)


def test_what_a_scoring_function_raises_reaches_the_caller():
    def failing(covered, whole):
        raise ZeroDivisionError("no score")

    with pytest.raises(ZeroDivisionError, match="no score"):
        grow_tree(SMALL, GrowthOptions(), scoring=failing)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda covered, whole: np.zeros(1),
        lambda covered, whole: covered,
        lambda covered, whole: 0.5,
        lambda covered, whole: None,
        lambda covered, whole: np.array(["a"] * len(covered)),
    ],
)
def test_scores_of_a_wrong_shape_are_refused(wrong):
    with pytest.raises((ValueError, TypeError), match="one score per row"):
        grow_tree(SMALL, GrowthOptions(), scoring=wrong)


def test_scores_may_be_whole_numbers():
    found = grow_tree(
        SMALL, GrowthOptions(), scoring=lambda covered, whole: covered.max(1).astype(int)
    )
    assert found.tree.gain[0] == 3.0


def test_a_scoring_function_may_keep_what_it_was_shown():
    kept = []

    def scoring(covered, whole):
        kept.append((covered, covered.copy(), whole, whole.copy()))
        return laplace(covered, whole)

    grow_tree(SMALL, GrowthOptions(), scoring=scoring)
    for covered, covered_then, whole, whole_then in kept:
        assert (covered == covered_then).all() and (whole == whole_then).all()


# Any number of threads, any order in memory


def mixed_soil(rows, seed, order="F"):
    rng = np.random.default_rng(seed)
    matrix = np.array(np.round(rng.normal(size=(rows, 6)), 2), order=order)
    matrix[rng.random(matrix.shape) < 0.02] = np.nan
    codes = [rng.integers(-1, 9, rows).astype(np.int32) for _ in range(2)]
    labels = (np.nan_to_num(matrix[:, 0]) + codes[0] / 5 + rng.normal(size=rows) > 0.5).astype(
        np.int32
    )
    return TrainingColumns(list(matrix.T), codes, [9, 9], labels, np.ones(rows), 2)


def same(one, other):
    return all(
        np.array_equal(a, b)
        for a, b in zip([*one.tree, *one[1:]], [*other.tree, *other[1:]], strict=True)
    )


@pytest.mark.parametrize("fractional", [False, True])
def test_the_tree_is_the_same_for_any_number_of_threads(fractional):
    """Enough rows that threads share a node."""
    training = mixed_soil(40_000, 1)
    options = GrowthOptions("entropy", fractional=fractional, max_depth=7, min_leaf=20)
    one, two = (grow_tree(training, options, threads=threads) for threads in (1, 2))
    assert one.tree.kind.size > 60
    assert same(one, two)


@pytest.mark.parametrize(
    "way",
    [
        {"impurity": "entropy", "by_ratio": True, "categories": "multiway", "fractional": True},
        {"impurity": "gini", "intervals": True, "min_leaf": 3.0},
        {"impurity": "error", "max_depth": 6, "min_gain": 1e-4},
        {"max_features": 2, "seed": 5},
        {"max_leaves": 40},
        {"impurity": "variance"},
    ],
)
def test_subtrees_that_threads_grow_are_numbered_as_if_one_had(way):
    training = mixed_soil(3_000, 2)
    if way.get("impurity") == "variance":
        answers = np.random.default_rng(1).normal(size=training.answers.size)
        training = training._replace(answers=answers, classes=1)
    options = GrowthOptions(**way)
    one, *others = (grow_tree(training, options, threads=threads) for threads in (1, 2, 3, 7))
    assert one.tree.kind.size > 30
    for other in others:
        assert same(one, other)


def test_the_tree_is_the_same_for_rows_and_for_columns_in_memory():
    one, other = (grow_tree(mixed_soil(500, 2, order), GrowthOptions()) for order in "CF")
    assert one.tree.kind.size > 60
    assert same(one, other)


# Nodes of many rows, against the same nodes with sorted columns


def many_rows(draw):
    """Columns of many and of few values, with ties, missing values, zeros of both signs and runs
    of one class; above 4,096 rows a cell may hold several values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.sampled_from([1, 7, 300, 4_096, 4_097, 6_000]))
    signal = rng.normal(size=rows)
    columns = [
        signal,
        np.round(rng.normal(size=rows), draw(st.sampled_from([0, 1, 3]))),
        np.exp(20 * rng.normal(size=rows)),
        np.where(rng.random(rows) < 0.8, rng.choice([0.0, -0.0], rows), rng.normal(size=rows)),
        np.full(rows, 3.0),
        signal[0] + np.spacing(signal[0]) * rng.integers(0, 3, rows),
    ]
    holes = draw(st.sampled_from([0.0, 0.0, 0.2, 1.0]))
    for column in columns[: draw(st.integers(0, len(columns)))]:
        column[rng.random(rows) < holes] = np.nan
    codes = rng.integers(-1, 40, rows).astype(np.int32)
    noise = draw(st.sampled_from([0.0, 0.5, 20.0]))
    labels = (np.nan_to_num(signal) + codes / 40 + noise * rng.normal(size=rows) > 0.5).astype(
        np.int32
    )
    return TrainingColumns(columns, [codes], [40], labels, np.ones(rows), 2)


@EIGHTH
@given(st.data())
def test_nodes_without_sorted_columns_have_the_same_splits(data):
    training = many_rows(data.draw)
    options = data.draw(all_habits(impurities=["gini", "entropy"], intervals=False))
    options = replace(options, max_depth=min(options.max_depth, 6))
    none_sorted = data.draw(st.sampled_from([0, 1, 50, 2_000]))
    expected = grow_tree(training, replace(options, max_sorted_rows=2**30))
    for threads in (1, 2):
        found = grow_tree(training, replace(options, max_sorted_rows=none_sorted), threads=threads)
        assert same(found, expected)


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_time_limit_holds_without_sorted_columns(seconds):
    training = mixed_soil(5_000, 3)
    options = GrowthOptions(max_depth=5, max_sorted_rows=100)
    found = grow_tree(training, options, seconds=seconds)
    expected = grow_tree(training, replace(options, max_sorted_rows=2**30), seconds=seconds)
    assert same(found, expected)


def preorder(tree, node=0):
    """List the nodes of a tree, parents first and branches in their order."""
    children = tree.branches[tree.start[node] : tree.start[node + 1]]
    return [node, *(below for child in children for below in preorder(tree, int(child)))]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("impurity", ["gini", "variance", "absolute"])
def test_no_time_leaves_one_leaf(impurity, threads):
    training = mixed_soil(40_000, 1)
    options = GrowthOptions(impurity)
    if impurity != "gini":
        training = training._replace(answers=training.numeric[2].round(1), classes=1)
        training = training._replace(answers=np.nan_to_num(training.answers))
    grown = grow_tree(training, options, threads=threads, seconds=0.0)
    assert grown.stopped
    assert grown.tree.kind.tolist() == [0]
    assert grown.tree.branches.size == 0


@pytest.mark.parametrize("seconds", [600.0, 1e12])
@pytest.mark.parametrize("fractional", [False, True])
def test_a_tree_that_is_grown_in_time_is_the_one_without_a_limit(fractional, seconds):
    training = mixed_soil(500, 2)
    options = GrowthOptions("entropy", fractional=fractional)
    free, limited = (grow_tree(training, options, seconds=s) for s in (math.inf, seconds))
    assert not free.stopped
    assert not limited.stopped
    one, other = preorder(free.tree), preorder(limited.tree)
    for name in ("kind", "column", "low", "high", "low_row", "missing", "weight", "gain"):
        np.testing.assert_array_equal(
            getattr(free.tree, name)[one], getattr(limited.tree, name)[other]
        )
    np.testing.assert_array_equal(free.impurity[one], limited.impurity[other])


@pytest.mark.parametrize("calls", [1, 8, 9, 20, 50])
def test_a_tree_that_ran_out_of_time_is_the_top_of_the_whole_one(calls):
    """Time is over after some columns of a node, or between nodes."""
    training = mixed_soil(300, 2)
    asked = calls  # the first tree takes its time

    def scoring(covered, whole):
        nonlocal asked
        asked += 1
        if asked == calls:
            time.sleep(0.3)
        return covered.max(axis=1) / covered.sum(axis=1).clip(1e-9)

    whole = grow_tree(training, GrowthOptions("error"), scoring=scoring)
    asked = 0
    part = grow_tree(training, GrowthOptions("error"), scoring=scoring, seconds=0.25)
    assert part.stopped
    assert part.tree.kind.size < whole.tree.kind.size
    pairs = [(0, 0)]
    for one, other in pairs:
        np.testing.assert_array_equal(part.tree.weight[one], whole.tree.weight[other])
        if part.tree.kind[one] == 0:
            continue
        assert part.tree.column[one] == whole.tree.column[other]
        assert part.tree.low[one] == whole.tree.low[other]
        ways = [
            t.branches[t.start[n] : t.start[n + 1]].tolist()
            for t, n in ((part.tree, one), (whole.tree, other))
        ]
        pairs.extend(zip(*ways, strict=True))
    assert len(pairs) == part.tree.kind.size


@pytest.mark.parametrize("seconds", [-1.0, math.nan])
def test_the_time_to_grow_is_zero_or_more(seconds):
    with pytest.raises(ValueError, match="seconds must be 0 or more"):
        grow_tree(SMALL, GrowthOptions(), seconds=seconds)


# The same as others'


def continuous(rows, seed):
    """Numbers that are the same in half precision, for peers that have no more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)).astype(np.float32).astype(np.float64)
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=rows) / 2


def leaf_impurity(grown):
    return grown.impurity[grown.tree.kind == LEAF].sum()


def peer_impurity(peer):
    tree = peer.tree_
    leaves = tree.children_left < 0
    return (tree.impurity * tree.weighted_n_node_samples)[leaves].sum()


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 3])
def test_classification_trees_save_as_much_as_scikit_learns(impurity, classes):
    X, score = continuous(2500, 4)
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)).astype(np.int32)
    training = TrainingColumns(list(X.T), [], [], y, np.ones(y.size), classes)
    for leaves in range(2, 61):
        peer = DecisionTreeClassifier(
            criterion=impurity, max_leaf_nodes=leaves, random_state=0
        ).fit(X, y)
        grown = grow_tree(training, GrowthOptions(impurity, max_leaves=leaves))
        assert leaf_impurity(grown) == pytest.approx(peer_impurity(peer), abs=1e-6)


@pytest.mark.parametrize(
    "impurity, criterion, most",
    [("variance", "squared_error", 60), ("absolute", "absolute_error", 12)],
)
def test_regression_trees_save_as_much_as_scikit_learns(impurity, criterion, most):
    X, y = continuous(500, 4)
    training = TrainingColumns(list(X.T), [], [], y, np.ones(y.size), 1)
    for leaves in range(2, most + 1):
        peer = DecisionTreeRegressor(
            criterion=criterion, max_leaf_nodes=leaves, random_state=0
        ).fit(X, y)
        grown = grow_tree(training, GrowthOptions(impurity, max_leaves=leaves))
        assert leaf_impurity(grown) == pytest.approx(peer_impurity(peer), abs=1e-6)


@pytest.mark.parametrize("impurity", ["gini", "entropy", "error", "variance", "absolute"])
def test_a_tree_without_limits_leaves_nothing_impure(impurity):
    X, score = continuous(500, 5)
    y = score if impurity in ("variance", "absolute") else (score > 0.3).astype(np.int32)
    grown = grow_tree(
        TrainingColumns(list(X.T), [], [], y, np.ones(y.size), 2), GrowthOptions(impurity)
    )
    assert leaf_impurity(grown) == pytest.approx(0.0, abs=CLOSE)


@pytest.mark.parametrize("impurity", ["gini", "entropy", "error", "variance", "absolute"])
def test_whole_weights_are_rows_that_are_repeated(impurity):
    X, score = continuous(300, 6)
    y = score if impurity in ("variance", "absolute") else (score > 0.3).astype(np.int32)
    times = np.random.default_rng(6).integers(1, 5, y.size)
    options = GrowthOptions(impurity, max_leaves=12, min_leaf=5)
    weighed = grow_tree(TrainingColumns(list(X.T), [], [], y, times.astype(float), 2), options)
    columns = [np.repeat(x, times) for x in X.T]
    answers = np.repeat(y, times)
    repeated = grow_tree(
        TrainingColumns(columns, [], [], answers, np.ones(answers.size), 2), options
    )
    assert weighed.tree.low.tolist() == repeated.tree.low.tolist()
    assert weighed.tree.weight == pytest.approx(repeated.tree.weight)
    assert weighed.tree.gain == pytest.approx(repeated.tree.gain)


# Order and depth


def numbers_to_sort(shape, rows):
    rng = np.random.default_rng(rows)
    if shape == "lower half":
        base = np.float64(1.5).view(np.int64) + rng.integers(0, 2 * rows, rows)
        return base.view(np.float64) * rng.choice([-1.0, 1.0], rows)
    if shape == "denormal":
        return rng.integers(-rows, rows, rows) * 5e-324
    if shape == "zeros":
        return rng.choice([-0.0, 0.0, 5e-324, -5e-324, 1.0, -1.0], rows)
    if shape == "far":
        x = rng.normal(size=rows) * 10.0 ** rng.integers(-300, 300, rows)
        x[:3] = np.inf, -np.inf, 0.0
        x[3::7] = np.nan
        return x
    return np.round(rng.normal(size=rows), 2)


@pytest.mark.parametrize("rows", [7, 1023, 1024, 3000])
@pytest.mark.parametrize("shape", ["lower half", "denormal", "zeros", "far", "tied"])
def test_the_cuts_of_a_column_are_its_values_in_order_each_by_its_first_row(shape, rows):
    x = numbers_to_sort(shape, rows)
    there = np.flatnonzero(~np.isnan(x))
    values, first, rank = np.unique(x[there], return_index=True, return_inverse=True)
    target = np.full(rows, -10.0 * rows)
    target[there] = rank
    grown = grow_tree(
        TrainingColumns([x], [], [], target, np.ones(rows), 1), GrowthOptions("variance")
    )
    cuts = np.flatnonzero(grown.tree.kind == CUT)
    order = cuts[np.argsort(grown.tree.low[cuts], kind="stable")]
    assert grown.tree.low[order].tolist() == values[:-1].tolist()
    assert grown.tree.low_row[order].tolist() == there[first[:-1]].tolist()
    assert not np.signbit(grown.tree.low[grown.tree.low == 0.0]).any()


@pytest.mark.slow
def test_a_chain_of_ten_thousand_nodes_grows():
    rows = 10_500
    x = np.arange(float(rows))
    y = (np.arange(rows) % 2).astype(np.int32)
    tree = grow_tree(TrainingColumns([x], [], [], y, np.ones(rows), 2), GrowthOptions()).tree
    depth = np.zeros(tree.kind.size, int)
    for node in np.flatnonzero(tree.kind != LEAF):
        depth[oracle.children(tree, node)] = depth[node] + 1
    assert depth.max() >= 10_000
    assert (tree.weight[tree.kind == LEAF].min(1) == 0).all()


# What is refused


def test_an_impurity_of_numbers_is_refused_for_classes():
    with pytest.raises(ValueError, match="need numbers to predict"):
        grow_tree(SMALL, GrowthOptions("variance"))


def test_an_impurity_of_classes_is_refused_for_numbers():
    numbers = SMALL._replace(answers=np.arange(6.0))
    with pytest.raises(ValueError, match="all others classes"):
        grow_tree(numbers, GrowthOptions("gini"))
    with pytest.raises(ValueError, match="all others classes"):
        grow_tree(numbers, GrowthOptions("variance"), scoring=laplace)


def test_more_classes_than_can_be_told_apart_are_refused():
    with pytest.raises(ValueError, match="classes must be at most 65536, got 70000"):
        grow_tree(SMALL._replace(classes=70_000), GrowthOptions())


def test_codes_and_labels_beyond_their_number_are_refused():
    with pytest.raises(ValueError, match="class must be from"):
        grow_tree(SMALL._replace(classes=1), GrowthOptions())
    with pytest.raises(ValueError, match="category must be from"):
        grow_tree(SMALL._replace(codes=[np.full(6, 3, np.int32)], categories=[3]), GrowthOptions())
