"""Certificates from rows that were held out: how they come about, and that forgeries are caught."""

import dataclasses
import json
import math

import numpy as np
import pytest

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine, load_model
from rulewright.bounds import class_tails, compression_tail
from rulewright.certificates import certificate_from_json, from_json
from rulewright.errors import CertificateError, ModelFileError
from rulewright.families import GivenPredicates
from rulewright.learners import in_search_order
from rulewright.models import to_json

RNG = np.random.default_rng(5)
X = np.round(RNG.normal(size=(150, 3)), 1)
Y = (X[:, 0] + 0.5 * RNG.normal(size=150) > 0).astype(int)
THREE = Y + (X[:, 2] > 0.5)
ROWS = np.arange(150)


def searched(machine, grid, y=Y, **options):
    return BoundSearch(machine, grid, by="holdout", **options).fit(X, y)


def tried(search, relabelled=()):
    """The paths of all runs, which a search does not keep; some rows may have the other label.

    A row with another label keeps its place, so that the search holds out the same rows.
    """
    sample = in_search_order(search._sample(X, Y, None), search._families())
    y = np.where(np.isin(sample.rows, relabelled), 1 - sample.y, sample.y)
    results = search._by_holdout(search._grid(), dataclasses.replace(sample, y=y))
    return [
        [entry.restored(sample.rows, sample.names) for entry in run.path] for run in results.tried
    ]


@pytest.fixture(scope="module")
def search():
    return searched(SetCoveringMachine(family="balls", max_rules=4), {"penalty": [1, 2, 5]})


def test_it_counts_on_the_rows_held_out_and_pays_for_the_models_tried(search):
    c = search.certificate_
    held = list(c.held)
    wrong = search.predict(X[held]) != Y[held]
    bodies = {entry.model.body for path in tried(search) for entry in path}
    assert c.form == "holdout"
    assert len(held) == c.m == 50
    assert c.counts == tuple(np.bincount(Y[held]))
    assert c.wrong == tuple(np.bincount(Y[held][wrong], minlength=2))
    assert c.settings == len(bodies) > 1
    assert c.message == ((f"which of the {len(bodies)} models tried", math.log(len(bodies))),)
    assert c.bound == compression_tail(50, [], c.errors, math.log(len(bodies)), c.delta)
    assert c.class_bounds == class_tails(c.counts, [], c.wrong, c.message_nats, c.delta)
    assert c.cost_bound([1, 1]) == c.bound
    assert c.examples == ()
    assert "50 held-out cases" in str(c)


def test_the_rows_held_out_took_no_part_in_learning(search):
    c = search.certificate_
    learnt = np.setdiff1d(ROWS, c.held)
    assert not set(c.held) & set(search.model_.body.anchors)
    assert not set(c.held) & set(search.tail_certificate_.examples)
    machine = SetCoveringMachine(family="balls", **search.best_params_).fit(X[learnt], Y[learnt])
    assert (machine.predict(X) == search.predict(X)).all()
    before, changed = tried(search), tried(search, c.held)
    assert [[e.model.body for e in path] for path in changed] == [
        [e.model.body for e in path] for path in before
    ]
    entry = next(e for path in changed for e in path if e.model.body == search.model_.body)
    assert entry.model.body.anchors == search.model_.body.anchors
    assert entry.certificate.examples == search.tail_certificate_.examples


def test_the_fewest_errors_held_out_are_chosen(search):
    results = search.results_
    chosen = results[results["chosen"]].iloc[0]
    assert chosen["holdout_loss"] == results["holdout_loss"].min()
    assert chosen["holdout_loss"] == pytest.approx(search.certificate_.errors / 50)
    fewest = results[results["holdout_loss"] == chosen["holdout_loss"]]
    assert chosen["size"] == fewest["size"].min()


def test_the_share_is_what_was_asked_for():
    for share, rows in ((0.1, 15), (0.5, 75), (np.float32(0.9), 135)):
        found = searched(SetCoveringMachine(max_rules=1), {"penalty": [1]}, holdout=share)
        assert len(found.certificate_.held) == rows
        found.certificate_.verify(found.model_, X, Y)


@pytest.mark.parametrize(
    ("machine", "y"),
    [
        (SetCoveringMachine(kind="best"), Y),
        (SetCoveringMachine(family="half_spaces", kernel="rbf", max_rules=2), Y),
        (SetCoveringMachine(family="balls", scale="standard", consistent=True), Y),
        (SetCoveringMachine(class_costs={1: 4}), Y),
        (DecisionListMachine(), THREE),
        (DecisionListMachine(family="auto", consistent=True), THREE),
    ],
)
def test_both_certificates_verify_and_come_back_from_a_file(machine, y, tmp_path):
    found = searched(machine, {"max_rules": [1, 3]}, y)
    found.save_model(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model == found.model_
    assert model.certificate == found.certificate_
    model.certificate.verify(model, X, y)
    c = found.certificate_
    assert certificate_from_json(json.loads(json.dumps(c.to_json()))) == c
    learnt = ~np.isin(ROWS, c.held)
    found.tail_certificate_.verify(found.path_[-1].model, X, y, sample_weight=learnt)
    assert found.tail_certificate_.form == "compression"
    assert found.tail_certificate_.m == learnt.sum()


def test_models_of_functions_are_certified_too():
    def apart(a, b):
        return float(np.abs(a - b).sum())

    for machine in (
        SetCoveringMachine(family="balls", metric=apart, max_rules=2),
        SetCoveringMachine(family=GivenPredicates(functions={"up": lambda t: t["x0"] > 0})),
    ):
        found = searched(machine, {"penalty": [1, 2]})
        found.certificate_.verify(found.model_, X, Y)


def test_one_model_costs_nothing():
    found = searched(SetCoveringMachine(max_rules=1), {"penalty": [1]})
    assert found.certificate_.message == ()
    assert found.certificate_.settings == 1
    found.certificate_.verify(found.model_, X, Y)


def refused(search, reason, /, y=Y, weight=None, model=None, table=X, **changes):
    """Make the bound fit what was changed, as a forger would, and check."""
    c = dataclasses.replace(search.certificate_, **changes)
    if "bound" not in changes and sum(c.wrong) <= c.m:
        c = dataclasses.replace(c, bound=c.recomputed_bound())
    with pytest.raises(CertificateError, match=reason):
        c.verify(model or search.model_, table, y, sample_weight=weight)


def test_forged_rows_are_caught(search):
    held = search.certificate_.held
    refused(search, "not those that seed 0 draws from 150 rows", held=(*held[1:], 150))
    refused(search, "not those that seed 0", held=(*held[1:], held[1]))
    refused(search, "not those that seed 0", held=held[1:])
    refused(search, "not those that seed 0", held=())
    refused(search, "not those that seed 1", seed=1)
    refused(search, "not those that seed None", seed=None)
    weight = np.ones(150)
    weight[held[3]] = 0
    refused(search, "not those that seed 0 draws from 149 rows", weight=weight)


def test_an_anchor_among_the_rows_held_out_is_caught(search):
    row, body = search.certificate_.held[0], search.model_.body
    part = dataclasses.replace(body.parts[0], anchored_on=(row, *body.parts[0].anchored_on[1:]))
    changed = dataclasses.replace(body, parts=(part, *body.parts[1:]))
    model = dataclasses.replace(search.model_, body=changed)
    refused(search, f"anchored on row {row}, which the certificate says was held", model=model)


def test_rows_that_were_picked_for_their_answers_are_caught(search):
    c = search.certificate_
    right = search.predict(X) == Y
    rows = tuple(row for row in c.held if right[row])
    counts = tuple(np.bincount(Y[list(rows)]).tolist())
    picked = dataclasses.replace(c, held=rows, counts=counts, wrong=(0, 0))
    picked = dataclasses.replace(picked, bound=picked.recomputed_bound())
    assert picked.bound < c.bound
    with pytest.raises(CertificateError, match="not those that seed 0"):
        picked.verify(search.model_, X, Y)


def relabelled(search, table):
    """Labels of which one that was held out and judged rightly is changed, then two."""
    held = list(search.certificate_.held)
    right = [row for row in held if search.predict(table[[row]])[0] == Y[row]]
    one, two = (next(row for row in right if Y[row] == label) for label in (0, 1))
    first = Y.copy()
    first[one] = 1
    second = first.copy()
    second[two] = 0
    return first, second


def test_changed_labels_are_caught(search):
    assert search.certificate_.canonical
    for labels in relabelled(search, X):  # the rows are drawn in an order that labels shape
        refused(search, "not those that seed 0 draws from 150 rows", y=labels)


def test_changed_labels_are_caught_where_rows_are_drawn_in_the_order_of_the_table():
    table = np.linalg.norm(X[:, None] - X, axis=2)
    machine = SetCoveringMachine(family="balls", metric="precomputed", max_rules=4)
    search = BoundSearch(machine, {"penalty": [1, 2, 5]}, by="holdout").fit(table, Y)
    assert not search.certificate_.canonical
    search.certificate_.verify(search.model_, table, Y)
    one, two = relabelled(search, table)
    refused(search, "A label differs from training", y=one, table=table)
    refused(search, "counting again gives", y=two, table=table)


def test_forged_counts_are_caught(search):
    c = search.certificate_
    refused(search, r"counts \[0, 0\] errors on the other 50 examples", wrong=(0, 0))
    refused(search, "for 500 training examples", counts=(250, 250))
    refused(search, "counts .* examples of the classes", counts=(c.counts[0] + 1, c.counts[1] - 1))
    refused(search, "claims a bound of 0.01", bound=0.01)
    claimed = dataclasses.replace(c, delta=1e-6)
    with pytest.raises(CertificateError, match="claims a bound"):
        claimed.verify(search.model_, X, Y)


def test_a_forged_number_of_models_is_caught(search):
    refused(search, "nats for the choice among 1 models; it should be 0", settings=1)
    refused(search, "pays 0.000000 nats for the choice among", message=())
    refused(search, "pays 0.100000 nats", message=(("which of the 3 models tried", 0.1),))
    refused(search, "pays", message=(("a free lunch", search.certificate_.message_nats),))


def test_what_rebuilds_nothing_has_no_say_in_rebuilding(search):
    for change in (
        {"aside": (1, 0)},
        {"printed_bound": 0.01},
        {"families": search.tail_certificate_.families},
    ):
        refused(search, "rebuilds nothing", **change)


def test_a_file_with_members_of_another_form_is_refused(search):
    for c, changes in (
        (search.certificate_, {"implied": True, "combinations": ["all"]}),
        (search.tail_certificate_, {"held": [1, 2, 3], "seed": 0}),
    ):
        data = json.loads(json.dumps(c.to_json()))
        assert certificate_from_json(data) == c
        for name, value in changes.items():
            reason = f"a certificate of the form '{c.form}' has no '{name}'"
            with pytest.raises(ModelFileError, match=reason):
                certificate_from_json({**data, name: value})


def test_a_changed_model_that_answers_otherwise_is_caught(search):
    body = search.model_.body
    part = dataclasses.replace(body.parts[0], radius=body.parts[0].radius / 4)
    changed = dataclasses.replace(body, parts=(part, *body.parts[1:]))
    model = dataclasses.replace(search.model_, body=changed)
    refused(search, "counting again gives", model=model)


def test_a_certificate_of_one_form_does_not_pass_for_the_other(search):
    for c, form in ((search.certificate_, "compression"), (search.tail_certificate_, "holdout")):
        with pytest.raises(
            ModelFileError, match=f"of the form '{form}' has no|its members are not"
        ):
            certificate_from_json({**json.loads(json.dumps(c.to_json())), "form": form})


def test_a_file_with_other_rows_is_caught(search):
    data = json.loads(json.dumps(to_json(search.model_)))
    for place in range(0, 50, 7):
        data["certificate"]["held"][place] = 10**6
        with pytest.raises(CertificateError, match="not those that seed"):
            model = from_json(data)
            model.certificate.verify(model, X, Y)
