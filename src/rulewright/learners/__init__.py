"""Learners: how predicates are chosen and arranged.

A learner is its settings: a frozen dataclass, free of scikit-learn, that has the parameters with
their defaults, checks and help texts, and runs the search. The estimator and the command line are
made from it. May import: models, families, render and below.
To add one: a folder with ``settings.py``, ``search.py`` and ``estimator.py``, and a line in
``registry.py``; the shared tests find it there.
"""

__all__ = [
    "CERTIFICATE",
    "COLUMNS",
    "COMMON",
    "CONSTRAINTS",
    "CONVERSIONS",
    "ESTIMATORS",
    "SETTINGS",
    "Certifier",
    "CheckedCandidate",
    "ConstraintSettings",
    "CountedTask",
    "Deadline",
    "DecisionListMachine",
    "GreedySettings",
    "GreedyTask",
    "Optimality",
    "Option",
    "Parameters",
    "Path",
    "Penalty",
    "RipperClassifier",
    "RipperSettings",
    "RuleClassifier",
    "RuleListClassifier",
    "RuleListSettings",
    "RuleVoteClassifier",
    "RuleVoteSettings",
    "Sample",
    "ScorecardClassifier",
    "ScorecardSettings",
    "SetCoveringMachine",
    "Settings",
    "SlipperClassifier",
    "SpaceSettings",
    "SplitSearch",
    "Stage",
    "Subsampler",
    "TimeBudgetWarning",
    "TreeClassifier",
    "TreeRegressor",
    "TreeRegressorSettings",
    "TreeRulesClassifier",
    "TreeRulesSettings",
    "TreeSettings",
    "Units",
    "add_cautions",
    "balanced_costs",
    "best_with_rules",
    "certificate_option",
    "certified_cost",
    "check_classes",
    "checked_regression_candidates",
    "code_labels",
    "constraints_of",
    "covering_stages",
    "entry_worth",
    "estimator_of",
    "fraction_option",
    "from_sklearn",
    "grow_list",
    "grow_list_lazily",
    "grow_machine",
    "grow_machine_lazily",
    "in_search_order",
    "learn",
    "learn_lazily",
    "library_version",
    "listen",
    "listing_stages",
    "option",
    "options_of",
    "polished_model",
    "prepare_task",
    "profiled",
    "read_amount",
    "read_count",
    "read_delta",
    "read_penalties",
    "read_seed",
    "read_share",
    "read_switch",
    "read_whole",
    "recipe_of",
    "refuse_consistent",
    "regression_candidates",
    "remarks",
    "report",
    "restored",
    "restricted",
    "rowless_sample",
    "run_settings",
    "run_settings_lazily",
    "search_splits",
    "settings_for_counts",
    "settings_of",
    "warn",
    "without_certificates",
]

from typing import TYPE_CHECKING, Any

from rulewright.learners.base.certifier import Certifier, certified_cost, entry_worth
from rulewright.learners.base.constraint_settings import ConstraintSettings, constraints_of
from rulewright.learners.base.counted_search import CountedTask
from rulewright.learners.base.deadline import Deadline, TimeBudgetWarning
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.greedy import GreedySettings, prepare_task, refuse_consistent
from rulewright.learners.base.greedy_task import GreedyTask, Stage
from rulewright.learners.base.labels import check_classes, code_labels
from rulewright.learners.base.lazy_learning import learn_lazily, settings_for_counts
from rulewright.learners.base.lazy_split_search import rowless_sample, run_settings_lazily
from rulewright.learners.base.learning import learn, without_certificates
from rulewright.learners.base.notices import warn
from rulewright.learners.base.optimality import Optimality
from rulewright.learners.base.parameters import (
    balanced_costs,
    read_amount,
    read_count,
    read_delta,
    read_penalties,
    read_seed,
    read_share,
    read_switch,
    read_whole,
)
from rulewright.learners.base.preparation import (
    add_cautions,
    in_search_order,
    profiled,
    restored,
    restricted,
)
from rulewright.learners.base.progress import listen, report
from rulewright.learners.base.recipes import library_version, recipe_of, settings_of
from rulewright.learners.base.remarks import best_with_rules, remarks
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import (
    CERTIFICATE,
    COLUMNS,
    COMMON,
    CONSTRAINTS,
    Option,
    Parameters,
    Path,
    Settings,
    certificate_option,
    option,
    options_of,
)
from rulewright.learners.base.space_settings import SpaceSettings
from rulewright.learners.base.split_search import (
    CheckedCandidate,
    SplitSearch,
    Units,
    run_settings,
    search_splits,
)
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.base.usefulness import Penalty
from rulewright.learners.conjunctive.settings import RuleListSettings, RuleVoteSettings
from rulewright.learners.dlm.lazy_search import grow_list_lazily
from rulewright.learners.dlm.search import grow_list, listing_stages
from rulewright.learners.polishing.model_polishing import polished_model
from rulewright.learners.registry import ESTIMATORS, SETTINGS
from rulewright.learners.ripper.settings import RipperSettings
from rulewright.learners.scm.lazy_search import grow_machine_lazily
from rulewright.learners.scm.search import covering_stages, grow_machine
from rulewright.learners.scorecard.settings import ScorecardSettings
from rulewright.learners.tree.growth_settings import fraction_option
from rulewright.learners.tree.regression_search import regression_candidates
from rulewright.learners.tree.regression_splits import checked_regression_candidates
from rulewright.learners.tree.regressor_settings import TreeRegressorSettings
from rulewright.learners.tree.settings import TreeSettings
from rulewright.learners.tree_rules.settings import TreeRulesSettings

if TYPE_CHECKING:
    from rulewright.learners.base.classifier import RuleClassifier
    from rulewright.learners.conjunctive.estimator import RuleListClassifier, RuleVoteClassifier
    from rulewright.learners.dlm.estimator import DecisionListMachine
    from rulewright.learners.ripper.estimator import RipperClassifier
    from rulewright.learners.scm.estimator import SetCoveringMachine
    from rulewright.learners.scorecard.estimator import ScorecardClassifier
    from rulewright.learners.slipper.estimator import SlipperClassifier
    from rulewright.learners.tree.estimator import TreeClassifier
    from rulewright.learners.tree.from_sklearn import from_sklearn
    from rulewright.learners.tree.regressor import TreeRegressor
    from rulewright.learners.tree_rules.estimator import TreeRulesClassifier

BASES = {"RuleClassifier": "rulewright.learners.base.classifier"}
CONVERSIONS = {"from_sklearn": "rulewright.learners.tree.from_sklearn"}
"""Models of what others have learnt."""


def __getattr__(name: str) -> Any:
    # Estimators live behind names: importing scikit-learn takes longer than many a whole fit, and
    # the command line does without it.
    places = ESTIMATORS | CONVERSIONS | BASES
    if name not in places:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(places[name]), name)
