"""Families as a certificate names them, written and read back."""

import json

import pytest
from families.cases import (
    FAMILY,
    always,
    is_blue_or_small,
    is_large,
    manhattan,
    manhattan_where_known,
    overlap,
    overlap_where_known,
)

from rulewright.errors import ModelFileError
from rulewright.families import FAMILIES, family_from_json

FUNCTIONS = {"large": is_large, "blue": is_blue_or_small, "always": always} | {
    f.__name__: f for f in (manhattan, manhattan_where_known, overlap, overlap_where_known)
}


@pytest.mark.parametrize("name", FAMILY)
def test_a_family_is_read_as_it_was_written(name):
    family = FAMILY[name]
    written = json.loads(json.dumps(family.to_json()))
    assert family_from_json(written, FUNCTIONS) == family
    assert family_from_json(written, {}).to_json() == family.to_json()


def test_a_family_with_its_usual_options_is_its_name():
    for name, kind in FAMILIES.items():
        assert kind().to_json() == name
        assert family_from_json({"name": name}, {}) == kind()


def test_functions_are_given_back():
    balls = family_from_json(FAMILY["balls, function"].to_json(), FUNCTIONS)
    assert balls.metric.function is manhattan
    halves = family_from_json(FAMILY["half-spaces, function"].to_json(), FUNCTIONS)
    assert halves.kernel.function is overlap
    given = family_from_json(FAMILY["given functions"].to_json(), FUNCTIONS)
    assert given.functions == (("blue", is_blue_or_small), ("large", is_large))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "must have a name"),
        (3, "must have a name"),
        ([], "must have a name"),
        ({}, "must have a name"),
        ({"name": ["balls"]}, "must have a name"),
        ("balloons", "family 'balloons', which is not known"),
        ({"name": "thresholds", "cut": "3"}, "thresholds has no such options"),
        ({"name": "balls", "scaling": {"node": "scaling"}}, "balls has no such options"),
        ({"name": "given", "looked_at": []}, "given has no such options"),
        ({"name": "balls", "metric": "l1"}, "must be a node"),
        ({"name": "balls", "metric": {"node": "kernel"}}, "is not allowed here"),
        ({"name": "balls", "metric": {"node": "metric", "kind": "l3"}}, "must be one of"),
        ({"name": "balls", "metric": {"node": "threshold"}}, "is not allowed here"),
        ({"name": "balls", "types": "many"}, "types must be"),
        ({"name": "balls", "types": ["simple"]}, "types must be"),
        ({"name": "balls", "types": 1}, "an option must be text"),
        ({"name": "balls", "scale": None}, "an option must be text"),
        (
            {"name": "balls", "metric": {"node": "metric", "kind": "precomputed"}, "scale": "rank"},
            "cannot be scaled",
        ),
        ({"name": "half_spaces", "kernel": {"node": "kernel", "degree": 99}}, "degree must be"),
        ({"name": "half_spaces", "kernel": []}, "must be a node"),
        ({"name": "given", "columns": "flag"}, "columns must be a list"),
        ({"name": "given", "columns": []}, "columns is empty"),
        ({"name": "given", "columns": [1]}, "an option must be text"),
        ({"name": "given", "columns": ["a", "a"]}, "more than once"),
        ({"name": "given", "columns": [["a"]]}, "an option must be text"),
        ({"name": "given", "functions": {"f": "g"}}, "an option must be text"),
        ({"name": "given", "functions": "f"}, "functions must be a dict"),
        ({"name": "given", "functions": ["f", "f"]}, "more than once"),
        ({"name": "given", "functions": [["f", None]]}, "an option must be text"),
    ],
)
def test_a_hostile_file_is_refused_in_words_of_our_own(data, message):
    with pytest.raises(ModelFileError, match=message):
        family_from_json(data, {})
