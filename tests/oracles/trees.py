"""Trees, node by node: which leaf answers each row."""

import numpy as np

from rulewright.rules import Leaf
from rulewright.rules.arrangements import first_that_holds


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
        child = first_that_holds(node.tests, table.select(node.columns).take(rows))
        for place, name in enumerate(node.branches):
            waiting[name] = rows[child == place]
    return answer
