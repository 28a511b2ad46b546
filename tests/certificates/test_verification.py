"""What a check of a certificate recounts, takes on trust, and warns of."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from rulewright import (
    BoundSearch,
    DecisionListMachine,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringMachine,
    TreeClassifier,
    load_model,
)
from rulewright.certificates import (
    UNVERIFIED,
    Certificate,
    Code,
    Verification,
    certify,
    certify_held_out,
    counted_evidence,
    family_text,
    from_json,
    held_rows,
)
from rulewright.certificates.model_cautions import chance_of_more, held_out_caution
from rulewright.data import NumericColumn, Table, canonical_rows, detect_table
from rulewright.errors import CertificateError, ModelFileError
from rulewright.families import (
    Balls,
    Categories,
    ExpertTests,
    GivenPredicates,
    HalfPlanes,
    HalfSpaces,
    Thresholds,
)
from rulewright.models import Model, to_json
from rulewright.report import report_model
from rulewright.rules import Category, Kernel, Leaf, Metric, Rule, RuleList, Split, Threshold, Tree

RNG = np.random.default_rng(11)
X = pd.DataFrame(
    {
        "a": RNG.normal(size=240),
        "b": np.round(RNG.normal(size=240), 1),
        "colour": RNG.choice(["red", "green", "blue"], 240),
    }
)
Y = pd.Series(np.where(X["a"] + 0.4 * RNG.normal(size=240) > 0, "yes", "no"), name="sold")
NUMBERS = X[["a", "b"]]
LEARNERS = {
    "machine": SetCoveringMachine(family="auto"),
    "list": DecisionListMachine(family="auto"),
    "tree": TreeClassifier(),
    "rule list": RuleListClassifier(),
    "vote": RuleVoteClassifier(),
}


def saved(model):
    return json.loads(json.dumps(to_json(model)))


# Files


def held_out():
    return BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}, by="holdout").fit(NUMBERS, Y)


FORMS = {
    "compression": lambda: SetCoveringMachine(family="auto").fit(X, Y),
    "structure": lambda: TreeClassifier().fit(X, Y),
    "costs": lambda: SetCoveringMachine(family="auto", class_costs={"yes": 4}).fit(X, Y),
    "rows held out": held_out,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_bound_that_contradicts_the_counts_is_not_loaded(form, tmp_path):
    fitted = FORMS[form]()
    data = saved(fitted.model_)
    assert from_json(data) == fitted.model_
    bound = data["certificate"]["bound"]
    for forged in (bound / 2, bound * (1 + 1e-7), 0.0):
        data["certificate"]["bound"] = forged
        path = tmp_path / "m.json"
        path.write_text(json.dumps(data))
        with pytest.raises(ModelFileError) as error:
            load_model(path)
        assert f"claims a bound of {forged}, but its own counts give {bound}" in str(error.value)
    data["certificate"]["bound"] = bound * (1 + 1e-12)
    from_json(data)


def test_counts_of_rows_held_out_must_agree_with_the_rows_named():
    data = saved(held_out().model_)
    for name, value, reason in (
        ("held", [0, 1, 2], "names 3 rows as held out, but counts 80"),
        ("message", [], "pays 0.000000 nats for the choice among"),
    ):
        forged = {**data, "certificate": {**data["certificate"], name: value}}
        with pytest.raises(ModelFileError, match=reason):
            from_json(forged)


def test_a_certificate_from_a_file_says_that_it_was_not_compared_with_data():
    fitted = SetCoveringMachine(family="auto").fit(X, Y)
    loaded = from_json(saved(fitted.model_))
    assert not fitted.certificate_.unverified
    assert loaded.certificate.unverified
    assert UNVERIFIED.startswith("Not verified against data")
    assert UNVERIFIED in str(loaded.certificate)
    assert UNVERIFIED not in str(fitted.certificate_)
    assert loaded.certificate == fitted.certificate_
    assert saved(loaded) == saved(fitted.model_)


def test_a_report_compares_a_model_from_a_file_with_its_data(tmp_path):
    fitted = SetCoveringMachine(family="auto").fit(X, Y)
    data = saved(fitted.model_)
    page = tmp_path / "r.html"
    report_model(from_json(data), X, Y, page)
    assert "Not verified against data" not in page.read_text(encoding="utf-8")
    data["evidence"][0][0] += 1
    report_model(from_json(data), X, Y, page)
    text = page.read_text(encoding="utf-8")
    assert "Not verified against data" in text
    assert "The certificate does not hold for this data" in text


# What is counted again


@pytest.mark.parametrize("name", LEARNERS)
def test_forged_evidence_is_noticed(name):
    fitted = LEARNERS[name].fit(X, Y)
    data = saved(fitted.model_)
    from_json(data).certificate.verify(from_json(data), X, Y)
    for rule, counts in enumerate(data["evidence"]):
        forged = json.loads(json.dumps(data))
        forged["evidence"][rule] = [counts[0] + 1, *counts[1:]]
        model = from_json(forged)
        with pytest.raises(CertificateError, match=f"The model says that rule {rule + 1} answers"):
            model.certificate.verify(model, X, Y)


def test_evidence_is_counted_with_the_weights_of_the_fit():
    weight = np.tile([0.0, 1.0, 2.5], 80)
    fitted = TreeClassifier().fit(X, Y, sample_weight=weight)
    fitted.certificate_.verify(fitted.model_, X, Y, sample_weight=weight)
    with pytest.raises(CertificateError, match="or the fit had a sample_weight"):
        fitted.certificate_.verify(fitted.model_, X, Y, sample_weight=weight > 0)


# Rows held out


def numbered(values):
    return Table([NumericColumn("x", np.asarray(values, float))], len(values))


def certified_held_out(body, table, y, seed=5, **options):
    """Make the certificate of any model from half of the rows."""
    held = held_rows(y.size, y.size // 2, seed)
    wrong = (body.classify(table) != y)[held]
    certificate = certify_held_out(wrong, y[held], held, seed=seed, classes=2, **options)
    learnt = np.setdiff1d(np.arange(y.size), held)
    counted = counted_evidence(body, table.take(learnt), y[learnt], np.ones(learnt.size), 2)
    return Model(
        table.fields, (0, 1), body, tuple(map(tuple, counted.tolist())), certificate=certificate
    )


def memory_of(values, y, anchored=()):
    """Grow a tree that answers each of some rows as it is labelled: a list of cuts between them."""
    order = np.argsort(values)
    cuts = (values[order][1:] + values[order][:-1]) / 2
    nodes = []
    for place, cut in enumerate(cuts.tolist()):
        anchors = (int(anchored[place % len(anchored)]),) if len(anchored) else ()
        test = Threshold("x", False, cut, anchored_on=anchors)
        nodes += [Split((test,), (2 * place + 1, 2 * place + 2)), Leaf(int(y[order][place]))]
    return Tree((*nodes, Leaf(int(y[order][-1]))))


@pytest.mark.parametrize("anchored", [False, True], ids=["no anchors", "anchors of other rows"])
def test_a_tree_that_memorises_the_rows_held_out_is_refused(anchored):
    values, y = RNG.normal(size=200), RNG.integers(0, 2, 200).astype(np.int32)
    held = held_rows(200, 100, 5)
    learnt = np.setdiff1d(np.arange(200), held)
    tree = memory_of(values[held], y[held], learnt if anchored else ())
    model = certified_held_out(tree, numbered(values), y)
    assert model.certificate.bound < 0.04
    with pytest.raises(CertificateError, match="cannot be made from the rows that were not held"):
        model.certificate.verify(model, numbered(values), y)
    found = model.certificate.check(model, numbered(values), y)
    assert not found.holds and "was learnt with rows" in found.reason


def test_a_tree_that_fits_the_rows_held_out_with_cuts_of_other_rows_earns_a_caution():
    rng = np.random.default_rng(2)
    values, y = rng.normal(size=400), rng.integers(0, 2, 400).astype(np.int32)
    held = held_rows(400, 200, 5)
    known = np.sort(np.delete(values, held))
    cells = np.searchsorted(known, values[held])
    nodes = []
    for place, cut in enumerate(known.tolist()):
        answer = int(y[held][cells == place].mean() > 0.5) if (cells == place).any() else 0
        test = Threshold("x", False, cut)
        nodes += [Split((test,), (2 * place + 1, 2 * place + 2)), Leaf(answer)]
    model = certified_held_out(Tree((*nodes, Leaf(0))), numbered(values), y)
    assert model.certificate.bound < 0.35
    found = model.certificate.verify(model, numbered(values), y)
    assert any("training rows that were not held out" in caution for caution in found.cautions)


@pytest.mark.parametrize(("colour", "holds"), [("red", True), ("violet", False)])
def test_a_category_that_only_rows_held_out_show_is_refused(colour, holds):
    colours = np.array(["red", "green"] * 20, object)
    colours[held_rows(40, 20, 5)[0]] = "violet"
    table = detect_table(pd.DataFrame({"colour": colours}))
    y = np.arange(40, dtype=np.int32) % 2
    body = RuleList((Rule(Category("colour", (colour,)), 0),), 1)
    model = certified_held_out(body, table, y)
    assert model.certificate.check(model, table, y).holds == holds


@pytest.mark.parametrize(
    "machine",
    [
        SetCoveringMachine(family="auto"),
        SetCoveringMachine(family=[Balls(scale="standard"), Thresholds()]),
        SetCoveringMachine(family=HalfSpaces(kernel=Kernel("rbf"), scale="rank")),
        SetCoveringMachine(family=HalfPlanes()),
        SetCoveringMachine(family="coarse"),
        SetCoveringMachine(family=["intervals", "midpoints", "subsets"], consistent=True),
        DecisionListMachine(family="auto", consistent=True),
        SetCoveringMachine(family=GivenPredicates(functions={"up": lambda t: t["a"] > 0})),
    ],
)
def test_models_that_were_learnt_without_the_rows_held_out_pass(machine):
    found = BoundSearch(machine, {"max_rules": [1, 3]}, by="holdout").fit(X, Y)
    checked = found.certificate_.verify(found.model_, X, Y)
    assert checked.holds and checked.cautions == ()
    simple = found.model_.simplified()
    assert simple.certificate.verify(simple, X, Y).holds


def test_experts_tests_of_a_model_from_rows_held_out_are_taken_on_trust():
    family = ExpertTests(("a > 0.01", "b > 0.123456"))
    found = BoundSearch(SetCoveringMachine(family=family), {"penalty": [1]}, by="holdout").fit(X, Y)
    checked = found.certificate_.verify(found.model_, X, Y)
    assert "The test 'a > 0.01' was written by a person before the data was seen." in (
        checked.assumptions
    )
    silent = dataclasses.replace(found.certificate_, families=())
    with pytest.raises(CertificateError, match="written by hand and the certificate does not name"):
        silent.verify(found.model_, X, Y)


def test_rows_held_out_that_are_easier_than_those_learnt_from_are_pointed_out():
    assert held_out_caution(np.arange(100) < 40, np.arange(100) < 30, 1) == []
    [caution] = held_out_caution(np.arange(100) < 50, np.arange(100) < 5, 1)
    assert "misjudges 50 of the 100 training rows that were not held out (50.0 %)" in caution
    assert held_out_caution(np.arange(100) < 20, np.arange(100) < 3, 1000) == []


# What is taken on trust


def test_a_check_gives_what_it_takes_on_trust():
    frame = X.assign(code=RNG.integers(1, 4, 240), unused=1)
    machine = SetCoveringMachine(family="auto", categorical_features=["code"])
    machine.fit(frame.drop(columns="unused"), Y)
    found = machine.certificate_.verify(machine.model_, frame, Y)
    assert isinstance(found, Verification) and found.holds and found.reason == ""
    assert set(machine.certificate_.assumptions(machine.model_)) < set(found.assumptions)
    for said in (
        "The rows are independent draws from one source, and new cases come from the same source.",
        "The confidence of 95 % was chosen before the data was seen.",
        "The family thresholds was offered to the learner before the data was seen.",
        "No other family was offered.",
        "The learner chose among 1 setting, and no others were tried.",
        "Column 'code' counts as categories, although its values look like numbers: that was "
        "settled before the data was seen.",
        "The certificate takes for granted that these columns of X were never offered to the "
        "learner: 'unused'.",
    ):
        assert said in found.assumptions
    assert str(found).startswith("The certificate holds. Wrong on ")
    assert "\n- No other family was offered.\n" in str(found)


def test_an_array_has_no_columns_that_were_not_offered():
    machine = SetCoveringMachine().fit(NUMBERS, Y)
    found = machine.certificate_.verify(machine.model_, NUMBERS.to_numpy(), Y)
    assert not any("never offered" in said for said in found.assumptions)


def test_rows_of_weight_zero_are_named():
    weight = np.arange(240) >= 30
    machine = SetCoveringMachine().fit(NUMBERS, Y, sample_weight=weight)
    found = machine.certificate_.verify(machine.model_, NUMBERS, Y, sample_weight=weight)
    assert any(said.startswith("30 of the 240 rows count as absent") for said in found.assumptions)


def test_families_are_named_with_their_parameters():
    assert family_text(HalfSpaces(kernel=Kernel("rbf", gamma=0.25))) == (
        "half_spaces (scale none, kernel rbf with gamma 0.25)"
    )
    kernel = Kernel("polynomial", 1.0, 0.5, 3)
    assert family_text(Balls(metric=Metric("kernel", kernel), types="simple")) == (
        "balls (scale none, metric of the kernel polynomial with gamma 1, offset 0.5, degree 3, "
        "types simple)"
    )
    assert family_text(GivenPredicates(columns=("b",))) == "given (columns 'b')"


def test_seed_share_and_models_of_rows_held_out_are_taken_on_trust():
    found = held_out()
    said = found.certificate_.assumptions(found.model_)
    assert "The model was learnt without the 80 rows held out: no file can show that." in said
    assert any(text.startswith("The seed 0 and the number of rows held out") for text in said)
    models = found.certificate_.settings
    assert f"The rows held out were compared with {models} models, and with no others." in said


def noisy_experts(rows=400):
    """Write an interval for every run of positives in a column of noise."""
    rng = np.random.default_rng(4)
    values, y = rng.normal(size=rows), rng.integers(0, 2, rows).astype(np.int32)
    order = np.argsort(values)
    runs = np.split(order, np.flatnonzero(np.diff(y[order])) + 1)
    ends = [values[run[[0, -1]]].tolist() for run in runs if y[run[0]] == 1]
    return pd.DataFrame({"x": values}), y, tuple(f"{a!r} <= x <= {b!r}" for a, b in ends)


@pytest.mark.slow
def test_every_experts_test_is_named_and_noise_that_they_certify_earns_a_caution():
    frame, y, tests = noisy_experts()
    machine = SetCoveringMachine(kind="disjunction", family=ExpertTests(tests), max_rules=200)
    machine.fit(frame, y)
    guess = 1 - np.bincount(y).max() / y.size
    assert machine.certificate_.bound < guess
    found = machine.certificate_.verify(machine.model_, frame, y)
    named = [said for said in found.assumptions if "was written by a person" in said]
    assert len(named) == len(tests)
    [caution] = [said for said in found.cautions if "that a person wrote" in said]
    assert "If these were chosen by looking at the data, the bound would be" in caution


def test_a_few_tests_of_an_expert_earn_no_caution():
    machine = SetCoveringMachine(family=ExpertTests(("a > 0", "b > 0"))).fit(X, Y)
    assert machine.certificate_.verify(machine.model_, X, Y).cautions == ()


# Rows set aside


def warned_of_rows_set_aside(machine, values, y):
    """Fit; whether the fit and the check of its certificate warn of the rows set aside."""
    machine.fit(values, y)
    found = machine.certificate_.verify(machine.model_, values, y)
    said = [
        [caution for caution in cautions if "set aside to measure columns" in caution]
        for cautions in (found.cautions, machine.certificate_.cautions)
    ]
    assert said[0] == said[1]
    assert all("check the model on new rows" in caution for caution in said[0])
    assert len(said[0]) <= 1
    return bool(said[0])


def test_errors_that_gather_by_chance_among_the_rows_set_aside_earn_a_caution():
    rng = np.random.default_rng(9)
    side = rng.integers(0, 2, 400)
    values = rng.normal(size=(400, 2)) + 20 * side[:, None]
    table = detect_table(values)
    labels = {}
    while not {4, 11} <= set(labels):  # errors among every tenth row of an order that labels shape
        y = side ^ (rng.permutation(400) < 40)
        order = canonical_rows(table, y, np.ones(400))
        labels[int((y != side)[order[::10]].sum())] = y
    machine = SetCoveringMachine(family=Balls(scale="standard"), max_rules=1)
    for errors, warned in ((4, False), (11, True)):
        assert (chance_of_more(errors, 40, 40 - errors, 360) < 0.001) is warned
        assert warned_of_rows_set_aside(machine, values, labels[errors]) is warned
        assert machine.certificate_.canonical


def test_errors_among_the_rows_set_aside_earn_a_caution(monkeypatch):
    monkeypatch.setattr(
        "rulewright.learners.base.learning.in_search_order", lambda sample, families: sample
    )
    rng = np.random.default_rng(9)
    values = rng.normal(size=(400, 2))
    y = (values[:, 0] > 0).astype(int)
    y[::10] = 1 - y[::10]
    machine = SetCoveringMachine(family=Balls(scale="standard"), max_rules=3)
    assert warned_of_rows_set_aside(machine, values, y)
    assert not machine.certificate_.canonical
    shuffled = rng.permutation(400)
    machine.fit(values[shuffled], y[shuffled])
    found = machine.certificate_.verify(machine.model_, values[shuffled], y[shuffled])
    assert found.cautions == ()


def test_the_chance_of_more_errors_is_that_of_all_orders():
    rng = np.random.default_rng(1)
    errors = np.arange(30) < 9
    drawn = np.array([rng.permutation(errors)[:12].sum() for _ in range(20_000)])
    for found in (3, 5, 7, 9):
        chance = chance_of_more(found, 12, 9 - found, 18)
        assert chance == pytest.approx((drawn >= found).mean(), abs=0.015)
    assert chance_of_more(0, 5, 3, 5) == pytest.approx(1.0)
    assert chance_of_more(0, 0, 3, 5) == pytest.approx(1.0)


def test_a_certificate_by_hand_is_checked_as_one_of_a_learner():
    table = numbered(np.arange(20.0))
    y = (np.arange(20) >= 10).astype(np.int32)
    body = RuleList((Rule(Threshold("x", True, 9.0, anchored_on=(9,)), 1),), 0)
    certificate = certify(body, table, y, Code((Thresholds(), Categories()), 2))
    model = Model(table.fields, (0, 1), body, ((0.0, 0.0),) * 2, certificate=certificate)
    assert isinstance(certificate, Certificate)
    assert certificate.verify(model, table, y).holds


@pytest.mark.parametrize("form", ["holdout", "split"])
def test_more_than_ten_columns_without_names_stay_in_their_order(form):
    """Sorted by name, x10 would come before x2: rows would be in another order than in training."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (90, 13)).astype(float)
    y = ((X[:, 0] > 1) ^ (X[:, 11] > 1) ^ (rng.random(90) < 0.1)).astype(int)
    machine = SetCoveringMachine(certificate=form, random_state=3).fit(X, y)
    machine.certificate_.verify(machine.model_, X, y)
