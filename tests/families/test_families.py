"""Every family finds its heaviest predicate, and says among how many it chose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.covering import candidates
from strategies.mixed import tables
from strategies.nodes import PREDICATES
from strategies.numbers import weights_for

from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import FAMILIES, Categories, Family, Thresholds, as_families, prepare
from rulewright.rules import Missing, Threshold


@st.composite
def questions(draw):
    table = draw(tables())
    return table, draw(weights_for(table.rows)), draw(st.booleans())


def gathers(predicate, table, weight, side):
    rows = predicate.holds(table) == side
    return int(weight[rows].sum()), int(weight[rows & (weight > 0)].sum())


@pytest.mark.parametrize("name", FAMILIES)
@given(questions())
def test_the_heaviest_is_the_first_of_the_best(name, question):
    table, weight, side = question
    found = FAMILIES[name]().heaviest(table, weight, side=side)
    every = candidates(table, [name])
    if found is None:
        assert not every
        return
    best = max(gathers(h, table, weight, side) for h in every)
    assert (found.total, found.gathered) == best
    assert found.predicate == next(h for h in every if gathers(h, table, weight, side) == best)
    assert gathers(found.predicate, table, weight, side) == best


@given(
    questions(), st.lists(st.sampled_from(sorted(FAMILIES)), min_size=1, max_size=3, unique=True)
)
def test_a_mixture_takes_the_heaviest_of_all_and_the_first_family_on_ties(question, names):
    table, weight, side = question
    found = prepare(as_families(names), table).heaviest(weight, side=side)
    every = [h for name in names for h in candidates(table, [name])]
    if found is None:
        assert not every
        return
    best = max(gathers(h, table, weight, side) for h in every)
    assert found.predicate == next(h for h in every if gathers(h, table, weight, side) == best)


@given(tables())
def test_a_column_has_no_more_candidates_than_options(table):
    """A threshold's cut is the anchor's business and does not count."""
    for name, family in FAMILIES.items():
        sites = {
            (h.column, h.above) if isinstance(h, Threshold) else (h.column, h)
            for h in candidates(table, [name])
        }
        for field in table.fields:
            assert sum(site[0] == field.name for site in sites) <= family().options(field)


@pytest.mark.parametrize("name", FAMILIES)
@given(questions())
def test_a_family_makes_what_it_finds(name, question):
    table, weight, side = question
    found = FAMILIES[name]().heaviest(table, weight, side=side)
    if found is not None:
        makers = [n for n, family in FAMILIES.items() if family().makes(found.predicate, table)]
        assert makers == [name]


@given(tables(), PREDICATES)
def test_a_family_makes_nothing_but_its_candidates(table, predicate):
    for name, family in FAMILIES.items():
        if family().makes(predicate, table) and not isinstance(predicate, Missing):
            assert predicate in candidates(table, [name])


@given(questions())
def test_a_threshold_is_anchored_on_the_first_row_that_has_its_value(question):
    table, weight, side = question
    found = Thresholds().heaviest(table, weight, side=side)
    if found is not None:
        x = table.numbers(found.predicate.column)
        assert found.predicate.anchors == (int(np.flatnonzero(x == found.predicate.cut)[0]),)


def test_families_are_named_given_or_listed():
    assert as_families("thresholds") == (Thresholds(),)
    assert as_families(Categories()) == (Categories(),)
    assert as_families(["categories", Thresholds(), "thresholds"]) == (Categories(), Thresholds())
    assert [f.name for f in as_families("auto")] == list(FAMILIES)
    assert repr(Thresholds()) == "Thresholds()"


@pytest.mark.parametrize("spec", ["balloons", 3, None, []])
def test_an_unknown_family_is_refused_with_the_known_ones(spec):
    with pytest.raises(InputError, match="thresholds"):
        as_families(spec)


def test_a_family_without_columns_is_refused_with_the_way_out():
    table = Table([NumericColumn("a", np.zeros(2))], 2)
    with pytest.raises(InputError, match=r"no columns for family categories.*family='auto'"):
        prepare((Categories(),), table)


def test_every_family_says_its_order_and_its_price():
    for family in FAMILIES.values():
        assert issubclass(family, Family)
        assert "ordered by" in family.__doc__
        assert family().options(Field("a", "numeric")) + family().options(Field("b", "text", 3)) > 0
