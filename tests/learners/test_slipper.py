"""SLIPPER: against its formulas on ugly data, and what must hold of every vote that it makes."""

import json
import warnings

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.rule_growing import covered, sides
from oracles.slipper import STEPS, confidence, pruned_losses, weighed_anew, z
from strategies.mixed import tables

from rulewright import SlipperClassifier
from rulewright.certificates import from_json
from rulewright.errors import InputError
from rulewright.families import RuleGrower, Term, Terms, Training, as_families
from rulewright.learners import Sample, Subsampler, TimeBudgetWarning, listen
from rulewright.learners.slipper import (
    PARTS,
    BoostedClasses,
    Booster,
    HeldOutScores,
    OneVsRestProblem,
    WeightedTerms,
    vote_of,
)
from rulewright.models import normalised_weight, to_json
from rulewright.rules import AllOf, WeightedRule

SMALL = {"max_rounds": 6, "n_folds": 3}


@st.composite
def samples(draw, classes=2, most_rows=25):
    """Draw examples with ties, twins, missing values, contradictions, and sometimes weights."""
    table = draw(tables(most_rows, least_rows=2))
    rows = table.rows
    labels = st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)
    y = np.array(draw(labels.filter(lambda some: len(set(some)) > 1)), np.int32)
    weights = st.lists(st.sampled_from([0.5, 1.0, 2.5]), min_size=rows, max_size=rows)
    weight = np.array(draw(weights)) if draw(st.booleans()) else None
    return Sample.of(table, y, ("a", "b", "c")[:classes], weight=weight)


def nursery_of(sample, subsampler):
    families = as_families(["thresholds", "categories"])
    return RuleGrower(
        Terms(families, Training(sample.table, sample.y, sample.rows)), subsampler.rows
    )


def codes_of(grower, places):
    """The number of each value, read off the tests themselves."""
    found = []
    for column, numeric in enumerate(grower.terms.numeric):
        known = range(grower.terms._count(column))
        relation = 0 if numeric else 2
        codes = np.full(places.size, -1)
        for code in reversed(known):
            codes[grower.covered([Term(column, relation, code)], places)] = code
        found.append(codes.tolist())
    return found


@given(samples(), st.integers(0, 99), st.booleans(), st.data())
def test_every_round_follows_the_formulas(sample, seed, prune, data):
    """A slow twin draws the same lots, is told the rule that was grown, and does all the rest."""
    subsampler = Subsampler(sample, seed)
    grower, own = nursery_of(sample, subsampler), sample.y[subsampler.rows] == 1
    held = data.draw(
        st.sets(st.sampled_from(subsampler.places.tolist()), max_size=subsampler.places.size - 2)
    )
    places = np.array([p for p in subsampler.places if p not in held], np.int32)
    problem = OneVsRestProblem(grower, own, sample.weight[subsampler.rows], prune)
    booster, twin = Booster(problem, places, subsampler.another(1)), subsampler.another(1)
    codes, weight = codes_of(grower, subsampler.places), booster.weight.tolist()
    assert sum(weight) == pytest.approx(1)
    by_class = np.array(sorted(range(places.size), key=lambda i: (~own[places[i]], i)), np.int32)
    for _ in range(4):
        growing, pruning = places, places[:0]
        if prune:
            growing, pruning = (np.sort(places[some]) for some in twin.parted(by_class, PARTS))
        tests = grower.grown("boosting", growing, own, np.array(weight), min_weight=0.0)
        terms, rule_weight = booster.step()
        whole = sides(places, own, weight)
        losses = pruned_losses(codes, tests, own, weight, growing, pruning) if prune else {}
        kept = sides(covered(codes, terms, places), own, weight)
        said = confidence(*kept, places.size)
        assert abs(STEPS * said - STEPS * rule_weight) <= 0.5 + 1e-6
        assert float(STEPS * rule_weight).is_integer()
        if terms:
            assert terms == tests[: len(terms)]
            assert rule_weight > 0
            assert z(kept) <= z(whole) + 1e-9
            if prune:
                assert losses[len(terms)] <= min(losses.values()) + 1e-9
                shorter = [loss for size, loss in losses.items() if size < len(terms)]
                assert losses[len(terms)] < min(shorter, default=np.inf) + 1e-12
            else:
                assert terms == tests
        elif tests:
            likely = [min(losses, key=losses.get)] if losses else [] if prune else [len(tests)]
            rivals = [sides(covered(codes, tests[:size], places), own, weight) for size in likely]
            close = [s for s in losses if losses[s] < min(losses.values()) + 1e-9]
            assert len(close) > 1 or all(
                z(rival) >= z(whole) - 1e-9 or confidence(*rival, places.size) <= 0.5 / STEPS + 1e-6
                for rival in rivals
            )
        weight = weighed_anew(weight, covered(codes, terms, places), own, rule_weight)
        assert booster.weight.tolist() == pytest.approx(weight, abs=1e-9)
        weight = booster.weight.tolist()


@st.composite
def speeches(draw, grower, classes):
    """Draw what rounds may give, among it equal rules and defaults for and against."""
    known = [
        Term(column, relation, code)
        for column, numeric in enumerate(grower.terms.numeric)
        for relation in ((0, 1) if numeric else (2,))
        for code in range(grower.terms._count(column))
    ]
    alone = lambda t: (t.column, t.relation, t.code * (t.relation < 2))  # noqa: E731  (one "is")
    some = st.lists(st.sampled_from(known), max_size=2, unique_by=alone) if known else st.just([])
    # Of two bounds of a column the later is the tighter, as in rules that are grown.
    some = some.map(lambda terms: sorted(terms, key=lambda t: t.code * (1 if t.relation else -1)))
    rule_weights = st.integers(-20, 20).map(lambda sixteenths: sixteenths / 16)
    rounds = [
        WeightedTerms(tuple(draw(some)), draw(rule_weights))
        for _ in range(draw(st.integers(1, 6)) * classes)
    ]
    rounds = [
        WeightedTerms(terms, abs(rule_weight) if terms else rule_weight)
        for terms, rule_weight in rounds
    ]
    return [rounds[number::classes] for number in range(classes)]


@given(st.integers(2, 3).flatmap(lambda k: samples(classes=k)), st.data())
def test_the_vote_is_the_largest_sum_of_confidences(sample, data):
    subsampler = Subsampler(sample, 0)
    grower = nursery_of(sample, subsampler)
    boosted_classes = BoostedClasses.of(
        np.bincount(sample.y, sample.weight, len(sample.classes)).astype(float)
    )
    found = data.draw(speeches(grower, len(boosted_classes.boosted)))
    body = vote_of(boosted_classes, grower, found)
    assert all(voter.weight > 0 for voter in body.voters)
    conditions = [(voter.condition, voter.output) for voter in body.voters]
    assert len(set(conditions)) == len(conditions)
    scores = np.zeros((len(found), subsampler.places.size))
    constant = np.zeros_like(scores)
    for number, rounds in enumerate(found):
        for terms, rule_weight in rounds:
            scores[number, grower.covered(terms, subsampler.places)] += rule_weight
            constant[number] += 0 if terms else rule_weight
    says = body.classify(sample.table)[subsampler.rows]
    if len(boosted_classes.boosted) == 1:
        sign = np.where(scores[0] > 0, boosted_classes.boosted[0], boosted_classes.default)
        assert (says == sign)[scores[0] != 0].all()
    else:
        reached = np.array(
            [scores[boosted_classes.boosted.index(c), i] for i, c in enumerate(says)]
        )
        assert (reached == scores.max(axis=0)).all()
    assert says.tolist() == boosted_classes.answers(scores, constant).tolist()


@given(st.integers(2, 3), st.integers(0, 2**32), st.integers(1, 5))
def test_the_rounds_with_the_fewest_errors_are_chosen_and_of_equal_ones_the_fewest(
    classes, seed, rounds
):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(12) % classes).astype(np.int32)
    worth = rng.choice([0.5, 1.0, 2.0], 12)
    boosted_classes = BoostedClasses.of(np.bincount(y, worth, classes).astype(float))
    held_out = HeldOutScores(boosted_classes, y, worth)
    scores = np.zeros((rounds + 1, len(boosted_classes.boosted), 12))
    constant = np.zeros_like(scores)
    for done in range(1, rounds + 1):
        scores[done], constant[done] = scores[done - 1], constant[done - 1]
        for number in range(len(boosted_classes.boosted)):
            places = np.flatnonzero(rng.random(12) < 0.5).astype(np.int32)
            rule_weight, always = float(rng.integers(-3, 4)), bool(rng.random() < 0.3)
            held_out.add(number, places, rule_weight, always=always)
            scores[done, number, places] += rule_weight
            constant[done, number, places] += rule_weight * always
        held_out.evaluate()

    def lost(chosen):
        sums = [np.stack([s[t, k] for k, t in enumerate(chosen)]) for s in (scores, constant)]
        return worth[boosted_classes.answers(*sums) != y].sum()

    same = [(done,) * len(boosted_classes.boosted) for done in range(1, rounds + 1)]
    every = {chosen: lost(chosen) for chosen in same}
    together = min(every, key=every.get)
    own = [
        min(
            range(1, rounds + 1),
            key=lambda t: worth[(scores[t, k] > 0) != (y == number)].sum(),
        )
        for k, number in enumerate(boosted_classes.boosted)
    ]
    expected = together
    if classes > 2 and lost(own) < every[together]:
        expected = tuple(own)
    assert held_out.rounds() == expected


def frame_of(sample):
    cells = {column.name: column.cells() for column in sample.table.columns}
    return pandas.DataFrame({name: pandas.Series(some) for name, some in cells.items()})


def fitted(frame, y, weight=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a column has no values, a category one row
        return SlipperClassifier(**{**SMALL, **options}).fit(frame, y, sample_weight=weight)


@settings(max_examples=25)
@given(st.integers(2, 3).flatmap(lambda k: samples(classes=k)), st.booleans())
def test_answers_explanations_certificates_and_files_agree(sample, prune):
    frame, y = frame_of(sample), sample.y
    slipper = fitted(frame, y, sample.weight, prune=prune)
    slipper.certificate_.verify(slipper.model_, frame, y, sample_weight=sample.weight)
    loaded = from_json(json.loads(json.dumps(to_json(slipper.model_))))
    loaded.certificate.verify(loaded, frame, y, sample_weight=sample.weight)
    says = slipper.predict(frame)
    assert loaded.predict(frame).tolist() == says.tolist()
    chances = slipper.predict_proba(frame)
    assert slipper.classes_[chances.argmax(axis=1)].tolist() == says.tolist()
    told, rules = slipper.explain(frame), slipper.get_rules()
    assert [rules["class"][number - 1] for number in told["rule"]] == says.tolist()
    assert rules["support"].sum() == pytest.approx(normalised_weight(sample.weight).sum())


@settings(max_examples=15)
@given(st.integers(2, 3).flatmap(lambda k: samples(classes=k)), st.data())
def test_weights_are_repeated_rows_and_the_order_of_rows_changes_nothing(sample, data):
    frame, y = frame_of(sample), sample.y
    drawn = st.lists(st.sampled_from([0, 1, 2]), min_size=y.size, max_size=y.size)
    there = drawn.filter(lambda some: np.unique(y[np.array(some) > 0]).size > 1)
    weight = np.array(data.draw(there.filter(lambda some: 1 in some)))  # no common factor
    rows = np.repeat(np.arange(y.size), weight)
    rows = np.random.default_rng(data.draw(st.integers(0, 9))).permutation(rows)
    one = fitted(frame, y, weight)
    other = fitted(frame.iloc[rows].reset_index(drop=True), y[rows])
    assert str(one.model_) == str(other.model_)
    assert one.rounds_ == other.rounds_


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.integers(0, 30, (300, 4)).astype(float), columns=list("abcd"))
    X["e"] = rng.choice(["u", "v", "w"], 300)
    X.loc[rng.random(300) < 0.1, "b"] = np.nan
    clear = ((X["a"] > 18) & (X["b"] > 9)) | ((X["e"] == "w") & (X["c"] <= 9))
    return X, np.where(clear ^ (rng.random(300) < 0.1), "yes", "no")


def test_threads_change_nothing(noisy, monkeypatch):
    monkeypatch.setattr("rulewright.learners.slipper.cross_validation.ALONE", 0)
    X, y = noisy
    assert fitted(X, y, n_jobs=2).model_ == fitted(X, y, n_jobs=1).model_


def test_the_chosen_rounds_are_the_first_of_all(noisy):
    X, y = noisy
    slipper = fitted(X, y, max_rounds=30)
    ((positive, rounds),) = slipper.rounds_.items()
    assert positive == "yes"
    assert fitted(X, y, n_rounds=rounds).model_ == slipper.model_
    assert 1 <= rounds <= 30
    assert slipper.score(X, y) > 0.85


def test_rules_speak_for_the_rarer_class_and_only_the_default_for_the_other(noisy):
    X, y = noisy
    body = fitted(X, y, n_rounds=20).model_.body
    assert {voter.output for voter in body.voters if voter.condition != AllOf()} == {1}
    assert sum(voter.condition == AllOf() for voter in body.voters) <= 1
    assert all(isinstance(voter, WeightedRule) for voter in body.voters)


def test_costs_move_answers_towards_the_dear_class(noisy):
    X, y = noisy
    says = [(fitted(X, y, class_costs=c).predict(X) == "yes").sum() for c in (None, {"yes": 20})]
    assert says[0] < says[1]
    assert str(fitted(X, y, class_costs={"no": 7, "yes": 7}).model_) == str(fitted(X, y).model_)


def test_contradictions_leave_the_majority():
    same = pandas.DataFrame({"a": [1.0] * 6, "b": ["x"] * 6})
    slipper = fitted(same, ["n", "y", "y", "n", "y", "y"])
    assert slipper.predict(same).tolist() == ["y"] * 6
    assert str(slipper.model_) == "the class with the most votes:\n  1. 0.3125 for y always"


def test_when_time_is_up_there_is_a_model_all_the_same(noisy):
    X, y = noisy
    with pytest.warns(TimeBudgetWarning, match="rules that were found by then"):
        slipper = SlipperClassifier(time_budget=1e-6).fit(X, y)
    assert slipper.rounds_ == {next(iter(slipper.rounds_)): 1}
    slipper.certificate_.verify(slipper.model_, X, y)


def test_progress_is_told_round_by_round(noisy):
    heard = []
    with listen(lambda *said: heard.append(said)):
        fitted(*noisy, n_rounds=3)
    assert heard == [("boosting, rounds", done, 3) for done in (1, 2, 3)]


def test_rounds_end_where_cross_validation_makes_no_errors():
    heard = []
    X = np.repeat([[1.0], [2.0]], [40, 20], axis=0)
    with listen(lambda *said: heard.append(said)):
        slipper = SlipperClassifier().fit(X, np.repeat(["a", "b"], [40, 20]))
    assert len(heard) == slipper.rounds_["b"] < 10


def test_two_examples_are_enough_to_say_something():
    slipper = fitted(np.array([[1.0], [2.0]]), ["x", "y"])
    assert set(slipper.predict([[1.0], [2.0]])) <= {"x", "y"}
    assert all(1 <= rounds <= 6 for rounds in slipper.rounds_.values())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_rounds": 0}, "n_rounds must be a whole number of 1 or more, got 0"),
        ({"max_rounds": 2.5}, "max_rounds must be a whole number of 1 or more, got 2.5"),
        ({"n_folds": 1}, "n_folds must be a whole number of 2 or more, got 1"),
        ({"prune": "no"}, "prune must be True or False, got 'no'"),
        ({"time_budget": 0}, "time_budget must be a number of seconds above 0"),
        ({"class_costs": {"maybe": 2}}, "class_costs must be a dict"),
    ],
)
def test_strange_parameters_are_refused(noisy, options, said):
    with pytest.raises(InputError, match=said):
        SlipperClassifier(**options).fit(*noisy)
