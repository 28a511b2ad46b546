"""Criteria side by side: the lecture's comparison, and any other."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from strategies.counts import coverages

from rulewright import criteria
from rulewright.criteria import CRITERIA
from rulewright.errors import InputError

LECTURE = [
    # p, n, p - n, p - 5n, p/P - n/N, p/(n + 1), p/(n + p), Fisher, sqrt p - sqrt n
    (50, 0, 50, 50, 0.25, 50, 1, 22.65, 7.07),
    (100, 50, 50, -150, 0, 1.96, 0.67, 2.33, 2.93),
    (50, 9, 41, 5, 0.16, 5, 0.85, 7.87, 4.07),
    (5, 0, 5, 5, 0.03, 5, 1, 2.04, 2.24),
    (100, 0, 100, 100, 0.5, 100, 1, 52.18, 10.0),
    (140, 20, 120, 40, 0.5, 6.67, 0.88, 37.09, 7.36),
]


def test_the_table_of_the_lecture_is_reproduced():
    """Its caption says P = N = 100; its numbers are those of P = 200, N = 100."""
    rows = criteria.table().rows
    assert len(rows) == len(LECTURE)
    for row, printed in zip(rows, LECTURE, strict=True):
        found = [value for name, value in row.items() if name != "gain"]
        assert found == pytest.approx(printed, abs=0.005 + 1e-9)
        assert row["gain"] == criteria.entropy(row["p"], row["n"], 200, 100)


def test_the_table_reads_as_an_aligned_table():
    assert str(criteria.table()).splitlines() == [
        "P = 200, N = 100",
        "  p   n  p - n  p - 5n  p/P - n/N  p/(n+1)  p/(n+p)  Fisher   gain  sqrt p - sqrt n",
        " 50   0     50      50      0.250    50.00     1.00   22.65  0.109             7.07",
        "100  50     50    -150      0.000     1.96     0.67    2.33  0.000             2.93",
        " 50   9     41       5      0.160     5.00     0.85    7.87  0.029             4.07",
        "  5   0      5       5      0.025     5.00     1.00    2.04  0.010             2.24",
        "100   0    100     100      0.500   100.00     1.00   52.18  0.252            10.00",
        "140  20    120      40      0.500     6.67     0.88   37.09  0.169             7.36",
    ]
    assert repr(criteria.table()) == str(criteria.table())


def f1(p, n, P, N):
    return 2 * p / (p + n + P)


def test_names_functions_and_dicts_of_functions_are_taken():
    by_name = criteria.table([(3, 1)], 4, 6, ["fisher", f1])
    assert list(by_name.columns) == ["p", "n", "fisher", "f1"]
    assert by_name.columns["f1"] == (0.75,)
    assert criteria.table([(3, 1)], 4, 6, "gini").columns["gini"] == (criteria.gini(3, 1, 4, 6),)
    costly = {"p - 9n": partial(criteria.linear_cost, cost=9)}
    assert criteria.table([(3, 1)], 4, 6, costly).rows == [{"p": 3, "n": 1, "p - 9n": -6}]


@given(coverages())
def test_every_criterion_can_stand_in_a_table(counts):
    p, n, P, N = counts
    table = criteria.table([(p, n), (P, N)], P, N, CRITERIA)
    assert len({len(line) for line in str(table).splitlines()[1:]}) == 1
    for name, criterion in CRITERIA.items():
        assert table.columns[name] == (criterion(p, n, P, N), criterion(P, N, P, N))


def test_html_is_escaped():
    html = criteria.table([(1, 0)], 2, 2, {"<b>&": f1})._repr_html_()
    assert "<th>&lt;b&gt;&amp;</th>" in html and "<td>0.667</td>" in html and "<b>" not in html


def test_numbers_that_are_not_finite_are_shown_as_they_are():
    table = criteria.table(
        [(1, 0), (1, 1)], 2, 2, {"odds": lambda p, n, P, N: np.where(n > 0, p, np.inf)}
    )
    assert table.columns["odds"] == (math.inf, 1.0)
    assert str(table).splitlines()[-2:] == ["1  0   inf", "1  1     1"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(cases=[(1, 2, 3)]), r"cases must be pairs"),
        (dict(cases=5), r"cases must be pairs"),
        (dict(cases=[]), r"cases must be pairs"),
        (dict(cases=[(500, 0)]), r"got p = 500 of P = 200"),
        (dict(criteria=["purity"]), r"no criterion 'purity'. Choose among precision, accuracy"),
        (dict(criteria=[partial(f1)]), r"has none. Use a dict from names to functions"),
        (dict(criteria=[f1, f1]), r"has the name 'f1', which is taken"),
        (
            dict(criteria={"worst": lambda p, n, P, N: 0.0}),
            r"'worst' must return a number for each",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        criteria.table(**arguments)
