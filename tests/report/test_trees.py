"""The report of a tree: its drawing, its words, its tests on the rows that reach them."""

import re

import numpy as np
import pytest
from report.reading import EVIL, check_drawings, read, shapes
from report.test_any_model import TABLE, Y, content_of
from strategies.drawn import chain, full_tree

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.render.colours import CLASS_COLOURS, DARK_CLASS_COLOURS
from rulewright.report import page
from rulewright.rules import AllOf, Category, Given, Leaf, Split, Threshold, Tree

TREE = Tree(
    (
        Split((Threshold("glucose", False, 1.0, anchored_on=(5,)),), (1, 2)),
        Split(tuple(Category("city", (name,)) for name in "ab"), (3, 4, 5)),
        Split((Given("smoker"),), (6, 7)),
        Leaf(0),
        Leaf(1),
        Split((AllOf((Threshold("age", True, 0.5), Threshold("bmi", True, 0.5))),), (8, 9)),
        *(Leaf(i % 3) for i in range(4)),
    )
)
CONTENT = content_of(TREE, TABLE, Y)


def drawing_of(text):
    (drawing,) = re.findall(r'<svg class="tree".*?</svg>', text, flags=re.S)
    return drawing


def test_a_tree_is_drawn_and_said_in_words():
    text = page(CONTENT)
    check_drawings(text)
    _, words = read(drawing_of(text))
    for said in ("glucose <= 1", "city", "smoker", "otherwise", "age > 0.5 and bmi", "60 rows"):
        assert said in words
    folded = re.search(r"<details>.*?</details>", text, flags=re.S).group()
    assert "if glucose &lt;= 1:" in folded and "<details open" not in text


def test_every_leaf_has_its_class_and_the_number_of_its_rule():
    boxes = {box["node"]: box for box in CONTENT["says"]["drawing"]["boxes"]}
    leaves = [n for n, node in enumerate(TREE.nodes) if isinstance(node, Leaf)]
    assert len(leaves) == len(CONTENT["rules"])
    for rule, number in zip(CONTENT["rules"], leaves, strict=True):
        box = boxes[number]
        assert box["colour"] == rule["class"]
        assert box["lines"][0]["text"] == rule["label"]
        assert box["lines"][-1]["text"] == f"#{rule['number']}"
        assert box["lines"][-2]["text"].startswith(f"{rule['support']} row")
    reader, _ = read(drawing_of(page(CONTENT)))
    tints = [r["class"] for r in shapes(reader, "rect") if r["class"].startswith("tint")]
    by_class = [f"tint k{boxes[n]['colour']}" for n in leaves]
    assert sorted(tints) == sorted(by_class)


def test_every_test_is_plotted_on_the_rows_that_reach_it():
    plots = CONTENT["plots"]
    assert [(plot["number"], plot["title"]) for plot in plots] == [
        (1, "glucose <= 1"),
        (2, "city in {a, b}"),
        (3, "smoker"),
        (4, "age > 0.5"),
        (4, "bmi > 0.5"),
    ]
    low = TABLE.numbers("glucose") <= 1
    city = TABLE.categories("city").codes
    reached = [60, low.sum(), (~low).sum(), (low & (city == 2)).sum()]
    for plot in plots:
        assert plot["rows"] == reached[plot["number"] - 1]
        assert sum(bar["n"] for bar in plot["stacks"]) == plot["rows"]
    _, words = read(page(CONTENT))
    assert "test 2: city in {a, b}" in words and "those that reach it" in words
    assert "tests are shown" not in words


def test_a_dozen_tests_are_plotted_and_the_page_says_so():
    table = Table([NumericColumn("x", np.arange(60.0))], 60)
    content = content_of(chain(20), table, Y)
    assert [plot["number"] for plot in content["plots"]] == list(range(1, 13))
    assert [plot["rows"] for plot in content["plots"]] == list(range(60, 48, -1))
    assert "The first 12 of 20 tests are shown." in read(page(content))[1]


def test_many_tests_in_one_split_are_cut_off():
    many = AllOf(tuple(Threshold("age", True, float(i)) for i in range(20)))
    tree = Tree((Split((many,), (1, 2)), Split((many,), (3, 4)), Leaf(0), Leaf(1), Leaf(2)))
    content = content_of(tree, TABLE, Y)
    assert [plot["number"] for plot in content["plots"]] == [1] * 12
    assert "The first 1 of 2 tests" in read(page(content))[1]


def test_tests_on_no_rows_are_not_plotted():
    tree = Tree(
        (
            Split((Threshold("age", True, 1e6),), (1, 2)),
            Split((Threshold("bmi", True, 0.0),), (3, 4)),
            Leaf(0),
            Leaf(1),
            Leaf(2),
        )
    )
    content = content_of(tree, TABLE, Y)
    assert [plot["title"] for plot in content["plots"]] == ["age > 1000000"]
    text = page(content)
    check_drawings(text)
    assert "tests are shown" not in text


def test_the_branch_of_values_that_are_missing_is_marked():
    values = np.where(np.arange(60) % 5 == 0, np.nan, np.arange(60.0))
    table = Table([NumericColumn("n", values), NumericColumn("whole", np.arange(60.0))], 60)
    for name, marked in (("n", True), ("whole", False)):
        tree = Tree((Split((Threshold(name, False, 30.0),), (1, 2)), Leaf(0), Leaf(2)))
        _, words = read(drawing_of(page(content_of(tree, table, Y))))
        assert ("or missing" in words) == marked


def test_an_example_is_said_to_be_used_in_its_test():
    (row,) = CONTENT["examples"]["rows"]
    assert (row["row"], row["use"]) == (5, "test 1: cut")


def test_a_single_leaf_says_always():
    _, words = read(page(content_of(Tree((Leaf(2),)), TABLE, Y)))
    assert "none , always." in words


def test_a_large_tree_is_drawn_in_part():
    tree = full_tree(8, ("glucose", "bmi"))
    text = page(content_of(tree, TABLE, Y))
    check_drawings(text)
    _, words = read(text)
    assert "Drawn to depth 6 of 8: 256 of the 256 leaves lie below" in words
    assert "… 4 leaves below" in words


@pytest.mark.parametrize("multiway", [False, True])
def test_everything_in_a_tree_is_data(multiway):
    names = tuple(f"{EVIL}{i}" for i in range(12))
    codes = (np.arange(60) % 12).astype(np.int32)
    table = Table([CategoricalColumn(EVIL, "text", codes, names)], 60)
    tests = [Category(EVIL, (name,)) for name in names] if multiway else [Category(EVIL, names[:9])]
    leaves = (Leaf(i % 3) for i in range(len(tests) + 1))
    tree = Tree((Split(tuple(tests), tuple(range(1, len(tests) + 2))), *leaves))
    text = page(content_of(tree, table, Y, classes=(EVIL, f"{EVIL}2", "none")))
    read(text)
    check_drawings(text)
    assert "<script" not in text and "&lt;script&gt;" in drawing_of(text)


def test_the_page_has_the_colours_of_the_figures():
    text = page(CONTENT)
    for colours in (CLASS_COLOURS, DARK_CLASS_COLOURS):
        for number, colour in enumerate(colours):
            assert f"--c{number}: {colour};" in text
