"""Prunings of a tree by listing them all."""

from itertools import product


def children_of(tree, node):
    return tree.branches[tree.start[node] : tree.start[node + 1]].tolist()


def prunings(tree, node=0):
    """The leaves of every pruned subtree at a node, with their depths."""
    yield {node: 0}
    children = children_of(tree, node)
    if children:
        for parts in product(*(list(prunings(tree, child)) for child in children)):
            yield {leaf: depth + 1 for part in parts for leaf, depth in part.items()}


def splits_above(tree, leaves, node=0):
    if node in leaves:
        return set()
    below = [splits_above(tree, leaves, child) for child in children_of(tree, node)]
    return {node}.union(*below)


def shares(tree, leaves, node=0):
    """Numbers of leaves in the branches, from the root down: fewer in earlier ones come first."""
    if node in leaves:
        return (1,)
    below = [shares(tree, leaves, child) for child in children_of(tree, node)]
    # A knapsack settles the last branch first: among equals it has the most leaves.
    sizes = tuple(-part[0] for part in below[::-1])
    return (sum(part[0] for part in below), sizes, tuple(part[1:] for part in below))


def best_of_size(tree, wrong, size):
    """The fewest errors, then the least depth, then the order of shares; None: no such subtree."""
    found = [leaves for leaves in prunings(tree) if len(leaves) == size]
    return min(
        (
            (
                sum(wrong[leaf] for leaf in leaves),
                sum(leaves.values()),
                shares(tree, leaves),
                leaves,
            )
            for leaves in found
        ),
        key=lambda one: one[:3],
        default=None,
    )


def least_cost(tree, impurity, alpha):
    """The least impurity + alpha * leaves of any pruned subtree."""
    return min(
        sum(impurity[leaf] for leaf in leaves) + alpha * len(leaves) for leaves in prunings(tree)
    )
