"""Conditions that can be written as text, and names that could be misread there."""

from hypothesis import strategies as st

from rulewright.data import Field
from rulewright.rules import AllOf, AnyOf, AtLeast, Given, Not
from strategies.nodes import ON_COLUMNS

COLUMNS = [
    Field("a", "numeric"),
    Field("b", "numeric"),
    Field("colour", "text", 3),
    Field("flag", "boolean", 2),
    Field("sepal length (cm)", "numeric"),
    Field("time in hospital", "numeric"),
    Field("grade", "code", 4),
]
READABLE = ON_COLUMNS.filter(lambda test: not (isinstance(test, Given) and test.column == "b"))
CONDITIONS = st.recursive(
    READABLE,
    lambda parts: st.one_of(
        st.builds(AllOf, st.lists(parts, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(parts, max_size=3).map(tuple)),
        st.lists(parts, min_size=1, max_size=3).flatmap(
            lambda p: st.builds(AtLeast, st.integers(0, len(p) + 1), st.just(tuple(p)))
        ),
        st.builds(Not, parts),
    ),
    max_leaves=6,
)
ODD_NAMES = st.sampled_from(
    [
        *("always", "not", "and", "or", "at least 2 of", "10", "1e3", "-5", "missing", "is", "in"),
        *("a -> b", "->", "(x)", "'quoted'", '"', "`", "x = 3", "x or missing", "x is", "1 <= x"),
        *("", " space", "two\nlines", "\ud800", "é", "x;y", "a, b", "{a}", "\\", "between"),
    ]
)
