"""Learners that need rows learn from a sample of a lazy table, drawn by key."""

import numpy as np
import pytest
from lazy_frames import ENGINES, ugly_frame, written
from oracles.counts import hash_of

from rulewright import (
    DecisionListMachine,
    RipperClassifier,
    ScorecardClassifier,
    SlipperClassifier,
    TreeRulesClassifier,
)
from rulewright.data import KeyHash, LazyTable
from rulewright.errors import CertificateError, InputError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
MODULUS = 2**31 - 1


def keyed(rows=120):
    keys = np.random.default_rng(1).permutation(rows) * 7919
    return ugly_frame(rows).with_columns(number=keys)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_has_the_rows_with_the_smallest_hashes(engine):
    frame, key_hash = keyed(), KeyHash.of(b"any", 3)
    table = LazyTable(ENGINES[engine](frame), "y", key="number")
    rows, labels = table.sampled(key_hash, 50)
    limit = 50 * MODULUS // 120
    chosen = [hash_of(key_hash.secrets, key) < limit for key in frame["number"].to_list()]
    expected = frame.filter(chosen).sort("number")
    assert [table.classes[c] for c in labels.tolist()] == expected["y"].to_list()
    assert 30 < expected.height < 70
    for column in rows.columns:
        cells = expected[column.name].to_list()
        if column.name in ("it's", "where"):
            cells = [None if c is None else str(c) for c in cells]
        else:
            cells = [None if c is None or float(c) != float(c) else float(c) for c in cells]
        found = [None if c is None or c != c else c for c in column.cells()]
        assert found == cells
    assert table.sampled(key_hash, 1000)[0].rows == 120


@pytest.mark.parametrize("learner", [RipperClassifier, SlipperClassifier])
def test_a_sample_of_all_rows_gives_the_model_of_memory(learner):
    frame = keyed()
    expected = learner(certificate=None).fit(frame.drop("number"), target="y")
    found = learner(certificate=None, sample_rows=1000).fit(frame.lazy(), target="y", key="number")
    assert written(found.model_) == written(expected.model_)
    assert found.feature_importances_.tolist() == expected.feature_importances_.tolist()


def test_every_engine_gives_the_model_of_the_sample():
    frame = keyed()
    fitted = RipperClassifier(certificate=None, sample_rows=60)
    files = {
        written(fitted.fit(engine(frame), target="y", key="number").model_)
        for engine in ENGINES.values()
    }
    assert len(files) == 1
    assert 40 < sum(map(sum, fitted.model_.evidence)) < 80


@pytest.mark.parametrize(
    "learner",
    [RipperClassifier(), ScorecardClassifier(), TreeRulesClassifier()],
)
def test_a_split_certificate_counts_all_check_rows(learner):
    frame = keyed(400)
    learner.set_params(certificate="split", n_splits=1, sample_rows=150)
    with pytest.warns(UserWarning, match="samples of about 150 of the design rows"):
        fitted = learner.fit(frame.lazy(), target="y", key="number")
    certificate = fitted.certificate_
    check = sum(certificate.counts)
    assert 100 < check < 300 and len(fitted.model_.body.outputs) > 1
    assert sum(map(sum, fitted.model_.evidence)) == 400
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert certificate.verify(fitted.model_, frame.lazy()).holds
    with pytest.raises(CertificateError, match="learnt from a sample of a lazy table"):
        certificate.verify(fitted.model_, frame, frame["y"], keys=frame["number"])


@pytest.mark.parametrize(
    ("estimator", "key", "message"),
    [
        (RipperClassifier(), None, "or learn from a sample: set sample_rows"),
        (RipperClassifier(sample_rows=50), None, "Name a column of keys, or collect"),
        (
            DecisionListMachine("balls", certificate="split", keep=None, sample_rows=50),
            "number",
            "cannot be counted where the rows are",
        ),
        (
            RipperClassifier(certificate="split", class_costs={"n": 2}, sample_rows=50),
            "number",
            "Costs of classes and a split certificate need all rows",
        ),
    ],
)
def test_what_a_sample_cannot_do_is_refused(estimator, key, message):
    frame = keyed().select("where", "ä ß", "number", "y")
    if key is None:
        frame = frame.drop("number")
    with pytest.raises(InputError, match=message):
        estimator.fit(frame.lazy(), target="y", key=key)


def test_rows_in_memory_are_not_sampled():
    with pytest.raises(InputError, match="sample_rows is for lazy tables"):
        RipperClassifier(sample_rows=50).fit(ugly_frame(), target="y")


def test_a_sample_without_a_class_is_refused():
    with pytest.raises(InputError, match="has none of the class"):
        RipperClassifier(sample_rows=1).fit(keyed().lazy(), target="y", key="number")


def test_the_model_says_that_it_is_from_a_sample():
    with pytest.warns(
        UserWarning, match="rows, those with the smallest hashes of the key 'number'"
    ):
        RipperClassifier(certificate=None, sample_rows=60).fit(
            keyed().lazy(), target="y", key="number"
        )
