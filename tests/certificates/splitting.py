"""Ugly tables, every learner of them with a split certificate, and its pools made again."""

import warnings
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from oracles import split as oracle

import rulewright
from rulewright.certificates import DesignRows, identity, scored_pool
from rulewright.data import content_key, detect_table, seed_key
from rulewright.learners import search_splits
from rulewright.rules import Evaluation
from rulewright.selection import LEARNERS, run_recipe

PURPOSE = "rulewright-split-1"
SMALL = {
    "auto": ("AutoClassifier", {"tolerance": 0, "among": ("machines", "tree", "scorecard")}),
    "scm": ("SetCoveringMachine", {"kind": "best"}),
    "dlm": ("DecisionListMachine", {"max_rules": 4}),
    "tree": ("TreeClassifier", {}),
    "rule-list": ("RuleListClassifier", {"max_rules": 3, "max_terms": 2, "beam_width": 2}),
    "rule-vote": ("RuleVoteClassifier", {"max_rules": 4, "max_terms": 1}),
    "ripper": ("RipperClassifier", {}),
    "scorecard": ("ScorecardClassifier", {"max_conditions": 4}),
    "slipper": ("SlipperClassifier", {"n_rounds": 3}),
    "tree-rules": ("TreeRulesClassifier", {}),
}
SPLITS = 2


def estimator(learner, **options):
    """A learner that is quick on small tables, with a split certificate."""
    name, small = SMALL[learner]
    given = {"certificate": "split", "n_splits": SPLITS, **small, **options}
    return getattr(rulewright, name)(**given)


def ugly(rows=56, classes=2, seed=0):
    """Ties, repeated rows, missing values, categories, constant columns, contradictory labels."""
    rng = np.random.default_rng(seed)
    tied = rng.integers(0, 4, rows).astype(float)
    frame = pd.DataFrame(
        {
            "tied": tied,
            "constant": 1.0,
            "size": rng.normal(size=rows).round(1),
            "town": rng.choice(["Alba", "Asti", "Bra"], rows),
            "empty": np.nan,
            "flag": rng.random(rows) < 0.5,
        }
    )
    y = (tied > 1).astype(int) + ((classes > 2) & (frame["size"] > 0.6).to_numpy())
    y = np.where(rng.random(rows) < 0.1, rng.integers(0, classes, rows), y)
    frame.loc[rng.choice(rows, rows // 8, replace=False), "tied"] = np.nan
    frame.loc[rng.choice(rows, rows // 8, replace=False), "town"] = None
    again = rng.choice(rows, rows // 4)
    frame = pd.concat([frame, frame.iloc[again]], ignore_index=True)
    y = np.append(y, np.where(rng.random(again.size) < 0.7, y[again], (y[again] + 1) % classes))
    return frame, np.array(["a", "b", "c"])[y]


def weights(rows, seed=0):
    """Weights, some of them zero."""
    return np.random.default_rng(seed).choice([0.0, 1.0, 1.0, 2.0], rows)


KINDS = [
    (learner, kind)
    for learner in LEARNERS
    for kind in ("two classes", "three classes", "weights", "costs", "seed")
    if kind != "three classes" or LEARNERS[learner].max_classes is None
]
CASES = [
    pytest.param(learner, kind, marks=pytest.mark.slow if learner == "auto" else ())
    for learner, kind in KINDS
]
OPTIONS = {"costs": {"class_costs": {"a": 1, "b": 3}}, "seed": {"random_state": 5}}


def cases(*without):
    """All cases but those of some kinds."""
    return [case for case in CASES if case.values[1] not in without]


@cache
def fitted(learner, kind="two classes"):
    """The learner after a fit of an ugly table, and the table."""
    X, y = ugly(classes=3 if kind == "three classes" else 2)
    weight = weights(len(X)) if kind == "weights" else None
    with warnings.catch_warnings():  # of categories that are hardly all seen
        warnings.simplefilter("ignore", UserWarning)
        made = estimator(learner, **OPTIONS.get(kind, {})).fit(X, y, sample_weight=weight)
    return SimpleNamespace(
        estimator=made, X=X, y=y, weight=weight, model=made.model_, certificate=made.certificate_
    )


def searched(made, X, y, weight=None):
    """The pools of all splits that the library makes."""
    return search_splits(made.settings(), made._sample(X, y, weight), 1).pools


def kept(found):
    """Rows of positive weight."""
    rows = np.arange(len(found.y))
    return rows if found.weight is None else rows[found.weight > 0]


def split_rows(found, number):
    """Design rows and check rows of a split by definition, as numbers of the user's rows."""
    rows = kept(found)
    certificate = found.certificate
    count = rows.size - rows.size // 2
    if certificate.seed is not None:
        key, order = seed_key(PURPOSE, certificate.seed), np.arange(rows.size)
    else:
        table = detect_table(found.X).take(rows)
        codes = np.unique(found.y, return_inverse=True)[1].astype(np.int32)[rows]
        weight = np.ones(rows.size) if found.weight is None else found.weight[rows]
        classes = tuple(found.estimator.classes_.tolist())
        key, order = content_key(PURPOSE, table, classes, codes, weight, recipe=certificate.recipe)
    assert key.hex() == certificate.key
    design = np.sort(order[oracle.draw(key, number, rows.size, count)])
    return rows[design], np.setdiff1d(rows, rows[design])


def recipe_result(found, number):
    """What the recipe learns from the design rows of a split."""
    design, _ = split_rows(found, number)
    codes = np.unique(found.y, return_inverse=True)[1].astype(np.int32)
    weight = np.ones(len(found.y)) if found.weight is None else found.weight
    rows = DesignRows(
        detect_table(found.X).take(design),
        codes[design],
        weight[design],
        tuple(found.estimator.classes_.tolist()),
        design,
    )
    return run_recipe(found.certificate.recipe, rows)


def oracle_pool(found, number):
    """Bodies and prior probabilities of a pool by their names."""
    design, _ = split_rows(found, number)
    result = recipe_result(found, number)
    table, y = detect_table(found.X).take(design), found.y[design]
    codes = np.unique(found.y, return_inverse=True)[1][design]
    costs = result.costs or [1.0] * len(set(found.y))
    unit = sum(costs[code] for code in codes) / len(y)
    bodies, learners = {}, []
    for members in result.learners:
        rated = []
        for member in members:
            says = member.body.classify(table)
            loss = sum(costs[code] for code, said in zip(codes, says, strict=True) if code != said)
            bodies.setdefault(identity(member.body), member.body)
            rated.append((identity(member.body), loss / unit, member.body.literals))
        learners.append(rated)
    return bodies, oracle.prior(learners)


def oracle_errors(found, number, body):
    """Errors of a model on the check rows of a split, and how many there are."""
    _, check = split_rows(found, number)
    codes = np.unique(found.y, return_inverse=True)[1][check]
    return int((body.classify(detect_table(found.X).take(check)) != codes).sum()), check.size


def library_pool(found, number, y=None):
    """The pool as the library scores it, which is given the labels of all rows."""
    design, _ = split_rows(found, number)
    codes = np.unique(found.y, return_inverse=True)[1].astype(np.int32) if y is None else y
    result = recipe_result(found, number)
    return scored_pool(result, Evaluation(detect_table(found.X)), codes, design)
