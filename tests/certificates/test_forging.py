"""Every single value of a model file that is changed is noticed."""

import copy
import json

import numpy as np
import pytest

from rulewright import (
    DecisionListMachine,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringMachine,
)
from rulewright.certificates import from_json
from rulewright.errors import CertificateError, InputError, ModelFileError
from rulewright.models import to_json

RNG = np.random.default_rng(4)
X = np.round(RNG.normal(size=(60, 3)), 1)
Y = (X[:, 0] + X[:, 1] + 0.5 * RNG.normal(size=60) > 0).astype(int)
THREE = Y + (X[:, 2] > 0.8)

MACHINES = {
    "thresholds": SetCoveringMachine(family="thresholds", max_rules=2),
    "balls": SetCoveringMachine(family="balls", max_rules=2),
    "consistent balls": SetCoveringMachine(family="balls", max_rules=2, consistent=True),
    "half-spaces": SetCoveringMachine(kind="best", family="half_spaces", kernel="rbf", max_rules=2),
    "scaled": SetCoveringMachine(family="half_spaces", scale="standard", max_rules=2),
    "ranked": DecisionListMachine(family="balls", scale="rank", max_rules=2),
    "list": DecisionListMachine(family="balls", types="complex", metric="l1", max_rules=3),
    "coarse": SetCoveringMachine(family="coarse", max_rules=2),
    "coarse list": DecisionListMachine(family=["coarse", "thresholds"], max_rules=3),
    "intervals": DecisionListMachine(family="intervals", max_rules=3),
    "half-planes": SetCoveringMachine(kind="best", family="half_planes", max_rules=2),
    "consistent half-planes": DecisionListMachine(
        family=["half_planes", "thresholds"], consistent=True, max_rules=3
    ),
    "mixture": DecisionListMachine(family=["thresholds", "balls"], consistent=True, max_rules=3),
}

FEW = {"max_rules": 2, "max_terms": 2}
RULES = {
    "rule list": RuleListClassifier(**FEW),
    "rule list that abstains": RuleListClassifier(default="abstain", **FEW),
    "rule list of intervals": RuleListClassifier(family="intervals", **FEW),
    "rule list of syndromes": RuleListClassifier(conditions="syndromes", max_rules=2, max_terms=3),
    "rule list with a person's rule": RuleListClassifier(rules=["x0 > 0.5 -> 1"], **FEW),
    "rule vote of single terms": RuleVoteClassifier(max_rules=8, max_terms=1),
    "rule vote": RuleVoteClassifier(max_rules=6, max_terms=2),
    "rule vote that abstains": RuleVoteClassifier(default="abstain", max_rules=4, max_terms=2),
}


def leaves(data, path=()):
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from leaves(value, (*path, place))
    else:
        yield path, data


def others(value):
    """Values of the same kind that are not this one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, max(value - 1, 0)]
    if isinstance(value, float):
        return [float(np.nextafter(value, np.inf)), value + 1.0, -value]
    if value is None:
        return [0.25]
    return [value + "x", "l1", "l2", "linf", "linear", "rbf", "standard", "none", "missing"]


def changed(data, path, value):
    data = copy.deepcopy(data)
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


def same(data, other):
    """Whether two files say the same: numbers that a kernel does not use mean nothing."""
    ignored = ("gamma", "offset", "degree", "name")

    def told(part):
        if isinstance(part, dict):
            return {k: told(v) for k, v in part.items() if k not in ignored}
        return [told(item) for item in part] if isinstance(part, list) else part

    return told(data) == told(other)


@pytest.mark.cross_section(5)
@pytest.mark.parametrize("name", MACHINES)
def test_every_changed_value_is_noticed(name):
    y = THREE if isinstance(MACHINES[name], DecisionListMachine) else Y
    machine = MACHINES[name].fit(X, y)
    data = json.loads(json.dumps(to_json(machine.model_)))
    from_json(data).certificate.verify(from_json(data), X, y)
    tried = 0
    for part in ("body", "certificate"):
        for path, value in leaves(data[part], (part,)):
            for other in others(value):
                if other == value:
                    continue
                forged = changed(data, path, other)
                if same(forged, data) or _close(path, value, other):
                    continue
                if path[:2] == ("certificate", "cautions"):
                    continue  # said to people; whoever certifies is told anew
                if path == ("certificate", "implied"):
                    continue  # borders that are named may well be those that would be implied
                if path == ("certificate", "canonical"):
                    continue  # where nothing depends on an order, either is true
                if path == ("body", "default"):
                    continue  # another model, which the same message could tell: it may be as good
                tried += 1
                try:
                    model = from_json(forged)
                    model.certificate.verify(model, X, y)
                except (ModelFileError, CertificateError, InputError):
                    continue
                pytest.fail(f"{'.'.join(map(str, path))}: {value!r} became {other!r}, unnoticed")
    assert tried > 40


def _close(path, value, other):
    """A bound or a price in nats may be computed to other last digits."""
    computed = ("bound", "message", "printed_bound")
    rounding = path[:2] in [("certificate", name) for name in computed]
    delta = path == ("certificate", "delta")
    number = isinstance(value, float)
    return number and (rounding or delta) and abs(value - other) < 1e-9


def notices(data, y):
    """Whether a file is refused, or its certificate does not hold."""
    try:
        model = from_json(data)
        model.certificate.verify(model, X, y)
    except (ModelFileError, CertificateError, InputError):
        return True
    return False


def answers_alike(data, other):
    """Whether two files answer alike where errors are counted: one promise is true of both."""
    try:
        model, another = from_json(data), from_json(other)
    except (ModelFileError, InputError):
        return False
    counted = np.delete(X, list(model.certificate.examples), axis=0)
    return (model.predict(counted) == another.predict(counted)).all()


def written(name, y):
    """Fit one of the learners of rules and give its file."""
    return json.loads(json.dumps(to_json(RULES[name].fit(X, y).model_)))


@pytest.mark.parametrize("name", RULES)
def test_every_changed_number_of_a_rule_is_noticed(name):
    """Cuts, bounds, classes, weights, anchors.

    All but what makes no difference to any row that errors are counted on and is told at the same
    price: the bound is true of the other model too.
    """
    data = written(name, THREE)
    assert not notices(data, THREE)
    tried = 0
    for path, value in leaves(data["body"], ("body",)):
        if path == ("body", "default") or isinstance(value, str):
            continue
        for other in others(value):
            forged = changed(data, path, other)
            if other != value and not same(forged, data):
                where = f"{'.'.join(map(str, path))}: {value!r} became {other!r}"
                noticed = notices(forged, THREE)
                tried += noticed
                assert noticed or answers_alike(data, forged), where
    assert tried >= 4


@pytest.mark.parametrize("y", [Y, THREE], ids=["two classes", "three classes"])
def test_a_voice_that_turns_the_vote_is_noticed(y):
    data = written("rule vote of single terms", y)
    turned = 0
    for number, voter in enumerate(data["body"]["voters"]):
        for weight in (-voter["weight"], voter["weight"] + 1 / 16, voter["weight"] * 8, 0.0):
            forged = changed(data, ("body", "voters", number, "weight"), weight)
            if not answers_alike(data, forged):
                turned += 1
                assert notices(forged, y), f"rule {number + 1}: {voter['weight']} became {weight}"
    assert turned


@pytest.mark.parametrize("name", RULES)
def test_a_default_cannot_become_silence_nor_silence_a_default(name):
    data = written(name, Y)
    other = None if data["body"]["default"] is not None else 0
    assert notices(changed(data, ("body", "default"), other), Y)


@pytest.mark.cross_section(3)
@pytest.mark.parametrize("name", RULES)
def test_every_changed_number_of_their_certificates_is_noticed(name):
    data = written(name, Y)
    for path, value in leaves(data["certificate"], ("certificate",)):
        if path[1] in ("cautions", "implied", "canonical", "families"):
            continue  # as above; what else was offered is taken on trust, at the same price
        for other in others(value):
            if other != value and not _close(path, value, other):
                forged = changed(data, path, other)
                where = f"{'.'.join(map(str, path))}: {value!r} became {other!r}"
                assert same(forged, data) or notices(forged, Y), where
