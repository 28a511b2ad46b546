"""The layout of a tree: nothing lies on top of anything, and every number is the tree's."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.drawn import NAMES, chain, drawn_trees, full_tree
from strategies.regressions import regression_models

from rulewright.errors import InputError
from rulewright.render import (
    NodeLabel,
    NodeLabels,
    class_node_labels,
    predicate_text,
    tree_layout,
    value_node_labels,
)
from rulewright.render.text_metrics import text_width
from rulewright.rules import (
    AllOf,
    Ball,
    Category,
    Interval,
    Leaf,
    Missing,
    Split,
    Threshold,
    Tree,
)

LIMITS = st.sampled_from([None, 1, 3, 8])


def laid_out(tree, classes=("no", "yes"), evidence=None, **options):
    leaves = sum(isinstance(node, Leaf) for node in tree.nodes)
    evidence = [[1.0] * len(classes)] * leaves if evidence is None else evidence
    return tree_layout(tree, class_node_labels(tree, classes, evidence), **options)


def extent(line):
    """Give left, top, right and bottom of a text."""
    width = text_width(line.text, line.size, strong=line.strong)
    left = line.x - width if line.at_end else line.x
    return left, line.y - 0.78 * line.size, left + width, line.y + 0.24 * line.size


def frame(shape):
    return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def inside(a, b, room=1e-6):
    return (
        b[0] - room <= a[0] and b[1] - room <= a[1] and a[2] <= b[2] + room and a[3] <= b[3] + room
    )


def strokes(edge):
    """Give the straight parts of an edge as thin rectangles."""
    half, (low, high) = edge.width / 2, sorted((edge.y1, edge.y2))
    yield edge.x1, edge.y1 - half, edge.turn, edge.y1 + half
    yield edge.turn - half, low, edge.turn + half, high
    yield edge.turn, edge.y2 - half, edge.x2, edge.y2 + half


def check_apart(layout):
    page = (0.0, 0.0, layout.width, layout.height)
    boxes = [frame(box) for box in layout.boxes]
    labels = [extent(line) for edge in layout.edges for line in edge.lines]
    keys = [*map(extent, layout.key_lines), *map(frame, layout.key)]
    for box, outline in zip(layout.boxes, boxes, strict=True):
        parts = [*map(extent, box.lines), *map(frame, box.bars)]
        assert all(inside(part, outline) for part in parts)
        texts = [extent(line) for line in box.lines]
        assert not any(overlap(a, b) for a, b in combinations(texts, 2))
        assert not any(overlap(a, frame(bar)) for a in texts for bar in box.bars)
    assert not any(overlap(a, b) for a, b in combinations([*boxes, *labels, *keys], 2))
    assert all(inside(shape, page) for shape in [*boxes, *labels, *keys])
    for edge in layout.edges:
        for stroke in strokes(edge):
            assert not any(overlap(stroke, label) for label in labels)
            touched = [box for box in boxes if overlap(stroke, box)]
            assert not touched


@given(drawn_trees(), LIMITS, LIMITS, st.sampled_from([(), NAMES, None]))
def test_nothing_lies_on_top_of_anything(drawn, max_depth, max_leaves, missing):
    limits = {"max_depth": max_depth, "max_leaves": max_leaves}
    check_apart(laid_out(drawn.tree, drawn.classes, drawn.evidence, missing=missing, **limits))


def sums(tree, evidence, number=0):
    """Add up the evidence of the leaves below a node, slowly."""
    node = tree.nodes[number]
    if isinstance(node, Leaf):
        leaves = [i for i, n in enumerate(tree.nodes) if isinstance(n, Leaf)]
        return np.array(evidence[leaves.index(number)])
    return sum(sums(tree, evidence, child) for child in node.branches)


@given(drawn_trees())
def test_every_node_shows_the_rows_of_its_leaves(drawn):
    node_labels = class_node_labels(drawn.tree, drawn.classes, drawn.evidence)
    for number, node in enumerate(drawn.tree.nodes):
        row, label = sums(drawn.tree, drawn.evidence, number), node_labels.of(number)
        shares = np.zeros(len(drawn.classes))
        for colour, share in label.bar:
            shares[colour] = share
        assert label.weight == pytest.approx(row.sum())
        assert shares * row.sum() == pytest.approx(row)
        assert label.colour == (node.output if isinstance(node, Leaf) else None)


def depths(tree):
    level = {0: 0}
    for number, node in enumerate(tree.nodes):
        for child in node.branches if isinstance(node, Split) else ():
            level[child] = level[number] + 1
    return level


def leaves_below(tree, number):
    node = tree.nodes[number]
    if isinstance(node, Leaf):
        return 1
    return sum(leaves_below(tree, child) for child in node.branches)


@given(drawn_trees(splits=12), LIMITS, LIMITS)
def test_what_is_not_drawn_is_counted(drawn, max_depth, max_leaves):
    tree, level = drawn.tree, depths(drawn.tree)
    layout = laid_out(
        tree, drawn.classes, drawn.evidence, max_depth=max_depth, max_leaves=max_leaves
    )
    shown = {box.node: box for box in layout.boxes}
    assert set(shown) == {n for n in level if level[n] <= layout.depth}
    for number, box in shown.items():
        node = tree.nodes[number]
        cut = isinstance(node, Split) and level[number] == layout.depth
        assert box.kind == ("cut" if cut else "leaf" if isinstance(node, Leaf) else "split")
        if cut:
            assert box.lines[-3].text == f"… {leaves_below(tree, number)} leaves below"
    hidden = sum(leaves_below(tree, n) for n, box in shown.items() if box.kind == "cut")
    drawn_leaves = sum(box.kind == "leaf" for box in layout.boxes)
    assert drawn_leaves + hidden == leaves_below(tree, 0) == layout.leaves
    deepest = max(level.values())
    said = f"Drawn to depth {layout.depth} of {deepest}: {hidden} of the {layout.leaves} leaves"
    assert (said in layout.caption) == (layout.depth < deepest)
    ends = sum(box.kind != "split" for box in layout.boxes)
    assert ends <= (max_leaves or ends) and layout.depth <= (max_depth or deepest)


@given(drawn_trees(splits=12), st.integers(0, 4), st.integers(1, 9))
def test_one_level_more_would_be_too_much(drawn, max_depth, max_leaves):
    tree, level = drawn.tree, depths(drawn.tree)
    depth = laid_out(
        tree, drawn.classes, drawn.evidence, max_depth=max_depth, max_leaves=max_leaves
    ).depth
    more = sum(
        level[n] == depth + 1 or (level[n] <= depth and isinstance(node, Leaf))
        for n, node in enumerate(tree.nodes)
    )
    assert depth == min(max_depth, max(level.values())) or more > max_leaves


@given(drawn_trees(), LIMITS)
def test_edges_lead_from_each_test_to_its_branches(drawn, max_depth):
    tree = drawn.tree
    layout = laid_out(tree, drawn.classes, drawn.evidence, max_depth=max_depth, max_leaves=None)
    boxes = {box.node: box for box in layout.boxes}
    ends = {(edge.x1, edge.y1, edge.x2, edge.y2) for edge in layout.edges}
    count = 0
    for number, box in boxes.items():
        if box.kind != "split":
            continue
        places = [boxes[child].y for child in tree.nodes[number].branches]
        assert places == sorted(places)
        for child in tree.nodes[number].branches:
            to, count = boxes[child], count + 1
            assert any(
                np.allclose(
                    end,
                    (
                        box.x + box.width,
                        box.y + box.height / 2,
                        to.x,
                        to.y + to.height / 2,
                    ),
                )
                for end in ends
            )
    assert count == len(layout.edges) == len(ends)


def labels(layout):
    return [" ".join(line.text for line in edge.lines) for edge in layout.edges]


def box_texts(layout):
    return [" ".join(line.text for line in box.lines[:-2]) for box in layout.boxes]


def one_split(*tests):
    branches = tuple(range(1, len(tests) + 2))
    return Tree((Split(tests, branches), *(Leaf(i % 2) for i in branches)))


def test_two_branches_say_yes_and_no():
    layout = laid_out(one_split(Threshold("glucose", False, 127.0)))
    assert labels(layout) == ["yes", "no"]
    assert box_texts(layout) == ["glucose <= 127", "yes", "no"]
    assert [edge.title for edge in layout.edges] == ["glucose <= 127", "otherwise"]


def test_many_branches_say_their_categories():
    tree = one_split(*(Category("sky", (v,)) for v in ("rain", "sun", "a, b")))
    assert labels(laid_out(tree)) == ["rain", "sun", "'a, b'", "otherwise"]
    assert box_texts(laid_out(tree))[0] == "sky"
    grouped = one_split(Category("sky", ("rain", "sun")), Category("sky", ("snow",)))
    assert labels(laid_out(grouped)) == ["rain, sun", "snow", "otherwise"]


def test_branches_on_several_columns_say_their_tests():
    tree = one_split(Missing("x"), Threshold("y", True, 3.0))
    assert labels(laid_out(tree)) == ["x is missing", "y > 3", "otherwise"]
    assert box_texts(laid_out(tree))[0] == "the first that holds"
    same = one_split(Threshold("y", True, 3.0), Threshold("y", True, 1.0))
    assert labels(laid_out(same)) == ["y > 3", "1 < y <= 3", "otherwise"]
    assert box_texts(laid_out(same))[0] == "y"


@pytest.mark.parametrize(
    ("tests", "marked"),
    [
        ((Threshold("x", False, 1.0),), True),
        ((Threshold("y", False, 1.0),), False),
        ((Threshold("x", False, 1.0, if_missing=True),), False),
        ((Interval("x", 0.0, 1.0),), True),
        ((Category("x", ("a",)), Category("x", ("b",))), True),
        ((Category("x", ("a",)), Category("x", ("b",), if_missing=True)), False),
        ((Missing("x"),), False),
        ((Missing("x", missing=False),), False),
        ((AllOf((Threshold("x", False, 1.0), Threshold("x", True, 0.0))),), False),
    ],
)
def test_the_branch_of_missing_values_is_marked(tests, marked):
    layout = laid_out(one_split(*tests), missing={"x"})
    assert [label.endswith("or missing") for label in labels(layout)[-1:]] == [marked]
    assert not any("or missing" in label for label in labels(layout)[:-1] if len(tests) == 1)
    assert "missing" not in layout.caption
    assert "or missing" not in labels(laid_out(one_split(*tests), missing=()))[-1]


def test_where_missing_values_go_is_said_once_if_it_is_not_known_where_they_are():
    sentence = "Where its value is missing, a row takes the lowest branch"
    assert sentence in laid_out(one_split(Threshold("x", False, 1.0))).caption
    ball = one_split(Ball(("x",), (1.0,), 2.0))
    assert sentence not in laid_out(ball).caption
    assert sentence not in laid_out(Tree((Leaf(1),))).caption


def test_long_texts_are_shortened_and_said_in_full_in_the_title():
    name, values = "long_" * 40 + "end", tuple(f"value {i}" for i in range(500))
    tree = Tree(
        (
            Split((Threshold(name, False, 0.125),), (1, 2)),
            Split((Category("kind", values),), (3, 4)),
            *(Leaf(0) for _ in range(3)),
        )
    )
    layout = laid_out(tree, (f"{name} class", "b"))
    first, second, leaf = (layout.boxes[i] for i in (0, 1, 2))
    text = " ".join(line.text for line in first.lines[:-2])
    assert "…" in text and text.endswith("<= 0.125")
    assert first.title.startswith(f"{name} <= 0.125\n")
    text = " ".join(line.text for line in second.lines[:-2])
    shown = text.count("value")
    assert f"… {500 - shown} more}}" in text and 1 <= shown < 20
    assert predicate_text(tree.nodes[1].tests[0]) in second.title
    assert f"{name} class" in leaf.title
    check_apart(layout)


def test_every_box_counts_its_rows():
    layout = laid_out(full_tree(1), evidence=[[30.0, 10.0], [0.0, 1.0]])
    notes = [box.lines[-2].text for box in layout.boxes]
    assert notes == ["41 rows", "40 rows, 75.0 % right", "1 row, 100.0 % right"]
    assert layout.boxes[1].title.endswith("no: 30 (75.0 %)\nyes: 10 (25.0 %)")
    layout = laid_out(full_tree(1), evidence=[[30.25, 10.0], [0.0, 0.0]])
    notes = [box.lines[-2].text for box in layout.boxes]
    assert notes == ["weight 40.2", "weight 40.2, 75.2 % right", "weight 0"]
    assert [bar.colour for bar in layout.boxes[2].bars] == [None]


def test_boxes_have_the_numbers_of_rules_and_tests():
    layout = laid_out(full_tree(2))
    names = [box.lines[-1].text for box in layout.boxes]
    assert names == ["test 1", "test 2", "test 3", "#1", "#2", "#3", "#4"]


def test_sixteen_leaves_fit_on_a_page():
    layout = laid_out(full_tree(4))
    assert layout.width <= 912 and layout.height <= 1200
    assert all(line.size >= 10 for box in layout.boxes for line in box.lines)
    assert all(line.size >= 10 for edge in layout.edges for line in edge.lines)


def test_more_rows_make_a_thicker_line():
    layout = laid_out(full_tree(1), evidence=[[90.0, 0.0], [10.0, 0.0]])
    many, few = (edge.width for edge in layout.edges)
    assert many > 2 * few


def test_labels_that_are_higher_than_boxes_have_room():
    long = " ".join(["a column with a long name"] * 4)
    tree = one_split(Threshold(long, True, 0.1 + 0.2), Threshold("x", True, 1.0))
    layout = laid_out(tree, tuple(f"class number {i}" for i in range(9)))
    assert len(layout.edges[0].lines) == 4
    check_apart(layout)


def test_a_single_leaf_is_a_single_box():
    layout = laid_out(Tree((Leaf(1),)), evidence=[[3.0, 4.0]])
    assert [box.kind for box in layout.boxes] == ["leaf"] and not layout.edges
    check_apart(layout)


@pytest.mark.slow
def test_a_very_deep_tree_is_drawn_to_its_limit():
    layout = laid_out(chain(100_000))
    assert layout.depth == 8
    assert "Drawn to depth 8 of 100000: 99993 of the 100001 leaves" in layout.caption
    assert [box.lines[0].text for box in layout.boxes if box.kind == "cut"] == [
        "… 99993 leaves below"
    ]


def test_a_deep_tree_can_be_drawn_whole():
    layout = laid_out(chain(300), max_depth=None, max_leaves=None)
    assert len(layout.boxes) == 601 and layout.depth == 300


def test_leaves_need_not_be_classes():
    def label(number):
        return NodeLabel(f"about {number}.5", f"{number} rows", 1.0, ((0, 0.25),), None, ("more",))

    layout = tree_layout(full_tree(2), NodeLabels(label, (), "Bars show the value."))
    assert box_texts(layout)[-1] == "about 6.5" and layout.caption.startswith("Bars show the value")
    assert all(box.colour is None for box in layout.boxes) and not layout.key
    bar, rest = layout.boxes[-1].bars
    assert (bar.colour, rest.colour) == (0, None) and bar.width * 3 == pytest.approx(rest.width)
    assert bar.width == pytest.approx(0.25 * (layout.boxes[-1].width - 16))
    check_apart(layout)


def test_many_classes_have_a_key_of_their_own():
    classes = tuple(f"class number {i}" for i in range(60))
    layout = laid_out(full_tree(1), classes)
    assert len(layout.key) == 40 and layout.key_lines[-1].text == "… 20 more classes"
    check_apart(layout)


@pytest.mark.parametrize(
    "limits", [{"max_depth": -1}, {"max_leaves": 0}, {"max_depth": 2.0}, {"max_leaves": "all"}]
)
def test_senseless_limits_are_refused(limits):
    (name,) = limits
    with pytest.raises(InputError, match=f"{name} must be None or a whole number"):
        laid_out(full_tree(1), **limits)


def test_of_a_tree_that_is_all_cut_off_the_first_test_is_said():
    tree = one_split(*(Category("sky", (f"kind {i}",)) for i in range(100)))
    layout = laid_out(tree)
    assert box_texts(layout) == ["sky … 101 leaves below"] and layout.depth == 0
    check_apart(layout)
    assert box_texts(laid_out(full_tree(2), max_depth=1))[1:] == ["… 2 leaves below"] * 2


def test_evidence_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="each of the 2 leaves"):
        class_node_labels(full_tree(1), ["a", "b"], [[1.0, 2.0]])


def mean_below(model, number=0):
    """Give the weight below a node and the sum of weight times value, exactly."""
    node = model.body.nodes[number]
    if isinstance(node, Leaf):
        weight = Fraction(model.evidence[node.output][0])
        return weight, weight * Fraction(model.values[node.output])
    sums = [mean_below(model, child) for child in node.branches]
    return sum(weight for weight, _ in sums), sum(total for _, total in sums)


@given(regression_models(most=6))
def test_every_node_shows_the_mean_value_of_its_leaves(model):
    node_labels = model.node_labels(model.body)
    low, high = Fraction(min(model.values)), Fraction(max(model.values))
    size = max(map(abs, model.values))
    for number, node in enumerate(model.body.nodes):
        label, (weight, total) = node_labels.of(number), mean_below(model, number)
        assert label.weight == pytest.approx(float(weight))
        if isinstance(node, Leaf):
            value = Fraction(model.values[node.output])
            said, note = label.text, f"value: {model.values[node.output]!r}"
            assert note.removesuffix(".0") in label.details[0] and label.colour == 0
        elif not weight:
            assert label.bar == () and "mean" not in label.note
            continue
        else:
            value, said = total / weight, label.note.split("mean ")[1]
            assert label.text == "" and label.colour is None
        close = 1e-12 * size + 5e-324  # the least number above 0
        assert float(said) == pytest.approx(float(value), rel=1e-5, abs=close)
        ((_, share),) = label.bar
        if low == high:
            assert share == 1
        else:
            off = float(Fraction(close) / (high - low)) + 1e-9
            assert share == pytest.approx(float((value - low) / (high - low)), abs=off)


@given(regression_models(most=6), LIMITS, st.sampled_from([(), ("a", "colour"), None]))
def test_nothing_in_a_drawing_of_values_lies_on_top_of_anything(model, max_depth, missing):
    layout = tree_layout(
        model.body, model.node_labels(model.body), missing=missing, max_depth=max_depth
    )
    check_apart(layout)
    bars = [bar for box in layout.boxes for bar in box.bars]
    assert all(math.isfinite(bar.width) for bar in bars) and not layout.key


def test_values_are_said_with_their_rows():
    tree = Tree((Split((Threshold("x", False, 1.0),), (1, 2)), Leaf(0), Leaf(1)))
    values, evidence = (1 / 3, 7.0), ((30.0, 0.25), (10.0, 1234.5))
    layout = tree_layout(tree, value_node_labels(tree, values, evidence))
    notes = [box.lines[-2].text for box in layout.boxes]
    assert notes == ["40 rows, mean 2", "30 rows, spread 0.25", "10 rows, spread 1234.5"]
    assert box_texts(layout)[1:] == ["0.333333", "7"]
    assert "value: 0.3333333333333333" in layout.boxes[1].title
    assert "between the lowest leaf, 0.333333, and the highest, 7." in layout.caption
    shares = [box.bars[0].width / (box.width - 16) for box in layout.boxes]
    assert shares == pytest.approx([0.25, 0.0, 1.0])


def test_evidence_of_values_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="each of the 2 leaves with its weight and its spread"):
        value_node_labels(full_tree(1), (1.0, 2.0), [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])


SHARED = Tree(
    (
        Split((Category("x", ("a",)), Category("x", ("b",))), (1, 2, 3), (5, 0, 11)),
        Leaf(0),
        Leaf(1),
        Leaf(0),
    )
)


@pytest.mark.parametrize(("missing", "shown"), [(None, True), (["x"], True), (["y"], False)])
def test_branches_say_their_shares_of_missing_values(missing, shown):
    layout = laid_out(SHARED, missing=missing)
    check_apart(layout)
    notes = [edge.lines[-1].text for edge in layout.edges]
    assert notes == (["missing: 5/16", "b", "missing: 11/16"] if shown else ["a", "b", "otherwise"])
    assert ("take several branches" in layout.caption) == shown
    assert "takes the lowest branch" not in layout.caption
    assert layout.edges[0].title == "x = a" + " missing: 5/16" * shown


def test_a_tree_that_shares_out_some_missing_values_says_where_the_others_go():
    tree = Tree(
        (
            Split((Threshold("x", False, 1.0),), (1, 2), (8, 8)),
            Split((Threshold("y", False, 1.0),), (3, 4)),
            *(Leaf(i % 2) for i in range(3)),
        )
    )
    caption = laid_out(tree).caption
    assert "take several branches" in caption and "takes the lowest branch" in caption
