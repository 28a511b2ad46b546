"""Places of literals: each is found, replaced and left out."""

from hypothesis import given
from hypothesis import strategies as st
from strategies.mixed import tables

from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Missing,
    Not,
    Threshold,
    literal_places,
    literals_of,
    with_part,
    without_part,
)

LITERALS = st.one_of(
    st.builds(Threshold, st.sampled_from("ab"), st.booleans(), st.sampled_from([0.0, 1.0])),
    st.builds(Missing, st.sampled_from("ab"), st.booleans()),
)


def combined(inner):
    some = st.lists(inner, max_size=3).map(tuple)
    counted = some.flatmap(
        lambda parts: st.builds(AtLeast, st.integers(0, len(parts) + 1), st.just(parts))
    )
    return st.one_of(some.map(AllOf), some.map(AnyOf), counted, inner.map(Not))


CONDITIONS = st.recursive(LITERALS, combined, max_leaves=6)


@given(CONDITIONS)
def test_places_are_those_of_all_literals_in_order(condition):
    found = list(literal_places(condition))
    assert [literal for _, literal in found] == list(literals_of(condition))
    assert len({place for place, _ in found}) == len(found)
    for place, literal in found:
        assert with_part(condition, place, literal) == condition


@given(CONDITIONS, tables(), st.data())
def test_a_literal_replaced_by_its_truth_keeps_the_condition_where_it_has_that_truth(
    condition, table, data
):
    places = list(literal_places(condition))
    if not places:
        return
    place, literal = data.draw(st.sampled_from(places))
    holds = literal.holds(table)
    for truth, constant in ((True, AllOf()), (False, AnyOf())):
        replaced = with_part(condition, place, constant).holds(table)
        there = holds == truth
        assert (replaced[there] == condition.holds(table)[there]).all()


@given(CONDITIONS, st.data())
def test_a_condition_without_a_literal_has_the_others(condition, data):
    places = list(literal_places(condition))
    if not places:
        return
    number = data.draw(st.integers(0, len(places) - 1))
    shorter = without_part(condition, places[number][0])
    left = [literal for n, (_, literal) in enumerate(places) if n != number]
    assert ([] if shorter is None else list(literals_of(shorter))) == left


def test_counts_are_lowered_where_too_few_parts_are_left():
    a, b, c = (Missing(name) for name in "abc")
    assert without_part(AtLeast(3, (a, b, c)), (1,)) == AtLeast(2, (a, c))
    assert without_part(AtLeast(2, (a, b, c)), (1,)) == AtLeast(2, (a, c))
    assert without_part(AllOf((a, b)), (0,)) == b
    assert without_part(Not(a), (0,)) is None
    assert without_part(a, ()) is None
