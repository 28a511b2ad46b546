"""Changes the numbers of model files one by one, under a limit on memory, and uses what loads.

``python tests/hostile_files.py STEP`` takes every STEP-th of the changes. It prints what did
worse than a clear error.
"""

import copy
import json
import resource
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from rulewright import SetCoveringMachine, TreeClassifier, load_model
from rulewright.data import Field
from rulewright.errors import RulewrightError
from rulewright.models import Model, RegressionModel, to_json
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    ClassScorecard,
    ClassScoreLine,
    Conjunction,
    Disjunction,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Kernel,
    Leaf,
    Metric,
    Missing,
    Not,
    Rule,
    RuleList,
    RuleVote,
    Scaling,
    ScoreBand,
    Scorecard,
    ScoreLine,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

MEMORY = 2**31
SECONDS = 60
PARTS = 3
VALUES = (2**31 - 1, 2**31, 2**53 - 1, 2**62, 10**400, -1, 0, 1e308, -1e308, 5e-324, 0.5, True)

ROWS = 60
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "x": RNG.normal(size=ROWS).round(1),
        "z": RNG.normal(size=ROWS).round(1),
        "b": RNG.integers(0, 2, ROWS).astype(bool),
        "c": RNG.choice(list("abcd"), ROWS),
    }
)
LABELS = np.where((TABLE.x > 0) & (TABLE.c != "a"), "yes", "no")
FIELDS = (
    Field("x", "numeric"),
    Field("z", "numeric"),
    Field("b", "boolean", 2),
    Field("c", "text", 4),
)
POLYNOMIAL = Kernel("polynomial", 1.0, 0.0, 3)
STANDARD = Scaling("standard", shift=(0.5, -1.0), unit=(2.0, 0.5))
RANK = Scaling("rank", knots=((-1.0, 0.0, 3.0), (0.0, 0.0, 1.0)))
ON = ("x", "z")
LITERALS = (
    Threshold("x", True, 0.5, anchored_on=(3,)),
    Interval("x", 0.1, 0.5),
    Category("c", ("a",)),
    Missing("x"),
    Given("b", True),
    Ball(ON, (0.0, 1.0), 2.0, Metric("kernel", POLYNOMIAL)),
    Ball(ON, (0.0, 1.0), 2.0, Metric("l2"), scaling=RANK),
    HalfSpace(ON, (0.0, 1.0), (1.0, 0.0), 0.3, kernel=POLYNOMIAL, scaling=STANDARD),
    HalfPlane(ON, (1.0, 2.0), 0.5, True),
)
CONDITIONS = (
    AllOf(LITERALS[:4]),
    AnyOf(LITERALS[3:]),
    AtLeast(2, LITERALS[:5]),
    Not(AllOf((LITERALS[0], LITERALS[5]))),
    *LITERALS,
)
SPLIT_BY_CATEGORY = Split((Category("c", ("a",)), Category("c", ("b",))), (1, 2, 3), (4, 4, 8))
TREE = Tree((SPLIT_BY_CATEGORY, Leaf(0), Split(LITERALS[5:6], (4, 5)), Leaf(1), Leaf(0), Leaf(1)))


def classifier(body):
    evidence = tuple((1.0, 2.0) for _ in body.outputs)
    return Model(FIELDS, ("no", "yes"), body, evidence, target="t", named=True, certificate=None)


def regression():
    nodes = (Split(LITERALS[:1], (1, 2)), Leaf(0), Leaf(1))
    return RegressionModel(FIELDS, Tree(nodes), (1.5, 2.5), ((9.0, 1.0), (9.0, 2.0)), "t", True)


def models():
    """Name a model of each kind, some with a certificate."""
    yield "list", classifier(RuleList(tuple(Rule(c, 1) for c in CONDITIONS), 0))
    yield "vote", classifier(RuleVote(tuple(WeightedRule(c, 1, 1.5) for c in CONDITIONS), 0))
    lines = tuple(ScoreLine(c, 2) for c in CONDITIONS)
    yield "scorecard", classifier(Scorecard(lines, (ScoreBand(0, 0, 0.1), ScoreBand(3, 1, 0.7))))
    by_class = tuple(ClassScoreLine(c, (-1, 2)) for c in CONDITIONS)
    yield "class scorecard", classifier(ClassScorecard((1, -1), by_class, 0.5))
    yield "conjunction", classifier(Conjunction(LITERALS, 1, 0))
    yield "disjunction", classifier(Disjunction(LITERALS[:3], 1, 0))
    yield "tree", classifier(TREE)
    yield "regression", regression()
    for families in (["thresholds", "categories"], ["thresholds", "subsets"]):
        yield families[-1], SetCoveringMachine(family=families).fit(TABLE, LABELS).model_
    yield "grown", TreeClassifier(family=["thresholds", "multiway"]).fit(TABLE, LABELS).model_


def numbers_in(data, path=()):
    """Give the places of the numbers in a file."""
    if isinstance(data, dict | list):
        parts = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in parts:
            yield from numbers_in(value, (*path, key))
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield path


def changed(data, path, value):
    data = copy.deepcopy(data)
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return data


def use(model):
    """Do with a model what users do."""
    few = TABLE.head(9)
    uses = [
        lambda: str(model),
        lambda: model.predict(few),
        lambda: model.explain(few),
        model.get_rules,
        lambda: model.rounded(1, few),
    ]
    if isinstance(model, Model):
        uses += [
            lambda: model.predict_proba(few),
            model.simplified,
            lambda: model.simplified(few),
            model.as_rule_list,
            lambda: model.certificate and model.certificate.verify(model, TABLE, LABELS),
        ]
    for step in uses:
        try:
            step()
        except RulewrightError:
            continue


def trouble(path, data):
    """Read and use a file; give what is worse than a clear error."""
    path.write_text(json.dumps(data))
    signal.alarm(SECONDS)
    try:
        use(load_model(path))
    except RulewrightError:
        return None
    except Exception as error:
        return repr(error)
    finally:
        signal.alarm(0)
    return None


def main(step, part):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    path = Path(tempfile.mkdtemp()) / "model.json"
    number = 0
    for name, model in models():
        data = to_json(model)
        path.write_text(json.dumps(data))
        use(load_model(path))
        for place in numbers_in(data):
            for value in VALUES:
                number += 1
                if number % step or number // step % PARTS != part:
                    continue
                found = trouble(path, changed(data, place, value))
                if found:
                    print(name, place, repr(value)[:30], found[:200], flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
