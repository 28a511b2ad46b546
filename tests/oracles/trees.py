"""Trees, node by node: which leaf answers each row."""

from collections import Counter
from fractions import Fraction

import numpy as np

from oracles.evaluation import first_true
from rulewright.rules import Leaf


def leaves_by_nodes(tree, table):
    """Hand the rows down from node to node, in the order of the nodes."""
    answer = np.empty(table.rows, np.int32)
    waiting = {0: np.arange(table.rows)}
    leaves = 0
    for number, node in enumerate(tree.nodes):
        rows = waiting.pop(number)
        if isinstance(node, Leaf):
            answer[rows] = leaves
            leaves += 1
            continue
        here = table.select(node.columns).take(rows)
        child = first_true([test.holds(here) for test in node.tests], here.rows)
        for place, name in enumerate(node.branches):
            waiting[name] = rows[child == place]
    return answer


def leaf_shares(tree, table, row):
    """Follow one row down all its ways; give the exact share of each leaf that it reaches."""
    alone = table.take(np.array([row]))
    numbers = [n for n, node in enumerate(tree.nodes) if isinstance(node, Leaf)]
    weights = {}

    def follow(number, weight):
        node = tree.nodes[number]
        if isinstance(node, Leaf):
            weights[numbers.index(number)] = weight
        elif node.shares and any(alone.missing(name)[0] for name in node.columns):
            for branch, share in zip(node.branches, node.shares, strict=True):
                if share:
                    follow(branch, weight * Fraction(share, 16))
        else:
            place = first_true([test.holds(alone) for test in node.tests], 1)[0]
            follow(node.branches[place], weight)

    follow(0, Fraction(1))
    return weights


def leaf_by_shares(tree, table, row):
    """Give the leaf that answers a row: the weightiest of the class that weighs the most."""
    weights = leaf_shares(tree, table, row)
    votes = Counter()
    for leaf, weight in weights.items():
        votes[tree.outputs[leaf]] += weight
    winner = min(votes, key=lambda output: (-votes[output], output))
    speaking = [leaf for leaf in weights if tree.outputs[leaf] == winner]
    return min(speaking, key=lambda leaf: (-weights[leaf], leaf))


def leaf_of_row(tree, table, row):
    """Walk one row down the tree, and give the output of the leaf it comes to."""
    alone = table.take(np.array([row]))
    node = tree.nodes[0]
    while not isinstance(node, Leaf):
        held = [bool(test.holds(alone)[0]) for test in node.tests]
        node = tree.nodes[node.branches[[*held, True].index(True)]]
    return node.output
