"""The learners: settings by their names on the command line, estimators by their modules."""

from __future__ import annotations

from rulewright.learners.base.settings import Settings
from rulewright.learners.conjunctive.settings import RuleListSettings, RuleVoteSettings
from rulewright.learners.dlm.settings import DlmSettings
from rulewright.learners.ripper.settings import RipperSettings
from rulewright.learners.scm.settings import ScmSettings
from rulewright.learners.scorecard.settings import ScorecardSettings
from rulewright.learners.slipper.settings import SlipperSettings
from rulewright.learners.tree.settings import TreeSettings
from rulewright.learners.tree_rules.settings import TreeRulesSettings

SETTINGS: dict[str, type[Settings]] = {
    settings.learner: settings
    for settings in (
        ScmSettings,
        DlmSettings,
        TreeSettings,
        RuleListSettings,
        RuleVoteSettings,
        RipperSettings,
        SlipperSettings,
        TreeRulesSettings,
        ScorecardSettings,
    )
}

ESTIMATORS = {
    "SetCoveringMachine": "rulewright.learners.scm.estimator",
    "DecisionListMachine": "rulewright.learners.dlm.estimator",
    "RuleListClassifier": "rulewright.learners.conjunctive.estimator",
    "RuleVoteClassifier": "rulewright.learners.conjunctive.estimator",
    "RipperClassifier": "rulewright.learners.ripper.estimator",
    "ScorecardClassifier": "rulewright.learners.scorecard.estimator",
    "SlipperClassifier": "rulewright.learners.slipper.estimator",
    "TreeClassifier": "rulewright.learners.tree.estimator",
    "TreeRegressor": "rulewright.learners.tree.regressor",
    "TreeRulesClassifier": "rulewright.learners.tree_rules.estimator",
}
