"""The papers' own formula beside a certificate: by hand from the rules, and absent elsewhere."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine
from rulewright.bounds import (
    printed_dlm_complex,
    printed_dlm_simple,
    printed_scm_balls,
    printed_scm_half_spaces,
)
from rulewright.errors import CertificateError

RNG = np.random.default_rng(2)
X = np.round(RNG.normal(size=(100, 3)), 2)
Y = (X[:, 0] + X[:, 1] + 0.5 * RNG.normal(size=100) > 0).astype(int)


def counts(entry, prototypes, y=Y):
    """Count positives and negatives among prototypes, borders and errors, and in all."""
    rules = [getattr(rule.condition, "part", rule.condition) for rule in entry.model.body.rules]
    anchored = [rule.anchored_on for rule in rules if hasattr(rule, "anchored_on")]
    assert len(anchored) == entry.size
    first = {row for rows in anchored for row in rows[:prototypes]}
    borders = {row for rows in anchored for row in rows[prototypes:]} - first
    certificate = entry.certificate
    assert first | borders == set(certificate.examples)
    return {
        "m_p": int(sum(y == 1)),
        "m_n": int(sum(y == 0)),
        "prototypes": np.bincount(y[sorted(first)], minlength=2).tolist(),
        "borders": np.bincount(y[sorted(borders)], minlength=2).tolist(),
        "k_p": certificate.wrong[1],
        "k_n": certificate.wrong[0],
        "delta": certificate.delta,
    }


def by_hand(machine, entry, y=Y):
    """Call the theorem that is about this machine."""
    n = counts(entry, 2 if machine.family == "half_spaces" else 1, y)
    (first_n, first_p), (b_n, b_p) = n.pop("prototypes"), n.pop("borders")
    kind = getattr(machine, "kind", "list")
    if machine.family == "half_spaces":
        pairs = {part.anchored_on[:2] for part in entry.model.body.parts}
        return printed_scm_half_spaces(kind, a=first_p, b=first_n, c=b_p + b_n, r=len(pairs), **n)
    if kind != "list":
        return printed_scm_balls(kind, c_p=first_p, c_n=first_n, b=b_p + b_n, **n)
    sizes = {"c_p": first_p, "c_n": first_n, "b_p": b_p, "b_n": b_n, **n}
    if machine.types == "complex":
        return printed_dlm_complex(r=entry.size, **sizes)
    return printed_dlm_simple(**sizes)


MACHINES = [
    SetCoveringMachine(family="balls"),
    SetCoveringMachine(family="balls", kind="disjunction", metric="l1", delta=0.2),
    SetCoveringMachine(family="balls", consistent=True),
    SetCoveringMachine(family="half_spaces"),
    SetCoveringMachine(family="half_spaces", kind="disjunction", kernel="rbf"),
    SetCoveringMachine(family="half_spaces", kind="disjunction", consistent=True, penalty=3.0),
    DecisionListMachine(family="balls"),
    DecisionListMachine(family="balls", types="complex", consistent=True),
    DecisionListMachine(family="balls", types="complex", max_rules=None),
]


@pytest.mark.parametrize("machine", MACHINES)
def test_it_is_the_theorem_by_hand_for_every_size(machine):
    machine.fit(X, Y)
    assert machine.path_[-1].size >= 2
    for entry in machine.path_:
        assert entry.certificate.printed_bound == pytest.approx(by_hand(machine, entry))
        entry.certificate.verify(entry.model, X, Y)


@given(
    hnp.arrays(np.float64, (14, 2), elements=st.integers(-2, 2)),
    hnp.arrays(np.int64, 14, elements=st.integers(0, 1)),
    st.sampled_from(MACHINES),
)
def test_it_is_the_theorem_on_ugly_data(points, y, machine):
    y[:2] = 0, 1
    machine.fit(points, y)
    for entry in machine.path_:
        c = entry.certificate
        if not entry.size:
            assert c.printed_bound is None
            continue
        assert c.printed_bound == pytest.approx(by_hand(machine, entry, y))
        assert c.closed_bound >= c.bound
        c.verify(entry.model, points, y)


@pytest.mark.parametrize(
    "machine",
    [
        SetCoveringMachine(),
        SetCoveringMachine(family="thresholds"),
        SetCoveringMachine(family=["thresholds", "balls"]),
        SetCoveringMachine(family=["balls", "half_spaces"]),
        SetCoveringMachine(family="balls", scale="standard"),
        SetCoveringMachine(family="half_spaces", scale="rank"),
        DecisionListMachine(family="half_spaces"),
        DecisionListMachine(family="auto"),
    ],
)
def test_there_is_none_where_the_papers_have_none(machine):
    machine.fit(X, Y)
    assert all(entry.certificate.printed_bound is None for entry in machine.path_)


def test_there_is_none_for_three_classes_nor_without_rules():
    three = DecisionListMachine(family="balls").fit(X, Y + (X[:, 2] > 0.5))
    assert three.certificate_.printed_bound is None
    same = np.zeros((20, 2))
    constant = SetCoveringMachine(family="balls").fit(same, np.arange(20) % 2)
    assert constant.path_[-1].size == 0
    assert constant.certificate_.printed_bound is None


def test_there_is_none_for_rows_held_out():
    search = BoundSearch(SetCoveringMachine(family="balls"), {"penalty": [1]}, by="holdout").fit(
        X, Y
    )
    assert search.certificate_.printed_bound is None
    assert search.tail_certificate_.printed_bound is not None


def test_a_forged_one_is_caught():
    machine = SetCoveringMachine(family="balls").fit(X, Y)
    for printed in (0.01, None):
        forged = dataclasses.replace(machine.certificate_, printed_bound=printed)
        with pytest.raises(CertificateError, match="papers' formula gives"):
            forged.verify(machine.model_, X, Y)
    plain = SetCoveringMachine().fit(X, Y)
    forged = dataclasses.replace(plain.certificate_, printed_bound=0.01)
    with pytest.raises(CertificateError, match="papers' formula gives None"):
        forged.verify(plain.model_, X, Y)


def test_the_closed_form_is_never_below_the_certificate():
    three = Y + (X[:, 2] > 0.5)
    for machine in (
        *MACHINES,
        SetCoveringMachine(),
        DecisionListMachine(family="balls", scale="rank"),
    ):
        y = three if isinstance(machine, DecisionListMachine) else Y
        for entry in machine.fit(X, y).path_:
            c = entry.certificate
            assert c.bound <= c.closed_bound <= 1
    held = BoundSearch(SetCoveringMachine(), {"penalty": [1]}, by="holdout").fit(X, Y).certificate_
    assert held.closed_bound >= held.bound > 0
    assert not math.isnan(held.closed_bound)
