"""Models that give no answer where no rule holds: everything that reads an answer knows it."""

import dataclasses
import json
import math
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright import load_model, save_model
from rulewright.certificates import (
    Code,
    PathEntry,
    cautions,
    certify,
    certify_held_out,
    from_json,
    held_rows,
    model_schema,
)
from rulewright.data import NumericColumn, Table, detect_table
from rulewright.errors import CertificateError, InputError, ModelFileError
from rulewright.families import Categories, Thresholds
from rulewright.learners import Path, RuleClassifier, Settings, estimator_of, option
from rulewright.models import Model, to_json
from rulewright.rules import AllOf, Category, Rule, RuleList, RuleVote, Threshold, WeightedRule
from rulewright.selection.front_plot import training_cost

X = pd.DataFrame(
    {
        "age": [22.0, 38.0, 26.0, np.nan, 35.0, 54.0, 2.0, 27.0, 14.0, 58.0],
        "city": ["Bern", "Chur", "Bern", "Bern", None, "Chur", "Bern", "Chur", "Chur", "Bern"],
    }
)
Y = np.array(["no", "yes", "no", "yes", "no", "yes", "no", "yes", "no", "yes"])
CODES = (Y == "yes").astype(np.int32)
TABLE = detect_table(X)
OLD, YOUNG = (
    Threshold("age", True, 35.0, anchored_on=(4,)),
    Threshold("age", False, 22.0, anchored_on=(0,)),
)
CHUR = Category("city", ("Chur",))
LIST = RuleList((Rule(AllOf((OLD, CHUR)), 1), Rule(YOUNG, 0)), default=None)
VOTE = RuleVote(
    (WeightedRule(OLD, 1, 0.75), WeightedRule(CHUR, 1, 0.5), WeightedRule(YOUNG, 0, 1.0)),
    default=None,
)
ANSWERED = {  # by hand: which rows some rule holds on
    LIST: [True, True, False, False, False, True, True, False, True, False],
    VOTE: [True, True, False, False, False, True, True, True, True, True],
}
CODE = Code((Thresholds(), Categories()), 2, combinations=("all",))
BODIES = pytest.mark.parametrize("body", [LIST, VOTE], ids=["list", "vote"])


def model_of(body, classes=("no", "yes"), certified=True):
    evidence = np.zeros((len(body.rules), 2))
    np.add.at(evidence, (body.answer(TABLE), CODES), 1)
    certificate = certify(body, TABLE, CODES, CODE) if certified else None
    rows = tuple(map(tuple, evidence.tolist()))
    return Model(TABLE.fields, classes, body, rows, target="bought", certificate=certificate)


@BODIES
def test_rows_that_no_rule_holds_on_get_no_answer(body):
    model = model_of(body)
    answered = np.array(ANSWERED[body])
    assert model.abstains
    assert model.answered(X).tolist() == answered.tolist()
    predicted = model.predict(X)
    assert ((predicted == "abstain") == ~answered).all()
    other = model_of(dataclasses.replace(body, default=1))
    assert not other.abstains and other.answered(X).all() and other.unanswered == 0
    assert (predicted[answered] == other.predict(X)[answered]).all()
    assert model.unanswered == (~answered).sum()


@BODIES
def test_probabilities_of_unanswered_rows_are_the_shares_of_unanswered_training_rows(body):
    model = model_of(body)
    left = ~np.array(ANSWERED[body])
    yes = int(CODES[left].sum())
    shares = np.array([left.sum() - yes + 1, yes + 1]) / (left.sum() + 2)
    assert model.predict_proba(X)[left] == pytest.approx(np.tile(shares, (left.sum(), 1)))


@BODIES
def test_explanations_and_rules_say_that_there_is_no_answer(body):
    model = model_of(body)
    left = ~np.array(ANSWERED[body])
    explained = model.explain(X)
    assert (explained["prediction"] == model.predict(X)).all()
    assert explained["probability"].isna().tolist() == left.tolist()
    assert (explained["rule"] == len(body.rules)).tolist() == left.tolist()
    assert explained["why"][3] == "age is missing" + (
        "; city = Bern (!= Chur)" if body is VOTE else ""
    )
    rules = model.get_rules()
    assert rules["class"].tolist()[-1] == "abstain"
    assert rules["support"].tolist()[-1] == left.sum()
    assert math.isnan(rules["precision"].tolist()[-1])
    assert not rules["precision"][:-1].isna().any()
    assert model.support[-1] == (float(left.sum()), 0.0)
    assert (
        f"no answer{' where nothing votes' * (body is VOTE)} ({left.sum()} of 10 training cases)"
        in str(model)
    )
    assert "<b>no answer</b>" in model._repr_html_()


@pytest.mark.parametrize(
    ("classes", "label", "kind"),
    [
        (("no", "yes"), "abstain", "U"),
        ((False, True), "abstain", "O"),
        ((0, 1), -1, "i"),
        ((0.5, 1.5), -1.0, "f"),
        (("1", 2), "abstain", "O"),
        ((0, 1.5), -1, "O"),
    ],
)
def test_the_label_of_no_answer_follows_the_classes(classes, label, kind):
    model = model_of(LIST, classes, certified=False)
    assert model.abstain_label == label and type(model.abstain_label) is type(label)
    predicted = model.predict(X)
    assert predicted.dtype.kind == kind
    assert predicted.tolist() == [
        label if code < 0 else classes[code] for code in LIST.classify(TABLE).tolist()
    ]
    assert model.get_rules()["class"].tolist()[-1] == label
    assert model.codes(np.array(classes, object)).tolist() == [0, 1]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("classes", [("no", "yes"), (False, True), (0, 1), (0.5, 1.5)])
def test_the_label_of_no_answer_fits_into_any_dataframe(library, classes):
    pytest.importorskip(library)
    model = model_of(LIST, classes, certified=False)
    expected = model.get_rules("pandas")["class"].tolist()
    if classes[0] is False:  # a column of theirs has one kind
        expected = ["True", "False", "abstain"]
    found = model.get_rules(library)["class"]
    assert (found.to_list() if library == "polars" else found.to_pylist()) == expected


@pytest.mark.parametrize("classes", [("abstain", "yes"), (-1, 1), (-1.0, 1.0), (-1, 1.5)])
def test_a_class_that_has_the_label_of_no_answer_is_refused(classes):
    with pytest.raises(InputError, match=r"rename or recode this class, or give .* a default"):
        model_of(LIST, classes, certified=False)
    assert not model_of(dataclasses.replace(LIST, default=0), classes, certified=False).abstains


@pytest.mark.parametrize(
    "body",
    [
        RuleList((Rule(OLD, -1),), None),
        RuleList((Rule(OLD, 1),), -1),
        RuleVote((WeightedRule(OLD, -1, 1.0),), 0),
        RuleVote((WeightedRule(OLD, 1, 1.0),), 99),
    ],
)
def test_only_the_end_of_a_list_or_vote_may_give_no_answer(body):
    with pytest.raises(ValueError, match="answers with a class that is not one of"):
        Model(TABLE.fields, ("no", "yes"), body, ((1.0, 1.0),) * 2)


@BODIES
def test_a_certificate_counts_what_is_unanswered_as_misjudged(body):
    model = model_of(body)
    certificate = model.certificate
    anchors = set(certificate.examples)
    wrong = [
        row
        for row, (said, true) in enumerate(zip(model.predict(X), Y, strict=True))
        if said != true and row not in anchors
    ]
    assert certificate.errors == len(wrong)
    assert certificate.wrong == (int((Y[wrong] == "no").sum()), int((Y[wrong] == "yes").sum()))
    assert "Wrong or unanswered on " in certificate.sentence
    assert certificate.abstains
    certificate.verify(model, X, Y)
    assert cautions(model, TABLE, CODES) == ()


def test_answering_rows_that_were_unanswered_makes_another_certificate():
    model, closed = model_of(LIST), model_of(dataclasses.replace(LIST, default=1))
    with pytest.raises(CertificateError, match="always answers; this model abstains"):
        closed.certificate.verify(model, X, Y)
    with pytest.raises(CertificateError, match="abstains; this model always answers"):
        model.certificate.verify(closed, X, Y)
    claimed = dataclasses.replace(model.certificate, wrong=(0, 0))
    with pytest.raises(CertificateError, match="counting again gives"):
        claimed.verify(model, X, Y)
    silent = dataclasses.replace(model.certificate, abstains=False)
    with pytest.raises(CertificateError, match="always answers"):
        silent.verify(model, X, Y)


def test_a_machine_of_single_literals_has_an_answer_for_every_row():
    with pytest.raises(CertificateError, match="this one abstains. Certify it by its structure"):
        certify(RuleList((Rule(OLD, 1),), None), TABLE, CODES, Code((Thresholds(),), 2))


def test_a_certificate_from_rows_held_out_counts_what_is_unanswered():
    held = held_rows(10, 4, 3)
    body = RuleList((Rule(Threshold("age", True, 27.0), 1),), None)
    wrong = body.classify(TABLE)[held] != CODES[held]
    certificate = certify_held_out(wrong, CODES[held], held, seed=3, classes=2, abstains=True)
    model = dataclasses.replace(model_of(body, certified=False), certificate=certificate)
    certificate.verify(model, X, Y)
    assert certificate.sentence.startswith("Wrong or unanswered on ")
    assert " of 4 held-out cases" in certificate.sentence


@BODIES
def test_a_file_brings_an_abstaining_model_back(body, tmp_path):
    model = model_of(body)
    save_model(model, tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    assert data["body"]["default"] is None
    jsonschema.validate(data, model_schema())
    loaded = load_model(tmp_path / "m.json")
    assert loaded == model and loaded.certificate == model.certificate
    assert (loaded.predict(X) == model.predict(X)).all()
    loaded.certificate.verify(loaded, X, Y)
    rounded = model.rounded(1, X)
    assert rounded.changed == 0 and rounded.model.abstains


@BODIES
@pytest.mark.parametrize("default", [-1, 2, 99, "none", 0.0, True, [], {}])
def test_a_default_that_is_no_class_is_refused_in_a_file(body, default):
    data = to_json(model_of(body))
    data["body"]["default"] = default
    with pytest.raises(ModelFileError, match=r"body\.default must be|is not one of"):
        from_json(data)


def test_a_file_in_which_a_class_has_the_label_of_no_answer_is_refused():
    data = to_json(model_of(LIST)) | {"classes": ["abstain", "yes"]}
    with pytest.raises(ModelFileError, match="rename or recode this class"):
        from_json(data)


def test_a_certificate_from_before_models_could_abstain_is_read():
    data = to_json(model_of(dataclasses.replace(LIST, default=1)))
    del data["certificate"]["abstains"]
    jsonschema.validate(data, model_schema())
    assert from_json(data).certificate.abstains is False
    data["certificate"]["abstains"] = 0
    with pytest.raises(ModelFileError, match="abstains must be true or false"):
        from_json(data)


def test_a_list_that_abstains_is_a_list_already():
    listed = model_of(LIST).as_rule_list()
    assert listed.body == LIST and listed.evidence == model_of(LIST).evidence


@dataclasses.dataclass(frozen=True, kw_only=True)
class FixedSettings(Settings):
    """Settings of a learner whose model is known beforehand."""

    learner = "fixed"
    summary = "The same model from any data."
    first = "body"

    body: Any = option(LIST, "The model.", "Arrangement")

    def find(self, sample, deadline, threads):
        answers = self.body.answer(sample.table)
        evidence = np.zeros((len(self.body.rules), 2))
        np.add.at(evidence, (answers, sample.y), 1)
        certificate = certify(self.body, sample.table, sample.y, CODE)
        rows = tuple(map(tuple, evidence.tolist()))
        model = Model(sample.table.fields, sample.classes, self.body, rows, certificate=certificate)
        return Path([PathEntry(2, model, certificate.errors, certificate, 0.0)], 0, "fixed")


@estimator_of(FixedSettings)
class Fixed(RuleClassifier):
    """Learns the same model from any data."""


@BODIES
@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (Y, "abstain"),
        (Y.astype(object), "abstain"),
        (CODES, -1),
        (CODES.astype(np.uint8), -1),
        (CODES.astype(bool), "abstain"),
        (CODES * 2.0, -1.0),
    ],
    ids=["text", "object", "int32", "uint8", "bool", "float"],
)
def test_an_estimator_says_what_its_model_says(body, labels, label):
    estimator = Fixed(body).fit(X, labels)
    predicted = estimator.predict(X)
    assert predicted.tolist() == estimator.model_.predict(X).tolist()
    assert (predicted == label).tolist() == [not answered for answered in ANSWERED[body]]
    assert (estimator.predict_proba(X) == estimator.model_.predict_proba(X)).all()
    right = [said == true for said, true in zip(predicted.tolist(), labels.tolist(), strict=True)]
    assert estimator.score(X, labels) == np.mean(right)
    weight = np.arange(10.0)
    assert estimator.score(X, labels, weight) == pytest.approx(np.average(right, weights=weight))


def test_no_answer_costs_as_much_as_a_wrong_one():
    model = model_of(LIST)
    lost = [
        1.0 if true == "no" else 5.0
        for said, true in zip(model.predict(X), Y, strict=True)
        if said != true
    ]
    assert training_cost(model, [1.0, 5.0]) == pytest.approx(sum(lost) / 10)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=20), st.sampled_from([None, 0, 1]))
def test_unanswered_are_the_rows_outside_all_rules(values, default):
    table = Table([NumericColumn("x", np.array(values))], len(values))
    body = RuleList(
        (Rule(Threshold("x", True, 1.0), 1), Rule(Threshold("x", False, -1.0), 0)), default
    )
    model = Model(table.fields, ("n", "y"), body, ((1.0, 1.0),) * 3)
    assert model.answered(table).tolist() == [
        default is not None or x > 1 or x <= -1 for x in values
    ]
