"""The message is a prefix code: all models of the same examples together weighted at most one."""

import itertools
import math

import numpy as np
import pytest

from rulewright.certificates.codes import CodedRule, CompressedMachine
from rulewright.certificates.codes.machine_message import machine_message
from rulewright.data import Field
from rulewright.errors import CertificateError
from rulewright.families import (
    Balls,
    Categories,
    HalfPlanes,
    HalfSpaces,
    MissingValues,
    Site,
    Thresholds,
)

COLUMNS = (Field("a", "numeric"), Field("b", "numeric"), Field("c", "text", 2))
FAMILIES = {
    "thresholds": [Thresholds()],
    "auto": [Thresholds(), Categories(), MissingValues()],
    "balls": [Balls()],
    "simple balls": [Balls(types="simple")],
    "half-spaces": [HalfSpaces()],
    "balls and thresholds": [Balls(), Thresholds()],
    "half-spaces and balls": [HalfSpaces(), Balls(types="simple")],
    "half-planes": [HalfPlanes(columns=("a", "b"))],
    "half-planes and thresholds": [HalfPlanes(columns=("a", "b")), Thresholds()],
}


@pytest.fixture(autouse=True)
def few_weights(monkeypatch):
    """Half-planes of four sites, so that all models of a few can be listed."""
    monkeypatch.setattr("rulewright.families.half_planes.DIGITS", range(1, 2))
    monkeypatch.setattr("rulewright.families.half_planes.POWERS", range(1))


def sites(family, side):
    match family.name:
        case "thresholds":
            return [Site(c, (above, False)) for c in ("a", "b") for above in (False, True)]
        case "categories":
            return [Site("c", (value, among)) for value in "xy" for among in (False, True)]
        case "missing":
            return [Site(c, (missing,)) for c in "abc" for missing in (False, True)]
        case "balls":
            inside = [True] if family.types == "simple" else [True, False]
            return [Site(None, (side, fires_inside)) for fires_inside in inside]
        case "half_spaces":
            return [Site(None, (side,))]
        case "half_planes":
            choices = family.choices(None)
            assert choices.count == 4
            return [Site(None, choices.option(number)) for number in range(4)]


def coded_rules(families, labels, kind, classes, implied):
    """All that can be machine of one rule."""
    side = kind != "conjunction"
    outputs = range(classes) if kind == "list" else [0 if kind == "conjunction" else 1]
    places = range(len(labels))
    for number, family in enumerate(families):
        named = 0 if implied else family.borders
        for site in sites(family, side):
            for prototypes in itertools.product(places, repeat=family.prototypes):
                for borders in itertools.product(places, repeat=named):
                    for output in outputs:
                        classes_of = [labels[place] for place in (*prototypes, *borders)]
                        if family.fits(site, classes_of, output):
                            yield CodedRule(number, site, prototypes, borders, output)


def uses_all(listed, labels, implied):
    """Whether these rules use all the examples; implied borders may be any of another class."""
    used = {place for rule in listed for place in (*rule.prototypes, *rule.borders)}
    outputs = {rule.output for rule in listed}
    hidden = {place for place, label in enumerate(labels) if implied and outputs - {label}}
    return used | hidden == set(range(len(labels)))


@pytest.mark.parametrize("kind", ["conjunction", "list"])
@pytest.mark.parametrize("implied", [False, True])
@pytest.mark.parametrize("labels", [(), (0,), (0, 1), (1, 0), (0, 1, 1), (0, 2, 1)])
@pytest.mark.parametrize("name", FAMILIES)
def test_kraft_holds_over_all_models_of_the_same_examples(name, labels, implied, kind):
    families = FAMILIES[name]
    classes = max(1, *labels) + 1 if labels else 2
    if classes > 2 and kind != "list":
        return
    longest = 2 if len(labels) > 2 or len(families) > 1 else 3
    single = list(coded_rules(families, labels, kind, classes, implied))
    total = 0.0
    for r in range(longest + 1):
        choose = itertools.product(single, repeat=r)
        for listed in choose if kind == "list" else itertools.combinations(single, r):
            if uses_all(listed, labels, implied):
                total += weight_of(kind, listed, implied, labels, classes, families)
    assert total <= 1 + 1e-9


def test_hardly_anything_is_wasted_on_spaces():
    """All sets of two half-spaces that use four examples, two of each class: nothing is left."""
    families, labels = FAMILIES["half-spaces"], (0, 0, 1, 1)
    single = list(coded_rules(families, labels, "conjunction", 2, implied=False))
    told = [
        weight_of("conjunction", listed, False, labels, 2, families)
        for listed in itertools.combinations(single, 2)
        if uses_all(listed, labels, implied=False)
    ]
    assert sum(told) == pytest.approx(6 / math.pi**2)  # the rest is for more than two


def test_a_half_plane_pays_for_its_columns_its_weight_and_its_direction(monkeypatch):
    monkeypatch.undo()
    listed = (CodedRule(0, Site(None, ("a", "b", 3.0, True)), (), (0,), 1),)
    machine = CompressedMachine("disjunction", (0,), listed, 0, False)
    columns = tuple(Field(name, "numeric") for name in "abcd")
    told = dict(
        machine_message(machine, np.array([1]), columns, [HalfPlanes()], settings=1, classes=2)
    )
    assert told["which columns and tests"] == pytest.approx(math.log(6 * 2 * 9 * 25 * 2))
    three = (CodedRule(0, Site(None, ("a", "b", "d", 3.0, -2.0, True)), (), (0,), 1),)
    told = dict(
        machine_message(
            CompressedMachine("disjunction", (0,), three, 0, False),
            np.array([1]),
            columns,
            [HalfPlanes(3)],
            settings=1,
            classes=2,
        )
    )
    assert told["which columns and tests"] == pytest.approx(math.log(4 * (2 * 9 * 25) ** 2 * 2))
    with pytest.raises(CertificateError, match="no columns span"):
        machine_message(machine, np.array([1]), COLUMNS[1:], [HalfPlanes()], settings=1, classes=2)


def test_many_examples_are_counted_quickly_and_not_less_than_there_are(monkeypatch):
    families, labels = FAMILIES["balls"], np.array([0, 1] * 8)
    listed = tuple(
        CodedRule(0, Site(None, (True, True)), (2 * i + 1,), (2 * i,), 1) for i in range(8)
    )
    machine = CompressedMachine("disjunction", tuple(range(16)), listed, 0, False)
    exact = dict(machine_message(machine, labels, COLUMNS, families, settings=1, classes=2))
    monkeypatch.setattr("rulewright.certificates.codes.machine_message.MAX_TERMS", 0)
    quick = dict(machine_message(machine, labels, COLUMNS, families, settings=1, classes=2))
    assert exact["which examples go together"] <= quick["which examples go together"]


def weight_of(kind, listed, implied, labels, classes, families):
    """Probability that the code gives a model, over all answers that it may end in."""
    total = 0.0
    places = tuple(range(len(labels)))
    for default in range(classes) if kind == "list" or not listed else [0]:
        machine = CompressedMachine(kind, places, listed, default, implied)
        try:
            told = machine_message(
                machine, np.array(labels, int), COLUMNS, families, settings=1, classes=classes
            )
        except CertificateError:
            continue  # the code has no coded_rules for it
        total += math.exp(-sum(nats for _, nats in told))
    return total
