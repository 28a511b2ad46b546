"""The figure of a tree, measured as matplotlib draws it."""

import builtins
import sys
import warnings
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from render.test_tree_layout import overlap
from strategies.drawn import NAMES, chain, drawn_trees, full_tree

from rulewright.data import Field
from rulewright.errors import InputError, UnrenderableError
from rulewright.models import Model, RegressionModel
from rulewright.render import CLASS_COLOURS, class_colour, class_node_labels, tree_figure
from rulewright.rules import Category, Leaf, RuleList, Split, Threshold, Tree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.patches import FancyBboxPatch, Rectangle  # noqa: E402

MULTIWAY = Tree(
    (
        Split(tuple(Category("sky", (f"category {i}",)) for i in range(11)), tuple(range(1, 13))),
        *(Leaf(i % 10) for i in range(12)),
    )
)
TEN = tuple(f"class {i} of $10 & <more>" for i in range(10))


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def evidence_of(tree, classes=2):
    leaves = sum(isinstance(node, Leaf) for node in tree.nodes)
    return [[(leaf + c) % 7 + 0.5 for c in range(classes)] for leaf in range(leaves)]


def drawn_figure(tree, classes, evidence, **options):
    return tree_figure(tree, class_node_labels(tree, classes, evidence), **options)


def sides(artist, renderer):
    box = artist.get_window_extent(renderer)
    return box.x0, box.y0, box.x1, box.y1


def check_figure(ax):
    """Insist that every text is inside the axes, apart from the others, and large enough."""
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [sides(text, renderer) for text in ax.texts]
    left, low, right, high = sides(ax, renderer)
    for text in texts:
        assert left <= text[0] and low <= text[1] and text[2] <= right and text[3] <= high
    half = 0.5  # a pixel that two texts share, half and half
    shrunk = [(a + half, b + half, c - half, d - half) for a, b, c, d in texts]
    assert not any(overlap(a, b) for a, b in combinations(shrunk, 2))
    boxes = {sides(patch, renderer) for patch in ax.patches if isinstance(patch, FancyBboxPatch)}
    for text in texts:
        crossed = [box for box in boxes if overlap(text, box)]
        assert all(box[0] < text[0] and text[2] < box[2] for box in crossed)
        assert len(crossed) <= 3  # a box, its tint and its outline
    assert all(text.get_fontsize() >= 6.999 for text in ax.texts)


@pytest.mark.parametrize(
    ("tree", "classes", "dpi"),
    [
        (Tree((Leaf(1),)), ("no", "yes"), 100),
        (full_tree(4), ("benign", "malignant"), 100),
        (full_tree(3, NAMES), ("$x$", "<b>"), 72),
        (full_tree(3, NAMES), ("$x$", "<b>"), 200),
        (MULTIWAY, TEN, 100),
        (full_tree(10), ("a", "b"), 100),
        (chain(5000), ("a", "b"), 100),
    ],
    ids=["leaf", "full", "coarse", "fine", "multiway", "large", "deep"],
)
def test_every_text_has_its_place(tree, classes, dpi):
    with matplotlib.rc_context({"figure.dpi": dpi}):
        ax = drawn_figure(tree, classes, evidence_of(tree, len(classes)), missing=NAMES)
        check_figure(ax)


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(drawn_trees(splits=5))
def test_any_tree_has_room_in_its_figure(drawn):
    plt.close("all")
    ax = drawn_figure(drawn.tree, drawn.classes, drawn.evidence)
    check_figure(ax)
    plt.close(ax.figure)


def said(ax):
    return [text.get_text() for text in ax.texts]


def test_the_figure_says_what_the_tree_says():
    tree = Tree((Split((Threshold("glucose", False, 127.0),), (1, 2)), Leaf(0), Leaf(1)))
    ax = drawn_figure(tree, ("well", "ill"), [[30, 10], [5, 15]], missing={"glucose"})
    texts = said(ax)
    for text in ("glucose <= 127", "yes", "no", "or missing", "well", "ill", "60 rows"):
        assert text in texts
    assert "40 rows, 75.0 % right" in texts and "20 rows, 75.0 % right" in texts
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    keys, bars = bars[-2:], bars[:-2]
    assert [to_hex(key.get_facecolor()) for key in keys] == list(CLASS_COLOURS[:2])
    lengths = [bar.get_width() for bar in bars]
    assert [a / (a + b) for a, b in zip(lengths[::2], lengths[1::2], strict=True)] == pytest.approx(
        [35 / 60, 30 / 40, 5 / 20]
    )


def test_text_is_written_as_it_is():
    tree = Tree((Split((Threshold("$x_1$", False, 1.0),), (1, 2)), Leaf(0), Leaf(1)))
    with matplotlib.rc_context({"text.usetex": True}):
        ax = drawn_figure(tree, ("$a^2", "b"), [[1, 1], [1, 1]])
        check_figure(ax)
    assert "$x_1$ <= 1" in said(ax) and "$a^2" in said(ax)


def test_colours_do_not_end():
    colours = [class_colour(number) for number in range(30)]
    assert len(set(colours)) == 30 and colours[: len(CLASS_COLOURS)] == list(CLASS_COLOURS)


@pytest.mark.slow
def test_a_tree_that_is_too_large_is_drawn_in_part_and_says_so():
    tree = full_tree(10)
    caption = " ".join(said(drawn_figure(tree, "ab", evidence_of(tree))))
    assert "Drawn to depth 6 of 10: 1024 of the 1024 leaves" in caption
    caption = " ".join(said(drawn_figure(tree, "ab", evidence_of(tree), max_depth=2)))
    assert "Drawn to depth 2 of 10" in caption and "… 256 leaves below" in caption


@pytest.mark.slow
def test_given_axes_get_as_much_as_they_have_room_for():
    tree = full_tree(4)
    _, (left, right) = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
    assert drawn_figure(tree, "ab", evidence_of(tree), ax=right) is right
    assert not left.texts
    check_figure(right)
    assert "Drawn to depth 3 of 4" in " ".join(said(right))
    _, large = plt.subplots(figsize=(12, 12))
    drawn_figure(tree, "ab", evidence_of(tree), ax=large)
    check_figure(large)
    assert "Drawn to depth" not in " ".join(said(large))


def test_axes_without_room_are_refused():
    _, ax = plt.subplots(figsize=(1, 1))
    with pytest.raises(InputError, match=r"even a part of the tree needs .* Give larger axes"):
        drawn_figure(full_tree(2), "ab", evidence_of(full_tree(2)), ax=ax)


@pytest.mark.slow
def test_a_figure_without_end_is_refused():
    tree = chain(2000)
    with pytest.raises(InputError, match=r"the maximum is 300. Set max_depth"):
        drawn_figure(tree, "ab", evidence_of(tree), max_depth=None, max_leaves=None)


def model_of(body, evidence):
    return Model((Field("x", "numeric"),), ("no", "yes"), body, evidence)


def test_a_model_draws_its_tree():
    tree = Tree((Split((Threshold("x", False, 1.0),), (1, 2)), Leaf(0), Leaf(1)))
    model = model_of(tree, ((3.0, 1.0), (0.0, 2.0)))
    ax = model.plot()
    check_figure(ax)
    assert "x <= 1" in said(ax) and "4 rows, 75.0 % right" in said(ax)
    assert "or missing" in said(model.plot(missing=["x"]))
    assert "… 2 leaves below" in said(model.plot(max_depth=0))
    _, given_axes = plt.subplots()
    assert model.plot(given_axes) is given_axes


def test_a_model_without_a_tree_says_that_it_cannot_be_drawn():
    with pytest.raises(UnrenderableError, match="Only a tree can be drawn; this model is a RuleL"):
        model_of(RuleList((), 1), ((3.0, 1.0),)).plot()


def test_matplotlib_that_is_not_there_is_said(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"needs matplotlib.*pip install rulewright\[plot\]"):
        drawn_figure(full_tree(1), "ab", evidence_of(full_tree(1)))


def test_drawing_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_figure(drawn_figure(MULTIWAY, TEN, evidence_of(MULTIWAY, 10)))


def test_a_regression_model_draws_its_tree():
    tree = Tree((Split((Threshold("x", False, 1.0),), (1, 2)), Leaf(0), Leaf(1)))
    columns = (Field("x", "numeric"),)
    model = RegressionModel(columns, tree, (2.5, 4.0), ((3.0, 0.5), (1.0, 0.0)))
    ax = model.plot(missing=["x"])
    check_figure(ax)
    for text in ("x <= 1", "4 rows, mean 2.875", "2.5", "4", "3 rows, spread 0.5", "or missing"):
        assert text in said(ax)
    assert "… 2 leaves below" in said(model.plot(max_depth=0))
    _, given_axes = plt.subplots()
    assert model.plot(given_axes) is given_axes
    check_figure(given_axes)
