"""Trees as arrays, and rows to send down them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from oracles.pruning import branch_of, plain_columns

from rulewright.kernels import CUT, INTERVAL, LEAF, MULTIWAY, PRESENT, SUBSET, TreeArrays

CATEGORIES = 4


class Grown(NamedTuple):
    tree: TreeArrays
    numeric: list
    codes: list
    y: np.ndarray
    weight: np.ndarray


def random_nodes(rng, numeric, categorical, depth):
    """A test for each node, and children that come after their parents."""
    nodes, open_ = [], [(None, depth)]
    while open_:
        parent, left = open_.pop(int(rng.integers(len(open_))))
        node = {"children": [], "kind": LEAF, "column": -1, "table": []}
        if parent is not None:
            parent["children"].append(len(nodes))
        nodes.append(node)
        if left == 0 or rng.random() < 0.2:
            continue
        node["column"] = int(rng.integers(numeric + categorical))
        kinds = [CUT, CUT, INTERVAL, PRESENT]
        if node["column"] >= numeric:
            kinds = [SUBSET, MULTIWAY, MULTIWAY, PRESENT]
        node["kind"] = int(rng.choice(kinds))
        branches = int(rng.integers(2, 5)) if node["kind"] == MULTIWAY else 2
        if node["kind"] in (SUBSET, MULTIWAY):
            node["table"] = rng.integers(-1, branches, int(rng.integers(1, CATEGORIES + 1)))
        node["branches"] = branches
        open_.extend((node, left - 1) for _ in range(branches))
    return nodes


def as_arrays(rng, nodes, classes):
    def each(dtype, value):
        return np.array([value(node) for node in nodes], dtype)

    def joined(key):
        return np.array([x for node in nodes for x in node[key]], np.int32)

    def starts(key):
        return np.cumsum([0] + [len(node[key]) for node in nodes]).astype(np.int32)

    def branch(node, low):
        return int(rng.integers(low, node["branches"])) if node["children"] else low

    cuts = np.sort(rng.integers(-2, 4, (len(nodes), 2)).astype(float), axis=1)
    none = np.full(len(nodes), -1, np.int32)
    return TreeArrays(
        kind=each(np.int8, lambda node: node["kind"]),
        column=each(np.int32, lambda node: node["column"]),
        low=np.ascontiguousarray(cuts[:, 0]),
        high=np.ascontiguousarray(cuts[:, 1]),
        low_row=none,
        high_row=none,
        missing=each(np.int32, lambda node: branch(node, -1)),
        largest=each(np.int32, lambda node: branch(node, 0)),
        start=starts("children"),
        branches=joined("children"),
        table_start=starts("table"),
        branch_of=joined("table"),
        weight=np.zeros((len(nodes), classes)),
        gain=np.zeros(len(nodes)),
    )


def trained_weights(tree, numeric, codes, y, weight):
    """Class weights at each node, C4.5's fractional examples included."""
    columns = plain_columns(numeric, codes)
    weights = np.zeros_like(tree.weight)

    def send(number, rows):
        for row, part in rows:
            weights[number, y[row]] += part
        children = tree.branches[tree.start[number] : tree.start[number + 1]]
        if not children.size:
            return
        taken = [(row, part, branch_of(tree, columns, number, row)) for row, part in rows]
        parts = [[(r, w) for r, w, b in taken if b == branch] for branch in range(children.size)]
        known = [sum(w for _, w in part) for part in parts]
        for child, part, own in zip(children, parts, known, strict=True):
            share = own / sum(known) if sum(known) > 0 else 1 / len(parts)
            lent = [(r, w * share) for r, w, b in taken if b is None and share > 0]
            send(child, part + lent)

    send(0, [(row, w) for row, w in enumerate(weight.tolist()) if w > 0])
    return weights


def labels_of(rng, tree, columns, rows, classes, noise):
    """What a tree of the same tests would say that skips some of its splits."""
    answer = rng.integers(0, classes, tree.kind.size)
    skipped = np.where(rng.random(tree.kind.size) < 0.3, rng.integers(0, 2, tree.kind.size), -1)
    y = np.empty(rows, np.int32)
    for row in range(rows):
        node = 0
        while tree.kind[node] != LEAF:
            branch = branch_of(tree, columns, node, row)
            branch = skipped[node] if skipped[node] >= 0 else branch
            node = tree.branches[tree.start[node] + (branch or 0)]
        y[row] = answer[node]
    return np.where(rng.random(rows) < noise, rng.integers(0, classes, rows), y).astype(np.int32)


def random_rows(rng, rows, numeric, categorical, absent):
    x = rng.integers(-2, 5, (rows, numeric)).astype(float)
    x[rng.random(x.shape) < absent] = np.nan
    c = rng.integers(0, CATEGORIES + 1, (categorical, rows)).astype(np.int32)
    c[rng.random(c.shape) < absent] = -1
    return [x[:, j] for j in range(numeric)], list(c)


def random_grown(rng, rows, depth=4, classes=2, absent=0.2, noise=0.1, weights=(0, 0.5, 1, 8)):
    """A tree with tests at random on rows whose labels follow it more or less."""
    numeric, categorical = int(rng.integers(1, 4)), int(rng.integers(0, 3))
    tree = as_arrays(rng, random_nodes(rng, numeric, categorical, depth), classes)
    x, codes = random_rows(rng, rows, numeric, categorical, absent)
    y = labels_of(rng, tree, plain_columns(x, codes), rows, classes, noise)
    weight = rng.choice(np.array(weights, float), rows)
    tree = tree._replace(weight=trained_weights(tree, x, codes, y, weight))
    return Grown(tree, x, codes, y, weight)


@st.composite
def grown_trees(draw, most_rows=40):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_grown(
        rng,
        draw(st.integers(0, most_rows)),
        depth=draw(st.integers(0, 5)),
        classes=draw(st.integers(1, 3)),
        absent=draw(st.sampled_from([0.0, 0.05, 0.4])),
        noise=draw(st.sampled_from([0.0, 0.1, 0.5])),
        weights=draw(st.sampled_from([(1,), (0, 1), (0, 0.5, 1, 8), (5, 30)])),
    )
