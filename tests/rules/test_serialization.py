"""Nodes to JSON and back, and what becomes of JSON that is no node."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS

from rulewright.errors import ModelFileError
from rulewright.rules import NODES, Arrangement, Predicate, decode, encode, node_schemas

VALIDATOR = jsonschema.Draft202012Validator(
    {"$ref": "#/$defs/arrangement", "$defs": node_schemas()}
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["node", "parts", "column", "cut", "x"]), inner, max_size=4
        ),
    ),
    max_leaves=10,
)


@given(ARRANGEMENTS)
def test_a_node_comes_back_as_it_was_and_fits_the_schema(arrangement):
    text = json.dumps(encode(arrangement), allow_nan=False)
    back = decode(json.loads(text))
    assert back == arrangement
    assert back.anchors == arrangement.anchors
    VALIDATOR.validate(json.loads(text))


@given(ARRANGEMENTS, tables())
def test_a_node_that_came_back_answers_the_same(arrangement, table):
    back = decode(json.loads(json.dumps(encode(arrangement))))
    assert (back.answer(table) == arrangement.answer(table)).all()


@given(JSON)
def test_any_other_json_gives_a_clear_error(data):
    try:
        decode(data)
    except ModelFileError as error:
        assert str(error).endswith(".")


@given(ARRANGEMENTS, st.data())
def test_one_changed_value_never_does_worse_than_a_clear_error(arrangement, data):
    encoded = encode(arrangement)
    place, key = data.draw(st.sampled_from(list(places(encoded))))
    place[key] = data.draw(JSON)
    try:
        decode(encoded)
    except ModelFileError as error:
        assert str(error).endswith(".")


def places(value):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "body must be a node"),
        ({"node": 3}, "body must be a node"),
        ({"node": "os.system"}, "unknown node 'os.system'"),
        ({"node": "threshold", "column": "x", "above": True, "cut": 1.0}, "is not allowed here"),
        ({"node": "leaf", "output": 1}, "is not allowed here"),
        ({"node": "conjunction", "parts": [], "then": 1}, "needs the member 'otherwise'"),
        ({"node": "conjunction", "parts": {}, "then": 1, "otherwise": 0}, "must be a list"),
        ({"node": "conjunction", "parts": [], "then": True, "otherwise": 0}, "a whole number"),
        ({"node": "conjunction", "parts": [], "then": -1, "otherwise": 0}, "from 0 to 2"),
        (
            {"node": "conjunction", "parts": [], "then": 1, "otherwise": 0, "code": "x"},
            "has no member 'code'",
        ),
        ({"node": "tree", "nodes": [{"node": "rule"}]}, "needs the member 'condition'"),
        (
            {"node": "tree", "nodes": [{"node": "missing", "column": "x"}]},
            r"body.nodes\[0\]: 'missing' is not allowed here",
        ),
    ],
)
def test_the_error_says_what_is_wrong_and_where(data, message):
    with pytest.raises(ModelFileError, match=message):
        decode(data)


def test_numbers_may_be_written_without_a_point_but_not_beyond_a_double():
    data = {"node": "threshold", "column": "x", "above": True, "cut": 3}
    assert decode(data, Predicate).cut == 3.0
    with pytest.raises(ModelFileError, match="too large"):
        decode({**data, "cut": 10**400}, Predicate)
    with pytest.raises(ModelFileError, match="finite"):
        decode({**data, "cut": float("inf")}, Predicate)


def test_nesting_is_limited():
    data = {"node": "missing", "column": "x"}
    for _ in range(500):
        data = {"node": "not", "part": data}
    with pytest.raises(ModelFileError, match="more than 100 deep"):
        decode(data, Predicate)


def test_every_node_is_named_once_and_has_a_schema():
    assert len(set(NODES.values())) == len(NODES)
    assert set(NODES) < set(node_schemas())
    assert all(issubclass(k, Predicate) for n, k in NODES.items() if n in ("ball", "not"))
    assert issubclass(NODES["tree"], Arrangement)
