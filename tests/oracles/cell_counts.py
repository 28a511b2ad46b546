"""Counts of cells by looking at every row."""

import math


def cell_groups(rows, cells, classes, bins=None):
    """Groups of values by cell: (cell, smallest value, largest value, rows of each class).

    ``rows`` are values, nodes and classes, and ``cells`` lists of (low, high, scale) by node.
    """
    numbered = [(node, *cell) for node, some in enumerate(cells) for cell in some]
    found = {}
    for value, node, label in rows:
        for number, (home, low, high, scale) in enumerate(numbered):
            if home == node and low <= value <= high:
                scaled = (value - low) * scale
                bin_number = 0 if math.isnan(scaled) else min(scaled, (bins or 1) - 1)
                group = value + 0.0 if bins is None else int(bin_number)
                found.setdefault((number, group), []).append((value + 0.0, label))
    return [
        (
            number,
            min(value for value, _ in found[number, group]),
            max(value for value, _ in found[number, group]),
            [[label for _, label in found[number, group]].count(c) for c in range(classes)],
        )
        for number, group in sorted(found)
    ]
