"""Certificates: what they promise, that they can be checked, and that forgeries are caught."""

import dataclasses
import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from rulewright import SetCoveringMachine, load_model
from rulewright.bounds import LiteralGroup, Pool, class_tail, compression_tail, rules_message
from rulewright.certificates import CompressionCertificate, certificate_from_json
from rulewright.data import detect_table
from rulewright.errors import CertificateError, InputError, ModelFileError
from rulewright.families import MissingValues, as_families
from rulewright.models import Model
from rulewright.rules import (
    AllOf,
    AnyOf,
    Ball,
    Category,
    Conjunction,
    Disjunction,
    Given,
    Interval,
    Not,
    Threshold,
)

CANCER = load_breast_cancer(as_frame=True)
X, Y = CANCER.data, CANCER.target


@pytest.fixture(scope="module")
def machine():
    return SetCoveringMachine(kind="disjunction", penalty=1.0, max_rules=3).fit(X, Y)


def test_the_bound_follows_from_the_counts(machine):
    c = machine.certificate_
    assert c.bound == compression_tail(
        m=c.m,
        roles=[len(rows) for rows in c.roles.values()],
        k=c.errors,
        log_message=c.message_nats,
        delta=c.delta,
    )
    assert c.m == 569
    assert c.form == "compression"
    assert c.printed_bound is None
    assert 0 < c.bound < 0.25


def test_errors_are_counted_outside_the_examples(machine):
    c = machine.certificate_
    wrong = machine.predict(X) != Y
    others = np.setdiff1d(np.arange(569), c.examples)
    assert c.errors == wrong[others].sum()
    assert c.wrong == tuple((wrong[others] & (Y[others] == k)).sum() for k in (0, 1))


def test_both_kinds_of_error_are_bounded(machine):
    c = machine.certificate_
    p = int((Y[list(c.examples)] == 1).sum())
    n = len(c.examples) - p
    expected = class_tail(
        c.counts[1], c.counts[0], [p], [n], c.wrong[1], c.wrong[0], c.message_nats, c.delta
    )
    assert (c.miss_rate_bound, c.false_alarm_bound) == expected


def test_it_reads_as_a_sentence(machine):
    text = str(machine.certificate_)
    assert text.startswith("Wrong on ")
    assert " %). On new cases: at most " in text
    assert "(the compression set) and a message of " in text


def test_a_certificate_that_says_nothing_says_so():
    rng = np.random.default_rng(0)
    noise = SetCoveringMachine().fit(rng.normal(size=(40, 5)), rng.integers(0, 2, 40))
    assert "toss of a coin" in str(noise.certificate_)
    rare = np.arange(200) % 12 == 0
    weak = SetCoveringMachine(max_rules=1).fit(rng.normal(size=(200, 2)), rare)
    assert "This bound is weak" in str(weak.certificate_)


def test_every_size_has_a_certificate_that_verifies(machine):
    for entry in machine.path_:
        entry.certificate.verify(entry.model, X, Y)


def replaced(model, **changes):
    return dataclasses.replace(model, **changes)


def test_another_data_set_is_caught(machine):
    c, model = machine.certificate_, machine.model_
    with pytest.raises(CertificateError, match="for 569 training examples; the data has 400"):
        c.verify(model, X.head(400), Y.head(400))
    with pytest.raises(CertificateError, match="the rule or the data was changed"):
        c.verify(model, X.iloc[::-1], Y.iloc[::-1])
    with pytest.raises(CertificateError, match="569 rows but 400 labels"):
        c.verify(model, X, Y.head(400))


def test_one_changed_threshold_is_caught(machine):
    body = machine.model_.body
    part = dataclasses.replace(body.parts[1], cut=body.parts[1].cut + 1e-9)
    forged = replaced(machine.model_, body=Disjunction((body.parts[0], part, body.parts[2]), 1, 0))
    with pytest.raises(CertificateError, match="the rule or the data was changed"):
        machine.certificate_.verify(forged, X, Y)


def test_one_changed_rule_is_caught(machine):
    body = machine.model_.body
    flipped = dataclasses.replace(body.parts[1], above=not body.parts[1].above)
    forged = replaced(
        machine.model_, body=Disjunction((body.parts[0], flipped, body.parts[2]), 1, 0)
    )
    with pytest.raises(CertificateError, match="counting again gives"):
        machine.certificate_.verify(forged, X, Y)


def test_one_changed_label_is_caught(machine):
    labels = Y.copy()
    row = next(r for r in range(569) if r not in machine.certificate_.examples)
    labels[row] = 1 - labels[row]
    with pytest.raises(CertificateError, match="label differs"):
        machine.certificate_.verify(machine.model_, X, labels)


def test_two_exchanged_labels_are_caught(machine):
    c = machine.certificate_
    right = machine.predict(X) == Y
    one = next(r for r in range(569) if right[r] and Y[r] == 1 and r not in c.examples)
    two = next(r for r in range(569) if right[r] and Y[r] == 0 and r not in c.examples)
    labels = Y.copy()
    labels[one], labels[two] = 0, 1
    with pytest.raises(CertificateError, match="counting again gives"):
        c.verify(machine.model_, X, labels)


def test_a_forged_bound_is_caught(machine):
    forged = dataclasses.replace(machine.certificate_, bound=0.01)
    with pytest.raises(CertificateError, match="claims a bound of 0.01"):
        forged.verify(machine.model_, X, Y)


def test_a_forged_confidence_is_caught(machine):
    forged = dataclasses.replace(machine.certificate_, delta=0.001)
    with pytest.raises(CertificateError, match="claims a bound"):
        forged.verify(machine.model_, X, Y)


def test_a_forged_error_count_is_caught(machine):
    c = dataclasses.replace(machine.certificate_, wrong=(0, 0))
    forged = dataclasses.replace(c, bound=c.recomputed_bound())
    with pytest.raises(CertificateError, match=r"counts \[0, 0\] errors"):
        forged.verify(machine.model_, X, Y)


def test_a_shortened_message_is_caught(machine):
    c = dataclasses.replace(machine.certificate_, message=(("nothing", 0.5),))
    forged = dataclasses.replace(c, bound=c.recomputed_bound())
    with pytest.raises(CertificateError, match="message is not the one"):
        forged.verify(machine.model_, X, Y)


def test_a_message_or_form_in_other_words_is_caught(machine):
    c = machine.certificate_
    other = dataclasses.replace(c, message=(("a free lunch", c.message_nats),))
    with pytest.raises(CertificateError, match="message is not the one"):
        other.verify(machine.model_, X, Y)
    for form in ("hold-out", "splits", None, ["compression"]):
        with pytest.raises(
            ModelFileError, match="form must be one of 'compression', 'holdout', 'split'"
        ):
            certificate_from_json({**c.to_json(), "form": form})
    with pytest.raises(CertificateError, match="do not add up"):
        dataclasses.replace(c, role_counts={"anchors": (0, 0)}).verify(machine.model_, X, Y)
    with pytest.raises(CertificateError, match="gives the examples the roles"):
        dataclasses.replace(c, roles={"others": c.roles["anchors"]}).verify(machine.model_, X, Y)
    with pytest.raises(CertificateError, match="as set aside"):
        dataclasses.replace(c, aside=(1, 0)).verify(machine.model_, X, Y)


def test_a_family_left_out_is_caught():
    machine = SetCoveringMachine(max_rules=2).fit(X, Y)
    assert machine.certificate_.families == as_families("auto")
    c = dataclasses.replace(machine.certificate_, families=(MissingValues(),))
    with pytest.raises(CertificateError, match="families missing do not make the rule"):
        dataclasses.replace(c, bound=c.recomputed_bound()).verify(machine.model_, X, Y)


def test_a_wrong_row_number_is_caught(machine):
    c = machine.certificate_
    rows = (c.examples[0] + 1, *c.examples[1:])
    forged = dataclasses.replace(c, roles={"anchors": rows})
    with pytest.raises(CertificateError, match="anchored on rows"):
        forged.verify(machine.model_, X, Y)


def test_a_wrong_row_number_in_the_model_too_is_caught(machine):
    part, *rest = machine.model_.body.parts
    for row in (part.anchors[0] + 1, 10**6):
        moved = dataclasses.replace(part, anchored_on=(row,))
        body = Disjunction((moved, *rest), 1, 0)
        forged = dataclasses.replace(machine.certificate_, roles={"anchors": body.anchors})
        with pytest.raises(CertificateError, match="anchored on"):
            forged.verify(replaced(machine.model_, body=body), X, Y)


MIXED = pd.DataFrame(
    {
        "size": np.tile([1.0, 2.0, 3.0, np.nan, 5.0], 20),
        "width": np.arange(100) % 7 * 1.0,
        "colour": ["red", "green", "blue", "red"] * 25,
    }
)
CLASSES = pd.Series((np.arange(100) % 5 < 2).astype(int))


def forged(body, classes=(0, 1), columns=None):
    """Everything else made to fit: the counts are true of the model, and the bound of the counts.

    That is what somebody does who wants a certificate for a model that no learner would give one.
    """
    columns = columns or detect_table(MIXED).fields
    evidence = ((0.0,) * len(classes),) * len(body.rules)  # which claims nothing
    model = Model(columns, classes, body, evidence)
    codes, anchors = CLASSES.to_numpy(), list(body.anchors)
    wrong = body.classify(detect_table(MIXED)) != codes
    wrong[anchors] = False
    anchored = max(len(anchors), len([p for p in body.parts if p.anchors]))
    free = len(body.parts) - len([p for p in body.parts if p.anchors])
    sorts = [LiteralGroup((math.log(4),) * anchored, len(anchors))] * bool(anchors)
    certificate = CompressionCertificate(
        bound=0.0,
        delta=0.05,
        counts=tuple(np.bincount(codes, minlength=len(classes)).tolist()),
        wrong=tuple(np.bincount(codes[wrong], minlength=len(classes)).tolist()),
        roles={"anchors": body.anchors},
        role_counts={"anchors": tuple(np.bincount(codes[anchors], minlength=2).tolist())},
        aside=(0, 0),
        message=rules_message(
            [*sorts, LiteralGroup((math.log(24),) * free)],
            [Pool(anchored, len(anchors), len(anchors))] * bool(anchors),
        ),
        families=as_families("auto"),
    )
    certificate = dataclasses.replace(certificate, bound=certificate.recomputed_bound())
    certificate.verify(model, MIXED, CLASSES)


NARROW = Threshold("width", False, 2.0, anchored_on=(2,))
SMALL = Threshold("size", False, 2.0, anchored_on=(1,))
FORGED = {
    "a cut from nowhere": Threshold("size", False, 2.5, anchored_on=(1,)),
    "a cut without an anchor": Threshold("size", False, 2.0),
    "a cut with two anchors": Threshold("size", False, 2.0, anchored_on=(1, 2)),
    "a truth for missing values that is not paid for": dataclasses.replace(SMALL, if_missing=True),
    "an interval": Interval("size", 2.0, 3.0, anchored_on=(1,)),
    "the rows by heart": AnyOf(tuple(Interval("size", x, x) for x in (1.0, 2.0))),
    "a nested cut": AllOf((Threshold("size", False, 2.5),)),
    "a negated cut": Not(Threshold("size", False, 2.5, anchored_on=(1,))),
    "a ball": Ball(("width",), (1.0,), 2.0),
    "a column taken for a truth": Given("width"),
    "two categories for the price of one": Category("colour", ("red", "blue")),
    "a category that training never showed": Category("colour", ("mauve",), among=False),
    "a category's truth for missing values": Category("colour", ("red",), if_missing=True),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_predicate_that_says_more_than_its_message_is_caught(what):
    for body in (Disjunction((FORGED[what],), 1, 0), Conjunction((NARROW, FORGED[what]), 1, 0)):
        with pytest.raises(CertificateError, match="the rule or the data was changed"):
            forged(body)


def test_what_a_message_does_say_is_let_through():
    forged(Disjunction((SMALL,), 1, 0))
    forged(Conjunction((SMALL, Category("colour", ("red",), among=False)), 1, 0))


def test_what_a_message_does_not_say_is_caught():
    with pytest.raises(CertificateError, match="answers with classes 0 and 1"):
        forged(Disjunction((SMALL,), 0, 1))
    with pytest.raises(CertificateError, match="contains a rule twice"):
        forged(Disjunction((SMALL, SMALL), 1, 0))
    with pytest.raises(CertificateError, match="another label than in training"):
        forged(Disjunction((SMALL,), 1, 0), classes=(0, 1, 2))
    with pytest.raises(CertificateError, match="answers with classes 1 and 1"):
        forged(Disjunction((), 1, 1))
    with pytest.raises(ValueError, match="a class is listed twice"):
        forged(Disjunction((SMALL,), 1, 0), classes=(1, True))


def test_a_column_that_is_not_what_it_was_is_caught():
    size, width, colour = detect_table(MIXED).fields
    fewer = dataclasses.replace(colour, categories=1)
    with pytest.raises(CertificateError, match="knows 1 categories of column 'colour'.*has 3"):
        forged(Disjunction((SMALL,), 1, 0), columns=(size, width, fewer))
    with pytest.raises(CertificateError, match="knows 0 categories of column 'width'.*has 7"):
        forged(
            Disjunction((SMALL,), 1, 0),
            columns=(size, dataclasses.replace(width, kind="text"), colour),
        )


def test_an_honest_certificate_needs_every_column_of_training():
    machine = SetCoveringMachine(max_rules=2).fit(MIXED, CLASSES)
    machine.certificate_.verify(machine.model_, MIXED, CLASSES)
    assert "width" not in machine.model_.body.columns
    with pytest.raises(InputError, match="needs column 'width'"):
        machine.certificate_.verify(machine.model_, MIXED.drop(columns="width"), CLASSES)


def test_categories_that_training_cannot_have_shown_all_of_are_spoken_of():
    data = MIXED.assign(colour=[f"shade {row // 2 if row < 90 else row}" for row in range(100)])
    labels = (np.arange(100) // 2 % 2 == 0).astype(int)
    with pytest.warns(UserWarning, match=r"'colour' has 55 categories in 100 rows.*about 10 %"):
        SetCoveringMachine(family="categories", max_rules=1).fit(data, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SetCoveringMachine(family="thresholds").fit(data, labels)


def test_categories_of_rows_that_do_not_count_are_not_paid_for():
    weight = (MIXED["colour"] != "blue").to_numpy(float)
    kept = weight > 0
    weighted = SetCoveringMachine(max_rules=2).fit(MIXED, CLASSES, sample_weight=weight)
    dropped = SetCoveringMachine(max_rules=2).fit(MIXED[kept], CLASSES[kept])
    assert weighted.model_ == dropped.model_
    assert weighted.certificate_.bound == dropped.certificate_.bound
    weighted.certificate_.verify(weighted.model_, MIXED, CLASSES, sample_weight=weight)


def test_an_unknown_label_is_an_error(machine):
    with pytest.raises(InputError, match="labels hold"):
        machine.certificate_.verify(machine.model_, X, Y + 5)


def test_json_brings_it_back(machine, tmp_path):
    c = machine.certificate_
    assert certificate_from_json(json.loads(json.dumps(c.to_json()))) == c
    machine.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.certificate == c
    loaded.certificate.verify(loaded, X, Y)
