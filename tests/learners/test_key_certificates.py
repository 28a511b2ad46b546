"""Certificates from splits by key: the same from rows in memory and from lazy frames."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, NAMES, labelled, plain, ugly_frame, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright import TreeClassifier
from rulewright.certificates import from_json, to_json
from rulewright.errors import CertificateError, InputError, RulewrightError
from rulewright.learners import Sample, TreeSettings, Units, learn, learn_lazily

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SETTINGS = [
    {"max_depth": 2},
    {"preset": "id3", "max_depth": 2},
    {"n_splits": 1, "random_state": 4, "max_leaf_nodes": 4},
    {"check_share": 0.3, "n_splits": 2, "max_depth": 2, "keep_pool": True},
    {"keep": ["a"], "max_depth": 3, "delta": 0.2, "n_splits": 1},
]


def keyed_frame(rows=160, classes="np"):
    random = np.random.default_rng(8)
    return ugly_frame(rows, classes).with_columns(id=random.permutation(rows) * 10_007)


@EIGHTH
@given(
    data=labelled(),
    parameters=st.sampled_from(SETTINGS),
    keys=st.sets(st.integers(0, 2**53), min_size=40, max_size=40),
)
def test_counts_give_the_certificate_of_rows(data, parameters, keys):
    table, labels, classes = data
    keys = np.array(sorted(keys, key=lambda key: key % 1009), np.int64)[: table.rows]
    settings = TreeSettings(certificate="split", **parameters)
    sample = Sample.of(table, labels, classes, target="y")
    units = Units(keys=keys, column="key")
    try:
        expected = learn(settings, sample, units=units).entry.model
    except InputError:
        expected = None
    counts = RowCounts(table, labels, classes, keys=keys)
    if expected is None or len(classes) < 2:
        return
    found = learn_lazily(settings, counts).entry.model
    assert written(found) == written(plain(expected))


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_give_the_certificate_of_memory_and_check_it(engine):
    frame = keyed_frame()
    tree = TreeClassifier(certificate="split", max_depth=2, n_splits=1)
    expected = tree.fit(frame, target="y", key="id").model_
    rows = {"X": frame.drop("y", "id"), "y": frame["y"], "keys": frame["id"]}
    lazy = ENGINES[engine](frame.reverse())
    found = tree.fit(lazy, target="y", key="id").model_
    assert written(found) == written(plain(expected))
    assert found.certificate.unit == "key" and found.certificate.unit_column == "id"
    assert found.certificate.verify(found, lazy).holds
    for model in (found, expected, from_json(to_json(found))):
        assert model.certificate.verify(model, **rows).holds
    checks = found.certificate.check_rows(found, **rows)
    assert checks.size == found.certificate.m < frame.height
    assert "id" not in [column.name for column in found.columns]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f: f.with_columns(id=pl.col("id") + 1), "design rows; the certificate says|pool"),
        (lambda f: f.with_columns(y=pl.lit("n")), "knows the classes"),
        (lambda f: f.head(150), "design rows; the certificate says|pool|check rows"),
        (
            lambda f: f.with_columns(
                y=pl.when(pl.int_range(pl.len()) < 20).then(pl.lit("p")).otherwise("y")
            ),
            "pool differs|check rows of the classes",
        ),
    ],
)
def test_other_rows_are_refused(change, reason):
    frame = keyed_frame()
    tree = TreeClassifier(certificate="split", max_depth=2, n_splits=1)
    model = tree.fit(frame.lazy(), target="y", key="id").model_
    found = model.certificate.check(model, change(frame).lazy())
    assert not found.holds
    with pytest.raises(CertificateError, match=reason):
        model.certificate.verify(model, change(frame).lazy())


def test_a_changed_file_is_refused():
    frame = keyed_frame()
    tree = TreeClassifier(certificate="split", max_depth=2, n_splits=1)
    model = tree.fit(frame.lazy(), target="y", key="id").model_
    certificate = model.certificate
    forged = [
        (replace(certificate, design=certificate.design - 1), "design rows; the certificate says"),
        (replace(certificate, key="00"), "do not give the key of the certificate"),
        (replace(certificate, seed=3), "random_state"),
        (replace(certificate, wrong=(0,) * len(certificate.wrong)), "errors on the check rows"),
        (replace(certificate, bound=0.01), "claims a bound of"),
    ]
    for one, reason in forged:
        with pytest.raises(CertificateError, match=reason):
            one.verify(replace(model, certificate=one), frame.lazy())
    evidence = tuple(tuple(n + 1 for n in rule) for rule in model.evidence)
    with pytest.raises(CertificateError, match="cases of the rules"):
        certificate.verify(replace(model, evidence=evidence), frame.lazy())


@pytest.mark.parametrize(
    ("arguments", "fit", "message"),
    [
        ({"certificate": "compression"}, {}, "A key needs certificate='split'"),
        ({"deliver": "all"}, {}, "deliver='all' needs the rows in memory"),
        ({}, {"key": "a"}, "Column 'a', the key, must hold whole numbers, got"),
        ({}, {"key": NAMES[1]}, "got numbers from -3 to 3"),
        ({}, {"key": "idd"}, "The data has no column 'idd'. Did you mean 'id'"),
    ],
)
def test_what_a_key_needs(arguments, fit, message):
    tree = TreeClassifier(**{"certificate": "split", "max_depth": 1} | arguments)
    with pytest.raises(RulewrightError, match=message):
        tree.fit(keyed_frame(30).lazy(), **{"target": "y", "key": "id"} | fit)


def test_keys_of_several_rows_or_none_are_refused():
    tree = TreeClassifier(certificate="split", max_depth=1)
    frame = keyed_frame(30)
    repeated = frame.with_columns(id=pl.col("id") // 20_000)
    for made in (repeated, repeated.lazy()):
        with pytest.raises(InputError, match="must be different in each row: 30 rows have"):
            tree.fit(made, target="y", key="id")
    missing = frame.with_columns(id=pl.when(pl.col("id") > 20_000).then("id"))
    with pytest.raises(InputError, match="rows without one"):
        tree.fit(missing.lazy(), target="y", key="id")


def test_only_splits_by_key_are_checked_lazily():
    frame = keyed_frame(40).drop("id")
    tree = TreeClassifier(max_depth=1).fit(frame, target="y")
    with pytest.raises(CertificateError, match="Only a certificate whose splits are by key"):
        tree.certificate_.verify(tree.model_, frame.lazy())
    with pytest.raises(InputError, match="leave out all but X"):
        tree.certificate_.verify(tree.model_, frame.lazy(), frame["y"])
