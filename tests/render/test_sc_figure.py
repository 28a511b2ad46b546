"""The picture of splitting and connectivity: what it shows, and that labels are apart."""

import math
import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rulewright.bounds import SCGraph, sc_graph
from rulewright.errors import InputError
from rulewright.render import sc_figure

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
EXAMPLE = runpy.run_path(str(PICTURES / "sc_graph.py"))
X, TARGET = EXAMPLE["X"], EXAMPLE["TARGET"]
SIGNS = ["<=", "<="]


def drawn(X=X, target=TARGET, **options):
    graph = sc_graph(X, target, SIGNS)
    return graph, ElementTree.fromstring(sc_figure(X, target, graph, **options))


def circles(picture, radius):
    found = [c for c in picture if c.tag.endswith("circle") and c.get("r") == radius]
    return [(float(c.get("cx")), float(c.get("cy"))) for c in found if float(c.get("cy")) > 60]


def labels(picture):
    """Numbers at the lines of the graph: they have a halo."""
    found = [t for t in picture if t.tag.endswith("text") and t.get("paint-order")]
    return [(t.text, float(t.get("x")), float(t.get("y")) - 4) for t in found]


def test_the_picture_of_the_documents_is_what_is_drawn():
    now = sc_figure(X, TARGET, sc_graph(X, TARGET, SIGNS))
    kept = (PICTURES / "sc-graph.svg").read_text(encoding="utf-8")
    assert kept == now, "run `make pictures`"


def test_every_object_every_rule_and_every_edge_is_there():
    graph, picture = drawn()
    assert len(circles(picture, "11")) == 10
    assert len(circles(picture, "8.5")) == 2 * len(graph.rules) == 52
    assert sorted(int(text) - 1 for text, *_ in labels(picture)) == sorted(
        edge.label for edge in graph.edges
    )


def test_layers_go_upwards_by_errors():
    graph, picture = drawn()
    right = circles(picture, "8.5")[len(graph.rules) :]
    heights = {len(rule.errors): y for rule, (_, y) in zip(graph.rules, right, strict=True)}
    assert list(heights) == sorted(heights)
    assert list(heights.values()) == sorted(heights.values(), reverse=True)
    assert len({round(y) for _, y in right}) == len(graph.layers)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_lies_on_top_of_anything_or_outside(seed):
    rng = np.random.default_rng(seed)
    points = np.column_stack([range(9), rng.permutation(9)])
    _, picture = drawn(points, (points < 5).all(axis=1))
    rules = circles(picture, "8.5")
    for i, a in enumerate(rules):
        assert all(math.dist(a, b) > 17 for b in rules[:i])
    places = [(x, y) for _, x, y in labels(picture)]
    for i, a in enumerate(places):
        assert all(math.dist(a, b) > 10 for b in places[:i])
        assert all(math.dist(a, b) > 12 for b in rules)
    width, height = (float(picture.get(side)) for side in ("width", "height"))
    assert all(0 < x < width and 0 < y < height for x, y in [*rules, *places])


def test_tied_and_single_objects_can_be_drawn():
    drawn(np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 2.0]]), np.array([True, False, False]))
    drawn(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([True, False]))


def test_names_are_escaped():
    graph = sc_graph(X, TARGET, SIGNS)
    text = sc_figure(X, TARGET, graph, names=("a<b", "c&d"), classes=("<no>", "yes"))
    assert "a&lt;b" in text
    assert "c&amp;d" in text
    assert "&lt;no&gt;" in text
    ElementTree.fromstring(text)


def test_what_cannot_be_drawn_is_named():
    graph = sc_graph(X, TARGET, SIGNS)
    with pytest.raises(InputError, match="A plane has two columns"):
        sc_figure(X[:, :1], TARGET, graph)
    with pytest.raises(InputError, match="all values are finite"):
        sc_figure(np.where(X == 3, np.inf, X), TARGET, graph)
    with pytest.raises(InputError, match=re.escape('sc_graph(X, target, ["<=", "<="])')):
        sc_figure(X, TARGET, sc_graph(X, TARGET, ["<=", ">="]))
    many = np.random.default_rng(0).random((40, 2))
    with pytest.raises(InputError, match="shows at most 100 rules"):
        sc_figure(many, many[:, 0] < 0.5, sc_graph(many, many[:, 0] < 0.5, SIGNS))
    with pytest.raises(InputError, match="sc_graph"):
        sc_figure(X, TARGET, SCGraph((graph.rules[0]._replace(thresholds=(1.0,)),), ()))
