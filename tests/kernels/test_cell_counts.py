"""Counts of cells are those of every row, however the rows are divided into batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.cell_counts import cell_groups

from rulewright.kernels import EVERYWHERE, NodeCells, RangeCounter

LARGE = 1.7e308
VALUES = st.sampled_from([-0.0, 0.0, 1.0, 1.5, 2.0, 5e-324, -3.0, LARGE, -LARGE, np.nan])
ENDS = st.lists(VALUES.filter(lambda value: value == value), unique_by=abs, max_size=8).map(sorted)


@st.composite
def cells_of_nodes(draw):
    """Cells by node: each of two neighbouring ends, with a number of bins for each unit."""
    cells = []
    for _ in range(draw(st.integers(1, 3))):
        ends = draw(ENDS)
        scales = st.sampled_from([0.0, 0.5, 1.0, 1e300])
        cells.append([(*ends[i : i + 2], draw(scales)) for i in range(0, len(ends) - 1, 2)])
    return cells


def node_cells(cells):
    flat = [cell for some in cells for cell in some]
    low, high, scale = np.array(flat, np.float64).reshape(-1, 3).T.copy()
    first = np.cumsum([0, *map(len, cells)], dtype=np.int32)
    return NodeCells(first, low, high, scale)


@given(st.data(), cells_of_nodes(), st.sampled_from([None, 1, 2, 5]), st.integers(1, 3))
def test_groups_are_those_of_the_rows(data, cells, bins, classes):
    nodes = st.integers(-1, len(cells) - 1)
    rows = data.draw(st.lists(st.tuples(VALUES, nodes, st.integers(0, classes - 1)), max_size=40))
    is_one = data.draw(st.booleans())
    if is_one:
        rows = [(value, 0, label) for value, _, label in rows]
    counter = RangeCounter(node_cells(cells), classes, bins)
    size = data.draw(st.integers(1, 41))
    for start in range(0, len(rows), size):
        values, places, labels = zip(*rows[start : start + size], strict=True)
        at = EVERYWHERE if is_one else np.array(places, np.int32)
        counter.add(np.array(values), at, np.array(labels, np.int32))
    found = counter.groups()
    assert not np.signbit(found.low[found.low == 0]).any()
    lists = [column.tolist() for column in found]
    assert list(zip(*lists, strict=True)) == cell_groups(rows, cells, classes, bins)


@pytest.mark.parametrize("bins", [None, 7])
def test_many_rows_are_joined_from_time_to_time(bins):
    random = np.random.default_rng(0)
    cells = [[(0.0, 400.0, 7 / 400)], [], [(0.0, 100.0, 7 / 100), (101.0, 300.0, 7 / 199)]]
    counter = RangeCounter(node_cells(cells), 2, bins)
    values = random.integers(-20, 420, 2_300_000).astype(np.float64)
    nodes = random.integers(-1, 3, values.size).astype(np.int32)
    labels = random.integers(0, 2, values.size).astype(np.int32)
    for part in np.array_split(np.arange(values.size), 5):
        counter.add(values[part], nodes[part], labels[part])
    found = counter.groups()
    for number, (node, (low, high, _)) in enumerate(
        [(0, cells[0][0]), *((2, c) for c in cells[2])]
    ):
        held = (nodes == node) & (values >= low) & (values <= high)
        expected = np.bincount(labels[held], minlength=2)
        assert found.counts[found.cell == number].sum(axis=0).tolist() == expected.tolist()
        if bins is None:
            assert found.low[found.cell == number].tolist() == np.unique(values[held]).tolist()
