"""Rounded and renumbered trees."""

from hypothesis import given
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS

from rulewright.rules import AllOf, HalfPlane, Threshold, reanchored, rounded


@given(ARRANGEMENTS, tables())
def test_rounding_to_what_is_there_changes_nothing(arrangement, table):
    same = rounded(arrangement, 12)
    assert (same.answer(table) == arrangement.answer(table)).all()


@given(ARRANGEMENTS)
def test_renumbering_touches_anchors_only(arrangement):
    moved = reanchored(arrangement, list(range(100, 200)))
    assert moved == arrangement
    assert moved.anchors == tuple(row + 100 for row in arrangement.anchors)


def test_rounding_reaches_every_cut():
    tree = AllOf((Threshold("x", True, 1.26), Threshold("y", False, -0.04)))
    assert [part.cut for part in rounded(tree, 1).parts] == [1.3, 0.0]
    assert str(rounded(tree, 1).parts[1].cut) == "0.0"


def test_rounding_a_half_plane_leaves_its_weights():
    half = HalfPlane(("x", "y"), (1.0, 0.004), 1.26, above=True)
    assert rounded(half, 1) == HalfPlane(("x", "y"), (1.0, 0.004), 1.3, above=True)
