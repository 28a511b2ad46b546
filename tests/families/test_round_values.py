"""The roundest value of a gap: always in the gap, and the one that people would take."""

import math
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles import families as oracle

from rulewright.data import NumericColumn, Table, moment_text, read_moment
from rulewright.errors import InputError
from rulewright.families import (
    CutMaker,
    Examples,
    Question,
    RoundedThresholds,
    Site,
    Thresholds,
    Training,
    as_families,
    deciles,
    grouped,
    roundest,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
FEW_DIGITS = st.decimals(-1000, 1000, places=3, allow_nan=False).map(float)


@given(FINITE, FINITE)
@example(5e-324, 1e-323)
@example(-1.7976931348623157e308, 1.7976931348623157e308)
@example(-1.7976931348623157e308, -1.7976931348623155e308)
@example(1.0, math.nextafter(1.0, 2.0))
@example(-0.0, 1.0)
def test_the_roundest_value_is_in_the_gap(one, other):
    low, high = sorted((one, other))
    found = roundest(low, high)
    assert low <= found < high or found == low == high


@given(FEW_DIGITS, FEW_DIGITS)
@example(117.2, 117.7)
@example(117.2, 117.3)
@example(-5.3, -5.1)
def test_the_roundest_number_has_the_largest_step(one, other):
    assume(one != other)
    low, high = sorted((one, other))
    assert roundest(low, high) == oracle.roundest(low, high)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (117.2, 117.7, 117.5),
        (0.06556, 0.0667, 0.066),
        (17.0, 23.0, 20.0),
        (23.0, 28.0, 25.0),
        (7.0, 8.0, 7.0),
        (-3.0, 2.0, 0.0),
        (990.0, 1020.0, 1000.0),
        (0.31, 0.36, 0.35),
        (3.0, 3.0, 3.0),
    ],
)
def test_examples_of_numbers(low, high, expected):
    assert roundest(low, high) == expected


@pytest.mark.parametrize(
    ("kind", "low", "high", "expected"),
    [
        ("date", "2021-12-24", "2022-01-06", "2022-01-01"),
        ("date", "1997-06-01", "2004-03-01", "2000-01-01"),
        ("date", "2021-03-20", "2021-04-18", "2021-04-01"),
        ("date", "2021-03-05", "2021-03-20", "2021-03-05"),
        ("datetime", "2021-12-31 23:10", "2022-01-01 02:00", "2022-01-01"),
        ("datetime", "2021-03-05 22:10", "2021-03-06 02:00", "2021-03-06"),
        ("datetime", "2021-03-05 10:40", "2021-03-05 11:10", "2021-03-05 11:00"),
        ("instant", "2021-03-05 10:40:20Z", "2021-03-05 10:41:10Z", "2021-03-05 10:41Z"),
        ("duration", "3 days 04:00", "12 days 01:00", "10 days"),
        ("duration", "04:20", "05:10", "05:00"),
        ("duration", "-01:00", "05:10", "00:00"),
    ],
)
def test_examples_of_moments(kind, low, high, expected):
    ends = [read_moment(text, kind) for text in (low, high)]
    assert moment_text(roundest(*ends, kind), kind) == expected


DATES = st.dates()
MOMENTS = st.datetimes()
EPOCH = datetime(1970, 1, 1)


@given(DATES, DATES)
@example(date.min, date.max)
def test_the_roundest_date_is_in_the_gap(one, other):
    low, high = sorted(float(day.toordinal() - EPOCH.toordinal()) for day in (one, other))
    found = roundest(low, high, "date")
    assert low <= found < high or found == low == high
    if high - low > 31:
        assert date.fromordinal(int(found) + EPOCH.toordinal()).day == 1
    if high - low > 366:
        assert date.fromordinal(int(found) + EPOCH.toordinal()).month == 1


@given(MOMENTS, MOMENTS, st.sampled_from(["datetime", "instant", "duration"]))
def test_the_roundest_datetime_is_in_the_gap(one, other, kind):
    low, high = sorted(
        float((moment - EPOCH) / timedelta(microseconds=1)) for moment in (one, other)
    )
    found = roundest(low, high, kind)
    assert low <= found < high or found == low == high


@given(FINITE, FINITE, st.sampled_from(["date", "datetime", "duration"]))
def test_numbers_outside_the_calendar_stay_in_the_gap(one, other, kind):
    low, high = sorted((one, other))
    found = roundest(low, high, kind)
    assert low <= found < high or found == low == high


TIES = st.lists(
    st.sampled_from([-1.5, -0.2, 0.0, -0.0, 0.3, 0.9, 1.0, 1.2, 2.0, 7.5, np.nan]), min_size=1
).map(np.array)


@given(TIES, st.sampled_from(["all", "integers", "deciles"]))
def test_groups_keep_the_order_and_end_at_a_value_of_their_own(values, cuts):
    found = grouped(values, cuts)
    there = ~np.isnan(values)
    assert (np.isnan(found) == ~there).all()
    assert (found[there] >= values[there]).all()
    assert set(found[there]) <= set(values[there])
    for end in set(found[there]):
        cut = math.ceil(end) if cuts == "integers" else end
        assert ((values <= cut) == (found <= end)).all()
    order = np.argsort(values[there], kind="stable")
    assert (np.diff(found[there][order]) >= 0).all()


@given(TIES)
def test_deciles_are_values_that_tenths_are_up_to(values):
    known = values[~np.isnan(values)]
    assume(known.size)
    expected = {
        min(v for v in known if (known <= v).mean() >= k / 10 - 1e-12) for k in range(1, 11)
    }
    assert set(deciles(known)) == expected
    assert max(known) in expected


@given(TIES, st.sampled_from(["all", "integers", "deciles"]), st.booleans(), st.booleans())
def test_predicates_divide_the_rows_where_the_search_does(values, cuts, above, rounded):
    family = RoundedThresholds(cuts) if rounded else Thresholds(cuts)
    table = Table([NumericColumn("a", values)], values.size)
    maker = CutMaker(family, table)
    searched = maker.searched(table.numeric[0])
    for value in set(searched[~np.isnan(searched)]):
        test = maker.predicate("a", value, above=above)
        assert (test.holds(table) == (searched > value if above else searched <= value)).all()
        examples = Examples.of(Training(table, np.zeros(values.size, np.int32)))
        again = family.build(family.site(test), examples, test.anchored_on)
        assert again == test
        assert again.anchored_on == test.anchored_on
        if cuts == "integers":
            assert test.cut == int(test.cut)


def test_cuts_at_whole_numbers_are_one_option_of_each_side():
    table = Table([NumericColumn("a", np.array([0.5, 1.25, np.nan]))], 3)
    examples = Examples.of(Training(table, np.zeros(3, np.int32)))
    whole = Thresholds("integers")
    assert whole.build(Site("a", (True, False)), examples, (1,)).cut == 2.0
    assert whole.build(Site("a", (True, False)), examples, (2,)) is None
    assert whole.to_json() == {"name": "thresholds", "cuts": "integers"}
    rounded = RoundedThresholds()
    assert rounded.build(Site("a", (True,)), examples, (0, 1)).cut == 1.0
    for chosen in [(1, 0), (0, 2), (2, 2)]:
        assert rounded.build(Site("a", (True,)), examples, chosen) is None


def test_unknown_cuts_and_two_families_of_pairs_are_refused():
    with pytest.raises(
        InputError, match="cuts must be one of 'all', 'integers', 'deciles', got 'x'"
    ):
        Thresholds("x")
    with pytest.raises(InputError, match="'midpoints' or 'rounded', not both"):
        as_families(["midpoints", "rounded"])


def test_implied_borders_are_values_of_examples():
    training = Training(Table([NumericColumn("a", np.arange(3.0))], 3), np.array([0, 1, 1], "i4"))
    question = Question(np.array([-1, 1, 1]), implied=True)
    with pytest.raises(InputError, match="cuts='deciles' is not available with implied borders"):
        Thresholds("deciles").prepare(training).heaviest(question)
