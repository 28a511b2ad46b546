"""Half-planes of a few columns: numbered by arithmetic, tried with weights that suit the data."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.families import half_planes_tried
from sklearn.base import clone
from strategies.effort import QUARTER
from strategies.mixed import tables
from strategies.numbers import TIED_OR_MISSING, UGLY

from rulewright import (
    DecisionListMachine,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringMachine,
    TreeClassifier,
)
from rulewright.certificates import from_json
from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError, ModelFileError
from rulewright.families import (
    Examples,
    HalfPlanes,
    Question,
    Site,
    SpaceOptions,
    Training,
    as_families,
    family_from_json,
    prepare,
    weighted_sums,
)
from rulewright.families.weighted_sums import uncut_half_planes
from rulewright.models import to_json
from rulewright.rules import HalfPlane, all_nodes

NAMES = ("a", "b", "c", "d", "e")
EVERY = HalfPlanes(columns=NAMES).choices(None)
FINITE = UGLY.filter(lambda x: not np.isinf(x))
CATEGORY = CategoricalColumn("k", "text", np.zeros(3, np.int32), ("x",))
TABLE = Table(
    [
        NumericColumn("a", np.array([1.0, 2.0, np.nan])),
        CATEGORY,
        NumericColumn("b", np.array([0.5, 0.25, 1.0])),
    ],
    3,
)


def training(columns, y=None, **limits):
    rows = len(columns[0])
    table = Table([NumericColumn(f"x{j}", np.array(x)) for j, x in enumerate(columns)], rows)
    labels = np.zeros(rows, np.int32) if y is None else np.array(y, np.int32)
    return Training(table, labels, **limits)


def test_there_is_a_number_for_every_pair_weight_and_direction():
    listed = {
        (first, second, sign * float(f"{digit}e{power}"), above)
        for place, second in enumerate(NAMES)
        for first in NAMES[:place]
        for sign in (1, -1)
        for digit in range(1, 10)
        for power in range(-12, 13)
        for above in (False, True)
    }
    assert EVERY.count == len(listed) == 10 * 450 * 2
    assert {EVERY.option(number) for number in range(EVERY.count)} == listed
    assert sorted(EVERY.number(option) for option in listed) == list(range(EVERY.count))


@pytest.mark.parametrize("sum_columns", [3, 4])
def test_there_is_a_number_for_every_set_of_columns(monkeypatch, sum_columns):
    # So few weights that all half-planes can be listed.
    monkeypatch.setattr("rulewright.families.half_planes.DIGITS", range(1, 2))
    monkeypatch.setattr("rulewright.families.half_planes.POWERS", range(2))
    listed = {
        (*columns, *weights, above)
        for columns in itertools.combinations(NAMES, sum_columns)
        for weights in itertools.product((1.0, -1.0, 10.0, -10.0), repeat=sum_columns - 1)
        for above in (False, True)
    }
    every = HalfPlanes(sum_columns, columns=NAMES).choices(None)
    assert every.count == len(listed)
    assert {every.option(number) for number in range(every.count)} == listed
    assert sorted(every.number(option) for option in listed) == list(range(every.count))


@given(st.integers(2, 4), st.data())
def test_an_option_of_many_columns_has_its_number(sum_columns, data):
    count = data.draw(st.integers(sum_columns, 3000))
    names = tuple(map(str, range(count)))
    choices = HalfPlanes(sum_columns, columns=names).choices(None)
    number = data.draw(st.integers(0, choices.count - 1))
    option = choices.option(number)
    places = [int(name) for name in option[:sum_columns]]
    assert places == sorted({*places}) and 0 <= places[0] and places[-1] < count
    assert choices.number(option) == number


@pytest.mark.parametrize(
    "option",
    [
        ("b", "a", 1.0, True),
        ("a", "a", 1.0, True),
        ("a", "z", 1.0, True),
        ("a", "b", 1.5, True),
        ("a", "b", 0.1 + 0.2, True),
        ("a", "b", 1e13, True),
        ("a", "b", 9e-13, True),
        ("a", "b", math.inf, True),
        ("a", "b", math.nan, True),
        ("a", "b", 0.0, True),
        ("a", "b", "c", 1.0, 1.0, True),
    ],
)
def test_what_is_no_option_has_no_number_and_is_not_built(option):
    assert EVERY.number(option) is None
    examples = Examples.of(Training(TABLE, np.zeros(3, np.int32)))
    assert HalfPlanes().build(Site(None, option), examples, (0,)) is None


def test_a_half_plane_of_other_columns_or_weights_is_none_of_the_family():
    def site(*parts, **more):
        return HalfPlanes().site(HalfPlane(*parts, above=True, **more))

    assert site(("a", "b"), (1.0, -0.5), 3.0) == Site(None, ("a", "b", -0.5, True))
    assert site(("a", "b"), (1.0, -0.5), 3.0, if_missing=True) is None
    assert site(("a", "b"), (2.0, -0.5), 3.0) is None
    assert site(("a", "b"), (1.0, 0.55), 3.0) is None
    assert site(("a",), (1.0,), 3.0) is None
    assert site(("a", "b", "c"), (1.0, 1.0, 1.0), 3.0) is None
    three = HalfPlane(("a", "b", "c"), (1.0, 2.0, -0.5), 3.0, above=False)
    assert HalfPlanes(3).site(three) == Site(None, ("a", "b", "c", 2.0, -0.5, False))
    assert HalfPlanes(4).site(three) is None
    assert HalfPlanes(3).site(replace(three, weights=(1.0, 2.0, 0.25))) is None


def test_a_half_plane_is_built_from_the_sum_of_one_example():
    examples = Examples.of(Training(TABLE, np.zeros(3, np.int32)))
    family = HalfPlanes()
    built = family.build(Site(None, ("a", "b", -4.0, False)), examples, (1,))
    assert built == HalfPlane(("a", "b"), (1.0, -4.0), 1.0, above=False)
    assert built.anchored_on == (1,)
    assert family.build(Site(None, ("a", "b", -4.0, False)), examples, (2,)) is None  # missing
    assert family.build(Site(None, ("a", "k", 1.0, False)), examples, (0,)) is None


def test_the_columns_are_known_once_they_were_measured():
    family = HalfPlanes()
    assert family.choices(None).count == 0
    measured = family.measured(TABLE, np.empty(0, np.intp))
    assert measured.columns == ("a", "b")
    assert measured.choices(None).count == family.all_options(TABLE.fields) == 900
    assert measured.choices(CATEGORY).count == 0
    assert measured == family
    assert measured.to_json() == "half_planes"


@given(tables())
def test_sums_are_those_that_spread_alike_and_all_of_them(table):
    lines, left_out = uncut_half_planes(Training(table, np.zeros(table.rows, np.int32)))
    assert [half for half, _ in lines] == list(half_planes_tried(table))
    assert left_out == 0
    for half, sums in lines:
        assert np.array_equal(sums, half.sums(table), equal_nan=True)


@st.composite
def labelled(draw):
    """Up to five columns, some of them with missing values or ties, and up to three classes."""
    shape = draw(st.tuples(st.integers(2, 5), st.integers(1, 9)))
    columns = draw(hnp.arrays(np.float64, shape, elements=FINITE | TIED_OR_MISSING))
    y = draw(hnp.arrays(np.int32, shape[1], elements=st.integers(0, 2)))
    return training(columns, y)


@QUARTER
@given(labelled(), st.sampled_from([3, 4]))
def test_sums_of_more_columns_are_the_best_of_fewer_with_one_more(examples, sum_columns):
    lines, left_out = uncut_half_planes(examples, sum_columns)
    tried = half_planes_tried(examples.table, examples.y, sum_columns)
    assert [half for half, _ in lines] == tried
    assert left_out == 0
    for half, sums in lines:
        assert np.array_equal(sums, half.sums(examples.table), equal_nan=True)


def test_the_number_of_sums_is_bounded_and_a_limit_draws_some_of_them(monkeypatch):
    random = np.random.default_rng(3)
    columns, y = random.normal(size=(12, 30)), random.integers(0, 2, 30)
    every, none_left = uncut_half_planes(training(columns, y), 3)
    assert none_left == 0
    assert 10 * 10 * 5 < len(every) <= 10 * 10 * 10 == weighted_sums.max_sums(12, 3)
    lines, left_out = uncut_half_planes(training(columns, y, max_candidates=50), 3)
    assert len(lines) == 50 and left_out > 0
    again, _ = uncut_half_planes(training(columns, y, max_candidates=50), 3)
    assert [half for half, _ in lines] == [half for half, _ in again]
    other, _ = uncut_half_planes(training(columns, y, max_candidates=50, seed=1), 3)
    assert [half for half, _ in lines] != [half for half, _ in other]
    notice = HalfPlanes(3).notice(training(columns, y, max_candidates=50))
    assert "has up to 1000 sums of three columns. Only 50 of them" in notice
    assert HalfPlanes(4).notice(training(columns, y)) is None


@pytest.mark.parametrize("wrong", [1, 5, 2.0, True, "3", None])
def test_a_sum_has_two_to_four_columns(wrong):
    with pytest.raises(InputError, match=r"sum_columns must be 2, 3 or 4, got"):
        HalfPlanes(wrong)
    with pytest.raises(InputError, match=r"max_sum_columns must be 2, 3 or 4, got"):
        SetCoveringMachine(max_sum_columns=wrong).fit([[1.0, 2.0]] * 4, [0, 1, 0, 1])


def test_the_name_stands_for_sums_of_all_sizes_up_to_the_maximum():
    families = as_families("half_planes", SpaceOptions(max_sum_columns=4))
    assert families == (HalfPlanes(2), HalfPlanes(3), HalfPlanes(4))
    assert [family.to_json() for family in families[:2]] == [
        "half_planes",
        {"name": "half_planes", "sum_columns": 3},
    ]
    assert all(family_from_json(family.to_json(), {}) == family for family in families)
    for wrong in (True, "3", 9, 3.0):
        with pytest.raises(ModelFileError, match="the certificate cannot be read"):
            family_from_json({"name": "half_planes", "sum_columns": wrong}, {})


def test_the_setting_without_half_planes_is_pointed_out():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    with pytest.warns(UserWarning, match=r"max_sum_columns has no effect.*family='half_pl"):
        SetCoveringMachine(max_sum_columns=3).fit(X, y)


LEARNERS = {
    "machine": SetCoveringMachine(family="half_planes", max_sum_columns=4, max_rules=2),
    "list machine": DecisionListMachine(family="half_planes", max_sum_columns=4, max_rules=2),
    "tree": TreeClassifier(family="half_planes", max_sum_columns=4, max_leaf_nodes=3),
    "list": RuleListClassifier(family="half_planes", max_sum_columns=4, max_rules=2),
    "vote": RuleVoteClassifier(family="half_planes", max_sum_columns=4, max_rules=2),
    "split": TreeClassifier(
        family=HalfPlanes(4), max_leaf_nodes=3, certificate="split", n_splits=2
    ),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_find_a_plane_of_four_columns_and_their_certificates_hold(name):
    random = np.random.default_rng(8)
    X = random.normal(size=(150, 5)) * [1.0, 20.0, 5.0, 0.1, 1.0]
    y = X @ [1.0, -0.05, 0.2, 9.0, 0.0] > 0.3
    learner = clone(LEARNERS[name]).fit(X, y)
    sizes = {len(node.on) for node in all_nodes(learner.model_.body) if isinstance(node, HalfPlane)}
    assert 4 in sizes
    assert learner.score(X, y) > 0.9
    learner.certificate_.verify(learner.model_, X, y)
    restored = from_json(to_json(learner.model_))
    restored.certificate.verify(restored, X, y)
    X[::9, 1] = np.nan
    learner.fit(X, y)
    learner.certificate_.verify(learner.model_, X, y)


def test_weights_have_one_digit_and_either_sign():
    lines, _ = uncut_half_planes(training([[0.0, 200.0], [0.0, 30.0]]))
    assert [half.weights[1] for half, _ in lines] == [
        w * sign for w in (2.0, 3.0, 7.0, 10.0, 30.0) for sign in (1, -1)
    ]


def test_columns_without_spread_and_weights_out_of_reach_are_not_tried():
    some, flat = [1.0, 2.0, 3.0], [0.1] * 3
    wild, steep = [1e308, -1e308, 0.0], [1e14, -1e14, 0.0]
    for other in (flat, [np.nan] * 3, [np.nan, 0.1, np.nan], wild, steep):
        assert uncut_half_planes(training([other, some])) == ([], 0)
        assert uncut_half_planes(training([some, other])) == ([], 0)
    lines, left_out = uncut_half_planes(training([[0.0, 1e12], [0.0, 0.3]]))
    assert [half.weights[1] for half, _ in lines] == [
        8e11,
        -8e11,
        2e12,
        -2e12,
        3e12,
        -3e12,
        7e12,
        -7e12,
    ]
    assert left_out == 0


@given(hnp.arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(1, 9)), elements=FINITE))
def test_no_sum_is_too_large_for_a_number(columns):
    """A column that reaches so far has a deviation that is too large itself."""
    for half, sums in uncut_half_planes(training(columns))[0]:
        assert not np.isinf(sums).any(), half


@given(st.integers(0, 9), st.integers(0, 60))
def test_a_limit_draws_some_of_the_sums_the_same_ones_every_time(seed, most):
    columns = np.random.default_rng(3).normal(size=(4, 12)).tolist()
    every, none_left = uncut_half_planes(training(columns))
    assert (len(every), none_left) == (60, 0)
    lines, left_out = uncut_half_planes(training(columns, max_candidates=most, seed=seed))
    again, _ = uncut_half_planes(training(columns, max_candidates=most, seed=seed))
    assert len(lines) == min(most, 60) and left_out == 60 - len(lines)
    halves = [half for half, _ in lines]
    assert halves == [half for half, _ in again]
    assert halves == [half for half, _ in every if half in halves]  # in the same order


def test_any_sum_may_be_drawn():
    columns = np.random.default_rng(3).normal(size=(4, 12)).tolist()
    found = {
        half
        for seed in range(60)
        for half, _ in uncut_half_planes(training(columns, max_candidates=6, seed=seed))[0]
    }
    assert len(found) == 60


def test_large_data_is_searched_in_part_and_says_so(monkeypatch):
    columns = np.random.default_rng(3).normal(size=(4, 12)).tolist()
    family = HalfPlanes()
    assert family.notice(training(columns, max_candidates="auto")) is None
    assert family.notice(training(columns)) is None
    monkeypatch.setattr("rulewright.families.family.MAX_CELLS", 120)
    large = training(columns, max_candidates="auto")
    assert len(uncut_half_planes(large)[0]) == 10
    assert "60 sums of two columns" in family.notice(large)
    assert "Only 10 of them" in family.notice(large)
    monkeypatch.setattr("rulewright.families.spatial.MAX_BYTES", 100)
    with pytest.raises(InputError, match=r"needs .* GB.*max_candidates"):
        uncut_half_planes(training(columns))


def test_one_column_makes_no_half_planes():
    with pytest.raises(InputError, match="no columns for family half_planes: it has 1 numeric"):
        prepare([HalfPlanes()], training([[1.0, 2.0]]))
    assert HalfPlanes().prepare(training([[1.0, 2.0]])).heaviest(Question(np.ones(2, int))) is None


def test_a_border_that_must_be_judged_rightly_may_be_nowhere():
    search = HalfPlanes().prepare(training([[1.0, 2.0], [3.0, 5.0]], y=[1, 1]))
    weight = np.array([1, 1])
    nothing_open = Question(weight, open=np.zeros(2, bool), implied=True)
    assert search.heaviest(nothing_open) is None
    found = search.heaviest(Question(weight, implied=True))
    assert found.predicate.above is False and found.total == 2


def test_a_machine_finds_a_line_between_the_classes_and_its_certificate_holds():
    random = np.random.default_rng(8)
    X = random.normal(size=(200, 3)) * [1.0, 20.0, 5.0]
    y = X[:, 0] - 0.05 * X[:, 1] > 0.3
    machine = SetCoveringMachine(family="half_planes", max_rules=2).fit(X, y)
    assert machine.score(X, y) > 0.97
    first = machine.model_.body.parts[0]
    assert first.on == ("x0", "x1") and first.weights[1] == -0.05
    machine.certificate_.verify(machine.model_, X, y)
    lone = SetCoveringMachine(family="thresholds", max_rules=2).fit(X, y)
    assert machine.certificate_.bound < lone.certificate_.bound
    X[::9, 1] = np.nan
    machine.fit(X, y)
    machine.certificate_.verify(machine.model_, X, y)


def test_the_weights_that_can_be_told_are_those_of_one_digit():
    assert (weighted_sums.MIN_SIZE, weighted_sums.MAX_SIZE) == (1e-12, 9e12)
    for size in (weighted_sums.MIN_SIZE, weighted_sums.MAX_SIZE):
        assert EVERY.number(("a", "b", size, True)) is not None
