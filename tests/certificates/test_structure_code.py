"""Every arrangement can be encoded as bits, and rebuilt from the bits and its examples alone."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from families.cases import BALLS, FAMILY, HALF_SPACES, READ_FROM_COLUMNS, measured, trainings
from hypothesis import given
from hypothesis import strategies as st
from oracles.bits import BitDecoder, BitEncoder
from sklearn.base import clone
from strategies.mixed import COLOURS, tables
from strategies.nodes import class_scorecards, scorecards, shares, trees

from rulewright import DecisionListMachine, SetCoveringMachine
from rulewright.bounds import log_choose
from rulewright.certificates import Code
from rulewright.certificates.codes import (
    COMBINATIONS,
    Codebook,
    LengthEncoder,
    canonical_model,
    decode_structure,
    encode_structure,
    kind_name,
    rebuilt_structure,
    structure_message,
)
from rulewright.certificates.forms import measured_families
from rulewright.data import (
    CategoricalColumn,
    NumericColumn,
    Table,
    canonical_rows,
    canonical_table,
)
from rulewright.errors import CertificateError, InputError
from rulewright.families import (
    Categories,
    Examples,
    GivenPredicates,
    HalfPlanes,
    Site,
    Subsets,
    Thresholds,
    as_families,
)
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Category,
    ClassScorecard,
    ClassScoreLine,
    Conjunction,
    Disjunction,
    HalfPlane,
    Leaf,
    Missing,
    Not,
    Rule,
    RuleList,
    RuleVote,
    ScoreBand,
    Scorecard,
    ScoreLine,
    Split,
    Threshold,
    Tree,
    WeightedRule,
    encode,
    functions_of,
    reanchored,
    simplified,
)

MIXTURES = [
    ("thresholds", "categories", "missing"),
    ("intervals", "subsets", "given both"),
    ("categories", "subsets", "given columns"),
    ("thresholds", "given functions", "balls, simple"),
    ("half-spaces", "balls", "thresholds"),
    ("balls, l1", "balls, standard", "half-spaces, rank"),
    ("half-planes", "half-spaces", "thresholds"),
    ("half-planes of three", "half-planes", "thresholds"),
    *((name,) for name in FAMILY),
]
CLASS = st.integers(0, 2)
DEFAULT = st.none() | CLASS
WEIGHTS = st.sampled_from([0.0, 1.0, -0.5, 0.75, 0.1]) | st.floats(-1e3, 1e3)


def sent(body, codebook, table, y, numbers):
    """Send a model as bits: the decoder sees these, the examples, and the codebook."""
    encoder, lengths = BitEncoder(), LengthEncoder()
    rows = encode_structure(body, codebook, encoder)
    assert encode_structure(body, codebook, lengths) == rows
    price = math.fsum(nats for _, nats in lengths.message) / math.log(2)
    assert price == pytest.approx(
        math.log2(encoder.total) - math.log2(encoder.width), rel=1e-9, abs=1e-9
    )
    bits = encoder.bits
    assert len(bits) <= price + 2 + 1e-6
    places = np.array(rows, np.intp)
    examples = Examples(table.take(places), y[places], places, numbers[places])
    return decode_structure(kind_name(body), codebook, examples, BitDecoder(bits))


def check(body, codebook, table, y, numbers):
    """The rebuilt model is the canonical one, to its anchors, and classifies as the model does."""
    told = canonical_model(body, codebook)
    received = sent(body, codebook, table, y, numbers)
    assert received == told
    assert encode(received) == encode(told)  # also what equality does not look at
    training = Examples(table, y, np.arange(table.rows), numbers)
    assert encode(rebuilt_structure(body, codebook, training)) == encode(told)
    assert canonical_model(told, codebook) == told
    assert (told.classify(table) == body.classify(table)).all()
    assert set(told.anchors) <= set(body.anchors)


@st.composite
def cases(draw, mixtures=MIXTURES):
    """A codebook of all combinations, training examples, and literals that it has words for."""
    names = draw(st.sampled_from(mixtures))
    spatial = [n for n in names if n in BALLS | HALF_SPACES | READ_FROM_COLUMNS]
    training = draw(trainings((*spatial, *names)[0]))
    families = tuple(measured(name, training.table) for name in names)
    strict = draw(st.booleans())
    codebook = Codebook(training.table, families, 3, tuple(COMBINATIONS.values()), strict)
    examples = Examples(training.table, training.y, np.arange(training.y.size), training.rows)
    row = st.integers(0, training.y.size - 1)
    literals = []
    for _ in range(draw(st.integers(1, 6))):
        subject = draw(st.sampled_from(codebook.subjects))
        family, site = subject.site(draw(st.integers(0, subject.options - 1)))
        chosen = [draw(row) for _ in range(family.prototypes + family.borders)]
        literal = family.build(site, examples, chosen)
        literals += [] if literal is None else [literal]
    return codebook, training, literals


def conditions(literals):
    """Conditions of any depth, also such that are always or never true."""
    first = st.sampled_from(literals) if literals else st.just(AllOf())
    return st.recursive(
        first,
        lambda parts: st.one_of(
            st.builds(AllOf, st.lists(parts, max_size=3).map(tuple)),
            st.builds(AnyOf, st.lists(parts, max_size=3).map(tuple)),
            st.lists(parts, min_size=1, max_size=4).flatmap(
                lambda p: st.builds(AtLeast, st.integers(0, len(p)), st.just(tuple(p)))
            ),
            st.builds(Not, parts),
        ),
        max_leaves=6,
    )


@st.composite
def replanted(draw, tests, literals):
    """A tree with other tests, some nodes of several; those that share out rows of literals."""
    tree = draw(trees())
    nodes = []
    for node in tree.nodes:
        if isinstance(node, Split):
            shares = node.shares if literals else ()
            kind = st.sampled_from(literals) if shares else tests
            node = Split(tuple(draw(kind) for _ in node.tests), node.branches, shares)
        nodes.append(node)
    return Tree(tuple(nodes))


def arrangements(literals):
    parts = conditions(literals)
    some = st.lists(parts, max_size=4).map(tuple)
    rule, voter = st.builds(Rule, parts, CLASS), st.builds(WeightedRule, parts, CLASS, WEIGHTS)
    return st.one_of(
        st.builds(Conjunction, some, CLASS, CLASS),
        st.builds(Disjunction, some, CLASS, CLASS),
        st.builds(RuleList, st.lists(rule, max_size=4).map(tuple), DEFAULT),
        st.builds(RuleVote, st.lists(voter, max_size=4).map(tuple), DEFAULT),
        replanted(parts, literals),
        scorecards(parts),
        class_scorecards(parts),
    )


@pytest.mark.slow
@given(st.data())
def test_any_model_is_rebuilt_from_bits(data):
    codebook, training, literals = data.draw(cases())
    body = data.draw(arrangements(literals))
    check(body, codebook, training.table, training.y, training.rows)


@pytest.mark.slow
@given(st.data())
def test_any_tree_is_rebuilt_from_bits(data):
    codebook, training, literals = data.draw(cases(MIXTURES[:3]))
    body = data.draw(replanted(conditions(literals), literals))
    check(body, codebook, training.table, training.y, training.rows)


@given(st.data())
def test_a_model_that_is_told_as_its_simpler_form_has_the_same_message(data):
    codebook, training, literals = data.draw(
        cases([("thresholds", "categories"), ("thresholds", "intervals", "expert"), ("midpoints",)])
    )
    codebook = replace(codebook, strict=False)
    body = data.draw(arrangements([test for test in literals if codebook.can_encode(test)]))
    simple = simplified(body)
    code = Code(codebook.families, 3, combinations=codebook.combinations)
    if code.share_message(body, simple, training.table.fields):
        assert encode(canonical_model(simple, codebook)) == encode(canonical_model(body, codebook))
        assert structure_message(simple, codebook) == structure_message(body, codebook)
        check(simple, codebook, training.table, training.y, training.rows)


@st.composite
def forking(draw):
    """A tree of splits on all values of a column, here and there with another test."""
    table = draw(tables())
    values = st.sampled_from(COLOURS)
    nodes = [Leaf(draw(CLASS))]
    for _ in range(draw(st.integers(1, 4))):
        leaf = draw(st.sampled_from([i for i, n in enumerate(nodes) if isinstance(n, Leaf)]))
        tests = [Category("colour", (value,)) for value in draw(st.lists(values, min_size=1))]
        others = [Missing("a"), Category("flag", ("True",)), Category("colour", ("red",), False)]
        tests += draw(st.lists(st.sampled_from(others), max_size=1))
        branches = tuple(range(len(nodes), len(nodes) + len(tests) + 1))
        nodes[leaf] = Split(tuple(tests), branches, draw(shares(len(branches))))
        nodes += [Leaf(draw(CLASS)) for _ in branches]
    return Tree(tuple(nodes)), table


@pytest.mark.slow
@given(forking())
def test_any_tree_of_many_ways_is_rebuilt_from_bits(case):
    body, table = case
    families = (Categories(), as_families("missing")[0])
    codebook = Codebook(table, families, 3)
    check(body, codebook, table, np.zeros(table.rows, np.int32), np.arange(table.rows))


@given(st.data())
def test_every_option_has_a_number_and_is_told_by_it(data):
    codebook, training, _ = data.draw(cases())
    examples = Examples(training.table, training.y, np.arange(training.y.size), training.rows)
    for number, subject in enumerate(codebook.subjects):
        for option in range(min(subject.options, 40)):
            family, site = subject.site(option)
            assert subject.number(family, site) == option
            rows = training.y.size
            chosen = [
                data.draw(st.integers(0, rows - 1))
                for _ in range(family.prototypes + family.borders)
            ]
            literal = family.build(site, examples, chosen)
            if literal is None:
                continue
            told = codebook.code_of(literal)
            assert told.subject == number
            same, place = subject.site(told.option)
            # What two families both make is told as the first one's.
            again = same.build(place, examples, list(told.rows))
            assert again == literal
            if same is family:
                assert told.option == option


@pytest.mark.parametrize("name", [n for n in FAMILY if FAMILY[n].lone])
def test_a_family_has_as_many_choices_as_options(name):
    family = FAMILY[name]
    table = Table(
        [
            NumericColumn("a", np.empty(0)),
            NumericColumn("bit", np.empty(0)),
            CategoricalColumn("colour", "text", np.empty(0, np.int32), ("x", "y", "z")),
            CategoricalColumn("flag", "boolean", np.empty(0, np.int32), ("False", "True")),
        ],
        0,
    )
    for column in table.columns:
        assert family.choices(column).count == family.options(column.field)
    assert family.choices(None).count == family.extra_options()


def is_old(columns):
    return columns["a"] > 0


def frame(missing):
    random = np.random.default_rng(5)
    rows = 70
    X = pd.DataFrame(
        {
            "a": random.normal(size=rows).round(1),
            "b": random.normal(size=rows).round(1),
            "colour": random.choice(["red", "green", "blue", "grey"], rows),
            "flag": random.random(rows) < 0.5,
        }
    )
    y = (X.a + X.b * (X.colour == "red") + X.flag + random.normal(size=rows) > 0.5).to_numpy()
    if missing:
        X.loc[::7, "a"] = np.nan
        X.loc[::5, "colour"] = None
    return X, y


SPECS = [
    ("thresholds", {}),
    ("intervals", {}),
    ("categories", {}),
    ("subsets", {}),
    ("missing", {}),
    ("given", {}),
    (GivenPredicates(functions={"old": is_old}), {}),
    ("auto", {}),
    (["subsets", "intervals", "given"], {}),
    ("balls", {}),
    ("balls", {"metric": "l1"}),
    ("balls", {"scale": "standard"}),
    ("half_spaces", {}),
    ("half_spaces", {"kernel": "rbf"}),
    ("half_planes", {}),
    (["subsets", "half_planes", "thresholds"], {"max_sum_columns": 3}),
    (["half_spaces", "balls", "thresholds", "subsets"], {}),
]


@pytest.mark.filterwarnings("ignore:metric, kernel, scale have no effect")
@pytest.mark.parametrize(
    "machine",
    [
        SetCoveringMachine(kind="conjunction", max_rules=5),
        SetCoveringMachine(kind="disjunction", max_rules=5),
        DecisionListMachine(max_rules=5),
        SetCoveringMachine(kind="conjunction", consistent=True, max_rules=5),
        SetCoveringMachine(kind="disjunction", consistent=True, max_rules=5),
        DecisionListMachine(consistent=True, max_rules=5),
    ],
    ids=str,
)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: re.sub(r"<[^>]*>", "function", str(spec)))
def test_fitted_machines_are_rebuilt_from_bits(spec, machine):
    family, options = spec
    names = family if isinstance(family, list) else [family]
    X, y = frame(missing=not {"balls", "half_spaces"} & {str(name) for name in names})
    kept = {key: value for key, value in options.items() if key in machine.get_params()}
    machine = clone(machine).set_params(family=family, **kept).fit(X, y)
    model, certificate = machine.model_, machine.certificate_
    table = canonical_table(model.table(X, every=True).observed())
    order = canonical_rows(table, model.codes(y), np.ones(len(X)))
    table = table.take(order)
    body = reanchored(model.body, np.argsort(order))
    families = measured_families(certificate, table, functions_of(body))
    codebook = Codebook(table, tuple(families), 2, strict=machine.consistent)
    check(body, codebook, table, model.codes(y)[order], np.arange(len(X)))
    rows, _ = structure_message(body, codebook)
    assert tuple(sorted(order[list(rows)])) == certificate.examples


COLUMNS = Table(
    [
        NumericColumn("a", np.array([1.0, 2.0])),
        CategoricalColumn("c", "text", np.array([0, 1], np.int32), ("x", "y")),
    ],
    2,
)
SINGLE = [
    *(
        Threshold("a", above, COLUMNS.numbers("a")[row], anchored_on=(row,))
        for above in (False, True)
        for row in (0, 1)
    ),
    *(Category("c", (value,), among) for value in "xy" for among in (False, True)),
]
TINY = {
    (): [*SINGLE, AllOf(), AnyOf()],
    ("all",): [*SINGLE, AllOf(), *map(AllOf, itertools.product(SINGLE, repeat=2))],
    ("any", "not"): [
        *map(Not, SINGLE),
        *SINGLE,
        *map(AnyOf, itertools.product([*SINGLE, *map(Not, SINGLE)], repeat=2)),
        *(Not(AnyOf(pair)) for pair in itertools.combinations(SINGLE, 2)),
    ],
    ("at least",): [
        *SINGLE,
        *(
            AtLeast(count, parts)
            for count in range(3)
            for parts in itertools.product(SINGLE, repeat=2)
        ),
        *(AtLeast(2, (SINGLE[0], AtLeast(1, pair))) for pair in itertools.product(SINGLE, SINGLE)),
    ],
}


def small_bodies(tests):
    """Many models of few conditions, of every kind."""
    few = tests[:: max(len(tests) // 8, 1)]
    pairs = [*itertools.product(few, repeat=2)]
    for arrange, answers in itertools.product((Conjunction, Disjunction), ((0, 1), (1, 0))):
        yield arrange((), *answers)
        yield from (arrange((test,), *answers) for test in tests)
        yield from (arrange(parts, *answers) for parts in pairs)
    for last in (None, 0, 1):
        yield from (RuleList((), last), RuleVote((), last))
        for first, test in itertools.product(range(2), tests):
            yield RuleList((Rule(test, first),), last)
            for weight in (0.0, 0.5, 1.0, -1.0, 2.0, 0.75):
                yield RuleVote((WeightedRule(test, first, weight),), last)
        for first, second, (one, other) in itertools.product(range(2), range(2), pairs):
            yield RuleList((Rule(one, first), Rule(other, second)), last)
    yield from small_scorecards(tests, pairs)
    for last in range(2):
        yield Tree((Leaf(last),))
        for first, test in itertools.product(range(2), tests):
            yield Tree((Split((test,), (1, 2)), Leaf(first), Leaf(last)))
            if test in SINGLE:
                for share in range(17):
                    split = Split((test,), (1, 2), (share, 16 - share))
                    yield Tree((split, Leaf(first), Leaf(last)))
        for first, second, (one, other) in itertools.product(range(2), range(2), pairs):
            ends = Leaf(first), Leaf(second), Leaf(last)
            yield Tree((Split((one, other), (1, 2, 3)), *ends))
            if one in SINGLE and other in SINGLE:
                for share in ((16, 0, 0), (3, 5, 8), (0, 8, 8)):
                    yield Tree((Split((one, other), (1, 2, 3), share), *ends))
            inner = Split((other,), (3, 4))
            yield Tree((Split((one,), (1, 2)), ends[0], inner, *ends[1:]))
            yield Tree((Split((one,), (1, 2)), inner, ends[0], *ends[1:]))


def small_scorecards(tests, pairs):
    """Scorecards of two classes with one or two lines, as for either form."""
    for below, points, cut in itertools.product(range(2), (-2, -1, 1, 2), range(-2, 4)):
        bands = ScoreBand(-9, below, 0.25), ScoreBand(cut, 1 - below, 0.75)
        yield Scorecard((), bands)
        yield from (Scorecard((ScoreLine(test, points),), bands) for test in tests)
        lines = ((ScoreLine(one, points), ScoreLine(other, 1)) for one, other in pairs)
        yield from (Scorecard(some, bands) for some in lines)
    for one, other in itertools.product((-1, 0, 1, 2), repeat=2):
        yield ClassScorecard((one, other), (), 1.0)
        lines = (ClassScoreLine(test, (other, one)) for test in tests)
        yield from (ClassScorecard((one, other), (line,), 0.5) for line in lines)


@pytest.mark.cross_section(2)
@pytest.mark.parametrize("combinations", TINY, ids=str)
def test_all_models_of_the_same_examples_together_weigh_at_most_one(combinations):
    families = (Thresholds(), Categories(), Subsets())
    total = weights(Codebook(COLUMNS, families, 2, combinations), TINY[combinations])
    assert all(weight <= 1 + 1e-9 for weight in total.values())
    assert len(total) >= 19  # no example, either, both; for a vote, one literal has only one
    assert max(total.values()) > 0.5


@pytest.mark.parametrize("sizes", [(2,), (2, 3)], ids=str)
def test_all_models_of_half_planes_together_weigh_at_most_one(monkeypatch, sizes):
    # So few weights that all half-planes can be listed.
    monkeypatch.setattr("rulewright.families.half_planes.DIGITS", range(1, 2))
    monkeypatch.setattr("rulewright.families.half_planes.POWERS", range(1))
    names = "abc"[: max(sizes)]
    table = Table([NumericColumn(name, np.array([1.0, 2.0])) for name in names], 2)
    families = tuple(HalfPlanes(size, columns=tuple(names)) for size in sizes)
    examples = Examples(table, np.array([0, 1], np.int32), np.arange(2), np.arange(2))
    tests = []
    for family in families:
        choices = family.choices(None)
        assert choices.count == math.comb(len(names), family.sum_columns) * 2**family.sum_columns
        sites = [Site(None, choices.option(number)) for number in range(choices.count)]
        tests += [family.build(site, examples, (row,)) for site in sites for row in range(2)]
    total = weights(Codebook(table, families, 2), [*tests, AllOf(), AnyOf()])
    assert all(weight <= 1 + 1e-9 for weight in total.values())
    assert len(total) >= 19 and max(total.values()) > 0.5


def test_sums_of_more_columns_do_not_make_those_of_two_costly():
    names = tuple("abcdef")
    table = Table([NumericColumn(name, np.array([1.0, 2.0])) for name in names], 2)
    families = tuple(HalfPlanes(size, columns=names) for size in (2, 3, 4))
    two, three, four = (
        replace(half, anchored_on=(0,))
        for half in (
            HalfPlane(("a", "b"), (1.0, 2.0), 3.0, above=True),
            HalfPlane(("a", "b", "f"), (1.0, 2.0, -0.5), 3.0, above=True),
            HalfPlane(("a", "b", "c", "f"), (1.0, 2.0, 7.0, -0.5), 3.0, above=True),
        )
    )
    price = {
        len(half.on): dict(structure_message(RuleList((Rule(half, 1),), 0), codebook)[1])[
            "which columns and tests"
        ]
        for half in (two, three, four)
        for codebook in [Codebook(table, families, 2)]
    }
    for size, nats in price.items():
        sites = math.comb(6, size) * 450 ** (size - 1) * 2
        assert nats == pytest.approx(math.log(3) + math.log(sites))


def weights(codebook, tests):
    """The probability that the code gives to all models of a kind and of the same examples."""
    total, seen = {}, set()
    for body in small_bodies(tests):
        told = canonical_model(body, codebook)
        if repr(told) in seen:
            continue
        seen.add(repr(told))
        rows, message = structure_message(told, codebook)
        key = kind_name(body), rows
        weight = math.exp(-math.fsum(nats for _, nats in message))
        total[key] = total.get(key, 0.0) + weight
    return total


@pytest.mark.slow
def test_a_deep_tree_is_written_without_recursion():
    depth = 20_000
    nodes = []
    for level in range(depth):
        nodes += [Split((SINGLE[level % 4],), (2 * level + 1, 2 * level + 2)), Leaf(level % 2)]
    nodes.append(Leaf(0))
    tree = Tree(tuple(nodes))
    codebook = Codebook(COLUMNS, (Thresholds(),), 2)
    training = Examples(COLUMNS, np.array([0, 1], np.int32), np.arange(2), np.arange(2))
    assert rebuilt_structure(tree, codebook, training) == tree
    rows, message = structure_message(tree, codebook)
    assert rows == (0, 1)
    prices = dict(message)
    assert prices["which answers"] == pytest.approx(depth * math.log(2))  # the last one follows
    catalan = log_choose(2 * depth, depth) - math.log(depth + 1)
    assert prices["which shape"] == pytest.approx(catalan)


def test_a_deep_tree_of_both_sides_and_of_many_tests_comes_back():
    y = np.array([0, 1], np.int32)
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 2)
    zigzag, count = [], 60
    for level in range(count):
        here, other = 2 * level + 1, 2 * level + 2
        branches = (other, here) if level % 3 else (here, other)
        zigzag += [Split((SINGLE[level % 8],), branches), Leaf(level % 2)]
    zigzag.append(Leaf(1))
    comb = [Split(tuple(SINGLE * 5), tuple(range(1, 42))), *(Leaf(i % 2) for i in range(41))]
    for nodes in (zigzag, comb):
        check(Tree(tuple(nodes)), codebook, COLUMNS, y, np.arange(2))


def test_the_order_of_parts_does_not_change_the_message():
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 2, ("all",))
    told = {
        repr(structure_message(RuleList((Rule(AllOf(parts), 1),), 0), codebook))
        for parts in itertools.permutations(SINGLE[2:6])
    }
    assert len(told) == 1


def test_a_list_of_conjunctions_costs_little_more_than_its_literals():
    """Two literals of 20 columns: 210 pairs of columns, two directions and an example for each."""
    columns = Table([NumericColumn(f"x{j}", np.empty(0)) for j in range(20)], 0)
    codebook = Codebook(columns, (Thresholds(),), 2, ("all",))
    rule = Rule(
        AllOf(tuple(Threshold(f"x{j}", True, 0.0, anchored_on=(j,)) for j in (3, 5))), output=1
    )
    _, message = structure_message(RuleList((rule,), 0), codebook)
    prices = dict(message)
    assert prices["which columns and tests"] == pytest.approx(math.log(210 * 4))
    assert prices["which examples"] == pytest.approx(math.log(2))
    assert prices["which answers"] == pytest.approx(math.log(3))  # either class, or no answer
    assert sum(prices.values()) < math.log(210 * 4 * 2 * 3) + 3.2
    _, message = structure_message(RuleList((rule,), None), codebook)
    assert dict(message)["which answers"] == pytest.approx(math.log(3 * 2))


@pytest.mark.parametrize(
    "unknown_rule",
    [
        Threshold("a", True, 1.0),  # anchored on nothing
        Threshold("a", True, 1.0, anchored_on=(0, 1)),
        Threshold("b", True, 1.0, anchored_on=(0,)),
        Threshold("a", True, 1.0, if_missing=True, anchored_on=(0,)),
        Threshold("a", True, 1.0, anchored_on=(0,), cut_above=True),
        Category("c", ("x", "y")),
        Category("c", ("z",)),
        Missing("a"),
    ],
    ids=str,
)
def test_a_literal_that_no_family_makes_is_refused(unknown_rule):
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 2, ("all",))
    for body in (
        Disjunction((unknown_rule,), 1, 0),
        RuleList((Rule(AllOf((unknown_rule, SINGLE[0])), 1),), 0),
        Tree((Split((unknown_rule,), (1, 2)), Leaf(0), Leaf(1))),
    ):
        with pytest.raises(CertificateError, match="families thresholds, categories do not make"):
            structure_message(body, codebook)


def test_a_number_that_was_changed_comes_back_as_it_was():
    codebook = Codebook(COLUMNS, (Thresholds(),), 2)
    training = Examples(COLUMNS, np.array([0, 1], np.int32), np.arange(2), np.arange(2))
    forged = Tree((Split((Threshold("a", True, 1.5, anchored_on=(1,)),), (1, 2)), Leaf(0), Leaf(1)))
    found = rebuilt_structure(forged, codebook, training)
    assert found != canonical_model(forged, codebook)
    assert found.nodes[0].tests == (Threshold("a", True, 2.0),)
    table = Table([NumericColumn("a", np.array([1.0, np.nan]))], 2)
    missing = Examples(table, training.y, np.arange(2), np.arange(2))
    with pytest.raises(CertificateError, match="cannot be rebuilt from the rows"):
        rebuilt_structure(forged, codebook, missing)


def test_what_the_codebook_does_not_allow_is_refused():
    pair = AnyOf((SINGLE[0], SINGLE[5]))
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 2, ("all",))
    for condition in (pair, Not(SINGLE[0]), AllOf((SINGLE[1], pair))):
        with pytest.raises(CertificateError, match="combines parts by '(any|not)', which"):
            structure_message(RuleList((Rule(condition, 1),), 0), codebook)
    with pytest.raises(CertificateError, match="No message describes this model"):
        structure_message(RuleList((), 2), codebook)
    with pytest.raises(CertificateError, match="No message describes this model"):
        structure_message(Conjunction((SINGLE[0],), 0, 3), codebook)
    with pytest.raises(InputError, match="no combination 'some'"):
        Codebook(COLUMNS, (), 2, ("some",))
    with pytest.raises(InputError, match="no kind 'forest'"):
        decode_structure("forest", codebook, None, None)


def test_what_makes_no_difference_is_not_told():
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 3, tuple(COMBINATIONS.values()))
    one, other = SINGLE[0], SINGLE[5]
    both = AllOf((one, other))

    def told(body):
        return canonical_model(body, codebook)

    assert told(Conjunction((other, AllOf((one, other)), AllOf()), 1, 0)) == told(
        Conjunction(both.parts, 1, 0)
    )
    assert told(Conjunction((one, AnyOf()), 1, 0)) == Conjunction((), 0, 1)
    assert told(Disjunction((one, Not(AnyOf())), 1, 0)) == Disjunction((), 0, 1)
    assert told(Disjunction((one,), 2, 2)) == Disjunction((), 0, 2)
    rules = Rule(AnyOf((AllOf((one,)),)), 1), Rule(AnyOf(), 2), Rule(other, 0)
    assert told(RuleList(rules, 0)) == RuleList((Rule(one, 1),), 0)
    assert told(RuleList((*rules, Rule(AllOf(), 2), Rule(one, 0)), 0)) == told(RuleList(rules, 2))
    assert told(RuleList(rules, None)) == RuleList((Rule(one, 1), Rule(other, 0)), None)
    assert told(RuleList((Rule(one, 1), Rule(AllOf(), 0)), None)) == RuleList((Rule(one, 1),), 0)
    voters = WeightedRule(Not(AllOf()), 1, 9.0), WeightedRule(Not(Not(one)), 1, 2.0)
    assert told(RuleVote(voters, 0)) == RuleVote((WeightedRule(one, 1, 2.0),), 0)
    tests = one, AtLeast(0, (one,)), other
    inner = Split((other,), (5, 6))
    tree = Tree((Split(tests, (1, 2, 3, 4)), Leaf(1), inner, *map(Leaf, (2, 2, 0, 0))))
    assert told(tree) == Tree((Split((one,), (1, 2)), Leaf(1), Leaf(0)))


def test_a_language_without_literals_still_has_constants():
    codebook = Codebook(Table([], 0), (Thresholds(),), 3)
    table, y = Table([], 4), np.zeros(4, np.int32)
    for body in (
        RuleList((Rule(AllOf(), 2),), 0),
        RuleVote((WeightedRule(AllOf(), 1, 0.5), WeightedRule(AnyOf(), 0, 3.0)), 2),
        Tree((Leaf(2),)),
        Conjunction((), 2, 1),
        Disjunction((AllOf(),), 2, 2),
    ):
        check(body, codebook, table, y, np.arange(4))


def test_a_tree_that_shares_out_rows_is_priced_by_its_sixteenths():
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 2)
    ends = Leaf(0), Leaf(1)
    plain = Tree((Split((SINGLE[0],), (1, 2)), *ends))
    shared = Tree((Split((SINGLE[0],), (1, 2), (5, 11)), *ends))
    (_, less), (_, more) = structure_message(plain, codebook), structure_message(shared, codebook)
    what = "how missing values are shared out"
    assert dict(less)[what] == pytest.approx(math.log(math.pi**2 / 6))
    assert dict(more)[what] == pytest.approx(math.log(math.pi**2 / 6 * 4 * 17))
    three = Split(tuple(SINGLE[:2]), (1, 2, 3), (5, 11, 0))
    _, message = structure_message(Tree((three, *ends, Leaf(0))), codebook)
    assert dict(message)[what] == pytest.approx(math.log(math.pi**2 / 6 * 4 * 17 * 18 / 2))


def test_what_shares_make_a_difference_to_stays():
    codebook = Codebook(COLUMNS, (Thresholds(), Categories()), 2, ("all",))
    number, other, colour = SINGLE[0], SINGLE[1], SINGLE[5]

    def told(tests, branches, shares, *outputs):
        return canonical_model(
            Tree((Split(tests, branches, shares), *map(Leaf, outputs))), codebook
        )

    ends = 1, 2, 3
    assert told((number,), (1, 2), (5, 11), 1, 1) == Tree((Leaf(1),))
    both = told((number, other), ends, (5, 4, 7), 0, 1, 1)
    assert both == Tree((Split((number,), (1, 2), (5, 11)), Leaf(0), Leaf(1)))
    split = Split((number, colour), ends, (5, 4, 7))  # whoever misses the colour is shared out
    assert told((number, colour), ends, (5, 4, 7), 0, 1, 1).nodes[0] == split
    assert told((number, colour), ends, (), 0, 1, 1).nodes[0] == Split((number,), (1, 2))
    for test in (AllOf(), AllOf((number, AnyOf((colour, AllOf()))))):
        with pytest.raises(CertificateError, match="columns that make no difference"):
            told((test,), (1, 2), (5, 11), 0, 1)


def test_a_split_on_the_values_of_a_column_tells_the_column_once():
    values = tuple("abcdefghij")
    wide = [CategoricalColumn(f"c{j}", "text", np.empty(0, np.int32), values) for j in range(8)]
    codebook = Codebook(
        Table([*wide, *COLUMNS.take(np.empty(0, np.intp)).columns], 0), (Categories(),), 2
    )
    tests = tuple(Category("c3", (value,)) for value in "hbd")
    tree = Tree((Split(tests, (1, 2, 3, 4), (1, 2, 3, 10)), *map(Leaf, (1, 0, 1, 2))))
    told = canonical_model(tree, codebook)
    assert told.nodes[0].tests == tuple(Category("c3", (value,)) for value in "bdh")
    assert told.nodes[0].shares == (2, 3, 1, 10)
    assert told.outputs == (0, 1, 1, 2)
    plain = Tree((Split(tests, (1, 2, 3, 4)), *map(Leaf, (1, 0, 1, 0))))
    assert canonical_model(plain, codebook).nodes[0] == Split((tests[2], tests[0]), (1, 2, 3))
    _, message = structure_message(plain, codebook)
    prices = dict(message)
    assert prices["which columns and tests"] == pytest.approx(math.log(9 * math.comb(10, 2)))


def test_values_that_are_tested_twice_are_told_one_by_one():
    codebook = Codebook(COLUMNS, (Categories(),), 2)
    x, y = Category("c", ("x",)), Category("c", ("y",))
    for tests in ((x, x), (x, y, x), (x, ~y), (x, Category("c", ("y",), if_missing=True))):
        assert codebook.compared(tests) is None
    assert codebook.compared((y, x)) == ("c", [1, 0])
