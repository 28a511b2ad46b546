"""Conditions on dates, datetimes and durations: what is printed reads back."""

import pytest

from rulewright.data import Field
from rulewright.errors import InputError
from rulewright.render import predicate_text
from rulewright.rules import (
    AllOf,
    Interval,
    Threshold,
    parse_condition,
    parse_rule,
    simplified_condition,
)

COLUMNS = [
    Field("opened", "date"),
    Field("seen", "datetime"),
    Field("sent", "instant"),
    Field("lasted", "duration"),
    Field("age", "numeric"),
]


@pytest.mark.parametrize(
    "text",
    [
        "opened > 2021-03-01",
        "opened <= 2021-03-01 12:00",
        "2021-03-01 < opened <= 2021-05-02",
        "opened < 2021-03-01 or opened > 2021-05-02",
        "seen >= 2021-03-01 12:30 or missing",
        "seen > 2021-03-01 12:30:05.000001 and age > 3",
        "sent > 2021-03-01 00:00Z",
        "lasted <= 3 days 04:05 and age > 3",
        "01:30 <= lasted < 1 day",
        "lasted > -00:00:00.5",
        "at least 1 of (opened > 2021-03-01; lasted > 1 day)",
    ],
)
def test_what_is_printed_reads_back(text):
    condition = parse_condition(text, COLUMNS)
    assert predicate_text(condition) == text
    again = parse_condition(predicate_text(~~condition), COLUMNS)
    assert again == condition


def test_a_date_is_a_number_of_days():
    rule = parse_rule("opened > 2021-03-01 -> late", COLUMNS, ["early", "late"])
    assert rule.condition == Threshold("opened", True, 18687.0)
    day = parse_condition("opened = 2021-03-01", COLUMNS)
    assert day == Interval("opened", 18687.0, 18687.0)
    between = parse_condition("opened between 2021-03-01 and 2021-03-02", COLUMNS)
    assert between == Interval("opened", 18687.0, 18688.0)


def test_the_opposite_and_both_ends_together_are_still_dates():
    above = Threshold("opened", True, 18687.0, moment="date")
    below = Threshold("opened", False, 18749.0, moment="date")
    assert predicate_text(~above) == "opened <= 2021-03-01 or missing"
    both = simplified_condition(AllOf((above, below)))
    assert isinstance(both, Interval)
    assert predicate_text(both) == "2021-03-01 < opened <= 2021-05-02"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("opened > 2021", "holds dates: one must follow, such as 2021-03-01"),
        ("opened > 2021-02-30", "'2021-02-30' is not one"),
        ("opened > soon", "holds dates: one must follow"),
        ("seen > 2021-03-01 12:30Z", "holds datetimes without a time zone, such as"),
        ("sent > 2021-03-01 12:30", "holds datetimes with a time zone, such as"),
        ("age > 2021-03-01", "'and', 'or' or the end must follow"),
        ("2021-05-02 < opened < 2021-03-01", "The interval from 2021-05-02 to 2021-03-01 is empty"),
    ],
)
def test_what_is_no_date_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        parse_condition(text, COLUMNS)
