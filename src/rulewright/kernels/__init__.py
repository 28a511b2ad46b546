"""Kernels: the hot loops, by name.

The only callers of the C++ core. Python allocates every array, C++ fills it; a kernel never sees a
dataframe, a label or a model. May import: errors.
To add one: write it in ``cpp/src``, bind it in ``cpp/bindings``, wrap it here, and give it a slow
twin in ``tests/oracles``.
"""

__all__ = [
    "ERRORS",
    "MAX_OBJECTS",
    "METRICS",
    "NEGATIVES",
    "POSITIVES",
    "SIMILARITIES",
    "BallIndex",
    "ExtensionIndex",
    "Forks",
    "Generalised",
    "Grown",
    "Growth",
    "GrowthOptions",
    "HeaviestInterval",
    "HeaviestRay",
    "HeaviestThreshold",
    "IntervalIndex",
    "PairIndex",
    "Parts",
    "Pruned",
    "RouteTests",
    "Slots",
    "Tally",
    "ThresholdIndex",
    "TrainingColumns",
    "TreeArrays",
    "Visit",
    "distances",
    "drop_conditions",
    "gathered",
    "grow_tree",
    "kernel_distances",
    "overfitting_quantiles",
    "overfitting_sum",
    "packed",
    "pessimistic_errors",
    "prune_pessimistic",
    "prune_reduced_error",
    "route",
    "route_in_parts",
    "similarities",
    "similarity_rows",
    "visit_rules",
    "weigh_categories",
]

from rulewright.kernels.categories import weigh_categories
from rulewright.kernels.columns import gathered
from rulewright.kernels.dropping import Generalised, drop_conditions
from rulewright.kernels.extensions import ExtensionIndex, Growth, Slots, packed
from rulewright.kernels.geometry import (
    METRICS,
    SIMILARITIES,
    distances,
    kernel_distances,
    similarities,
    similarity_rows,
)
from rulewright.kernels.growing import Grown, GrowthOptions, TrainingColumns, grow_tree
from rulewright.kernels.intervals import HeaviestInterval, IntervalIndex
from rulewright.kernels.pruning import (
    Pruned,
    pessimistic_errors,
    prune_pessimistic,
    prune_reduced_error,
)
from rulewright.kernels.rays import BallIndex, HeaviestRay, PairIndex
from rulewright.kernels.routing import Forks, Parts, RouteTests, route, route_in_parts
from rulewright.kernels.sc_graph import (
    ERRORS,
    MAX_OBJECTS,
    NEGATIVES,
    POSITIVES,
    Visit,
    overfitting_quantiles,
    overfitting_sum,
    visit_rules,
)
from rulewright.kernels.thresholds import HeaviestThreshold, Tally, ThresholdIndex
from rulewright.kernels.tree_arrays import TreeArrays
