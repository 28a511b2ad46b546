"""Optimal trees by trying every tree."""

from functools import cache

import numpy as np


def candidate_tests(codes, values, ordered):
    """Masks of all tests of single columns, each with its column, base and kind.

    A code of -1 is a missing value. The last value has no test of its own.
    """
    found = []
    for number, (code, count, in_order) in enumerate(zip(codes, values, ordered, strict=True)):
        missing = code < 0
        for kind in ("values", "values or missing", "missing"):
            if kind != "values" and not missing.any():
                continue
            for base in range(count - 1) if kind != "missing" else [-1]:
                mask = (code >= 0) & (code <= base) if in_order else code == base
                mask = missing if kind == "missing" else mask
                mask = mask | missing if kind == "values or missing" else mask
                found.append((number, base, kind, mask))
    return found


def leaf_loss(label, weight, classes, error=1, impurity=0):
    """Errors of a leaf, and its Gini impurity times its weight, rounded down to whole numbers."""
    counts = [int(weight[label == k].sum()) for k in range(classes)]
    total = sum(counts)
    mixed = sum(count * (total - count) for count in counts)
    return error * (total - max(counts)) + (impurity * mixed // total if total else 0)


def least_losses(tests, label, weight, classes, max_depth, max_leaves, loss=(1, 0)):
    """Lowest losses of a tree with at most 1, 2, ... leaves."""
    rows = np.arange(label.size)
    masks = [mask for *_, mask in tests]

    def leaf(there):
        return leaf_loss(label[list(there)], weight[list(there)], classes, *loss)

    @cache
    def best(there, depth, leaves):
        found = leaf(there)
        if depth == 0 or leaves == 1:
            return found
        for mask in masks:
            yes = tuple(row for row in there if mask[row])
            no = tuple(row for row in there if not mask[row])
            if not yes or not no:
                continue
            for size in range(1, leaves):
                found = min(found, best(yes, depth - 1, size) + best(no, depth - 1, leaves - size))
        return found

    everything = tuple(rows[weight > 0].tolist())
    most = min(max_leaves, 2**max_depth)
    return [best(everything, max_depth, leaves) for leaves in range(1, most + 1)]


def shape_of(tree, tests, label, weight, classes, loss=(1, 0)):
    """Loss of a tree in preorder, and its depth and number of leaves."""
    nodes = iter(tree)

    def walk(rows):
        test = next(nodes)
        if test < 0:
            return leaf_loss(label[rows], weight[rows], classes, *loss), 0, 1
        mask = tests[test][-1]
        yes, no = walk(rows & mask), walk(rows & ~mask)
        return yes[0] + no[0], 1 + max(yes[1], no[1]), yes[2] + no[2]

    found = walk(np.ones(label.size, np.bool_))
    assert next(nodes, None) is None
    return found


def impurity_of(tree, tests, label, weight, classes):
    """Gini impurity of the leaves of a tree in preorder, each times its weight."""
    nodes = iter(tree)

    def walk(rows):
        test = next(nodes)
        if test < 0:
            return leaf_impurity(label[rows], weight[rows], classes)
        mask = tests[test][-1]
        return walk(rows & mask) + walk(rows & ~mask)

    return walk(np.ones(label.size, np.bool_))


def leaf_impurity(label, weight, classes):
    counts = np.bincount(label, weight, classes)
    return float(counts.sum() - (counts**2).sum() / counts.sum()) if counts.any() else 0.0


def least_impurity(tests, label, weight, classes, max_depth, leaves):
    """Fewest errors of a tree with a limit on its leaves, and then the lowest impurity."""
    masks = [mask for *_, mask in tests]

    def best(rows, depth, leaves):
        counts = np.bincount(label[rows], weight[rows], classes)
        impurity = leaf_impurity(label[rows], weight[rows], classes)
        found = [(int(counts.sum() - counts.max()), impurity)]
        for mask in masks if depth and leaves > 1 else []:
            yes, no = rows & mask, rows & ~mask
            if weight[yes].any() and weight[no].any():
                for size in range(1, leaves):
                    sides = best(yes, depth - 1, size), best(no, depth - 1, leaves - size)
                    found.append(tuple(map(sum, zip(*sides, strict=True))))
        return min(found)

    return best(np.ones(label.size, np.bool_), max_depth, leaves)
