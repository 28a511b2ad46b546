"""The pool of a split certificate: what it holds, and pools that are kept in the file."""

import dataclasses

import numpy as np
import pytest

from rulewright import AutoClassifier, RipperClassifier, TreeClassifier, load_model
from rulewright.errors import CertificateError, ModelFileError
from rulewright.learners import SETTINGS


@pytest.fixture
def other_version(monkeypatch):
    """Function that turns RIPPER into a version of it that finds no rules."""
    settings = SETTINGS["ripper"]
    found = settings.candidates
    return lambda: monkeypatch.setattr(settings, "candidates", lambda *given: found(*given)[:0])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    y = ((X[:, 0] > 0) & (X[:, 1] > -0.5)) ^ (rng.random(200) < 0.1)
    return X, y


def test_a_stored_pool_is_checked_where_the_recipe_finds_another(data, tmp_path, other_version):
    X, y = data
    RipperClassifier(certificate="split", keep_pool=True).fit(X, y).save_model(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    plain = model.certificate.verify(model, X, y)
    other_version()
    stored = model.certificate.verify(model, X, y)
    (caution,) = set(stored.cautions) - set(plain.cautions)
    assert caution.startswith("This version of the library finds other candidates than version")
    assert caution.endswith("taken on trust.")


def test_without_a_stored_pool_the_version_is_named(data, other_version):
    X, y = data
    made = RipperClassifier(certificate="split").fit(X, y)
    assert made.certificate_.pool is None
    other_version()
    with pytest.raises(CertificateError, match=r"pool differs: .* made by version"):
        made.certificate_.verify(made.model_, X, y)


@pytest.mark.parametrize("change", ["drop", "add"])
def test_a_changed_stored_pool_is_refused(data, change, other_version):
    X, y = data
    made = RipperClassifier(certificate="split", keep_pool=True).fit(X, y)
    pool = made.certificate_.pool
    (group,) = pool["learners"]
    first = group[0]
    if change == "drop":
        changed = [body for body in group if body != first]
    else:
        changed = [*group, {**first, "default": 1 - first["default"]}]
    forged = dataclasses.replace(made.certificate_, pool={**pool, "learners": [changed]})
    other_version()
    with pytest.raises(CertificateError, match="pool differs"):
        forged.verify(made.model_, X, y)


@pytest.mark.parametrize(
    "pool", [{}, {"learners": 1, "costs": []}, {"learners": [], "costs": [""]}]
)
def test_a_broken_stored_pool_is_refused(data, pool, other_version):
    X, y = data
    made = RipperClassifier(certificate="split", keep_pool=True).fit(X, y)
    other_version()
    with pytest.raises(ModelFileError, match="a pool has learners and costs"):
        dataclasses.replace(made.certificate_, pool=pool).verify(made.model_, X, y)


def test_keeping_the_pool_changes_neither_model_nor_bound(data):
    X, y = data
    made, kept = (
        TreeClassifier(certificate="split", keep_pool=keep).fit(X, y) for keep in (False, True)
    )
    assert made.model_ == kept.model_
    assert made.certificate_ == kept.certificate_


def test_all_models_with_one_answer_are_one_candidate(data):
    X, y = data
    pool = AutoClassifier(keep_pool=True).fit(X, y).certificate_.pool
    for group in pool["learners"]:
        assert group[-1]["node"] == "rule_list"
        assert not group[-1]["listed"]
        assert not any(body["node"] == "tree" and len(body["nodes"]) == 1 for body in group)
