"""Statements from check rows: they match scipy, hold all at once, and refuse wrong data."""

import json
import math
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import beta

from rulewright import RipperClassifier, RuleListClassifier, RuleVoteClassifier, TreeClassifier
from rulewright import load_model as load
from rulewright.certificates import CompressionCertificate
from rulewright.certificates.split_statements import (
    CheckRows,
    abstention_statement,
    group_statements,
    rule_statements,
    with_delta,
)
from rulewright.errors import CertificateError, InputError
from rulewright.models import save_model
from rulewright.rules import ABSTAIN


def upper(k, n, level):
    """Clopper and Pearson's upper end at a level, by scipy."""
    return 1.0 if k == n else float(beta.isf(level, k + 1, n - k))


def lower(k, n, level):
    return 0.0 if k == 0 else float(beta.ppf(level, k, n - k + 1))


def table(rows=400, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=rows).round(2),
            "age": rng.integers(18, 80, rows).astype(float),
            "city": rng.choice(["Bern", "Chur", "Genève"], rows, p=[0.5, 0.3, 0.2]),
        }
    )
    X.loc[rng.random(rows) < 0.1, "age"] = np.nan
    score = X["size"] + (X["city"] == "Chur") * rng.normal(0, 1.5, rows)
    y = np.digitize(score, [-0.3, 0.6][: classes - 1])
    return X, np.array(["no", "yes", "error"])[y]


@cache
def fitted(kind="tree", classes=2):
    X, y = table(classes=classes)
    estimator = {
        "tree": TreeClassifier(certificate="split", max_leaf_nodes=6),
        "list": RipperClassifier(certificate="split"),
        "abstaining": RuleListClassifier(certificate="split", default="abstain", max_rules=4),
        "vote": RuleVoteClassifier(certificate="split", max_rules=4),
    }[kind]
    estimator.fit(X, y)
    return estimator.model_, estimator.certificate_, X, y


def level_of(certificate, bounds, delta=None):
    """Probability that is left for one of several bounds."""
    return (delta or certificate.delta) * math.exp(-certificate.message_nats) / bounds


# The check rows.


@pytest.mark.parametrize("kind", ["tree", "list", "abstaining", "vote"])
def test_check_rows_have_the_counts_of_the_certificate(kind):
    model, certificate, X, y = fitted(kind)
    rows = certificate.check_rows(model, X, y)
    assert rows.size == certificate.m == np.unique(rows).size
    assert (np.diff(rows) > 0).all()
    assert rows.size + certificate.design == len(y)
    assert (model.predict(X.iloc[rows]) != y[rows]).sum() == certificate.errors


def test_check_rows_follow_the_order_of_the_table():
    model, certificate, X, y = fitted()
    order = np.random.default_rng(3).permutation(len(y))
    found = certificate.check_rows(model, X.iloc[order][["city", "age", "size"]], y[order])
    before = certificate.check_rows(model, X, y)
    kept = ~X.assign(y=y).duplicated(keep=False).to_numpy()
    assert set(order[found][kept[order[found]]]) == set(before[kept[before]])


def test_check_rows_leave_out_rows_of_weight_zero():
    X, y = table()
    weight = np.arange(len(y)) % 3
    tree = TreeClassifier(certificate="split").fit(X, y, sample_weight=weight)
    rows = tree.certificate_.check_rows(tree.model_, X, y, weight)
    assert (weight[rows] > 0).all()
    assert rows.size == tree.certificate_.m
    groups = tree.certificate_.by_group(weight, tree.model_, X, y, weight)
    assert [each.group for each in groups.groups] == ["1", "2"]
    with pytest.raises(CertificateError, match="do not give the key"):
        tree.certificate_.check_rows(tree.model_, X, y)


def test_check_rows_of_a_model_file(tmp_path):
    model, certificate, X, y = fitted()
    save_model(model, tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    found = again.certificate.check_rows(again, pl.from_pandas(X), y.tolist())
    assert found.tolist() == certificate.check_rows(model, X, y).tolist()


def test_a_seed_draws_the_same_check_rows_again():
    X, y = table()
    tree = TreeClassifier(certificate="split", random_state=7).fit(X, y)
    rows = tree.certificate_.check_rows(tree.model_, X, y)
    assert (tree.predict(X.iloc[rows]) != y[rows]).sum() == tree.certificate_.errors
    with pytest.raises(CertificateError, match="A label differs|counting again"):
        tree.certificate_.check_rows(tree.model_, X, y[::-1])


METHODS = {
    "check_rows": lambda c, model, X, y: c.check_rows(model, X, y),
    "by_group": lambda c, model, X, y: c.by_group(X["city"], model, X, y),
    "by_rule": lambda c, model, X, y: c.by_rule(model, X, y),
    "abstention": lambda c, model, X, y: c.abstention(model, X, y),
}


@pytest.mark.parametrize("name", METHODS)
def test_other_data_and_other_models_are_refused(name):
    model, certificate, X, y = fitted()
    call = METHODS[name]
    changed = X.copy()
    changed.loc[5, "size"] += 0.01
    flipped = y.copy()
    flipped[9] = "no" if y[9] == "yes" else "yes"
    for data in ((changed, y), (X, flipped), (X.iloc[1:], y[1:])):
        with pytest.raises(CertificateError, match="do not give the key"):
            call(certificate, model, *data)
    with pytest.raises(CertificateError, match="400 rows but 399 labels"):
        call(certificate, model, X, y[1:])
    with pytest.raises(CertificateError, match="This model has no certificate"):
        call(certificate, model.rounded(1, X).model, X, y)
    other = fitted("list")[0]
    with pytest.raises(CertificateError, match="another certificate"):
        call(certificate, other, X, y)


# The interval.


def test_the_interval_is_that_of_clopper_and_pearson():
    _, certificate, *_ = fitted()
    level, n, k = level_of(certificate, 2), certificate.m, certificate.errors
    expected = lower(k, n, level), upper(k, n, level)
    assert certificate.interval == pytest.approx(expected, abs=1e-10)
    assert certificate.interval[0] < k / n < certificate.bound < certificate.interval[1]


def test_a_smaller_bound_of_the_compression_form_shortens_the_interval():
    _, certificate, *_ = fitted()
    tail = CompressionCertificate(
        bound=0.0, delta=certificate.delta / 16, counts=(5000, 5000), wrong=(9, 9), roles={}
    )
    both = replace(certificate, tail=tail)
    assert both.interval == (certificate.interval[0], tail.recomputed_bound())


# Groups.


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("delta", [None, 0.2])
def test_rates_of_groups_match_scipy(classes, delta):
    model, certificate, X, y = fitted(classes=classes)
    found = certificate.by_group(X["city"], model, X, y, delta=delta)
    rows = certificate.check_rows(model, X, y)
    wrong = model.predict(X) != y
    kinds = {"error": None, "false_alarm": "no", "miss": "yes"}
    if classes == 3:
        kinds = {"error": None, "class 'error'": "error", "no": "no", "yes": "yes"}
    assert set(found.rates) == set(kinds)
    assert found.statements == 2 * 3 * len(kinds)
    assert [each.group for each in found.groups] == ["Bern", "Chur", "Genève"]
    level = level_of(certificate, found.statements, delta)
    for each in found.groups:
        for name, label in kinds.items():
            own = [r for r in rows if X["city"][r] == each.group and label in (None, y[r])]
            k, n, rate = int(wrong[own].sum()), len(own), each.rates[name]
            assert (rate.wrong, rate.rows) == (k, n)
            assert rate.low == pytest.approx(lower(k, n, level), abs=1e-10)
            assert rate.high == pytest.approx(upper(k, n, level), abs=1e-10)
    assert sum(each.rows for each in found.groups) == certificate.m
    assert sum(each.errors for each in found.groups) == certificate.errors


def test_differences_follow_from_the_intervals():
    model, certificate, X, y = fitted()
    found = certificate.by_group(X["city"], model, X, y)
    ends = {each.group: each.interval for each in found.groups}
    expected = max(ends[a][1] - ends[b][0] for a in ends for b in ends if a != b)
    assert found.largest_difference.high == expected
    assert len(found.differences) == 3 * 3
    for each in found.differences:
        first, second = each.first.rates[each.rate], each.second.rates[each.rate]
        assert each.observed >= 0
        assert (each.low, each.high) == (first.low - second.high, first.high - second.low)
        assert each.low <= each.observed <= each.high
        assert each.is_certain == (each.low > 0)


def test_a_certain_difference_is_printed():
    X, y = table(2000)
    rng = np.random.default_rng(1)
    chur = (X["city"] == "Chur").to_numpy()
    y = np.where(chur, rng.choice(["no", "yes"], 2000), y)
    tree = TreeClassifier(certificate="split").fit(X, y)
    found = tree.certificate_.by_group(X["city"], tree.model_, X, y)
    sure = [each for each in found.differences if each.is_certain and each.rate == "error"]
    assert {(each.first.group, each.second.group) for each in sure} >= {("Chur", "Bern")}
    assert "Error rates: that of Chur is higher than that of Bern, by " in str(found)


def test_a_group_without_check_rows_has_the_interval_0_to_1():
    model, certificate, X, y = fitted()
    rows = certificate.check_rows(model, X, y)
    outside = np.setdiff1d(np.arange(len(y)), rows)
    groups = np.where(np.arange(len(y)) == outside[0], "rare", X["city"]).astype(object)
    found = certificate.by_group(groups, model, X, y)
    assert (found["rare"].rows, found["rare"].interval) == (0, (0.0, 1.0))
    assert found.statements == 18  # it costs the others nothing
    assert found["Bern"] == certificate.by_group(X["city"], model, X, y)["Bern"]
    assert "rare" not in {each.second.group for each in found.differences}
    assert "Nothing is known about groups without check rows: rare." in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_group_is_the_interval_of_all_rows():
    model, certificate, X, y = fitted()
    found = certificate.by_group(np.zeros(len(y)), model, X, y)
    assert found.largest_difference is None
    assert found.differences == []
    level = level_of(certificate, 6)
    assert found[0].interval[1] == pytest.approx(
        upper(certificate.errors, certificate.m, level), abs=1e-10
    )


def ugly_groups(rows):
    cells = ["a\nb", "<b>", None, float("nan"), pd.NA, 3, 3.0, "3", True, (1, 2), "\x1b[31m"]
    groups = np.empty(rows, object)
    groups[:] = [cells[row % len(cells)] for row in range(rows)]
    return groups


def test_ugly_groups_are_texts():
    model, certificate, X, y = fitted()
    found = certificate.by_group(ugly_groups(len(y)), model, X, y)
    assert [each.group for each in found.groups] == [
        *["\x1b[31m", "(1, 2)", "3", "<b>", "True", "a\nb", None]
    ]
    assert found[None].rows > found[True].rows
    assert "\x1b" not in str(found)
    assert "a\\nb" in str(found)
    assert "(missing)" in str(found)
    html = found._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    with pytest.raises(KeyError, match="There is no group 'Uri'"):
        found["Uri"]


@pytest.mark.parametrize("of", [list, np.asarray, pd.Series, pd.Categorical, pl.Series])
def test_groups_may_come_in_any_container(of):
    model, certificate, X, y = fitted()
    found = certificate.by_group(of(X["city"].tolist()), model, X, y)
    assert found == certificate.by_group(X["city"], model, X, y)


def test_ranges_of_pandas_are_groups():
    model, certificate, X, y = fitted()
    found = certificate.by_group(pd.cut(X["age"], [0, 40, 100]), model, X, y)
    assert [each.group for each in found.groups] == ["(0.0, 40.0]", "(40.0, 100.0]", None]


def test_numbers_are_groups_in_their_order():
    model, certificate, X, y = fitted()
    found = certificate.by_group(np.arange(len(y)) % 12, model, X, y)
    assert [each.group for each in found.groups] == list(map(str, range(12)))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (lambda X: X["city"][:-1], r"one value for each of the 400 rows, got shape"),
        (lambda X: X, r"got shape \(400, 3\)"),
        (lambda X: "city", r"got shape \(\)"),
        (lambda X: np.arange(400), "groups has 400 different values; at most 100"),
    ],
)
def test_groups_that_are_none_are_refused(groups, message):
    model, certificate, X, y = fitted()
    with pytest.raises(InputError, match=message):
        certificate.by_group(groups(X), model, X, y)


@pytest.mark.parametrize("delta", [0, 1, -0.1, float("nan")])
def test_a_delta_that_is_no_probability_is_refused(delta):
    model, certificate, X, y = fitted()
    for call in (
        lambda: certificate.by_group(X["city"], model, X, y, delta=delta),
        lambda: certificate.by_rule(model, X, y, delta=delta),
        lambda: certificate.abstention(model, X, y, delta=delta),
        lambda: certificate.bound_of_other(model, model, X, delta=delta),
    ):
        with pytest.raises(InputError, match="delta must be in"):
            call()


def test_the_printed_groups():
    model, certificate, X, y = fitted()
    found = certificate.by_group(X["city"], model, X, y)
    text = str(found)
    assert text == repr(found)
    assert "(95 % confidence for all 18 bounds at once)." in text
    lines = text.splitlines()
    assert lines[2].split() == ("group check rows errors error rate false alarms misses".split())
    bern = found["Bern"]
    rate = f"{100 * bern.errors / bern.rows:.1f} %"
    assert lines[3].split()[:3] == ["Bern", str(bern.rows), str(bern.errors)]
    assert rate in lines[3]
    frame = found.to_frame("pandas")
    assert len(frame) == 9
    assert frame["rows"].sum() == 2 * certificate.m
    assert frame.loc[0, "high"] == bern.interval[1]
    said = found.to_dict()
    assert said["groups"][0]["rates"]["error"]["wrong"] == bern.errors
    assert said["largest_differences"]["error"]["high"] == found.largest_difference.high


# Rules.


@pytest.mark.parametrize("kind", ["tree", "list", "abstaining", "vote"])
def test_bounds_of_rules_match_scipy(kind):
    model, certificate, X, y = fitted(kind)
    found = certificate.by_rule(model, X, y)
    rows = certificate.check_rows(model, X, y)
    explained = model.explain(X.iloc[rows])
    outputs = model.body.outputs
    assert found.statements == 3 * len(outputs) - outputs.count(ABSTAIN)
    level = level_of(certificate, found.statements)
    wrong = (explained["prediction"] != y[rows]).to_numpy()
    for each, output in zip(found.rules, outputs, strict=True):
        own = (explained["rule"] == each.number).to_numpy()
        n, k = int(own.sum()), int(wrong[own].sum())
        assert (each.rows, each.wrong) == (n, k)
        coverage = lower(n, rows.size, level), upper(n, rows.size, level)
        assert each.coverage == pytest.approx(coverage, abs=1e-10)
        if output == ABSTAIN:
            assert (each.precision, each.answer) == (None, "no answer")
        else:
            assert each.precision == pytest.approx(1 - upper(k, n, level), abs=1e-10)
            assert each.answer == model.classes[output]
    assert [each.number for each in found.rules] == model.get_rules("pandas")["number"].tolist()
    assert sum(each.rows for each in found.rules) == certificate.m
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_printed_rules():
    model, certificate, X, y = fitted()
    found = certificate.by_rule(model, X, y)
    head, blank, names, *lines = str(found).splitlines()
    assert f"(95 % confidence for all {found.statements} bounds at once)." in head
    assert blank == ""
    assert names.startswith("rule  condition")
    assert names.endswith("check rows  wrong  right at least  share of cases")
    assert len(lines) == len(found.rules)
    assert len(found.to_frame("records")) == len(found.rules)
    assert found._repr_html_().count("<tr>") == len(found.rules) + 1


# Cases without an answer.


def test_abstention_matches_scipy():
    model, certificate, X, y = fitted("abstaining")
    rows = certificate.check_rows(model, X, y)
    answered = model.answered(X.iloc[rows])
    n = int(answered.sum())
    assert 0 < n < rows.size, "the example must leave some cases unanswered"
    k = certificate.errors - (rows.size - n)
    found = certificate.abstention(model, X, y)
    level = level_of(certificate, 2)
    assert (found.answered, found.wrong, found.unanswered) == (n, k, rows.size - n)
    assert found.error_bound == pytest.approx(upper(k, n, level), abs=1e-10)
    assert found.unanswered_bound == pytest.approx(
        upper(rows.size - n, rows.size, level), abs=1e-10
    )
    assert "of new cases will get no answer (95 % confidence for both)" in str(found)
    assert found._repr_html_() == f"<p>{found}</p>"
    assert found.to_dict()["wrong"] == k


def test_a_model_that_always_answers_pays_for_one_bound():
    model, certificate, X, y = fitted()
    found = certificate.abstention(model, X, y)
    assert found.error_bound == certificate.split_bound
    assert (found.unanswered, found.unanswered_bound) == (0, 0.0)
    assert str(found).endswith("Every case gets an answer.")


# Costs.


@pytest.mark.parametrize("kind", ["tree", "abstaining"])
def test_costs_of_errors_match_scipy(kind):
    _, certificate, *_ = fitted(kind)
    n, (negative, positive) = certificate.m, certificate.wrong
    level = level_of(certificate, 2)
    # Every error costs 1, and an error on the second class 4 more.
    layers = upper(negative + positive, n, level) + 4 * upper(positive, n, level)
    assert certificate.cost_bound([1, 5]) == pytest.approx(layers, abs=1e-9)
    one = upper(negative + positive, n, level_of(certificate, 1))
    assert certificate.cost_bound([3, 3]) == pytest.approx(3 * one, abs=1e-9)
    rates = [
        upper(k, count, level)
        for k, count in zip(certificate.wrong, certificate.counts, strict=True)
    ]
    assert certificate.class_bounds == pytest.approx(rates, abs=1e-10)
    known = 0.9 * rates[0] + 0.1 * 5 * rates[1]
    assert certificate.cost_bound([1, 5], prior=[0.9, 0.1]) == pytest.approx(known, abs=1e-9)


# Another model, and rows without labels.


def test_the_bound_of_another_model_matches_scipy():
    model, certificate, *_ = fitted()
    other = fitted("vote")[0]
    fresh = table(3000, seed=9)[0]
    differing = int((model.predict(fresh) != other.predict(fresh)).sum())
    assert differing
    found = certificate.bound_of_other(model, other, fresh)
    half = certificate.delta / 2
    own = upper(certificate.errors, certificate.m, level_of(certificate, 1, half))
    share = upper(differing, 3000, half)
    assert found.certified_bound == pytest.approx(own, abs=1e-10)
    assert found.bound == pytest.approx(own + share, abs=1e-10)
    assert (found.differing, found.rows) == (differing, 3000)
    assert f"on {differing} of 3,000 rows without labels" in str(found)
    assert found.to_dict()["bound"] == found.bound
    assert found._repr_html_().startswith("<p>The other model")


def test_the_model_itself_has_hardly_more_than_its_own_bound():
    model, certificate, *_ = fitted()
    found = certificate.bound_of_other(model, model, table(5000, seed=2)[0])
    assert found.differing == 0
    assert found.difference_bound == pytest.approx(1 - 0.025 ** (1 / 5000), abs=1e-12)


def test_both_forms_have_half_of_delta():
    _, certificate, *_ = fitted()
    tail = CompressionCertificate(
        bound=0.0, delta=certificate.delta / 16, counts=(5000, 5000), wrong=(9, 9), roles={}
    )
    both = with_delta(replace(certificate, tail=tail), certificate.delta / 2)
    assert both.bound == pytest.approx(upper(18, 10_000, certificate.delta / 32), abs=1e-10)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (lambda n: np.zeros(n), r"predicts 0.0, but the classes are 'no', 'yes'"),
        (lambda n: np.array(["no"] * (n - 1)), "one label for each of 50 rows, got shape"),
        (lambda n: np.array([["no"]] * n), r"got shape \(50, 1\)"),
    ],
)
def test_other_models_with_other_labels_are_refused(answers, message):
    model, certificate, X, _ = fitted()
    other = SimpleNamespace(predict=lambda X: answers(len(X)))
    with pytest.raises(InputError, match=message):
        certificate.bound_of_other(model, other, X[:50])


def test_the_bound_of_another_model_needs_rows_and_the_certified_model():
    model, certificate, X, _ = fitted()
    with pytest.raises(InputError, match="at least one row"):
        certificate.bound_of_other(model, model, X[:0])
    with pytest.raises(CertificateError, match="This model has no certificate"):
        certificate.bound_of_other(replace(model, certificate=None), model, X)


# All bounds at once.

RATES = (0.05, 0.3, 0.5)
SIMULATED = SimpleNamespace(message_nats=0.0, abstains=True)
"""A model that was settled beforehand: its message is empty."""


def simulated_rows(rng, rows=60):
    """Check rows of three groups, whose errors have other rates; the group is also the rule."""
    group = rng.integers(0, 3, rows)
    y = rng.integers(0, 2, rows).astype(np.int32)
    wrong = rng.random(rows) < np.array(RATES)[group]
    answers = np.where(wrong, 1 - y, y).astype(np.int32)
    everything = np.arange(rows)
    return group, CheckRows(rows, everything, everything, y, group.astype(np.int32), answers)


def group_failures(found):
    return any(
        not rate.low <= RATES[int(each.group)] <= rate.high
        for each in found.groups
        for rate in each.rates.values()
    )


def rule_failures(found):
    return any(
        each.precision > 1 - RATES[each.number - 1]
        or not each.coverage[0] <= 1 / 3 <= each.coverage[1]
        for each in found.rules
    )


def share_of_failures(delta, samples=400):
    rng = np.random.default_rng(5)
    model = SimpleNamespace(
        classes=("no", "yes"),
        body=SimpleNamespace(outputs=(0, 1, 1)),
        rule_headline=lambda number: str(number),
    )
    failed = np.zeros(2)
    for _ in range(samples):
        group, check = simulated_rows(rng)
        failed += (
            group_failures(group_statements(SIMULATED, model, check, group, delta)),
            rule_failures(rule_statements(SIMULATED, model, check, delta)),
        )
    return failed / samples


@pytest.mark.slow
def test_all_intervals_hold_at_once():
    delta, samples = 0.4, 400
    allowed = delta + 3 * math.sqrt(delta * (1 - delta) / samples)
    assert (share_of_failures(delta, samples) <= allowed).all()


@pytest.mark.slow
def test_intervals_that_are_not_paid_for_fail(monkeypatch):
    """Each bound with all of delta: the same simulation finds that they do not hold at once."""
    monkeypatch.setattr(
        "rulewright.certificates.split_statements.math", SimpleNamespace(log=lambda x: 0.0)
    )
    delta, samples = 0.4, 400
    allowed = delta + 3 * math.sqrt(delta * (1 - delta) / samples)
    assert (share_of_failures(delta, samples) > allowed).all()


def test_both_bounds_of_abstention_hold_at_once():
    rng = np.random.default_rng(6)
    delta, samples, failed = 0.4, 400, 0
    for _ in range(samples):
        y = rng.integers(0, 2, 50).astype(np.int32)
        answers = np.where(rng.random(50) < 0.2, 1 - y, y)
        answers = np.where(rng.random(50) < 0.3, ABSTAIN, answers).astype(np.int32)
        check = CheckRows(50, np.arange(50), np.arange(50), y, y, answers)
        found = abstention_statement(SIMULATED, check, delta)
        failed += found.error_bound < 0.2 or found.unanswered_bound < 0.3
    assert failed / samples <= delta + 3 * math.sqrt(delta * (1 - delta) / samples)
    assert failed  # the bounds are not vacuous
