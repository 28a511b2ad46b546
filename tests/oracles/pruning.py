"""Pruning by recursion on dictionaries, every row looked at every time.

A node has a ``place`` (its number in the tree that was grown) and a ``number`` (that of the node
which stands there); ``rows`` are pairs of a row and the part of its weight that came along.
"""

import math
from statistics import NormalDist

from rulewright.kernels import CUT, INTERVAL, PRESENT

SAME = 1e-6  # J48's Utils.SMALL


def as_nodes(tree, number=0, above=0):
    """The tree below a node, with the classes its leaves have from training."""
    trained = tree.weight[number].tolist()
    answer = trained.index(max(trained)) if max(trained) > 0 else above
    places = tree.branches[tree.start[number] : tree.start[number + 1]].tolist()
    return {
        "place": number,
        "number": number,
        "trained": trained,
        "answer": answer,
        "children": [as_nodes(tree, place, answer) for place in places],
    }


def branch_of(tree, columns, number, row):
    """The branch a row takes, or None: all of them."""
    value = columns[tree.column[number]][row]
    missing = value < 0 if isinstance(value, int) else math.isnan(value)
    if tree.kind[number] == PRESENT:
        return int(missing)
    if missing:
        return None if tree.missing[number] < 0 else int(tree.missing[number])
    if tree.kind[number] == CUT:
        return 0 if value <= tree.low[number] else 1
    if tree.kind[number] == INTERVAL:
        return 0 if tree.low[number] <= value <= tree.high[number] else 1
    table = tree.branch_of[tree.table_start[number] : tree.table_start[number + 1]].tolist()
    if value < len(table) and table[value] >= 0:
        return table[value]
    return int(tree.largest[number])


def plain_columns(numeric, codes):
    return [x.tolist() for x in numeric] + [x.tolist() for x in codes]


def classes_of(rows, y, classes):
    weights = [0.0] * classes
    for row, weight in rows:
        weights[y[row]] += weight
    return weights


def heaviest(weights):
    best, most = 0, 0.0
    for k, weight in enumerate(weights):
        if weight - most > SAME:
            best, most = k, weight
    return best


def wrong(weights):
    return sum(weights) - weights[heaviest(weights)]


def more_errors(total, errors, confidence):
    """Weka's Stats.addErrs."""
    if errors < 1:
        none = total * (1 - confidence ** (1 / total))
        return none + errors * (more_errors(total, 1, confidence) - none) if errors else none
    if errors + 0.5 >= total:
        return max(total - errors, 0)
    z = NormalDist().inv_cdf(1 - confidence)
    f = (errors + 0.5) / total
    root = math.sqrt(f / total - f * f / total + z * z / (4 * total * total))
    return (f + z * z / (2 * total) + z * root) / (1 + z * z / total) * total - errors


class Pessimistic:
    """J48's collapse and prune, method by method."""

    def __init__(self, tree, numeric, codes, y, weight, confidence=0.25, raising=True):
        self.tree = tree
        self.columns = plain_columns(numeric, codes)
        self.y = y.tolist()
        self.classes = tree.weight.shape[1]
        self.confidence = confidence
        self.raising = raising
        self.raised = 0
        self.root = as_nodes(tree)
        rows = [(row, w) for row, w in enumerate(weight.tolist()) if w > 0]
        self.collapse(self.root)
        self.send(self.root, rows)
        self.prune(self.root)

    def training_errors(self, node):
        if not node["children"]:
            return wrong(node["trained"])
        return sum(self.training_errors(child) for child in node["children"])

    def collapse(self, node):
        if node["children"] and self.training_errors(node) >= wrong(node["trained"]) - 1e-3:
            node["children"] = []
        for child in node["children"]:
            self.collapse(child)

    def part(self, node, rows):
        """Rows of each child; J48 shares by the rows that are there and have a value."""
        parts = [[] for _ in node["children"]]
        everywhere = []
        for row, weight in rows:
            branch = branch_of(self.tree, self.columns, node["number"], row)
            (everywhere if branch is None else parts[branch]).append((row, weight))
        known = [sum(weight for _, weight in part) for part in parts]
        for part, own in zip(parts, known, strict=True):
            share = own / sum(known) if sum(known) >= SAME else 1 / len(parts)
            if share > SAME:
                part.extend((row, weight * share) for row, weight in everywhere)
        return parts

    def send(self, node, rows):
        node["rows"] = rows
        node["weights"] = classes_of(rows, self.y, self.classes)
        if node["children"]:
            for child, part in zip(node["children"], self.part(node, rows), strict=True):
                self.send(child, part)
        elif sum(node["weights"]) >= SAME:
            node["answer"] = heaviest(node["weights"])

    def errors_of_leaf(self, weights):
        total = sum(weights)
        if total < SAME:
            return 0.0
        return wrong(weights) + more_errors(total, wrong(weights), self.confidence)

    def errors_of_tree(self, node):
        if not node["children"]:
            return self.errors_of_leaf(node["weights"])
        return sum(self.errors_of_tree(child) for child in node["children"])

    def errors_with(self, node, rows):
        if not node["children"]:
            return self.errors_of_leaf(classes_of(rows, self.y, self.classes))
        parts = zip(node["children"], self.part(node, rows), strict=True)
        return sum(self.errors_with(child, part) for child, part in parts)

    def largest(self, node):
        best, most = None, 0.0
        for child in node["children"]:
            if most - sum(child["weights"]) < SAME:
                best, most = child, sum(child["weights"])
        return best

    def prune(self, node):
        if not node["children"]:
            return
        for child in node["children"]:
            self.prune(child)
        largest = self.largest(node)
        as_child = self.errors_with(largest, node["rows"]) if self.raising else math.inf
        as_leaf = self.errors_of_leaf(node["weights"])
        as_tree = self.errors_of_tree(node)
        if as_leaf < as_tree + 0.1 + SAME and as_leaf < as_child + 0.1 + SAME:
            node["children"] = []
            if sum(node["weights"]) >= SAME:
                node["answer"] = heaviest(node["weights"])
        elif as_child < as_tree + 0.1 + SAME:
            self.raised += 1
            node["number"] = largest["number"]
            node["trained"] = largest["trained"]
            node["children"] = largest["children"]
            node["answer"] = largest["answer"]
            self.send(node, node["rows"])
            self.prune(node)


class ReducedError:
    """The three choices of the lecture, each by answering every row."""

    def __init__(self, tree, numeric, codes, y, weight, raising=True):
        self.tree = tree
        self.columns = plain_columns(numeric, codes)
        self.y = y.tolist()
        self.classes = tree.weight.shape[1]
        self.raising = raising
        self.raised = 0
        self.root = as_nodes(tree)
        rows = [(row, w) for row, w in enumerate(weight.tolist()) if w > 0]
        self.prune(self.root, rows)
        self.count(self.root, rows)

    def part(self, node, rows):
        number = node["number"]
        places = self.tree.branches[self.tree.start[number] : self.tree.start[number + 1]]
        trained = [sum(self.tree.weight[place].tolist()) for place in places]
        total = sum(trained)
        shares = [w / total if total > 0 else 1 / len(trained) for w in trained]
        parts = [[] for _ in node["children"]]
        for row, weight in rows:
            branch = branch_of(self.tree, self.columns, number, row)
            if branch is not None:
                parts[branch].append((row, weight))
                continue
            for part, share in zip(parts, shares, strict=True):
                if share > 0:
                    part.append((row, weight * share))
        return parts

    def errors(self, node, rows):
        if not node["children"]:
            return sum(weight for row, weight in rows if self.y[row] != node["answer"])
        parts = zip(node["children"], self.part(node, rows), strict=True)
        return sum(self.errors(child, part) for child, part in parts)

    def prune(self, node, rows):
        if not node["children"]:
            return
        for child, part in zip(node["children"], self.part(node, rows), strict=True):
            self.prune(child, part)
        total = sum(weight for _, weight in rows)
        choices = []  # those that are preferred come first
        by_training = sorted(
            range(self.classes), key=lambda k: (k != node["answer"], -node["trained"][k], k)
        )
        for k in by_training:
            leaf = {"number": node["number"], "children": [], "answer": k}
            choices.append((self.errors(leaf, rows), leaf))
        if self.raising:
            choices += [(self.errors(child, rows), child) for child in node["children"]]
        choices.append((self.errors(node, rows), node))
        fewest = min(errors for errors, _ in choices)
        chosen = next(c for errors, c in choices if errors <= fewest + 1e-9 * total)
        self.raised += chosen["number"] != node["number"]
        node.update({key: chosen[key] for key in ("number", "children", "answer")})

    def count(self, node, rows):
        node["weights"] = classes_of(rows, self.y, self.classes)
        if node["children"]:
            for child, part in zip(node["children"], self.part(node, rows), strict=True):
                self.count(child, part)


def standing(node):
    """Every node of a pruned tree."""
    yield node
    for child in node["children"]:
        yield from standing(child)
