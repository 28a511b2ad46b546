"""Regression models on the columns of a mixed table."""

from hypothesis import strategies as st

from rulewright.data import Field
from rulewright.models import RegressionModel
from rulewright.rules import Leaf, Tree
from strategies.nodes import LITERALS, trees

FIELDS = (
    Field("a", "numeric"),
    Field("b", "numeric"),
    Field("colour", "text", 3),
    Field("flag", "boolean", 2),
)
VALUES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 0.1 + 0.2, 1e15, 5e-324, -1.7976931348623157e308]),
    st.floats(allow_nan=False, allow_infinity=False),
)
WEIGHTS = st.floats(0, 1e9)
SPREADS = st.floats(0, 1.7976931348623157e308)


def numbered(tree):
    """The same tree, its leaves numbered 0, 1, 2, ... in the order of the nodes."""
    numbers = iter(range(len(tree.outputs)))
    return Tree(
        tuple(Leaf(next(numbers)) if isinstance(node, Leaf) else node for node in tree.nodes)
    )


@st.composite
def regression_models(draw, literals=LITERALS, most=3):
    tree = numbered(draw(trees(literals, most, shared=False)))
    leaves = len(tree.outputs)
    values = draw(st.lists(VALUES, min_size=leaves, max_size=leaves))
    evidence = draw(st.lists(st.tuples(WEIGHTS, SPREADS), min_size=leaves, max_size=leaves))
    return RegressionModel(FIELDS, tree, tuple(values), tuple(evidence))
