"""RIPPER: every part against the paper's words, written slowly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import ripper as slow
from sklearn.exceptions import NotFittedError

from rulewright import RipperClassifier
from rulewright.data import detect_table
from rulewright.errors import InputError
from rulewright.families import RuleGrower, Terms, Training, as_families, tightest
from rulewright.learners import Deadline, Sample, Subsampler, TimeBudgetWarning, listen
from rulewright.learners.base import description_length
from rulewright.learners.ripper import BinaryProblem, RuleSet, RuleSetSearch


def test_lengths_are_the_formulas_worked_by_hand():
    assert description_length.subset_bits(10, 1, 1) == pytest.approx(3.3219 + 9 * 0.1520, abs=1e-3)
    assert description_length.subset_bits(5, 0, 0) == 0
    assert description_length.subset_bits(5, 5, 5) == 0
    # one of 32 tests: ||1|| = 0, 5 bits for which, and 31 log2(32/31) that no other
    assert description_length.rule_bits(1, 32) == pytest.approx((5 + 31 * np.log2(32 / 31)) / 2)
    # 20 covered with 3 wrong, 10 not covered with 1 missed: two errors expected on each side
    by_hand = np.log2(31) + 3 * np.log2(10) + 17 * np.log2(1 / 0.9)
    by_hand += np.log2(10) + 9 * np.log2(1 / 0.9)
    assert description_length.exception_bits(30, 20, 3, 1) == pytest.approx(by_hand)


counts = st.integers(0, 60)


@given(counts, counts, counts, counts)
def test_exceptions_are_told_as_the_slow_twin_does(right, wrong, missed, spared):
    told = (right + wrong, missed + spared, wrong, missed)
    if right + wrong + missed + spared:
        found = description_length.exception_bits(sum(told[:2]), told[0], *told[2:])
        assert found == pytest.approx(slow.exception_bits(*told))


@given(st.integers(0, 12), st.integers(0, 400))
def test_rules_are_told_as_the_slow_twin_does(k, tests):
    assert description_length.rule_bits(k, tests) == pytest.approx(slow.rule_bits(k, tests))


@st.composite
def problems(draw) -> BinaryProblem:
    rows = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = rng.integers(0, draw(st.sampled_from([1, 3, 30])), (rows, 2)).astype(object)
    x[rng.random((rows, 2)) < draw(st.sampled_from([0.0, 0.2]))] = None
    words = rng.choice(["u", "v", "w"], (rows, 1)).astype(object)
    y = rng.random(rows) < 0.1 + 0.8 * (words[:, 0] == "u")
    weight = rng.choice([1.0, 1.5, 2.0], rows) if draw(st.booleans()) else None
    table = detect_table(np.hstack([x, words]), [2])
    sample = Sample.of(table, y.astype(np.int32), ("no", "yes"), weight=weight)
    subsampler = Subsampler(sample, 5)
    terms = Terms(
        as_families(["thresholds", "categories"]), Training(sample.table, sample.y, sample.rows)
    )
    grower = RuleGrower(terms, subsampler.rows)
    weights = None if weight is None else sample.weight[subsampler.rows]
    return BinaryProblem(
        grower,
        subsampler,
        subsampler.places,
        y[subsampler.rows],
        weights,
        draw(st.sampled_from([1.0, 2.0])),
    )


def twin_of(problem: BinaryProblem, partings, **options) -> slow.SlowRipper:
    weight = np.ones(problem.own.size) if problem.weight is None else problem.weight

    def covers(rule, row):
        return problem.grower.depth(rule, np.array([row], np.int32))[0] == len(rule)

    def grow(rows, first):
        return problem.grown(np.array(rows, np.int32), first)

    return slow.SlowRipper(
        problem.rows.tolist(),
        problem.own.tolist(),
        weight.tolist(),
        problem.grower.terms.tests,
        covers,
        grow,
        lambda rule: len(tightest(rule)),
        partings,
        **options,
    )


def terms_of(rules: RuleSet) -> list:
    return [draft.terms for draft in rules.drafts]


@given(problems(), st.lists(st.integers(0, 10**6), max_size=25))
def test_a_rule_set_counts_as_if_anew_whatever_comes_and_goes(problem, moves):
    rules, twin = RuleSet(problem), twin_of(problem, iter(()))
    for move in moves:
        if move % 3 == 0 and rules.drafts:
            rules.remove(move % len(rules.drafts))
        else:
            growing = problem.rows[np.random.default_rng(move).random(problem.rows.size) < 0.5]
            rules.insert(move % (len(rules.drafts) + 1), problem.draft(problem.grown(growing)))
    assert rules.length == pytest.approx(twin.length(terms_of(rules)))
    assert rules.uncovered.tolist() == twin.uncovered(terms_of(rules), problem.rows.tolist())
    for place, length in enumerate(rules.lengths()[1:]):
        without = [*terms_of(rules)[:place], *terms_of(rules)[place + 1 :]]
        assert length == pytest.approx(twin.length(without))
    shorter = twin.simplified(terms_of(rules))
    assert rules.simplified_length() == pytest.approx(twin.length(shorter))
    rules.simplify()
    assert terms_of(rules) == shorter


@given(
    problems(), st.sampled_from([(True, False), (True, True), (False, False)]), st.integers(0, 2)
)
def test_the_search_is_the_papers(problem, way, rounds):
    prune, by_error = way
    rounds = rounds if prune and not by_error else 0
    partings = []
    draw = BinaryProblem.parted

    class Recording(BinaryProblem):
        def parted(self, rows):
            found = draw(self, rows)
            partings.append(tuple(part.tolist() for part in found))
            return found

    recording = Recording(
        **{name: getattr(problem, name) for name in BinaryProblem.__dataclass_fields__}
    )
    search = RuleSetSearch(prune, by_error, rounds, Deadline(None))
    *_, found = search.rules(recording, "yes")
    twin = twin_of(problem, iter(partings), prune=prune, by_error=by_error)
    wanted = twin.learn(rounds)
    assert twin.length(terms_of(found)) == pytest.approx(twin.length(wanted))
    assert terms_of(found) == wanted


@given(problems(), st.sampled_from([1, 3, 8]))
def test_what_is_drawn_of_a_large_class_stands_for_all_of_it(problem, max_examples):
    thin = replace(problem, max_examples=max_examples)
    rows, weight = thin._thinned(problem.rows)
    assert rows.tolist() == sorted(set(rows.tolist()))
    for side in (problem.own, ~problem.own):
        drawn, whole = rows[side[rows]], problem.rows[side[problem.rows]]
        share = -(-whole.size // max_examples)
        assert drawn.size <= max_examples
        if problem.weight is None and share > 1:
            # The last group may be incomplete, and nothing drawn from it.
            assert abs(weight[drawn].sum() - whole.size) < share
    assert replace(problem, max_examples=100)._thinned(problem.rows)[0] is problem.rows


def test_rules_of_many_examples_are_grown_from_some_and_judged_on_all(monkeypatch):
    X, y = patients(3000)
    seen = []
    grow = RuleGrower.grown

    def recording(self, gain, among, *rest, **options):
        seen.append(among.size)
        return grow(self, gain, among, *rest, **options)

    monkeypatch.setattr(RuleGrower, "grown", recording)
    some = RipperClassifier(max_growing=100).fit(X, y)
    assert some.score(X, y) > 0.85
    assert max(seen) <= 200
    RipperClassifier(max_growing=None).fit(X, y)
    assert max(seen) == 2000


@given(problems())
def test_two_thirds_of_each_class_grow_rules(problem):
    growing, pruning = problem.parted(problem.rows)
    assert sorted([*growing, *pruning]) == problem.rows.tolist()
    for side in (problem.own, ~problem.own):
        assert abs(3 * side[pruning].sum() - side.sum()) <= 2
    assert growing.tolist() == sorted(growing)


def patients(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows).astype(float),
            "city": rng.choice(["Bern", "Basel", None], rows),
            "dose": rng.normal(size=rows).round(1),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "age"] = np.nan
    ill = np.where(frame["age"] > 55, "ill", np.where(frame["city"] == "Bern", "mild", "well"))
    return frame, np.where(rng.random(rows) < 0.1, "well", ill)


def test_many_classes_by_name_on_mixed_data_with_missing_values():
    X, y = patients()
    ripper = RipperClassifier().fit(X, y)
    assert set(ripper.predict(X)) == {"ill", "mild", "well"}
    assert ripper.score(X, y) > 0.85
    assert ripper.model_.body.default == 2
    ripper.certificate_.verify(ripper.model_, X, y)
    assert len(ripper.get_rules()) == len(ripper.explain(X)["rule"].unique())


@pytest.mark.parametrize("options", [{}, {"prune": False}, {"algorithm": "irep"}, {"k": 0}])
def test_the_order_of_rows_and_the_number_of_threads_change_nothing(options):
    X, y = patients()
    order = np.random.default_rng(1).permutation(len(y))
    first = RipperClassifier(**options).fit(X, y)
    again = RipperClassifier(n_jobs=3, **options).fit(X.iloc[order], y[order])
    assert str(again.model_) == str(first.model_)


def test_of_equally_frequent_classes_the_last_has_the_rules():
    ripper = RipperClassifier().fit([[0], [0], [1], [1]] * 3, ["no", "no", "yes", "yes"] * 3)
    assert str(ripper.model_).endswith("otherwise no")


def test_without_pruning_rules_cover_nothing_of_another_class():
    X, y = patients()
    unpruned = RipperClassifier(prune=False).fit(X, y).get_rules()
    assert (unpruned["precision"].iloc[:-1] == 1).all()


def test_more_rounds_of_optimisation_are_another_search():
    X, y = patients(seed=7)
    texts = {str(RipperClassifier(k=k).fit(X, y).model_) for k in (0, 1, 2)}
    assert len(texts) > 1


def test_a_dear_class_is_missed_less_often():
    X, y = patients()
    plain = RipperClassifier().fit(X, y).predict(X)
    dear = RipperClassifier(class_costs={"well": 20}).fit(X, y).predict(X)
    assert (dear == "well")[y == "well"].mean() > (plain == "well")[y == "well"].mean()


def test_time_that_is_over_leaves_what_was_found():
    X, y = patients()
    with pytest.warns(TimeBudgetWarning, match="the model has the 0 rules that were found by then"):
        ripper = RipperClassifier(time_budget=1e-9).fit(X, y)
    assert set(ripper.predict(X)) == {"well"}
    assert RipperClassifier(time_budget=1000).fit(X, y).score(X, y) > 0.85


def test_an_interrupted_fit_leaves_no_model(monkeypatch):
    X, y = patients()
    fitted = RipperClassifier().fit(X, y)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(RuleSetSearch, "optimise", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X, y)
    with pytest.raises(NotFittedError):
        fitted.predict(X)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": -1}, "k must be a whole number of 0 or more, got -1"),
        ({"k": 1.5}, "got 1.5"),
        ({"prune": "no"}, "prune must be True or False, got 'no'"),
        ({"algorithm": "cn2"}, "algorithm must be one of 'ripper', 'irep', got 'cn2'"),
        ({"min_covered": 0}, "min_covered must be a number above 0, got 0"),
        ({"max_growing": 0}, "max_growing must be a whole number of at least 1, or None"),
        ({"time_budget": "long"}, "time_budget must be a number of seconds above 0"),
        ({"class_costs": {"no such": 2}}, "no such"),
    ],
)
def test_bad_parameters_get_a_clear_error(options, said):
    X, y = patients(30)
    with pytest.raises(InputError, match=said):
        RipperClassifier(**options).fit(X, y)


def test_long_fits_say_how_far_they_are():
    X, y = patients()
    heard = []
    with listen(lambda *said: heard.append(said)):
        RipperClassifier().fit(X, y)
    assert ("rules for mild", 1, None) in heard
    assert any(what == "optimised rules for ill, round 2" for what, _, _ in heard)
