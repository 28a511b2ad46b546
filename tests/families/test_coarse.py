"""Coarse cuts: where they come from, what they cost, and that their certificates are checked."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.families import coarse_cuts
from strategies.numbers import TIED_OR_MISSING

from rulewright import DecisionListMachine, RuleListClassifier, SetCoveringMachine, load_model
from rulewright.certificates import from_json
from rulewright.data import NumericColumn, Table
from rulewright.errors import CertificateError, InputError
from rulewright.families import CoarseThresholds, Examples, Site, Training
from rulewright.models import to_json
from rulewright.rules import Conjunction, Threshold

RNG = np.random.default_rng(7)
X = pd.DataFrame(RNG.normal(size=(300, 3)), columns=list("abc"))
X.loc[RNG.random(300) < 0.1, "b"] = np.nan
Y = ((X["a"] > 0.2) & ~(X["b"] > 0.5) ^ (RNG.random(300) < 0.05)).astype(int).to_numpy()


def measured(table):
    family = CoarseThresholds()
    return family.measured(table, family.scaling_rows(table.rows))


@given(hnp.arrays(np.float64, st.integers(1, 300), elements=TIED_OR_MISSING))
def test_cuts_are_quantiles_of_every_tenth_row(values):
    family = measured(Table([NumericColumn("x", values)], values.size))
    cuts = family.cuts("x")
    assert list(cuts) == coarse_cuts(values[::10])
    assert len(cuts) <= 16
    assert set(cuts) <= set(values[::10].tolist())
    other = values.copy()
    other[np.arange(values.size) % 10 > 0] = 99.0
    assert measured(Table([NumericColumn("x", other)], values.size)).cuts("x") == cuts


def test_a_column_of_many_values_has_16_cuts_that_divide_it_equally():
    values = np.arange(3400.0)
    cuts = measured(Table([NumericColumn("x", values)], 3400)).cuts("x")
    assert np.diff(np.searchsorted(values, cuts)).tolist() == [200] * 15


def test_a_place_beyond_the_cuts_builds_nothing():
    table = Table([NumericColumn("x", np.array([1.0, 2.0]))], 2)
    family, examples = measured(table), Examples.of(Training(table, np.zeros(2, np.int32)))
    assert family.build(Site("x", (True, 0)), examples, ()) == Threshold("x", True, 1.0)
    assert family.build(Site("x", (True, 1)), examples, ()) is None
    assert family.build(Site("y", (True, 0)), examples, ()) is None
    assert family.site(Threshold("x", True, 2.0)) is None
    assert family.site(Threshold("x", True, 1.0, anchored_on=(0,))) is None


def test_a_rule_costs_its_column_direction_and_place_and_no_row():
    machine = SetCoveringMachine(family="coarse", max_rules=2).fit(X, Y)
    c = machine.certificate_
    assert machine.model_.body.literals == 2
    assert c.examples == ()
    assert sum(c.aside) == 30
    message = dict(c.message)
    (tests,) = (nats for name, nats in message.items() if "columns and tests" in name)
    # The order of the two tests makes no difference.
    assert tests == pytest.approx(2 * (math.log(3) + math.log(32)) - math.log(2))
    wrong = machine.predict(X) != Y
    assert c.errors <= wrong.sum()


@pytest.mark.parametrize("machine", [SetCoveringMachine, DecisionListMachine])
@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("family", ["coarse", ["thresholds", "coarse"]])
def test_its_models_are_saved_loaded_and_verified(machine, consistent, family, tmp_path):
    fitted = machine(family=family, consistent=consistent, max_rules=3).fit(X, Y)
    fitted.certificate_.verify(fitted.model_, X, Y)
    fitted.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded == fitted.model_
    assert loaded.certificate == fitted.certificate_
    loaded.certificate.verify(loaded, X, Y)
    order = np.random.default_rng(1).permutation(len(X))
    if not fitted.certificate_.examples:  # rows that rebuild a model are named by number
        loaded.certificate.verify(loaded, X.iloc[order], Y[order])


def forged(cut):
    """A conjunction whose first cut is replaced, with the rest of its file as it was."""
    fitted = SetCoveringMachine(family="coarse", max_rules=1).fit(X, Y)
    (part,) = fitted.model_.body.parts
    body = Conjunction((replace(part, cut=cut(part)),), 1, 0)
    return from_json(json.loads(json.dumps(to_json(replace(fitted.model_, body=body)))))


def test_a_cut_that_is_not_on_the_grid_is_refused():
    values = np.sort(X["a"].to_numpy())
    model = forged(lambda part: float(values[np.searchsorted(values, part.cut) + 1]))
    with pytest.raises(CertificateError, match="do not make the rule"):
        model.certificate.verify(model, X, Y)


def test_a_changed_value_of_a_row_set_aside_is_refused():
    fitted = SetCoveringMachine(family="coarse", max_rules=1).fit(X, Y)
    (part,) = fitted.model_.body.parts
    other = X.copy()
    other.loc[other[part.column] == part.cut, part.column] += 1e-9
    with pytest.raises(CertificateError):
        fitted.certificate_.verify(fitted.model_, other, Y)


def test_it_is_refused_by_learners_of_several_terms():
    with pytest.raises(InputError, match="coarse"):
        RuleListClassifier(family="coarse").fit(X, Y)
