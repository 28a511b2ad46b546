"""Kernels: the inner loops, in C++.

The only callers of the C++ core. Python allocates every array and C++ fills it. A kernel never sees
a dataframe, a label or a model. May import: errors.
To add one, write it in ``cpp/src``, bind it in ``cpp/bindings``, wrap it here, and add a slow
reference implementation in ``tests/oracles``.
"""

__all__ = [
    "CUT",
    "ERRORS",
    "HOLDS_ON_MISSING",
    "HOLDS_ON_VALUES_OR_MISSING",
    "INTERVAL",
    "LEAF",
    "MAX_CODE",
    "MAX_CODED_VALUES",
    "MAX_LIST_TESTS",
    "MAX_OBJECTS",
    "MAX_OPTIMAL_DEPTH",
    "MAX_OPTIMAL_LEAVES",
    "MAX_OPTIMAL_RULES",
    "MAX_OPTIMAL_TERMS",
    "METRICS",
    "MULTIWAY",
    "NEGATIVES",
    "POSITIVES",
    "PRESENT",
    "SIMILARITIES",
    "SUBSET",
    "BallIndex",
    "CodedCells",
    "CodedTest",
    "ColumnLimits",
    "ExtensionIndex",
    "FirstRules",
    "FittedScore",
    "Forks",
    "Generalised",
    "GrowthOptions",
    "GrowthResult",
    "HeaviestInterval",
    "HeaviestRay",
    "HeaviestThreshold",
    "IntervalIndex",
    "OptimalLists",
    "OptimalTrees",
    "PairIndex",
    "Parts",
    "Pruned",
    "RootChoices",
    "RoundedPoints",
    "RouteTests",
    "RuleGrowthOptions",
    "RuleLiterals",
    "ScoreSearchOptions",
    "ScoreTerms",
    "Scoring",
    "SearchLimits",
    "Tally",
    "ThresholdIndex",
    "TrainingColumns",
    "TreeArrays",
    "ValueTallies",
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
    "round_class_points",
    "round_points",
    "route",
    "route_in_parts",
    "search_scores",
    "similarities",
    "similarity_rows",
    "visit_rules",
    "weigh_categories",
]

from rulewright.kernels.category_weights import weigh_categories
from rulewright.kernels.coded_cells import (
    HOLDS_ON_MISSING,
    HOLDS_ON_VALUES_OR_MISSING,
    MAX_CODED_VALUES,
    MAX_LIST_TESTS,
    MAX_OPTIMAL_DEPTH,
    MAX_OPTIMAL_LEAVES,
    MAX_OPTIMAL_RULES,
    MAX_OPTIMAL_TERMS,
    CodedCells,
    CodedTest,
    FirstRules,
    OptimalLists,
    OptimalTrees,
    RootChoices,
    RuleLiterals,
    SearchLimits,
)
from rulewright.kernels.column_index import gathered
from rulewright.kernels.extensions import ExtensionIndex, RuleGrowthOptions, ValueTallies, packed
from rulewright.kernels.generalisation import Generalised, drop_conditions
from rulewright.kernels.geometry import (
    METRICS,
    SIMILARITIES,
    distances,
    kernel_distances,
    similarities,
    similarity_rows,
)
from rulewright.kernels.interval_index import HeaviestInterval, IntervalIndex
from rulewright.kernels.rays import BallIndex, HeaviestRay, PairIndex
from rulewright.kernels.row_routing import Forks, Parts, RouteTests, route, route_in_parts
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
from rulewright.kernels.scorecards import (
    MAX_CODE,
    FittedScore,
    RoundedPoints,
    ScoreSearchOptions,
    ScoreTerms,
    round_class_points,
    round_points,
    search_scores,
)
from rulewright.kernels.threshold_index import HeaviestThreshold, Tally, ThresholdIndex
from rulewright.kernels.tree_arrays import (
    CUT,
    INTERVAL,
    LEAF,
    MULTIWAY,
    PRESENT,
    SUBSET,
    TreeArrays,
)
from rulewright.kernels.tree_growing import (
    ColumnLimits,
    GrowthOptions,
    GrowthResult,
    Scoring,
    TrainingColumns,
    grow_tree,
)
from rulewright.kernels.tree_pruning import (
    Pruned,
    pessimistic_errors,
    prune_pessimistic,
    prune_reduced_error,
)
