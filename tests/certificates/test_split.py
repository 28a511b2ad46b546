"""Split certificates: what they count, that they verify, and that check rows take no part."""

import json
import math

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from certificates.splitting import (
    CASES,
    LEARNERS,
    SPLITS,
    cases,
    estimator,
    fitted,
    library_pool,
    oracle_errors,
    oracle_pool,
    searched,
    split_rows,
    ugly,
    weights,
)
from oracles import split as oracle
from sklearn.base import clone

from rulewright import SetCoveringMachine, load_model
from rulewright.certificates import (
    PoolMember,
    ScoredMember,
    certify_split,
    identity,
    make_pool,
    make_splitter,
    model_schema,
)
from rulewright.data import detect_table
from rulewright.errors import CertificateError, InputError
from rulewright.models import to_json
from rulewright.rules import Rule, RuleList, Threshold

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.cross_section(11),
]

SCHEMA = model_schema()
EVERY = pytest.mark.parametrize(("learner", "kind"), CASES)
EACH = pytest.mark.parametrize(
    "learner",
    [pytest.param(name, marks=pytest.mark.slow if name == "auto" else ()) for name in LEARNERS],
)


def signature(found):
    """All that a certificate and a model say, without the numbers of rows."""
    c = found.certificate_
    told = {name: value for name, value in c.to_json().items() if name not in ("tail", "cautions")}
    return identity(found.model_.body), told


# The numbers of a certificate.


@EVERY
def test_the_bound_is_the_oracles(learner, kind):
    found = fitted(learner, kind)
    c = found.certificate
    bodies, prior = oracle_pool(found, c.split)
    name = identity(found.model.body)
    errors, check = oracle_errors(found, c.split, found.model.body)
    length = oracle.split_length(c.delta, prior[name], SPLITS)
    assert name in bodies
    assert c.pool_size == len(prior)
    assert c.log_prior == pytest.approx(math.log(prior[name]), abs=1e-9)
    assert (c.errors, c.m) == (errors, check)
    assert c.split_bound == pytest.approx(oracle.upper(errors, check, length), rel=1e-9)
    tail = 1.0 if c.tail is None else c.tail.bound
    assert c.bound == pytest.approx(min(c.split_bound, tail), rel=1e-12)
    assert c.n_splits == SPLITS


@pytest.mark.parametrize(("learner", "kind"), cases("costs"))
def test_the_model_is_the_best_of_all_candidates_of_all_splits(learner, kind):
    found = fitted(learner, kind)
    best = 1.0
    for number in range(1, SPLITS + 1):
        bodies, prior = oracle_pool(found, number)
        for name, body in bodies.items():
            if name in prior:
                length = oracle.split_length(0.05, prior[name], SPLITS)
                best = min(best, oracle.upper(*oracle_errors(found, number, body), length, 60))
    if found.certificate.tail is None:
        assert found.certificate.bound == pytest.approx(best, rel=1e-9)
    else:
        assert found.certificate.bound <= best + 1e-9


@EVERY
def test_the_prior_sums_to_one(learner, kind):
    found = fitted(learner, kind)
    for number in range(1, SPLITS + 1):
        pool = library_pool(found, number)
        _, prior = oracle_pool(found, number)
        assert math.fsum(np.exp(pool.log_prior)) <= 1 + 1e-12
        assert math.fsum(np.exp(pool.log_prior)) == pytest.approx(1, abs=1e-9)
        named = {
            identity(member.body): log_prior
            for member, log_prior in zip(pool.candidates, pool.log_prior, strict=True)
        }
        assert set(named) == set(prior)
        assert all(named[name] == pytest.approx(math.log(prior[name])) for name in prior)


@EVERY
def test_it_verifies_also_from_a_file(learner, kind, tmp_path):
    found = fitted(learner, kind)
    checked = found.certificate.verify(found.model, found.X, found.y, found.weight)
    assert checked.holds
    found.estimator.save_model(tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert model.certificate == found.certificate
    assert model.certificate.verify(model, found.X, found.y, found.weight).holds
    columns = list(found.X)[::-1]
    assert model.certificate.verify(model, found.X[columns], found.y, found.weight).holds


@EVERY
def test_its_file_fits_the_published_schema(learner, kind):
    jsonschema.validate(json.loads(json.dumps(to_json(fitted(learner, kind).model))), SCHEMA)


@EACH
def test_every_model_of_the_path_verifies(learner):
    found = fitted(learner)
    for entry in found.estimator.path_:
        assert entry.certificate.verify(entry.model, found.X, found.y).holds


# What the pool depends on.


def pool_facts(checked):
    pool = checked.pool
    return (
        checked.design.tolist(),
        [identity(member.body) for member in pool.candidates],
        pool.log_prior.tobytes(),
        pool.errors.tolist(),
        pool.digest,
    )


@EACH
def test_a_changed_label_of_a_check_row_leaves_the_pool_bit_for_bit_as_it_was(learner):
    """Splits by a seed that was settled beforehand stay the same whatever the labels are."""
    found = fitted(learner, "seed")
    before = searched(found.estimator, found.X, found.y)
    for number in range(SPLITS):
        check = before[number].check
        rows = [check[:1], check[-1:], check[::2], check]
        for changed in rows if learner not in ("auto", "rule-vote") else rows[2:]:
            y = found.y.copy()
            y[changed] = np.where(y[changed] == "a", "b", "a")
            after = searched(clone(found.estimator), found.X, y)
            assert pool_facts(after[number]) == pool_facts(before[number])


@EACH
def test_a_changed_value_of_a_check_row_leaves_the_pool_bit_for_bit_as_it_was(learner):
    """New values, new categories and values no longer missing: none of them is seen."""
    found = fitted(learner, "seed")
    before = searched(found.estimator, found.X, found.y)[0]
    X = found.X.copy()
    X.loc[before.check, "size"] = np.arange(before.check.size) * 1000.0
    X.loc[before.check, "tied"] = 17.0
    X.loc[before.check, "constant"] = 2.0
    X.loc[before.check[::2], "town"] = "Aalen"
    X.loc[before.check[::3], "flag"] = True
    after = searched(clone(found.estimator), X, found.y)[0]
    assert pool_facts(after) == pool_facts(before)


@EACH
def test_a_changed_label_of_a_design_row_is_seen(learner):
    """Otherwise the two tests above could not fail."""
    found = fitted(learner, "seed")
    before = searched(found.estimator, found.X, found.y)[0]
    y = found.y.copy()
    rows = before.design[::3]
    y[rows] = np.where(y[rows] == "a", "b", "a")
    after = searched(clone(found.estimator), found.X, y)[0]
    assert pool_facts(after)[1:] != pool_facts(before)[1:]


@EACH
def test_scoring_looks_at_the_design_rows_only(learner):
    found = fitted(learner)
    _, check = split_rows(found, 1)
    codes = np.unique(found.y, return_inverse=True)[1].astype(np.int32)
    before = library_pool(found, 1)
    codes[check] = 1 - codes[check]
    after = library_pool(found, 1, codes)
    assert after.digest == before.digest
    assert after.log_prior.tobytes() == before.log_prior.tobytes()


# What the splits depend on.


@EVERY
def test_splits_are_drawn_by_the_definition(learner, kind):
    found = fitted(learner, kind)
    rows = np.arange(len(found.y)) if found.weight is None else np.flatnonzero(found.weight)
    pools = searched(clone(found.estimator), found.X, found.y, found.weight)
    for checked in pools:
        design, check = split_rows(found, checked.number)
        assert rows[checked.design].tolist() == design.tolist()
        assert rows[checked.check].tolist() == check.tolist()
    assert found.certificate.design == design.size


def test_an_integer_seed_settles_the_splits_beforehand():
    """They depend on the seed and the number of rows only."""
    X, y = ugly()
    other = ugly(seed=1)[1]
    made = estimator("tree", random_state=5)
    for labels, table, learner in (
        (other, X, made),
        (y, X.iloc[::-1], made),
        (y, X.assign(size=0.5), estimator("tree", random_state=5, max_depth=2)),
        (y, X, estimator("scm", random_state=5, delta=0.5)),
    ):
        pools = searched(learner, table.reset_index(drop=True), labels)
        expected = searched(made, X, y)
        for one, two in zip(pools, expected, strict=True):
            assert one.design.tolist() == two.design.tolist()
    assert searched(estimator("tree", random_state=6), X, y)[0].design.tolist() != (
        expected[0].design.tolist()
    )


def test_a_hash_of_the_content_draws_other_splits_for_other_content():
    X, y = ugly()
    draws = {
        searched(made, table, labels)[0].design.tobytes()
        for made, table, labels in (
            (estimator("tree"), X, y),
            (estimator("tree", max_depth=3), X, y),
            (estimator("tree", delta=0.1), X, y),
            (estimator("tree", n_splits=3), X, y),
            (estimator("scm"), X, y),
            (estimator("tree"), X.assign(size=X["size"].mask(X.index == 3, 9.0)), y),
            (estimator("tree"), X, np.where(np.arange(y.size) == 3, "b", y)),
        )
    }
    assert len(draws) >= 6  # the third label may be b already


@pytest.mark.parametrize(("learner", "kind"), cases("seed"))
def test_the_order_of_rows_and_columns_changes_nothing(learner, kind):
    found = fitted(learner, kind)
    rng = np.random.default_rng(3)
    for _ in range(1 if learner in ("auto", "rule-vote", "rule-list") else 3):
        rows, columns = rng.permutation(len(found.y)), rng.permutation(list(found.X))
        X = found.X.iloc[rows][columns].reset_index(drop=True)
        weight = None if found.weight is None else found.weight[rows]
        again = clone(found.estimator).fit(X, found.y[rows], sample_weight=weight)
        assert signature(again) == signature(found.estimator)
        assert again.certificate_.verify(again.model_, X, found.y[rows], weight).holds
    row_order = np.argsort(rows)
    assert again.predict(X)[row_order].tolist() == found.estimator.predict(found.X).tolist()


@EACH
def test_the_order_of_categories_changes_nothing(learner):
    found = fitted(learner)
    for order in (["Alba", "Asti", "Bra"], ["Bra", "Asti", "Alba", "Zell"]):
        X = found.X.assign(town=pd.Categorical(found.X["town"], order))
        assert signature(clone(found.estimator).fit(X, found.y)) == signature(found.estimator)


@EACH
def test_the_number_of_threads_changes_nothing(learner):
    found = fitted(learner)
    again = clone(found.estimator).set_params(n_jobs=2).fit(found.X, found.y)
    assert signature(again) == signature(found.estimator)
    assert again.model_ == found.model


@EACH
def test_pandas_and_polars_give_the_same_model(learner):
    found = fitted(learner)
    X = pl.from_pandas(found.X)
    again = clone(found.estimator).fit(X, found.y)
    assert signature(again) == signature(found.estimator)
    assert found.certificate.verify(found.model, X, found.y).holds


@EACH
def test_rows_of_weight_zero_are_absent(learner):
    found = fitted(learner, "weights")
    rows = np.flatnonzero(found.weight)
    X = found.X.iloc[rows].reset_index(drop=True)
    again = clone(found.estimator).fit(X, found.y[rows], sample_weight=found.weight[rows])
    assert signature(again) == signature(found.estimator)


def test_a_table_without_weights_is_not_one_with_weights():
    X, y = ugly()
    keys = {
        estimator("tree").fit(X, y, sample_weight=weight).certificate_.key
        for weight in (None, np.ones(y.size), np.full(y.size, 2.0), weights(y.size) + 1)
    }
    assert len(keys) == 2  # weights are relative


def test_weights_that_are_no_whole_numbers_verify():
    X, y = ugly()
    for seed in range(10):
        weight = np.random.default_rng(seed).choice([0.1, 0.3, 1 / 3, 0.7, 0.0], y.size)
        for learner in ("tree", "ripper"):
            made = estimator(learner).fit(X, y, sample_weight=weight)
            assert made.certificate_.verify(made.model_, X, y, weight).holds


# Parameters.


@pytest.mark.parametrize("share", [0.1, 0.25, np.float32(0.5), 0.9])
def test_the_share_of_check_rows_is_what_was_asked_for(share, tmp_path):
    X, y = ugly()
    made = estimator("tree", check_share=share).fit(X, y)
    assert made.certificate_.m == round(y.size * share)
    assert made.certificate_.m + made.certificate_.design == y.size
    made.save_model(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").certificate.verify(made.model_, X, y).holds


@pytest.mark.parametrize(
    "options",
    [
        {"n_splits": np.int64(3)},
        {"delta": np.float32(0.25)},
        {"random_state": np.int64(4)},
        {"random_state": np.random.RandomState(4)},
        {"n_splits": None},
        {"n_splits": 1},
        {"class_costs": "balanced"},
    ],
    ids=lambda options: str(options).partition(" at ")[0],
)
def test_parameters_come_back_from_a_file(options, tmp_path):
    X, y = ugly()
    made = estimator("tree", **options).fit(X, y)
    made.save_model(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.certificate == made.certificate_
    assert model.certificate.verify(model, X, y).holds


def test_more_splits_pay_their_logarithm():
    X, y = ugly()
    for n_splits in (1, 4):
        c = estimator("tree", n_splits=n_splits).fit(X, y).certificate_
        assert c.message[0][1] == pytest.approx(math.log(n_splits * 16 / 15))
        assert c.message_nats == pytest.approx(math.log(n_splits * 16 / 15) - c.log_prior)


def test_a_table_too_small_to_split_is_refused():
    with pytest.raises(InputError, match=r"needs at least 4 rows, got 3.*'compression'"):
        estimator("tree").fit([[1.0], [2.0], [3.0]], [0, 1, 1])


def test_a_class_too_rare_to_be_learnt_is_refused():
    X, y = ugly()
    y[:] = "a"
    y[7] = "b"
    with pytest.raises(InputError, match=r"too rare: .*'b'.* has 1 rows"):
        for seed in range(40):  # until the one row is a check row of all splits
            estimator("tree", n_splits=1, random_state=seed).fit(X, y)


def test_the_weight_of_a_split_that_is_skipped_is_lost():
    """Where a class has no design row, the other splits do not become cheaper."""
    X, y = ugly()
    y[:] = "a"
    y[7] = "b"
    for seed in range(40):
        pools = searched(estimator("tree", n_splits=2, random_state=seed), X, y)
        if len(pools) == 1:
            made = estimator("tree", n_splits=2, random_state=seed).fit(X, y)
            assert made.certificate_.message[0][1] == pytest.approx(math.log(2 * 16 / 15))
            assert made.certificate_.verify(made.model_, X, y).holds
            return
    pytest.fail("no split was skipped")


def test_precomputed_distances_are_refused():
    X = np.random.default_rng(0).random((20, 20))
    machine = SetCoveringMachine(family="balls", metric="precomputed", certificate="split")
    with pytest.raises(InputError, match="precomputed distances"):
        machine.fit(X, np.arange(20) % 2)


def test_a_time_budget_is_refused():
    with pytest.raises(InputError, match="time_budget and certificate='split' exclude"):
        SetCoveringMachine(certificate="split", time_budget=3).fit(*ugly())


# Pools.


def stump(cut, literals=1):
    rule = Rule(Threshold("x", above=True, cut=cut), 1)
    return RuleList((rule,) * literals, 0)


def scored(cut, errors, literals=1, loss=None):
    member = PoolMember(stump(cut, literals), "test")
    return ScoredMember(member, errors, float(errors if loss is None else loss))


@pytest.mark.parametrize("seed", range(30))
def test_a_pool_is_the_oracles(seed):
    """Several learners, repeated candidates, empty learners, more candidates than are kept."""
    rng = np.random.default_rng(seed)
    learners = []
    for _ in range(rng.integers(1, 5)):
        size = int(rng.choice([0, 1, 5, 90]))
        cuts = rng.integers(0, 100, size).tolist()
        learners.append([scored(float(c), c % 17, c % 3 + 1, (c % 17) * 1.5) for c in cuts])
    if not any(learners):
        learners.append([scored(1.0, 3)])
    pool = make_pool(learners)
    prior = oracle.prior(
        [
            [(identity(r.candidate.body), r.loss, r.candidate.body.literals) for r in learner]
            for learner in learners
        ]
    )
    named = [identity(member.body) for member in pool.candidates]
    assert len(set(named)) == len(named)
    assert set(named) == set(prior)
    found = dict(zip(named, pool.log_prior.tolist(), strict=True))
    assert all(found[name] == pytest.approx(math.log(prior[name]), abs=1e-9) for name in named)
    assert math.fsum(np.exp(pool.log_prior)) <= 1 + 1e-12
    penalties = [
        0.3 * 1.5 * errors + member.body.literals
        for errors, member in zip(pool.errors, pool.candidates, strict=True)
    ]
    assert penalties == sorted(penalties)


def test_one_learner_with_one_candidate_has_the_whole_prior():
    pool = make_pool([[scored(1.0, 3)]])
    assert pool.log_prior.tolist() == [0.0]


def test_a_candidate_costs_at_most_the_logarithm_of_all():
    learners = [[scored(float(c), c * 50) for c in range(40)], [scored(100.0, 0)]]
    pool = make_pool(learners)
    assert -pool.log_prior.min() <= math.log(2 * 2 * 40) + 1e-12
    assert pool.size == 41


def test_errors_of_a_thousand_rows_do_not_underflow():
    pool = make_pool([[scored(1.0, 5000), scored(2.0, 9000)]])
    assert np.exp(pool.log_prior).tolist() == pytest.approx([0.75, 0.25])


def test_the_digest_depends_on_candidates_order_and_errors():
    pools = [
        make_pool([[scored(1.0, 3), scored(2.0, 4)]]),
        make_pool([[scored(1.0, 4), scored(2.0, 3)]]),
        make_pool([[scored(1.0, 3), scored(2.5, 4)]]),
        make_pool([[scored(1.0, 3), scored(2.0, 5)]]),
        make_pool([[scored(1.0, 3)]]),
    ]
    assert len({pool.digest for pool in pools}) == len(pools)


def test_one_split_of_one_candidate_is_clopper_and_pearsons_but_for_the_tails_part():
    """A pool of one candidate costs nothing; the split form keeps 15 of 16 parts of delta."""
    y = np.arange(40, dtype=np.int32) % 2
    for errors in (0, 1, 7, 39, 40):
        c = certify_split(
            np.arange(40) < errors,
            y,
            classes=2,
            split=1,
            n_splits=1,
            pool=make_pool([[scored(1.0, 3)]]),
            place=1,
            design=40,
            recipe={"learner": "tree", "parameters": {}, "version": "1"},
            key="",
            seed=None,
        )
        expected = oracle.clopper_pearson(errors, 40, 0.05 * 15 / 16)
        assert c.bound == pytest.approx(expected, abs=1e-12)


def test_rows_of_a_group_stay_together_and_times_are_split_by_time():
    X, y = ugly()
    table, codes = detect_table(X), np.unique(y, return_inverse=True)[1].astype(np.int32)
    given = {"recipe": {}, "seed": 3, "check_share": 0.3}
    groups = np.arange(y.size) // 3
    found = make_splitter(table, codes, np.ones(y.size), ("a", "b"), groups=groups, **given)
    for number in (1, 2, 3):
        split = found.split(number)
        assert not set(groups[split.design]) & set(groups[split.check])
        assert split.design.size + split.check.size == y.size
    times = np.random.default_rng(0).integers(0, 9, y.size)
    split = make_splitter(table, codes, np.ones(y.size), ("a", "b"), times=times, **given).split(1)
    assert times[split.design].max() < times[split.check].min()
    assert split.check.size >= 0.3 * y.size


def test_a_certificate_does_not_hold_for_other_data():
    found = fitted("tree")
    X, y = ugly(seed=4)
    with pytest.raises(CertificateError, match="do not give the key"):
        found.certificate.verify(found.model, X, y)
