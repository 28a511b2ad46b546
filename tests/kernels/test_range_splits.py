"""Splits of a numeric column into ranges, against joining neighbours by trying every union."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import growing as oracle
from strategies.effort import DOUBLE

from rulewright.kernels import (
    LEAF,
    MULTIWAY,
    PRESENT,
    GrowthOptions,
    TrainingColumns,
    grow_tree,
)

CLOSE = 1e-9
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0])  # sums of these are exact


@st.composite
def cases(draw):
    rows, ranges, classes = (draw(st.integers(1, n)) for n in (14, 6, 3))
    code = draw(hnp.arrays(np.int32, rows, elements=st.integers(-1, ranges - 1)))
    numbers = draw(st.sampled_from([False, False, True]))
    answers = draw(
        hnp.arrays(np.float64, rows, elements=st.sampled_from([-2.0, 0.0, 0.5, 4.0]))
        if numbers
        else hnp.arrays(np.int32, rows, elements=st.integers(0, classes - 1))
    )
    weight = draw(st.just(np.ones(rows)) | hnp.arrays(np.float64, rows, elements=WEIGHTS))
    by_ratio = not numbers and draw(st.booleans())
    impurity = draw(st.sampled_from(["gini", "entropy", "error"]))
    options = GrowthOptions(
        "variance" if numbers else "entropy" if by_ratio else impurity,
        categories=draw(st.sampled_from(["none", "subset", "multiway"])),
        fractional=draw(st.booleans()),
        by_ratio=by_ratio,
        max_depth=1,
        max_leaves=draw(st.sampled_from([np.inf, np.inf, 2, 3])),
        min_split=0.0,
        min_leaf=draw(st.sampled_from([0.0, 1.0, 1.75])),
    )
    training = TrainingColumns([], [code], [ranges], answers, weight, classes, None, None, 1)
    return oracle.Case(training, options)


@DOUBLE
@given(cases())
def test_neighbouring_ranges_are_joined_as_by_trying_every_union(case):
    tree = grow_tree(case.training, case.options).tree
    code, ranges = case.training.codes[0], case.training.categories[0]
    place = oracle.Place(np.arange(code.size), case.training.weight)
    own = oracle.joined_ranges(case, place, code)
    if tree.kind[0] == LEAF:
        worthless = case.options.by_ratio  # C4.5 wants some gain
        assert own.max() < 1 or oracle.is_pure(case, place) or worthless
        return
    weights = [place.weight[own == b].sum() for b in range(own.max() + 1)]
    heaviest = int(np.argmax(weights)) if weights else 0
    branch = own if case.options.fractional else np.where(own < 0, heaviest, own)
    there = np.unique(code[code >= 0]).size
    worth = {MULTIWAY: -np.inf, PRESENT: -np.inf}
    if own.max() > 0:
        taking_part = oracle.Place(place.rows[branch >= 0], place.weight[branch >= 0])
        gain = oracle.paid_ranges(case, taking_part, branch[branch >= 0], there)
        average = oracle.impurity(case, place.rows, place.weight) / place.weight.sum()
        charge = 0.0 if case.options.by_ratio else max(int(own.max()) - 1, 0) * average
        worth[MULTIWAY] = gain - charge
    missing = code < 0
    if missing.any() and not missing.all() and not case.options.fractional:
        enough = min(place.weight[missing].sum(), place.weight[~missing].sum())
        if enough >= case.options.min_leaf:
            worth[PRESENT] = oracle.gain(case, place, missing.astype(int))
    assert worth[tree.kind[0]] >= max(worth.values()) - CLOSE
    if tree.kind[0] == PRESENT:
        assert tree.gain[0] == pytest.approx(worth[PRESENT], abs=CLOSE)
        return
    table = tree.branch_of
    assert table.size == ranges and table[code[code >= 0]].tolist() == own[code >= 0].tolist()
    assert (np.diff(table) >= 0).all()  # ranges that do not occur lie between the others
    assert tree.gain[0] == pytest.approx(gain, abs=CLOSE)
    everywhere = case.options.fractional and missing.any()
    assert tree.missing[0] == (-1 if everywhere else heaviest)


def test_small_ranges_are_joined_to_a_neighbour():
    code = np.array([0] * 10 + [1] + [2] * 10 + [3] * 10, np.int32)
    labels = np.array([0] * 10 + [1] * 11 + [0] * 10, np.int32)
    training = TrainingColumns([], [code], [4], labels, np.ones(31), 2, None, None, 1)
    for min_leaf in (0.0, 1.0, 10.0):
        tree = grow_tree(training, GrowthOptions(min_leaf=min_leaf)).tree
        assert tree.branch_of.tolist() == [0, 1, 1, 2]
        assert tree.kind.tolist() == [MULTIWAY, LEAF, LEAF, LEAF]
    assert grow_tree(training, GrowthOptions(min_leaf=11.0)).tree.kind.tolist() == [LEAF]
    few = grow_tree(training, GrowthOptions(max_leaves=2)).tree
    assert few.branch_of.tolist() in ([0, 0, 0, 1], [0, 1, 1, 1])


def test_a_column_of_ranges_must_be_one_of_the_columns_of_codes():
    labels = np.array([0, 1], np.int32)
    training = TrainingColumns([], [labels], [2], labels, np.ones(2), 2, None, None, 2)
    with pytest.raises(ValueError, match="ranges must be at most the number of columns of codes"):
        grow_tree(training, GrowthOptions())
