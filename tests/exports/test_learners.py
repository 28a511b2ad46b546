"""Every learner with every family: its export answers as its model does."""

import inspect
import warnings
from functools import cache

import pytest
from exports.test_conformance import ALL, differing, exportable
from golden import make

import rulewright
from rulewright.errors import InputError
from rulewright.families import FAMILIES

FEW = {
    "RuleListClassifier": {"max_rules": 3, "max_terms": 2},
    "RuleVoteClassifier": {"max_rules": 3, "max_terms": 2},
    "SlipperClassifier": {"n_rounds": 4},
}
LEARNERS = (
    *("SetCoveringMachine", "DecisionListMachine", "RuleListClassifier", "RuleVoteClassifier"),
    *("RipperClassifier", "SlipperClassifier", "TreeClassifier", "TreeRulesClassifier"),
    *("TreeRegressor", "ScorecardClassifier"),
)
SPECIAL = {"given": make.GIVEN, "expert": make.EXPERT}


def fitted(name, family):
    """A model of a learner with a family; None where they do not go together."""
    learner = getattr(rulewright, name)
    rows = make.patients().head(make.ROWS)
    columns = make.COMPLETE if family in ("balls", "half_spaces", "half_planes") else None
    columns = columns or [c for c in rows.columns if c not in make.TARGETS]
    target = "cost" if name == "TreeRegressor" else "outcome"
    options = dict(FEW.get(name, {}))
    if family is not None:
        if "family" not in inspect.signature(learner).parameters:
            return None
        options["family"] = SPECIAL.get(family, family)
    try:
        return learner(**options).fit(rows[columns], rows[target]).model_
    except InputError:
        return None


@cache
def fitted_models():
    """A model of every learner with every family that it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = {
            f"{learner}-{family}": fitted(learner, family)
            for learner in LEARNERS
            for family in (None, *FAMILIES)
        }
    return {name: model for name, model in pairs.items() if model is not None}


@pytest.mark.exports
@pytest.mark.parametrize("name", [name for name in ALL if name != "sql"])
def test_a_learner_with_a_family_has_an_export_that_answers_as_its_model_does(name):
    if absent := ALL[name].absent():
        pytest.skip(f"{absent[0]} is not installed")
    assert every_learner_differs(ALL[name]) == {}


def every_learner_differs(engine):
    """Models of learners and families whose export answers some of 20,000 rows otherwise."""
    there = {key: model for key, model in fitted_models().items() if exportable(model, engine)}
    assert {key.split("-")[0] for key in there} == set(LEARNERS)
    assert {key.split("-")[1] for key in there} >= {"None", "thresholds", "balls", "subsets"}
    return differing(engine, there, 20_000)
