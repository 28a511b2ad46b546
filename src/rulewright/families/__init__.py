"""Feature families: sources of predicates.

A family turns training data into candidate predicates and finds the heaviest of them for a signed
weight on every example. It counts the options it chose among, which a bound charges for. It also
rebuilds a predicate from its examples and options alone.
It scores nothing and arranges nothing. May import: rules, criteria, kernels, data.
To add one, subclass ``Family`` and enter it in ``FAMILIES``; the shared tests find it there.
"""

__all__ = [
    "ABOVE",
    "AT_MOST",
    "BUDGET",
    "CUTS",
    "FAMILIES",
    "FILLINGS",
    "IS",
    "IS_NOT",
    "MAX_SUM_COLUMNS",
    "MAX_VALUES",
    "MISSING",
    "PRESENT",
    "RELATIONS",
    "Axes",
    "Axis",
    "Balls",
    "BestRule",
    "CandidateTerms",
    "Categories",
    "Choices",
    "CoarseThresholds",
    "ConjunctionSearch",
    "Conjunctions",
    "Criterion",
    "CutMaker",
    "Examples",
    "ExpertTests",
    "Extension",
    "Family",
    "Found",
    "GivenPredicates",
    "Goal",
    "HalfPlanes",
    "HalfSpaces",
    "Intervals",
    "Midpoints",
    "MissingValues",
    "PartialRule",
    "Question",
    "Rated",
    "RoundedThresholds",
    "RuleGrower",
    "Search",
    "Singles",
    "Site",
    "SpaceOptions",
    "Spatial",
    "Subsets",
    "Term",
    "Terms",
    "Thresholds",
    "Training",
    "as_families",
    "axes_of",
    "check_functions",
    "deciles",
    "every_axis",
    "family_from_json",
    "grouped",
    "halfway",
    "prefixes",
    "prepare",
    "quantiles",
    "read_sum_columns",
    "refuse_missing",
    "roundest",
    "singles",
    "tightest",
    "unrounded",
    "without_order",
]

from rulewright.families.axes import Axes, Axis, axes_of, every_axis
from rulewright.families.balls import Balls
from rulewright.families.categories import Categories
from rulewright.families.coarse import CoarseThresholds
from rulewright.families.conjunctions import (
    BUDGET,
    BestRule,
    Conjunctions,
    ConjunctionSearch,
    Criterion,
    Extension,
    Goal,
    PartialRule,
    Rated,
)
from rulewright.families.cuts import CUTS, CutMaker, deciles, grouped, quantiles
from rulewright.families.expert import ExpertTests, without_order
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Found,
    Question,
    Search,
    Site,
    Training,
)
from rulewright.families.given import GivenPredicates
from rulewright.families.half_planes import MAX_SUM_COLUMNS, HalfPlanes, read_sum_columns
from rulewright.families.half_spaces import HalfSpaces
from rulewright.families.intervals import Intervals
from rulewright.families.midpoints import Midpoints, Singles, halfway, singles, unrounded
from rulewright.families.missing_values import MissingValues
from rulewright.families.registry import (
    FAMILIES,
    SpaceOptions,
    as_families,
    check_functions,
    family_from_json,
    prepare,
)
from rulewright.families.round_values import roundest
from rulewright.families.rounded import RoundedThresholds
from rulewright.families.rule_grower import RuleGrower, prefixes, tightest
from rulewright.families.spatial import FILLINGS, Spatial, refuse_missing
from rulewright.families.subsets import Subsets
from rulewright.families.terms import (
    ABOVE,
    AT_MOST,
    IS,
    IS_NOT,
    MAX_VALUES,
    MISSING,
    PRESENT,
    RELATIONS,
    CandidateTerms,
    Term,
    Terms,
)
from rulewright.families.thresholds import Thresholds
