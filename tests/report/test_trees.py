"""The report of a tree: its drawing, its words, its tests on the rows that reach them."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from report.reading import EVIL, check_drawings, check_scripts, read, shapes
from report.test_any_model import TABLE, Promise, Y, content_of
from strategies.drawn import chain, full_tree

from rulewright import TreeClassifier
from rulewright.certificates import PathEntry
from rulewright.data import CategoricalColumn, NumericColumn, Table, detect_table
from rulewright.models import Model
from rulewright.render import CLASS_COLOURS, DARK_CLASS_COLOURS
from rulewright.report import facts, page
from rulewright.report.charts import path_plot
from rulewright.report.plots import rule_plot
from rulewright.rules import AllOf, Category, Given, Leaf, RuleList, Split, Threshold, Tree

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
    folded = re.search(r"<details[^>]*>.*?</details>", text, flags=re.S).group()
    assert "if glucose &lt;= 1:" in folded and "<details open" not in text


def test_every_leaf_has_its_class_and_the_number_of_its_rule():
    boxes = {box["node"]: box for box in CONTENT["statement"]["drawing"]["boxes"]}
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


def test_a_tree_that_is_taller_than_paper_is_printed_over_several_pages():
    for tree in (TREE, full_tree(6, ("glucose", "bmi"))):
        content = content_of(tree, TABLE, Y)
        drawing = content["statement"]["drawing"]
        is_tall = drawing["height"] > 1.3 * drawing["width"]
        assert is_tall == (tree is not TREE)
        assert ('<figure class="tall">' in page(content)) == is_tall


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
    check_scripts(text)
    assert "&lt;script&gt;" in drawing_of(text)


def test_the_page_has_the_colours_of_the_figures():
    text = page(CONTENT)
    for colours in (CLASS_COLOURS, DARK_CLASS_COLOURS):
        for number, colour in enumerate(colours):
            assert f"--c{number}: {colour};" in text


def test_of_many_leaves_those_that_answer_the_most_are_listed():
    table = Table([NumericColumn("x", np.floor(np.arange(60.0) ** 1.15))], 60)
    content = content_of(chain(80), table, Y)
    support = np.bincount(chain(80).answer(table), minlength=81)
    numbers = [rule["number"] for rule in content["rules"]]
    assert len(numbers) == 50 and numbers == sorted(numbers)
    left_out = sorted(set(range(81)) - {number - 1 for number in numbers})
    assert support[left_out].max() <= min(int(rule["support"]) for rule in content["rules"])
    _, words = read(page(content))
    assert "Of the 81 leaves, the 50 that answer the most cases are listed." in words
    _, words = read(page(CONTENT))
    assert "are listed" not in words


def test_a_condition_says_each_thing_once_and_in_brief():
    table = Table([NumericColumn("x", np.arange(60.0)), *TABLE.columns[3:]], 60)
    names = tuple(f"a city with the long name {i}" for i in range(30))
    cut = tuple(
        Split((Threshold("x", False, c),), (i + 1, i + 3)) for i, c in ((0, 30.0), (1, 9.0))
    )
    many = Split((Category("city", names),), (5, 6))
    content = content_of(Tree((*cut, many, *(Leaf(0) for _ in range(4)))), table, Y)
    said = [rule["answers"] for rule in content["rules"]]
    assert "x > 30 or missing" in said
    assert said[-1].startswith("x <= 9 and (city not in {a city")
    assert "… 28 more}" in said[-1] and len(said[-1]) < 240
    assert names[-1] in content["rules"][-1]["in_full"]
    reader, _ = read(page(content))
    assert content["rules"][-1]["in_full"] in [cell.get("title") for cell in shapes(reader, "td")]


def test_a_tree_has_leaves_and_anything_else_has_rules():
    _, words = read(page(CONTENT))
    assert "Leaf by leaf" in words and "Every case comes to exactly one leaf." in words
    assert "How many leaves are worth it" in words and "More leaves can lower" in words
    assert "1 leaf: bound" in words and "2 leaves: bound" in words
    assert "Where the tests cut" in words and "Rule by rule" not in words
    _, words = read(page(content_of(RuleList((), 1), TABLE, Y)))
    assert "Rule by rule" in words and "How many rules are worth it" in words
    assert "leaf" not in words and "leaves" not in words


SHARED = Tree(
    (
        Split((Threshold("n", False, 30.0),), (1, 2), (5, 11)),
        Split((Threshold("whole", False, 10.0),), (3, 4)),
        Split((Threshold("whole", True, 50.0),), (5, 6), (16, 0)),
        *(Leaf(i % 3) for i in range(4)),
    )
)


def test_missing_values_that_are_shared_out_reach_every_test_that_gets_some():
    values = np.where(np.arange(60) % 5 == 0, np.nan, np.arange(60.0))
    table = Table([NumericColumn("n", values), NumericColumn("whole", np.arange(60.0))], 60)
    content = content_of(SHARED, table, Y)
    missing, low = np.isnan(values), values <= 30
    assert [plot["rows"] for plot in content["plots"]] == [
        60,
        (low | missing).sum(),
        (~low | missing).sum(),
    ]
    text = page(content)
    check_drawings(text)
    _, words = read(text)
    assert "or to several where values are missing" in words
    _, words = read(drawing_of(text))
    assert "missing: 5/16" in words and "missing: 11/16" in words and "16/16" not in words


def test_the_sizes_of_a_long_path_have_room():
    sizes = [*range(1, 33), *(int(32 * 1.25**i) for i in range(1, 17))]
    promise = Promise(60, {"anchors": ()})
    model = Model(TABLE.fields, ("low", "high", "none"), Tree((Leaf(0),)), ((1.0, 1.0, 1.0),))
    plot = path_plot([PathEntry(size, model, 3, promise, 1.0) for size in sizes], 9)
    assert [point["size"] for point in plot["bound"]] == sizes
    places = [point["x"] for point in plot["bound"]]
    assert places == sorted(places) and (places[0], places[-1]) == (0, pytest.approx(560))
    assert places[31] > 200  # small trees are not squeezed together
    labels = plot["sizes"]
    assert labels[0]["text"] == "1" and labels[-1]["text"] == str(sizes[-1])
    for one, other in pairwise(labels):
        wide = 9 * (len(one["text"]) + len(other["text"])) / 2
        assert other["x"] - one["x"] > wide
    few = path_plot([PathEntry(size, model, 3, promise, 1.0) for size in range(1, 9)], 3)
    assert [label["text"] for label in few["sizes"]] == list("12345678")
    assert np.diff([label["x"] for label in few["sizes"]]) == pytest.approx(80)


def test_examples_that_no_answer_depends_on_are_not_among_those_that_rebuild_the_tree():
    cuts = (
        Threshold("glucose", False, 1.0, anchored_on=(5,)),
        Threshold("bmi", False, 1.0, anchored_on=(7,)),
    )
    tree = Tree((Split(cuts[:1], (1, 2)), Split(cuts[1:], (3, 4)), Leaf(0), Leaf(1), Leaf(1)))
    content = content_of(tree, TABLE, Y, roles={"anchors": (5,)})
    assert [row["row"] for row in content["examples"]["rows"]] == [5]
    assert content["examples"]["spare"] == 1
    assert "need no row (1 left out)." in read(page(content))[1]
    assert "need no row" not in read(page(CONTENT))[1]


def test_many_examples_are_cut_off_and_the_page_says_so():
    table = Table([NumericColumn("x", np.arange(200.0))], 200)
    nodes = []
    for i in range(100):
        test = Threshold("x", False, float(i), anchored_on=(i,))
        nodes += [Split((test,), (2 * i + 1, 2 * i + 2)), Leaf(i % 2)]
    content = content_of(Tree((*nodes, Leaf(0))), table, np.arange(200, dtype=np.int32) % 2)
    assert len(content["examples"]["rows"]) == 60
    assert "40 more rows are not listed." in read(page(content))[1]


@pytest.mark.parametrize("count", range(1, 13))
def test_names_of_categories_stay_near_their_drawing_and_apart(count):
    for lengths in ((30,), (2, 30), (30, 2), (3,)):
        names = [("n" * lengths[i % len(lengths)])[:-2] + f"{i:2}" for i in range(count)]
        codes = (np.arange(60) % count).astype(np.int32)
        column = CategoricalColumn("c", "text", codes, tuple(names))
        rows = Table([column], 60)
        plot = rule_plot(Category("c", tuple(names)), rows, Y, 3)
        drawn = plot["names"]
        lines = 2 if len(drawn) > 3 else 1
        for place, name in enumerate(drawn):
            left, right = ends_of(name)
            assert lines == 1 or -6 <= left <= right <= 566  # the drawing with its margin
            for other in drawn[place + lines : place + lines + 1]:
                assert right <= ends_of(other)[0] + 1e-9


def ends_of(name):
    """The ends of a name of a category in its drawing."""
    width = 13 * min(len(name["text"]), name["room"])
    left = name["x"] - {"start": 0.0, "middle": 0.5, "end": 1.0}[name["anchor"]] * width
    return left, left + width


@pytest.mark.parametrize(
    "options",
    [{"preset": "cart", "pruning": "bound"}, {"preset": "c4.5"}, {"preset": "id3"}],
    ids=["cart", "c4.5", "id3"],
)
def test_the_report_of_a_learnt_tree_says_what_its_certificate_says(options):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(300) < 0.1, np.nan, rng.integers(18, 80, 300)),
            "city": rng.choice(["Bern", "Chur", "Biel", None], 300),
        }
    )
    y = np.where((X["age"] > 40) & (X["city"] != "Chur"), "good", "bad")
    y[rng.random(300) < 0.1] = "odd"
    tree = TreeClassifier(**options).fit(X, y)
    table, codes = detect_table(X), tree.model_.codes(y)
    entry = next(entry for entry in tree.path_ if entry.model is tree.model_)
    content = facts(entry, tree.path_, table, codes, title="A title")
    text = page(content)
    check_drawings(text)
    _, words = read(text)
    assert tree.certificate_.sentence in words
    counts = np.array([row["counts"] for row in content["confusion"]])
    assert counts.sum() - np.trace(counts) == entry.errors
    listed = sorted(row["row"] for row in content["examples"]["rows"])
    more = content["examples"]["more"]
    assert set(listed) <= set(tree.certificate_.examples)
    assert len(listed) + more == len(tree.certificate_.examples)
