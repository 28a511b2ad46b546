"""The compression form inside a split certificate: a sixteenth of delta is kept for it."""

import dataclasses

import numpy as np
import pytest

from rulewright import TreeClassifier, load_model
from rulewright.certificates import CompressionCertificate, SplitCertificate
from rulewright.errors import CertificateError, ModelFileError
from rulewright.learners import SETTINGS, Sample, search_splits
from rulewright.rules import RuleList


def separable(rows=60):
    """A table in which one cut is always right: all rows together prove more than half of them."""
    x = np.arange(float(rows))
    return np.column_stack([x, (x * 7) % 11]), (x >= rows / 3).astype(int)


@pytest.fixture(scope="module")
def fitted():
    X, y = separable()
    return TreeClassifier(certificate="split", n_splits=5, check_share=0.2).fit(X, y), X, y


def test_the_smaller_of_both_bounds_is_the_bound(fitted):
    made, *_ = fitted
    certificate = made.certificate_
    assert isinstance(certificate.tail, CompressionCertificate)
    assert certificate.tail.delta == certificate.delta / 16
    assert certificate.bound == certificate.tail.bound < certificate.split_bound
    assert certificate.class_bounds <= certificate.tail.class_bounds


def test_it_verifies_from_model_and_file(fitted, tmp_path):
    made, X, y = fitted
    assert made.certificate_.verify(made.model_, X, y).holds
    made.save_model(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.certificate == made.certificate_
    assert model.certificate.verify(model, X, y).holds


def test_rows_in_another_order_give_the_same_bound(fitted):
    made, X, y = fitted
    order = np.random.default_rng(0).permutation(y.size)
    other = TreeClassifier(certificate="split", n_splits=5, check_share=0.2)
    other.fit(X[order], y[order])
    assert other.certificate_.bound == made.certificate_.bound
    assert other.certificate_.verify(other.model_, X[order], y[order]).holds


def test_more_than_a_sixteenth_of_delta_is_refused(fitted):
    made, X, y = fitted
    tail = dataclasses.replace(made.certificate_.tail, delta=made.certificate_.delta)
    tail = dataclasses.replace(tail, bound=tail.recomputed_bound())
    forged = dataclasses.replace(made.certificate_, tail=tail, bound=tail.bound)
    with pytest.raises(CertificateError, match="sixteenth of delta"):
        forged.verify(made.model_, X, y)


@pytest.mark.parametrize("change", [{"wrong": (0, 1)}, {"settings": 1}, {"message": ()}])
def test_a_changed_compression_form_is_refused(fitted, change):
    made, X, y = fitted
    tail = dataclasses.replace(made.certificate_.tail, **change)
    tail = dataclasses.replace(tail, bound=tail.recomputed_bound())
    forged = dataclasses.replace(made.certificate_, tail=tail)
    forged = dataclasses.replace(forged, bound=forged.recomputed_bound())
    with pytest.raises((CertificateError, ModelFileError)):
        forged.verify(made.model_, X, y)


def test_the_message_names_the_kind_of_model(fitted):
    """One message stands for one model only, although lists, votes and trees share the code."""
    made, *_ = fitted
    assert made.certificate_.tail.settings == 5
    assert any(np.isclose(nats, np.log(5)) for _, nats in made.certificate_.tail.message)


def test_groups_and_times_have_no_compression_form():
    X, y = separable()
    for units in ({"groups": np.arange(y.size) // 2}, {"times": np.arange(y.size)}):
        shuffled = np.random.default_rng(1).permutation(y.size)
        made = TreeClassifier(certificate="split").fit(X[shuffled], y[shuffled], **units)
        assert isinstance(made.certificate_, SplitCertificate)
        assert made.certificate_.tail is None


def test_a_constant_answer_has_one(fitted):
    """The bound of the most frequent class counts all rows where that is better."""
    rng = np.random.default_rng(2)
    table = Sample.of(
        _table(rng.normal(size=(50, 2))), (rng.random(50) < 0.1).astype(np.int32), (0, 1)
    )
    settings = SETTINGS["tree"](certificate="split", check_share=0.1)
    found = search_splits(settings, table, 1).candidates()
    constants = [c for c in found if c.body == RuleList((), 0)]
    assert constants and all(c.tail is not None for c in constants[:1])


def _table(X):
    from rulewright.data import detect_table

    return detect_table(X)
