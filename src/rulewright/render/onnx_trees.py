"""Tree ensembles of ONNX: one tree of exact comparisons of doubles, and of sets of codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulewright.render.onnx_graph import ML_DOMAIN, OnnxGraph

MODES = {"<=": 0, "<": 1, ">=": 2, ">": 3, "==": 4, "in": 6}
"""Numbers of the comparisons of a node; "in" is membership in a set."""


@dataclass
class TreeNodes:
    """The nodes of one tree, as lists of the attributes of a tree ensemble.

    A branch is the number of a node, or the complement of the number of a leaf.
    """

    features: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    splits: list[float] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    branches: list[tuple[int, int]] = field(default_factory=list)
    members: list[float] = field(default_factory=list)

    def add(
        self,
        feature: int,
        mode: str,
        split: float,
        branches: tuple[int, int],
        if_missing: bool = False,
    ) -> None:
        """Add a node: its test, and the branches where it holds and where it does not."""
        self.features.append(feature)
        self.modes.append(MODES[mode])
        self.splits.append(split)
        self.missing.append(int(if_missing))
        self.branches.append(branches)

    def add_set(self, feature: int, codes: Sequence[int], branches: tuple[int, int]) -> None:
        """Add a node that holds where a feature is one of some codes."""
        self.add(feature, "in", 0.0, branches)
        self.members += [*map(float, codes), math.nan]  # NaN ends the set of a node

    def write(self, graph: OnnxGraph, matrix: str, leaves: Sequence[float]) -> str:
        """Write the tree, and return the value of the leaf that each row reaches."""
        (true, true_leaf), (false, false_leaf) = (
            ([~b if b < 0 else b for b in side], [int(b < 0) for b in side])
            for side in zip(*self.branches, strict=True)
        )
        sets: dict[str, Any] = {}
        if self.members:
            sets["membership_values"] = graph.tensor(np.array(self.members))
        found = graph.node(
            "TreeEnsemble",
            matrix,
            domain=ML_DOMAIN,
            aggregate_function=1,  # the sum over the trees, of which there is one
            leaf_targetids=[0] * len(leaves),
            leaf_weights=graph.tensor(np.array(leaves, np.float64)),
            n_targets=1,
            nodes_falseleafs=false_leaf,
            nodes_falsenodeids=false,
            nodes_featureids=self.features,
            nodes_missing_value_tracks_true=self.missing,
            nodes_modes=graph.tensor(np.array(self.modes, np.uint8)),
            nodes_splits=graph.tensor(np.array(self.splits, np.float64)),
            nodes_trueleafs=true_leaf,
            nodes_truenodeids=true,
            post_transform=0,
            tree_roots=[0],
            **sets,
        )
        return graph.node("Squeeze", found, graph.constant(np.array([1])))


def step_function(graph: OnnxGraph, x: str, cuts: Sequence[float], values: Sequence[float]) -> str:
    """Return ``values[i]`` where i of the increasing cuts are below x, by bisection."""
    nodes = TreeNodes()
    spans = [(0, len(cuts))]  # of the leaves below each node
    for low, high in spans:
        middle = (low + high) // 2
        branches = []
        for span in ((low, middle), (middle + 1, high)):
            if span[0] == span[1]:
                branches.append(~span[0])
            else:
                branches.append(len(spans))
                spans.append(span)
        nodes.add(0, "<=", cuts[middle], (branches[0], branches[1]))
    return nodes.write(graph, graph.column(x), values)
