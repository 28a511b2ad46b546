"""Trees that are hard to draw: ugly names, many branches, weights that are not whole."""

from dataclasses import dataclass

from hypothesis import strategies as st

from rulewright.rules import Category, Interval, Leaf, Missing, Split, Threshold, Tree

NAMES = (
    "x",
    "price in $ of <b>goods</b> & $services$",
    "a_very_long_name_without_any_blanks_that_no_box_has_room_for_" * 3 + "7",
    "W" * 40,
    "two\nlines",
    "Größe",
    "%",
)
VALUES = (*(f"category number {i}" for i in range(12)), "a, b", "$a_b$", "<i>", "", "l" * 90)
CUTS = (0.0, 3.0, -1.5, 0.1 + 0.2, 1e300, 5e-324, -123456789.125)
WEIGHTS = (0.0, 0.5, 1 / 3, 2.0, 12345678.0)

_tests = st.one_of(
    st.builds(
        Threshold,
        st.sampled_from(NAMES),
        st.booleans(),
        st.sampled_from(CUTS),
        if_missing=st.booleans(),
    ),
    st.builds(Interval, st.sampled_from(NAMES), st.just(-1e-300), st.sampled_from(CUTS[:2])),
    st.builds(
        Category,
        st.sampled_from(NAMES),
        st.lists(st.sampled_from(VALUES), min_size=1, max_size=15, unique=True).map(tuple),
        st.booleans(),
    ),
    st.builds(Missing, st.sampled_from(NAMES), st.booleans()),
)
_multiway = st.builds(
    lambda name, values: tuple(Category(name, (value,)) for value in values),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(VALUES), min_size=2, max_size=11, unique=True),
)


@dataclass(frozen=True)
class Drawn:
    """A tree with what is needed to draw it."""

    tree: Tree
    classes: tuple
    evidence: list


@st.composite
def drawn_trees(draw, splits=7, classes=10):
    """Grow a tree by splitting leaves, deep as often as broad."""
    labels = tuple((*NAMES, "no", "yes", 3)[: draw(st.integers(1, classes))])
    output = st.integers(0, len(labels) - 1)
    nodes = [Leaf(draw(output))]
    for _ in range(draw(st.integers(0, splits))):
        leaves = [i for i, node in enumerate(nodes) if isinstance(node, Leaf)]
        leaf = draw(st.sampled_from([leaves[-1], *leaves]))
        tests = draw(
            st.one_of(_tests.map(lambda test: (test,)), _multiway, st.tuples(_tests, _tests))
        )
        first = len(nodes)
        nodes[leaf] = Split(tests, tuple(range(first, first + len(tests) + 1)))
        nodes += [Leaf(draw(output)) for _ in range(len(tests) + 1)]
    count = sum(isinstance(node, Leaf) for node in nodes)
    row = st.lists(st.sampled_from(WEIGHTS), min_size=len(labels), max_size=len(labels))
    evidence = draw(st.lists(row, min_size=count, max_size=count))
    return Drawn(Tree(tuple(nodes)), labels, evidence)


def full_tree(depth, columns=("mean radius", "worst concave points")):
    """Give a tree in which every path has so many tests, numbered level by level."""
    inner = 2**depth - 1
    splits = [
        Split((Threshold(columns[i % len(columns)], False, i + 0.25),), (2 * i + 1, 2 * i + 2))
        for i in range(inner)
    ]
    return Tree((*splits, *(Leaf(i % 2) for i in range(inner + 1))))


def chain(depth):
    """Give a tree whose every test has a leaf and the next test."""
    nodes = []
    for i in range(depth):
        nodes += [
            Split((Threshold("x", False, float(i)),), (2 * i + 1, 2 * i + 2)),
            Leaf(i % 2),
        ]
    return Tree((*nodes, Leaf(0)))
