"""Rules from trees: every step against a slow one, and what people may ask of them."""

import math
import warnings

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.tree_rules import description_length, listed_errors, shortest
from strategies.mixed import tables
from strategies.patients import patients

from rulewright import TreeClassifier, TreeRulesClassifier, load_model
from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.learners import Deadline, Sample, TimeBudgetWarning, TreeRulesSettings
from rulewright.learners.base.rule_weights import STEPS
from rulewright.learners.tree_rules import (
    Candidate,
    CandidateList,
    HillClimber,
    SubsetSelection,
    TermBits,
    TreeRulesSearch,
    Trial,
    WeightedExamples,
    arranged,
    boosted,
    class_order,
    collapsed,
    halves,
    paths_of,
    together,
    winnowed,
)
from rulewright.models import read_costs
from rulewright.rules import (
    AllOf,
    Category,
    Leaf,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    literals_of,
)

pytestmark = pytest.mark.filterwarnings("ignore:Column '")
FOREVER = Deadline(None)
OPTIONS = [
    {},
    {"subsets": True, "min_samples_leaf": 1.0},
    {"n_rounds": 3},
    {"n_rounds": 3, "base": "trees", "min_samples_leaf": 1.0},
    {"winnow": True},
    {"confidence": 0.5, "min_samples_leaf": 0.5, "class_costs": {0: 3}},
    {"class_costs": {(0, 1): 3, (1, 0): 0.5}, "n_rounds": 2},
]


@st.composite
def labelled(draw):
    table = draw(tables(most_rows=25, least_rows=2))
    labels = st.lists(st.integers(0, 2), min_size=table.rows, max_size=table.rows)
    y = np.array(draw(labels.filter(lambda some: {0, 1} <= set(some))))
    weights = st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0]), min_size=y.size, max_size=y.size)
    weight = np.array(draw(weights))
    kept = set(y[weight > 0].tolist())
    usable = {0, 1} <= kept and 1.0 in weight  # no common factor
    return table, y, weight if usable else np.ones(y.size)


@st.composite
def pools(draw, most=8):
    rows = draw(st.integers(1, 20))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    covers = seed.random((draw(st.integers(1, most)), rows)) < draw(st.sampled_from([0.2, 0.6]))
    bits = seed.integers(1, 40, covers.shape[0]) / 4
    own = seed.random(rows) < draw(st.sampled_from([0.0, 0.5, 0.9]))
    weight = seed.integers(1, 8, rows) / 4
    return SubsetSelection(tuple(np.flatnonzero(cover) for cover in covers), bits, own, weight)


def plain(subsets):
    """A pool of rules as the oracle takes it."""
    rules = [set(rows.tolist()) for rows in subsets.rows]
    return rules, subsets.bits.tolist(), subsets.own.tolist(), subsets.worth.tolist()


@given(pools(), st.integers(0, 255))
def test_the_length_is_that_of_counting_by_hand(subsets, some):
    rules, bits, own, weight = plain(subsets)
    chosen = np.array([some >> n & 1 for n in range(len(rules))], np.bool_)
    by_hand = description_length(rules, bits, np.flatnonzero(chosen).tolist(), own, weight)
    assert subsets.length(chosen) == pytest.approx(by_hand)


@given(pools())
def test_of_few_rules_the_shortest_subset_of_all_is_chosen(subsets):
    rules, bits, own, weight = plain(subsets)
    found = subsets.length(subsets.best(FOREVER))
    assert found == pytest.approx(shortest(rules, bits, own, weight))


@given(pools(most=16), st.integers(0, 2**16))
def test_climbing_keeps_count_ends_no_longer_and_at_a_top(subsets, some):
    count = subsets.bits.size
    start = np.array([some >> n & 1 for n in range(count)], np.bool_)
    climb = HillClimber(subsets, start)
    climb.run(FOREVER)
    assert climb.length == pytest.approx(subsets.length(climb.chosen))
    assert climb.length <= subsets.length(start) + 1e-9
    for number in range(count):
        other = climb.chosen.copy()
        other[number] ^= True
        assert climb.length <= subsets.length(other) + 1e-6


@given(pools(most=16))
def test_the_choice_is_no_longer_than_nothing_and_than_everything(subsets):
    best = subsets.length(subsets.best(FOREVER))
    for every in (False, True):
        assert best <= subsets.length(np.full(subsets.bits.size, every)) + 1e-9


def test_the_bits_of_a_rule_are_those_of_its_tests_less_their_order():
    table = Table(
        [
            NumericColumn("x", np.array([1.0, 2.0, 2.0, 3.0, 4.0, 5.0])),
            CategoricalColumn("c", "text", np.array([0, 1, 2, 3, 0, -1], np.int32), tuple("abcd")),
        ],
        6,
    )
    bits = TermBits.of(table)
    assert bits.of_test(Threshold("x", True, 2.0)) == 1 + 1 + 2  # column, side, four cuts
    assert bits.of_test(Category("c", ("a",))) == 1 + 2
    assert bits.of_test(Category("c", ("a", "b"))) == 1 + 4
    terms = (Threshold("x", True, 2.0), Category("c", ("a",)))
    assert bits.of_rule(terms) == pytest.approx(4 + 3 - 1)


def candidates(draw, rows, classes):
    """Rules of no tests in particular, by what they cover."""
    found = []
    for _ in range(draw(st.integers(0, 6))):
        covered = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
        output = draw(st.integers(0, classes - 1))
        found.append(Candidate((), output, np.flatnonzero(covered), 1.0, 0.0, 0.1))
    return found


@given(st.data())
def test_no_rule_of_a_list_does_harm_and_the_last_is_needed(data):
    rows, classes = data.draw(st.integers(1, 12)), 3
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)), np.int32)
    table = Table([NumericColumn("x", np.zeros(rows))], rows)
    examples = WeightedExamples(table, y, classes, np.ones(rows))
    rules = candidates(data.draw, rows, classes)
    by_class = [[rule for rule in rules if rule.output == c] for c in range(classes)]
    loss = (y[:, np.newaxis] != np.arange(classes)).astype(float)

    def answer(left):
        counts = np.bincount(y[left], minlength=classes) + 1e-9 * np.bincount(y, minlength=classes)
        return int(counts.argmax())

    bits = TermBits.of(table)
    found, every = (arranged(examples, by_class, loss, answer, by) for by in (bits, None))
    for listed in (found, every):
        pairs = [(set(rule.rows.tolist()), rule.output) for rule in listed.rules]
        errors = listed_errors(pairs, listed.default, y.tolist(), [1.0] * rows)
        assert errors == (listed.answers(rows) != y).sum()
        for number in range(len(pairs)):
            without = pairs[:number] + pairs[number + 1 :]
            assert errors <= listed_errors(without, listed.default, y.tolist(), [1.0] * rows)
    assert not found.rules or found.rules[-1].output != found.default
    always = loss.sum(axis=0).min()
    assert found.lost(loss) <= always
    if every.lost(loss) <= always:
        assert found.bits(examples, loss, bits) <= every.bits(examples, loss, bits)


def test_more_wrong_answers_are_never_told_in_fewer_bits():
    y = np.repeat([0, 1], [4, 196]).astype(np.int32)
    table = Table([NumericColumn("x", np.zeros(200))], 200)
    examples, bits = WeightedExamples(table, y, 2, np.ones(200)), TermBits.of(table)
    loss = (y[:, np.newaxis] != np.arange(2)).astype(float)
    rare, frequent = (CandidateList((), output).bits(examples, loss, bits) for output in (0, 1))
    assert frequent < rare

    def rule(rows):
        return Candidate((), 0, np.arange(rows), 1.0, 0.0, 0.1)

    lengths = [CandidateList((rule(rows),), 1).bits(examples, loss, bits) for rows in range(4, 201)]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize("seed", range(3))
def test_a_rare_class_is_not_the_answer_to_everything(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 4)), np.full(200, "well")
    y[rng.choice(200, 4, replace=False)] = "ill"
    assert TreeRulesClassifier().fit(X, y).score(X, y) >= 0.98


def test_classes_come_by_false_alarms_among_what_is_left():
    y = np.array([0, 0, 1, 1, 2, 2], np.int32)
    examples = WeightedExamples(Table([NumericColumn("x", np.zeros(6))], 6), y, 3, np.ones(6))

    def rule(output, *rows):
        return [Candidate((), output, np.array(rows), 1.0, 0.0, 0.1)]

    # Class 1 has no false alarm; then class 0 has none left, since its two were class 1's.
    by_class = [rule(0, 0, 1, 2, 3), rule(1, 2, 3), rule(2, 4, 0)]
    assert class_order(examples, by_class) == [1, 0, 2]


def grown(table, y, **options):
    sample = Sample.of(table, y.astype(np.int32), (0, 1, 2))
    made = TreeRulesSettings(**options)
    setup = made._tree_setup(sample, sample.table.names, 1)
    search = TreeRulesSearch(setup, read_costs(None, sample.classes), 0.25, FOREVER)
    return sample, search


@given(labelled(), st.booleans())
def test_a_path_holds_on_just_the_rows_that_reach_its_leaf(case, subsets):
    table, y, _ = case
    sample, search = grown(table, y, min_samples_leaf=1.0, subsets=subsets)
    examples = WeightedExamples(sample.table, sample.y, 3, np.ones(y.size))
    grown_tree = search._grown(examples)
    tree = grown_tree.grown.tree
    paths = paths_of(tree, grown_tree.tree_columns, collapsed(tree, search.costs))
    covers = [
        AllOf(tuple(paths.tests[n] for n in way)).holds(sample.table) for way in paths.conditions
    ]
    times = np.sum(covers, axis=0)
    complete = ~np.any([column.missing for column in table.columns], axis=0)
    assert (times <= 1).all()
    assert (times[complete] == 1).all()
    for cover, way in zip(covers, paths.conditions, strict=True):
        tests = [paths.tests[n] for n in way]
        assert np.array_equal(np.flatnonzero(cover), examples.covered(tests)) or not tests


@pytest.mark.slow
@given(labelled(), st.sampled_from(OPTIONS))
def test_every_model_is_certified_and_answers_as_its_rules_do(case, options):
    table, y, weight = case
    fitted = TreeRulesClassifier(**options).fit(table, y, weight)
    fitted.certificate_.verify(fitted.model_, table, y, sample_weight=weight)
    assert isinstance(fitted.model_.body, RuleVote if options.get("n_rounds") else RuleList)
    answers = fitted.predict(table)
    assert set(answers) <= set(y)
    assert np.array_equal(answers, fitted.model_.predict(table))
    chances = fitted.predict_proba(table)
    assert np.allclose(chances.sum(axis=1), 1)
    assert np.array_equal(fitted.classes_[chances.argmax(axis=1)], answers)


@pytest.mark.slow
@settings(max_examples=30)
@given(labelled(), st.sampled_from(OPTIONS), st.randoms(use_true_random=False))
def test_weights_mean_repeated_rows_in_any_order(case, options, random):
    table, y, weight = case
    weighed = TreeRulesClassifier(**options).fit(table, y, weight)
    rows = np.repeat(np.arange(y.size), weight.astype(int))
    random.shuffle(rows)
    repeated = TreeRulesClassifier(**options).fit(table.take(rows), y[rows])
    assert weighed.model_.body == repeated.model_.body
    assert weighed.kept_columns_ == repeated.kept_columns_


@pytest.mark.parametrize(
    "options", [{}, {"n_rounds": 4}, {"n_rounds": 2, "base": "trees"}], ids=str
)
def test_everything_a_model_does_works(tmp_path, options):
    X, y = patients()
    fitted = TreeRulesClassifier(**options).fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)
    assert fitted.score(X, y) > 0.85
    assert list(fitted.get_rules()["class"])[:-1]
    assert len(fitted.explain(X)) == len(X)
    assert "positive" in str(fitted.model_)
    fitted.save_model(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again == fitted.model_
    assert np.array_equal(again.predict(X), fitted.predict(X))


def test_the_planted_rules_are_found():
    X, y = patients(2000)
    X["glucose"] = X["glucose"].fillna(100)
    rules = TreeRulesClassifier().fit(X, y).model_.body.listed
    tested = [{column for test in literals_of(rule) for column in test.columns} for rule in rules]
    assert {"gene"} in tested
    assert {"glucose", "bmi"} in tested
    assert len(rules) < 10


def test_rules_are_far_fewer_than_the_leaves_and_no_worse():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (600, 5)).astype(float)
    y = ((X[:, 0] == 1) & (X[:, 1] == 1)) | ((X[:, 2] == 1) & (X[:, 3] == 1))
    kinds = list(range(5))
    tree = TreeClassifier("c4.5", categorical_features=kinds).fit(X, y)
    rules = TreeRulesClassifier(categorical_features=kinds).fit(X, y)
    assert rules.score(X, y) == 1.0
    assert len(rules.model_.body.listed) == 2
    assert len(tree.model_.body.rules) > 10


def test_a_rule_fails_on_a_missing_value_and_the_default_answers():
    X = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0]})
    fitted = TreeRulesClassifier().fit(X, ["low"] * 3 + ["high"] * 4)
    (rule,) = fitted.model_.body.listed
    assert fitted.model_.classes[rule.output] == "low"
    assert fitted.predict(pandas.DataFrame({"x": [np.nan, 2.0]})).tolist() == ["high", "low"]


def test_more_trials_judge_the_training_examples_better():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 4))
    y = X.sum(axis=1) > 0
    one, ten = (TreeRulesClassifier(n_rounds=count).fit(X, y) for count in (1, 10))
    assert ten.score(X, y) == 1.0 > one.score(X, y)


def trial_of(rows, answers, right, wrong):
    terms = (Threshold("x", True, 0.0),)
    return Trial([Candidate(terms, 1, np.array(rows), right, wrong, 0.0)], np.array(answers))


def test_voices_are_half_log_odds_in_sixteenths_and_equal_rules_speak_together():
    y = np.array([1, 1, 1, 0], np.int32)
    examples = WeightedExamples(Table([NumericColumn("x", np.ones(4))], 4), y, 2, np.ones(4))
    seen = []

    def grow(weighed):
        seen.append(weighed.worth)
        return trial_of([0, 1, 2, 3], [1, 1, 1, 1], 3.0, 1.0)

    found = together(boosted(examples, 2, grow, FOREVER), y.size)
    (voter,) = found.voters
    assert voter.weight == round(STEPS * 2 * math.log(4 / 2) / 2) / STEPS / 2  # of two trials
    assert found.trials == 2
    assert not found.silent.any()
    # The misjudged quarter counts more by the square root of three, and all together as before.
    assert seen[1][3] / seen[1][0] == pytest.approx(math.sqrt(3), rel=1e-4)
    assert seen[1].sum() == pytest.approx(4, rel=1e-4)


@pytest.mark.parametrize(("answers", "trials"), [([1, 1, 0, 0], 1), ([0, 0, 1, 1], 1)])
def test_trials_end_where_all_is_right_or_half_is_wrong(answers, trials):
    y = np.array([1, 1, 0, 0], np.int32)
    examples = WeightedExamples(Table([NumericColumn("x", np.ones(4))], 4), y, 2, np.ones(4))
    found = boosted(examples, 5, lambda _: trial_of([0, 1], answers, 2.0, 0.0), FOREVER)
    assert len(found) == trials


def test_winnowing_keeps_what_matters_and_says_so():
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.normal(size=(400, 8)), columns=list("abcdefgh"))
    y = (X["c"] > 0) & (X["f"] > 0)
    fitted = TreeRulesClassifier(winnow=True).fit(X, y)
    assert fitted.kept_columns_ == ["c", "f"]
    assert TreeRulesClassifier().fit(X, y).kept_columns_ == list("abcdefgh")
    tested = {c for rule in fitted.model_.body.listed for c in rule.columns}
    assert tested == {"c", "f"}


@pytest.mark.parametrize("alone", [True, False])
def test_winnowing_that_does_harm_is_undone(alone):
    """Of three columns only b is missed where it is left out; whether b is enough is tried too."""
    x = np.tile([0.0, 1.0], 50)
    table = Table([NumericColumn(name, x) for name in "abcd"], 100)
    sample = Sample.of(table, x.astype(np.int32), (0, 1))
    good = {("a", "b", "c", "d"), ("b", "c"), ("a", "b"), ("b",) if alone else ()}
    asked = []

    def grow(columns, weight):
        asked.append(tuple(columns))
        cut = 0.0 if tuple(columns) in good else 5.0
        a, b, c = (Threshold(name, True, cut) for name in "abc")
        leaves = Leaf(1), Leaf(0)
        if len(columns) < 4:
            return Tree((Split((b,), (1, 2)), *leaves))
        return Tree((Split((a, b, c), (1, 2, 3, 4)), Leaf(1), Leaf(1), *leaves))

    kept = winnowed(sample, grow, 1 - np.eye(2), 0, FOREVER)
    assert asked == [tuple("abcd"), ("b", "c"), ("a", "c"), ("a", "b"), ("b",)]
    assert kept == (["b"] if alone else list("abcd"))


@given(labelled(), st.integers(0, 3))
def test_halves_have_every_example_as_often_as_it_counts(case, seed):
    table, y, weight = case
    rows = np.flatnonzero(weight)
    sample = Sample.of(table.take(rows), y[rows].astype(np.int32), (0, 1, 2), weight=weight[rows])
    one, other = halves(sample, seed)
    assert np.array_equal(one + other, sample.weight)
    assert abs(one.sum() - other.sum()) <= 1


def test_costs_by_class_are_costs_by_pairs_of_two_classes():
    X, y = patients()
    by_class = TreeRulesClassifier(class_costs={"positive": 5}).fit(X, y)
    by_pair = TreeRulesClassifier(class_costs={("positive", "negative"): 5}).fit(X, y)
    assert by_class.model_.body == by_pair.model_.body
    plain = TreeRulesClassifier().fit(X, y)

    def missed(fitted):
        return int(((fitted.predict(X) == "negative") & (y == "positive")).sum())

    assert missed(by_class) < missed(plain)


def test_the_answer_is_the_class_that_costs_least():
    costs = read_costs({("a", "b"): 10, ("b", "a"): 1, ("c", "a"): 0.1}, ["a", "b", "c"])
    assert costs.matrix.tolist() == [[0, 100, 10], [10, 0, 10], [1, 10, 0]]
    for weight in ([1.0, 5.0, 1.0], [1.0, 20.0, 1.0], [0.0, 1.0, 30.0]):
        priced = np.array(weight) * costs.price
        expected = [sum(w * costs.matrix[t, a] for t, w in enumerate(weight)) for a in range(3)]
        assert costs.answers(priced) == int(np.argmin(expected))
        assert costs.losses(priced) == pytest.approx(min(expected))


def test_time_that_is_up_leaves_a_model_and_is_told():
    rng = np.random.default_rng(0)
    X = rng.random(size=(3000, 4)).round(3)
    y = X.sum(axis=1) > 2
    with pytest.warns(TimeBudgetWarning, match="rules were made of the heaviest leaves"):
        fitted = TreeRulesClassifier(time_budget=1e-6).fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)
    with pytest.warns(TimeBudgetWarning, match="1 of 10 rounds were made"):
        TreeRulesClassifier(n_rounds=10, time_budget=1e-6).fit(X, y)
    assert fitted.score(X, y) > 0.7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TreeRulesClassifier(time_budget=600).fit(X[:200], y[:200])


@pytest.mark.parametrize("options", [{}, {"n_rounds": 3}, {"winnow": True}], ids=str)
def test_any_number_of_threads_learns_the_same(options):
    X, y = patients(500)
    alone, several = (TreeRulesClassifier(n_jobs=n, **options).fit(X, y) for n in (1, 4))
    assert alone.model_ == several.model_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rounds": 0}, "n_rounds must be a whole number"),
        ({"n_rounds": True}, "n_rounds must be a whole number"),
        ({"base": "forests", "n_rounds": 2}, "base must be one of 'rules', 'trees'"),
        ({"base": "trees"}, "set n_rounds"),
        ({"winnow": 1}, "winnow must be True or False"),
        ({"subsets": "yes"}, "subsets must be True or False"),
        ({"confidence": 0.6}, "confidence must be above 0 and at most 0.5"),
        ({"confidence": 0}, "confidence must be a number above 0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a number above 0"),
        ({"time_budget": -1}, "time_budget must be a number of seconds above 0"),
        ({"class_costs": {"maybe": 2}}, r"[Pp]airs \(class, class answered\)"),
        ({"class_costs": {("positive", "maybe"): 2}}, r"[Pp]airs \(class, class answered\)"),
        ({"class_costs": {("positive", "positive"): 2}}, "two different classes"),
        ({"class_costs": {("positive", "negative"): 0}}, "class_costs"),
        ({"class_costs": 3}, r"[Pp]airs \(class, class answered\)"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(options, message):
    X, y = patients(50)
    with pytest.raises(InputError, match=message):
        TreeRulesClassifier(**options).fit(X, y)
