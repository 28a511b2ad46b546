"""Tests that an expert wrote beforehand: found, told, certified, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from rulewright import load_model
from rulewright.certificates import Code, certify
from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import CertificateError, InputError
from rulewright.families import ExpertTests, Thresholds, Training
from rulewright.models import Model, save_model
from rulewright.rules import (
    AllOf,
    Category,
    Given,
    Missing,
    Rule,
    RuleList,
    Threshold,
    parse_condition,
)

COLUMNS = (Field("glucose", "numeric"), Field("bmi", "numeric"))
GLUCOSE = np.array([90.0, 100, 110, 120, 125, 128, 130, 140, 150, 160] * 6)
BMI = np.array([20.0, 35, 30, 25, 22, 31, 33, 29, 40, 28] * 6)
TABLE = Table([NumericColumn("glucose", GLUCOSE), NumericColumn("bmi", BMI)], GLUCOSE.size)
Y = ((GLUCOSE > 127) & (BMI > 29)).astype(np.int32)
WRITTEN = Threshold("glucose", True, 127.0)
LEARNED = Threshold("bmi", True, 29.0, anchored_on=(7,))


def certified(condition, tests=("glucose > 127",)):
    body = RuleList((Rule(condition, 1),), 0)
    code = Code((Thresholds(), ExpertTests(tests)), 2, combinations=("all",))
    certificate = certify(body, TABLE, Y, code)
    answers = body.answer(TABLE)
    evidence = tuple(
        tuple(float(((answers == rule) & (Y == c)).sum()) for c in (0, 1)) for rule in (0, 1)
    )
    return Model(COLUMNS, (0, 1), body, evidence, certificate=certificate)


def test_a_model_with_an_experts_cut_is_certified_saved_loaded_and_verified(tmp_path):
    model = certified(AllOf((WRITTEN, LEARNED)))
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again == model and again.certificate.families == model.certificate.families
    assert again.certificate.examples == (7,)
    again.certificate.verify(again, TABLE, Y)


def test_a_cut_that_the_expert_did_not_write_is_refused():
    with pytest.raises(CertificateError, match=r"do not make the rule 'glucose > 126'"):
        certified(AllOf((replace(WRITTEN, cut=126.0), LEARNED)))
    model = certified(AllOf((WRITTEN, LEARNED)))
    changed = AllOf((replace(WRITTEN, cut=126.0), LEARNED))
    other = replace(model, body=RuleList((Rule(changed, 1),), 0))
    with pytest.raises(CertificateError, match=r"do not make the rule 'glucose > 126'"):
        model.certificate.verify(other, TABLE, Y)
    lying = replace(model.certificate, families=(Thresholds(), ExpertTests(("glucose > 126",))))
    with pytest.raises(CertificateError, match=r"do not make the rule 'glucose > 127'"):
        lying.verify(model, TABLE, Y)


def test_naming_more_tests_costs_more():
    few = certified(AllOf((WRITTEN, LEARNED)))
    many = certified(
        AllOf((WRITTEN, LEARNED)), ("glucose > 127", *(f"bmi > {i}" for i in range(9)))
    )
    assert many.certificate.message_nats > few.certificate.message_nats


@pytest.mark.parametrize(
    "text, test",
    [
        ("a > 1", Threshold("a", True, 1.0)),
        ("`a` > 1.0", Threshold("a", True, 1.0)),
        ("flag = true", Category("flag", ("True",))),
        ("not flag", Given("flag", False)),
        ("a is missing", Missing("a")),
    ],
)
def test_a_test_is_known_by_its_text(text, test):
    fields = [Field("a", "numeric"), Field("flag", "boolean", 2)]
    assert parse_condition(text, fields) == test
    site = ExpertTests(("b < 0", text)).site(test)
    assert site is not None and site.option == (text,)
    assert ExpertTests(("b < 0",)).site(test) is None


def test_a_test_that_was_taken_from_a_row_is_none_of_the_experts():
    assert ExpertTests(("a > 1",)).site(Threshold("a", True, 1.0, anchored_on=(3,))) is None


@pytest.mark.parametrize(
    "tests, message",
    [
        ("a > 1", r"must be a list of texts such as 'age > 40', got 'a > 1'"),
        (("a > 1", 3), r"must be a list of texts.*got 3"),
        (("",), r"must be a list of texts.*got ''"),
        (None, r"must be a list of texts.*got None"),
    ],
)
def test_what_is_no_list_of_texts_is_refused(tests, message):
    with pytest.raises(InputError, match=message):
        ExpertTests(tests)


@pytest.mark.parametrize(
    "text, message",
    [
        ("glucos > 3", r"There is no column 'glucos'; did you mean 'glucose'"),
        ("glucose > 3 and bmi > 2", r"must be a single one.*one by one"),
    ],
)
def test_tests_that_the_data_cannot_answer_are_refused_before_a_search(text, message):
    training = Training(TABLE, Y)
    with pytest.raises(InputError, match=message):
        ExpertTests((text,)).prepare(training)


def test_a_text_is_counted_once():
    assert ExpertTests([" a > 1", "a > 1 "]).tests == ("a > 1",)
