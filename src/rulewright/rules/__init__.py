"""Rules: models as trees of frozen nodes.

A predicate is true or false on a row, negates exactly (missing values included), and knows its
columns, its size in literals, and the training rows it is anchored on. An arrangement puts
predicates together and answers with a class number. Nothing here knows class labels, estimators or
the text of a node. May import: kernels, data, errors.
To add a node: write a frozen dataclass and decorate it with ``register_node(tag)``. Model files and
their schema then know it. ``rulewright.render.register_predicate`` registers how it is shown.
"""

__all__ = [
    "ABSTAIN",
    "EUCLIDEAN",
    "EXPONENTIAL_COEFFICIENTS",
    "EXPONENTIAL_LOWEST",
    "INVERSE_LOG_2",
    "KERNELS",
    "LAST_RULE",
    "LINEAR",
    "LOG_2_HIGH",
    "LOG_2_LOW",
    "METRICS",
    "NODES",
    "NOT_SERIALIZED",
    "NO_RULE",
    "SHARES",
    "UNSCALED",
    "AllOf",
    "Answers",
    "AnyOf",
    "Arrangement",
    "AtLeast",
    "Ball",
    "Category",
    "ClassScoreLine",
    "ClassScorecard",
    "Columns",
    "CompiledConditions",
    "Conjunction",
    "Disjunction",
    "Evaluation",
    "Function",
    "Given",
    "HalfPlane",
    "HalfSpace",
    "Interval",
    "Kernel",
    "LargestTotal",
    "Leaf",
    "Literal",
    "Metric",
    "Missing",
    "Node",
    "Not",
    "Place",
    "Points",
    "Predicate",
    "RowFunction",
    "Rule",
    "RuleList",
    "RuleVote",
    "RulesFile",
    "Scaling",
    "ScoreBand",
    "ScoreLine",
    "Scorecard",
    "Share",
    "Split",
    "Threshold",
    "TotalRange",
    "Tree",
    "WeightedRule",
    "all_nodes",
    "as_rule_list",
    "as_rule_list_with_answers",
    "as_rule_vote",
    "bound_to",
    "consistent_shares",
    "decode",
    "encode",
    "evaluate_function",
    "exponential",
    "extreme_totals",
    "field_names",
    "first_true",
    "functions_of",
    "has_balanced_parentheses",
    "implies",
    "is_plain_name",
    "literal_places",
    "literals_of",
    "map_nodes",
    "merge_conditions",
    "narrowed_by_columns",
    "node_schemas",
    "parse_condition",
    "parse_rule",
    "parse_rules_file",
    "reanchored",
    "register_node",
    "rounded",
    "scalings_of",
    "simplified",
    "simplified_condition",
    "simplified_with_answers",
    "spaces_of",
    "with_fields",
    "with_part",
    "without_anchors",
    "without_part",
]

from rulewright.rules.arrangements import (
    ABSTAIN,
    NO_RULE,
    Answers,
    Arrangement,
    Conjunction,
    Disjunction,
    Rule,
    RuleList,
    RuleVote,
    Share,
    WeightedRule,
    consistent_shares,
)
from rulewright.rules.combinations import AllOf, AnyOf, AtLeast, Not
from rulewright.rules.condition_merging import merge_conditions
from rulewright.rules.conditions import CompiledConditions, first_true
from rulewright.rules.conversion import (
    as_rule_list,
    as_rule_list_with_answers,
    as_rule_vote,
)
from rulewright.rules.evaluation import Evaluation
from rulewright.rules.exponential import (
    EXPONENTIAL_COEFFICIENTS,
    EXPONENTIAL_LOWEST,
    INVERSE_LOG_2,
    LOG_2_HIGH,
    LOG_2_LOW,
    exponential,
)
from rulewright.rules.implication import implies, narrowed_by_columns
from rulewright.rules.node import Literal, Node, Predicate, field_names
from rulewright.rules.parser import parse_condition, parse_rule
from rulewright.rules.places import Place, literal_places, with_part, without_part
from rulewright.rules.predicates import (
    Ball,
    Category,
    Columns,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Missing,
    RowFunction,
    Threshold,
    evaluate_function,
)
from rulewright.rules.registry import NODES, NOT_SERIALIZED, Points, register_node
from rulewright.rules.routing import SHARES
from rulewright.rules.rule_text import has_balanced_parentheses, is_plain_name
from rulewright.rules.rules_file import LAST_RULE, RulesFile, parse_rules_file
from rulewright.rules.scorecards import (
    ClassScorecard,
    ClassScoreLine,
    LargestTotal,
    ScoreBand,
    Scorecard,
    ScoreLine,
    TotalRange,
    extreme_totals,
)
from rulewright.rules.serialization import decode, encode, node_schemas
from rulewright.rules.simplifying import (
    simplified,
    simplified_condition,
    simplified_with_answers,
)
from rulewright.rules.spaces import (
    EUCLIDEAN,
    KERNELS,
    LINEAR,
    METRICS,
    UNSCALED,
    Kernel,
    Metric,
    Scaling,
)
from rulewright.rules.transforms import (
    bound_to,
    map_nodes,
    reanchored,
    rounded,
    with_fields,
    without_anchors,
)
from rulewright.rules.traversal import all_nodes, functions_of, literals_of, scalings_of, spaces_of
from rulewright.rules.trees import Leaf, Split, Tree
