"""Every family finds its heaviest predicate, and rebuilds it from a few examples."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from families.cases import (
    BALLS,
    FAMILY,
    HALF_SPACES,
    ON_COLUMNS,
    READ_FROM_COLUMNS,
    measured,
    problems,
    questions,
    trainings,
)
from hypothesis import given
from hypothesis import strategies as st
from oracles import families as oracle
from strategies.effort import QUARTER
from strategies.mixed import tables
from strategies.nodes import LITERALS

from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import (
    FAMILIES,
    Categories,
    Examples,
    ExpertTests,
    Family,
    Question,
    Site,
    Thresholds,
    Training,
    as_families,
    prepare,
)
from rulewright.rules import Missing, Threshold

DATA = st.data()
CASES = {name: [case for case, f in FAMILY.items() if f.name == name] for name in FAMILIES}
BEYOND_A_BORDER = [case for case, f in FAMILY.items() if f.border_implied and f.borders == 1]


def same(found, expected):
    """Whether both are nothing, or the same predicate with the same anchors and weights."""
    if found is None or expected is None:
        return found is expected
    anchors = [getattr(p, "anchored_on", ()) for p in (found[0], expected[0])]
    return tuple(found) == tuple(expected) and anchors[0] == anchors[1]


@pytest.mark.cross_section(18)
@pytest.mark.parametrize("name", FAMILY)
@QUARTER
@given(data=DATA)
def test_the_heaviest_is_the_first_of_the_best(name, data):
    problem = data.draw(problems([name]))
    family, training = problem.family, problem.training
    search = family.prepare(training)
    for _ in range(data.draw(st.integers(1, 3))):  # one question must not disturb the next
        question = data.draw(questions(training))
        found = search.heaviest(question)
        assert same(found, oracle.heaviest([family], training, question))
        if found is not None:
            fires = found.predicate.holds(training.table) == question.side
            assert oracle.gathers(fires, question.weight) == (found.total, found.gathered)


@given(DATA, st.lists(st.sampled_from(sorted(ON_COLUMNS | BALLS)), min_size=1, max_size=3))
def test_a_mixture_takes_the_heaviest_of_all_and_the_first_family_on_ties(data, names):
    training = data.draw(trainings("balls"))  # no number is missing
    families = [measured(name, training.table) for name in names]
    question = data.draw(questions(training))
    found = prepare(families, training).heaviest(question)
    assert same(found, oracle.heaviest(families, training, question))


@pytest.mark.parametrize("name", ["thresholds", "rounded", "missing", "intervals", "categories"])
@QUARTER
@given(data=DATA, directions=st.dictionaries(st.sampled_from("ab"), st.sampled_from([1, -1])))
def test_a_column_with_a_direction_is_tested_towards_the_class(name, data, directions):
    training = replace(data.draw(trainings(name)), directions=directions)
    family, question = FAMILY[name], replace(data.draw(questions(training)), implied=False)
    plain = replace(training, directions={})
    allowed = [
        (predicate, *oracle.gathers(fires, question.weight))
        for predicate, fires in oracle.candidates(family, plain, question)
        if towards_the_class(predicate, question, directions)
    ]
    best = max((found[1:] for found in allowed), default=None)
    expected = next((found for found in allowed if found[1:] == best), None)
    assert same(prepare([family], training).heaviest(question), expected)


def towards_the_class(predicate, question, directions):
    if isinstance(predicate, Missing) or predicate.column not in directions:
        return True
    if not isinstance(predicate, Threshold):
        return False
    fires_above = predicate.above == question.side
    return fires_above == ((directions[predicate.column] > 0) == (question.output == 1))


@pytest.mark.parametrize("name", FAMILIES)
@QUARTER
@given(data=DATA, threads=st.sampled_from([2, 8]))
def test_the_answer_is_the_same_for_any_number_of_threads(name, data, threads):
    problem = data.draw(problems(CASES[name]))
    question = data.draw(questions(problem.training))
    one, many = (
        problem.family.prepare(replace(problem.training, threads=n)).heaviest(question)
        for n in (1, threads)
    )
    assert same(one, many)


@given(DATA)
def test_the_order_of_the_rows_does_not_matter(data):
    problem = data.draw(problems(set(FAMILY) - set(READ_FROM_COLUMNS)))
    family, training = problem.family, problem.training
    question = data.draw(questions(training))
    order = np.array(data.draw(st.permutations(range(training.y.size))), np.intp)
    other = Training(training.table.take(order), training.y[order])
    one = family.prepare(training).heaviest(question)
    two = family.prepare(other).heaviest(question.at(order))
    assert (one and one[1:]) == (two and two[1:])
    if not family.prototypes or not repeated(training.table):
        assert one == two


def repeated(table):
    """Whether some rows have the same coordinates: of these the first comes first."""
    points = np.column_stack([column.values for column in table.numeric])
    return len(np.unique(points, axis=0)) < table.rows


def rebuilt(family, predicate, question, training):
    """Take the predicate's own rows out of the table, and build it from these."""
    implied = question.implied and family.border_implied
    site = family.site(predicate, implied=implied, side=question.side)
    assert site is not None
    rows = family.rows(predicate, question.side)
    assert len(rows) == family.prototypes + family.borders
    places = np.array(sorted(set(rows)), np.intp)
    examples = Examples(
        training.table.take(places), training.y[places], places, training.rows[places]
    )
    return family.build(site, examples, [places.tolist().index(row) for row in rows])


@pytest.mark.parametrize("name", FAMILIES)
@QUARTER
@given(data=DATA)
def test_what_was_found_is_built_again_from_its_rows_alone(name, data):
    problem = data.draw(problems(CASES[name]))
    family, training = problem.family, problem.training
    question = data.draw(questions(training))
    found = family.prepare(training).heaviest(question)
    if found is not None:
        again = rebuilt(family, found.predicate, question, training)
        assert same((again,), found[:1])


@pytest.mark.parametrize("name", FAMILIES)
@QUARTER
@given(data=DATA, literal=LITERALS)
def test_what_is_built_of_any_rows_is_a_candidate(name, data, literal):
    problem = data.draw(problems(CASES[name]))
    family, training = problem.family, problem.training
    question = replace(data.draw(questions(training)), open=None)
    every = [p for p, _ in oracle.candidates(family, training, question)]
    implied = question.implied and family.border_implied
    # A message tells half-planes of more weights than a search tries.
    built = every if family.name == "half_planes" else [*every, literal]
    sites = [family.site(p, implied=implied, side=question.side) for p in built]
    known = {s for s in sites if s and (s.column is None or s.column in training.table.names)}
    if not known:
        return
    site = data.draw(st.sampled_from(sorted(known, key=repr)))
    able = [
        chosen
        for chosen in product(range(training.y.size), repeat=family.prototypes + family.borders)
        if admissible(family, site, training, question, chosen)
    ]
    for chosen in data.draw(st.lists(st.sampled_from(able), max_size=5)) if able else []:
        predicate = family.build(site, Examples.of(training), chosen)
        if predicate is not None and not isinstance(predicate, Missing):
            assert any(predicate == p for p in every)


def admissible(family, site, training, question, chosen):
    """Whether a search could have chosen these rows, going by their classes alone."""
    labels = [int(training.y[row]) for row in chosen]
    if family.name in ("midpoints", "rounded"):
        ends_of = oracle.midpoint_ends if family.name == "midpoints" else oracle.rounded_ends
        ends = ends_of(training.table.numbers(site.column), training, question, *site.option)
        return any(all(end[row] for end, row in zip(pair, chosen, strict=True)) for pair in ends)
    if family.prototypes:
        fits = family.fits(site, labels[: family.prototypes], question.output)
        return fits and labels[-1] != question.output and not question.implied
    if question.implied and family.name == "half_planes":
        fires_on_border = site.option[-1] != question.side
        return (labels[0] == question.output) == fires_on_border
    if question.implied and family.borders == 1:
        return labels[0] != question.output
    if question.implied and family.borders == 2:
        fires_inside = site.option[0] == question.side
        return all((label == question.output) == fires_inside for label in labels)
    return True


@given(DATA)
def test_a_family_has_no_words_for_what_another_makes(data):
    problem = data.draw(problems(FAMILY))
    question = data.draw(questions(problem.training))
    found = problem.family.prepare(problem.training).heaviest(question)
    if found is None:
        return
    for other in FAMILY.values():
        if other.name == problem.family.name:
            continue
        for implied in (False, True):
            site = other.site(found.predicate, implied=implied, side=question.side)
            rows = other.rows(found.predicate, question.side)
            # "colour in {blue}" is "colour = blue", and both others have two rows for a cut.
            alike = ({"categories", "subsets"}, {"midpoints", "rounded"})
            if {other.name, problem.family.name} not in alike:
                # A message for a threshold names the row that has its value.
                assert site is None or len(rows) != other.prototypes + other.borders


@given(DATA)
def test_a_space_has_no_words_for_another_metric_kernel_or_scale(data):
    names = sorted(BALLS | HALF_SPACES)
    problem = data.draw(problems(names))
    question = data.draw(questions(problem.training))
    found = problem.family.prepare(problem.training).heaviest(question)
    if found is None:
        return
    for name in names:
        other = measured(name, problem.training.table)
        site = other.site(found.predicate, side=question.side)
        alike = all(
            getattr(other, option, None) == getattr(problem.family, option, None)
            for option in ("name", "metric", "kernel", "scaling")
        )
        assert (site is not None) <= alike


@given(problems(ON_COLUMNS), DATA)
def test_a_column_has_no_more_candidates_than_options(problem, data):
    """What comes from the anchors does not count."""
    family, table = problem.family, problem.training.table
    question = data.draw(questions(problem.training))
    implied = question.implied and family.border_implied
    sites = {
        family.site(predicate, implied=implied, side=question.side)
        for predicate, _ in oracle.candidates(family, problem.training, question)
    }
    for field in table.fields:
        assert sum(site.column == field.name for site in sites) <= family.options(field)
    assert sum(site.column is None for site in sites) <= family.extra_options()


@given(DATA)
def test_a_predicate_fires_beyond_its_border(data):
    problem = data.draw(problems(BEYOND_A_BORDER))
    family, training = problem.family, problem.training
    question = data.draw(questions(training, implied=True))
    every = oracle.candidates(family, training, question)
    if not every:
        return
    predicate, fires = data.draw(st.sampled_from(every))
    site = family.site(predicate, implied=True, side=question.side)
    *prototypes, border = family.rows(predicate, question.side)
    along = family.along(site, Examples.of(training), prototypes, question.side)
    there = ~np.isnan(along)
    assert there[border]
    assert (fires == (along > along[border]))[there].all()
    assert not fires[border]


@given(DATA)
def test_an_implied_border_is_the_nearest_of_another_class_among_what_rebuilds(data):
    """What makes it unnecessary to name the border, given that the examples are judged rightly."""
    problem = data.draw(problems(BEYOND_A_BORDER))
    family, training = problem.family, problem.training
    question = data.draw(questions(training, implied=True))
    found = family.prepare(training).heaviest(question)
    if found is None:
        return
    rows = family.rows(found.predicate, question.side)
    fires = found.predicate.holds(training.table) == question.side
    others = training.y[list(rows)] != question.output
    assert not fires[np.array(rows)[others]].any()
    site = family.site(found.predicate, implied=True, side=question.side)
    along = family.along(site, Examples.of(training), rows[: family.prototypes], question.side)
    ahead = [row for row in rows if training.y[row] != question.output]
    assert max(along[ahead]) == along[rows[-1]]


@given(DATA)
def test_the_two_anchors_of_an_implied_predicate_are_judged_rightly(data):
    problem = data.draw(problems(["intervals", "midpoints", "rounded"]))
    training = problem.training
    question = data.draw(questions(training, implied=True))
    found = problem.family.prepare(training).heaviest(question)
    if found is None:
        return
    rows = list(found.predicate.anchors)
    fires = found.predicate.holds(training.table) == question.side
    assert (fires[rows] == (training.y[rows] == question.output)).all()
    assert question.open is None or question.open[rows].all()


@given(DATA)
def test_a_limit_leaves_fewer_candidates_and_the_same_ones_every_time(data):
    # Sums of three columns are made from those of two, which are limited too.
    problem = data.draw(problems({*BALLS, *HALF_SPACES, "half-planes"}))
    family, training = problem.family, replace(problem.training, max_candidates=2, seed=5)
    question = replace(data.draw(questions(training)), open=None)
    found = family.prepare(training).heaviest(question)
    assert same(found, family.prepare(training).heaviest(question))
    every = [p for p, _ in oracle.candidates(family, training, question)]
    assert found is not None or not every or question.implied
    assert found is None or found.predicate in every


@given(tables(), st.data(), st.sampled_from(sorted(set(FAMILIES) - {"balls", "half_spaces"})))
def test_a_question_is_asked_in_one_call(table, data, name):
    family = FAMILIES[name]()
    training = Training(table, np.zeros(table.rows, np.int32))
    question = data.draw(questions(training, implied=False))
    found = family.heaviest(table, question.weight, side=question.side)
    assert same(found, oracle.heaviest([family], training, question))


def test_families_are_named_given_or_listed():
    assert as_families("thresholds") == (Thresholds(),)
    assert as_families(Categories()) == (Categories(),)
    assert as_families(["categories", Thresholds(), "thresholds"]) == (Categories(), Thresholds())
    assert [f.name for f in as_families("auto")] == ["thresholds", "categories", "missing"]
    every = [name for name in FAMILIES if name != "rounded"]
    assert [f.name for f in as_families(every)] == every
    assert repr(Thresholds()) == "Thresholds(cuts='all')"


@pytest.mark.parametrize("spec", ["balloons", 3, None, []])
def test_an_unknown_family_is_refused_with_the_known_ones(spec):
    with pytest.raises(InputError, match="thresholds"):
        as_families(spec)


NUMBERS = Table([NumericColumn("a", np.zeros(2))], 2)
COLOURS = Table([CategoricalColumn("c", "text", np.zeros(2, np.int32), ("red",))], 2)


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - {"missing"}))
def test_a_family_without_columns_is_refused_with_the_way_out(name):
    family = as_families(name)
    table = NUMBERS if name in ("categories", "subsets", "given") else COLOURS
    with pytest.raises(InputError, match=rf"no columns for family {name}.*family='auto'"):
        prepare(family, Training(table, np.zeros(2, np.int32)))


@pytest.mark.parametrize("name", sorted(BALLS | HALF_SPACES))
def test_a_space_refuses_missing_values_by_name_unless_a_function_compares(name):
    table = Table([NumericColumn("a", np.array([0.0, np.nan])), *COLOURS.columns], 2)
    training = Training(table, np.array([0, 1], np.int32))
    if name in ("balls, function", "half-spaces, function"):
        FAMILY[name].prepare(training)
        return
    with pytest.raises(InputError, match=r"contains NaN.*missing values: 'a \(1\)'.*Set impute="):
        FAMILY[name].prepare(training)


@pytest.mark.parametrize("family", [FAMILY["balls, function"], FAMILY["half-spaces, function"]])
def test_a_function_that_answers_nan_for_missing_values_is_refused(family):
    table = Table([NumericColumn("a", np.array([0.0, np.nan, 1.0]))], 3)
    training = Training(table, np.array([1, 1, 0], np.int32))
    with pytest.raises(InputError, match=r"rows 0 and 1 give NaN\..*handles missing values"):
        family.prepare(training).heaviest(Question(np.ones(3, np.int64)))


def test_every_family_says_its_order_and_its_price():
    for family in FAMILIES.values():
        assert issubclass(family, Family)
        assert "ordered by" in family.__doc__
        fields = Field("a", "numeric"), Field("b", "text", 3), Field("c", "boolean", 2)
        named = family is ExpertTests  # it has what a person names, and by itself nothing
        assert (sum(family().options(field) for field in fields) > 0) != named
        assert family().extra_options() == 0
        assert family().anchored == (family.prototypes + family.borders > 0)


def test_a_subset_is_one_of_all_sets_of_categories():
    assert FAMILIES["subsets"]().options(Field("a", "text", 100)) == 2**100


def test_a_site_of_an_unknown_category_builds_nothing():
    examples = Examples.of(Training(COLOURS, np.zeros(2, np.int32)))
    subsets = FAMILIES["subsets"]()
    assert subsets.build(Site("c", ("red", "green")), examples, ()) is None
    assert subsets.build(Site("c", ()), examples, ()) is None
    assert Categories().build(Site("c", ("green", True)), examples, ()) is None


def test_nothing_is_found_where_there_is_nothing_to_test():
    table = Table([NumericColumn("a", np.full(2, np.nan))], 2)
    for family in (Thresholds(), FAMILIES["intervals"]()):
        training = Training(table, np.zeros(2, np.int32))
        for implied in (False, True):
            question = Question(np.array([1, 1]), implied=implied)
            assert family.prepare(training).heaviest(question) is None
