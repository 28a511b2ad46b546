"""Rule lists and rule votes: the searches against slow ones, and what people may ask of them."""

import dataclasses
import itertools
import math

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.conjunctions import best_score
from sklearn.datasets import load_breast_cancer, load_iris
from strategies.mixed import tables
from strategies.patients import patients

from rulewright import RuleListClassifier, RuleVoteClassifier, load_model
from rulewright.criteria import CRITERIA, entropy, fisher
from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import GivenPredicates
from rulewright.learners import (
    Deadline,
    RuleListSettings,
    RuleVoteSettings,
    Sample,
    recipe_of,
)
from rulewright.rules import AllOf, RuleList, RuleVote, literals_of

pytestmark = pytest.mark.filterwarnings("ignore:Column '")
LEARNERS = [RuleListClassifier, RuleVoteClassifier]


@st.composite
def labelled(draw):
    table = draw(tables(most_rows=12, least_rows=2))
    labels = st.lists(st.integers(0, 2), min_size=table.rows, max_size=table.rows)
    y = np.array(draw(labels.filter(lambda some: len(set(some)) > 1)))
    return table, y


def sample_of(table, y):
    classes, codes = np.unique(y, return_inverse=True)
    return Sample.of(table, codes.astype(np.int32), tuple(classes.tolist()))


@pytest.mark.slow
@settings(max_examples=30)
@given(labelled(), st.sampled_from(["entropy", "laplace", "accuracy", "correlation"]))
def test_every_rule_of_a_list_is_the_best_for_what_is_left(case, name):
    table, y = case
    made = RuleListSettings(criterion=name, max_terms=2, beam_width=None, max_rules=3, min_rise=0)
    _, *lists = made.search_for_lists(sample_of(table, y), Deadline(None)).lists()
    left = np.ones(y.size, np.bool_)
    criterion, weight = CRITERIA[name], np.ones(y.size)
    scores = []
    for body, _ in lists:
        scores.append(best_over_classes(table, left, y, weight, criterion))
        left &= ~body.listed[-1].condition.holds(table)
    assert [score for _, score in lists] == pytest.approx(scores)
    if len(scores) < 3:
        assert best_over_classes(table, left, y, weight, criterion) == -math.inf


def best_over_classes(table, left, y, weight, criterion):
    return max(
        best_score(table, left, y == c, weight, criterion, 2, lambda p, n, P, N: p > n)
        for c in np.unique(y)
    )


@settings(max_examples=30)
@given(labelled())
def test_a_vote_weighs_examples_and_rules_as_published(case):
    table, y = case
    made = RuleVoteSettings(criterion="entropy", max_terms=1, beam_width=None, max_rules=4)
    votes = [body for body, _ in made.search_for_votes(sample_of(table, y), Deadline(None)).votes()]
    classes = np.unique(y)
    weight = {c: np.ones(y.size) for c in range(classes.size)}
    for before, vote in itertools.pairwise(votes):
        voter, rule_weight = newest(before, vote)
        if voter is None:
            continue
        own = y == classes[voter.output]
        d = weight[voter.output] / weight[voter.output].sum()
        fires = voter.condition.holds(table)
        right, wrong = d[fires & own].sum(), d[fires & ~own].sum()
        small = 1 / (2 * y.size)
        wanted = math.log((right + small) / (wrong + small)) / 2
        assert rule_weight == pytest.approx(wanted, abs=1 / 32 + 1e-6)
        assert right > wrong
        weight[voter.output] = np.where(
            fires, np.where(own, d * np.exp(-rule_weight), d * np.exp(rule_weight)), d
        )


def newest(before, vote):
    """Give the rule whose weight is new, and by how much it grew."""
    known = rule_weights(before)
    for voter, weight in rule_weights(vote).items():
        if weight != known.get(voter, 0.0):
            return next(v for v in vote.voters if key(v) == voter), weight - known.get(voter, 0.0)
    return None, 0.0


def rule_weights(vote):
    return {key(voter): voter.weight for voter in vote.voters}


def key(voter):
    return voter.condition, voter.output


@pytest.mark.cross_section(10)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"correction": "sc", "beam_width": 1},
        {"conditions": "syndromes", "max_terms": 3},
        {"family": ["intervals", "categories", "missing"]},
        {"default": "abstain", "max_rules": 3},
        {"rules": ["glucose > 127 and bmi > 29.9 -> positive", "gene = aa -> negative"]},
        {"size": "bound", "criterion": "fisher"},
        {"class_costs": {"positive": 3}, "max_rules": 5},
        {"force": ["gene"], "max_rules": 3},
    ],
)
def test_every_model_has_a_certificate_that_holds_after_a_file(learner, options, tmp_path):
    X, y = patients()
    fitted = learner(**options).fit(X, y)
    fitted.certificate_.verify(fitted.model_, X, y)
    fitted.save_model(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    loaded.certificate.verify(loaded, X, y)
    new, _ = patients(300, seed=1)
    assert loaded.predict(new).tolist() == fitted.predict(new).tolist()
    assert np.array_equal(loaded.predict_proba(new), fitted.predict_proba(new))


def is_ill(columns):
    return (columns["glucose"] > 127) & (columns["bmi"] > 27)


def measured_patients():
    """Patients without missing numbers, with a Boolean column; and a class for each."""
    X, y = patients(80)
    return X.assign(glucose=X["glucose"].fillna(120.0), heavy=X["bmi"] > 27), y


@pytest.mark.cross_section(10)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "options",
    [
        {"family": GivenPredicates(columns=["heavy"], functions={"ill": is_ill})},
        {"family": "given", "positive_tests": True, "max_columns": 1},
        {"family": ["auto", "half_planes"], "forbid": ["heavy"]},
        {"family": ["categories", "balls"], "scale": "standard"},
        {"family": "half_spaces", "max_candidates": 50},
        {"family": "balls", "correction": "sc", "beam_width": 1},
        {"family": ["thresholds", "half_planes"], "conditions": "syndromes"},
        {"family": ["half_planes", "given"], "polish": True},
        {"family": ["thresholds", "balls"], "certificate": "split"},
    ],
)
@pytest.mark.filterwarnings("ignore:.*are not tried")
def test_terms_of_any_family_are_certified_and_kept_in_a_file(learner, options, tmp_path):
    X, y = measured_patients()
    fitted = learner(**{"max_rules": 3, "max_terms": 3, **options}).fit(X, y)
    assert fitted.certificate_.verify(fitted.model_, X, y).holds
    fitted.save_model(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json", functions={"ill": is_ill})
    assert loaded.certificate.verify(loaded, X, y).holds
    assert loaded.predict(X).tolist() == fitted.predict(X).tolist()


def test_a_function_of_the_users_is_found_where_it_is_the_concept():
    X, _ = measured_patients()
    y = np.where(is_ill(X) & (X["gene"] != "aa"), "ill", "well")
    family = ["categories", GivenPredicates(functions={"ill": is_ill})]
    model = RuleListClassifier(family=family, max_rules=1).fit(X, y).model_
    (rule,) = model.body.children
    assert {type(test).__name__ for test in literals_of(rule)} == {"Category", "Function"}
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("family", ["half_planes", "balls", "given"])
def test_terms_of_any_family_do_not_depend_on_the_order_of_rows_and_columns(learner, family):
    X, y = measured_patients()
    X = X.iloc[:40]
    order = np.random.default_rng(0).permutation(40)
    options = {"family": ["categories", family], "max_rules": 2, "max_terms": 2}
    one = learner(**options).fit(X, y[:40])
    other = learner(**options).fit(X.iloc[order, ::-1], y[order])
    assert one.certificate_.bound == other.certificate_.bound
    assert one.predict(X).tolist() == other.predict(X.iloc[:, ::-1]).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_forbidden_and_directed_columns_are_in_no_sum(learner):
    X, y = measured_patients()
    X = X.assign(age=np.arange(80.0) % 23)
    forbidden, directed = {"forbid": ["bmi"]}, {"monotonic_cst": {"bmi": 1}}
    for options in (forbidden, directed, forbidden | directed):
        model = learner(family="half_planes", max_rules=3, **options).fit(X, y).model_
        tests = [test for rule in model.body.children for test in literals_of(rule)]
        assert tests and all(test.columns == ("age", "glucose") for test in tests)


@pytest.mark.parametrize("learner", LEARNERS)
def test_missing_values_are_refused_where_rows_are_compared_as_points(learner):
    X, y = patients()
    with pytest.raises(InputError, match="missing values: 'glucose"):
        learner(family=["thresholds", "balls"]).fit(X, y)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_plain_concept_is_learnt(learner):
    X, y = patients(1000)
    new, truth = patients(1000, seed=1)
    assert learner("entropy").fit(X, y).score(new, truth) > 0.85


@pytest.mark.parametrize("learner", LEARNERS)
def test_rules_of_a_person_come_first_and_are_kept(learner):
    X, y = patients()
    said = ["glucose > 127 and bmi > 29.9 -> positive"]
    fitted = learner(rules=said, max_rules=2).fit(X, y)
    first = fitted.model_.rules[0]
    assert [str(test.column) for test in literals_of(first)] == ["glucose", "bmi"]
    assert [test.cut for test in literals_of(first)] == [127.0, 29.9]
    assert fitted.classes_[first.output] == "positive"
    assert first.anchors == ()


@pytest.mark.parametrize("learner", LEARNERS)
def test_columns_are_kept_forbidden_and_forced(learner):
    X, y = patients()
    assert learner(keep=["bmi"]).fit(X, y).model_.body.columns == ("bmi",)
    assert "gene" not in learner(forbid=["gene"]).fit(X, y).model_.body.columns
    forced = learner(force=["bmi"], max_rules=4).fit(X, y).model_
    assert all("bmi" in rule.columns for rule in forced.rules[:-1])


@pytest.mark.parametrize("learner", LEARNERS)
def test_directions_are_kept_to(learner):
    X, y = patients()
    model = learner(monotonic_cst={"glucose": 1, "bmi": 1}).fit(X, y).model_
    positive = list(model.classes).index("positive")
    for rule in model.rules[:-1]:
        for test in literals_of(rule):
            if getattr(test, "above", None) is not None:
                assert test.above == (rule.output == positive)


def test_an_abstaining_list_says_so_and_counts_it():
    X, y = patients()
    fitted = RuleListClassifier(default="abstain", max_rules=2).fit(X, y)
    said = fitted.predict(X)
    assert "abstain" in set(said) <= {"negative", "positive", "abstain"}
    unanswered = int((said == "abstain").sum())
    assert fitted.model_.support[-1] == (unanswered, 0.0)
    assert "unanswered" in str(fitted.certificate_)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("correction", [None, "sc"])
def test_weights_count_as_repeated_rows(learner, correction):
    X, y = patients(80)
    weight = np.random.default_rng(2).integers(0, 4, 80)
    repeated = np.repeat(np.arange(80), weight)
    options = {"correction": correction, "max_rules": 4, "beam_width": 2}
    one = learner(**options).fit(X, y, sample_weight=weight)
    other = learner(**options).fit(X.iloc[repeated], y[repeated])
    assert str(one.model_) == str(other.model_)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("min_cells", [0, 2**40])
def test_threads_and_seeds_change_nothing(learner, min_cells, monkeypatch):
    monkeypatch.setattr("rulewright.kernels.shared_calls.MIN_CELLS_FOR_THREADS", min_cells)
    X, y = patients(500)
    one = learner(n_jobs=1).fit(X, y)
    two = learner(n_jobs=2, random_state=5).fit(X, y)
    assert one.model_ == two.model_


def test_what_is_covered_counts_less_with_weighting():
    X, y = patients(400)
    fitted = RuleListClassifier("wracc", covering="weighting", max_rules=6).fit(X, y)
    assert isinstance(fitted.model_.body, RuleList)
    assert 2 <= len(fitted.model_.body.listed) <= 6


def repeats_the_default(body):
    """Whether all rules, or the last of a list, answer as the default does."""
    outputs = [rule.output for rule in body.children]
    repeated = outputs[-1:] if isinstance(body, RuleList) else set(outputs)
    return list(repeated) == [body.default]


@pytest.mark.cross_section(2)
@pytest.mark.slow
@pytest.mark.parametrize("covering", ["removal", "weighting"])
@pytest.mark.parametrize("seed", range(2))
def test_every_rule_of_a_list_changes_an_answer(seed, covering):
    X, y = rare_illness(seed)
    for options in ({"size": "bound"}, {"size": "all"}):
        fitted = RuleListClassifier(covering=covering, **options).fit(X, y)
        for entry in fitted.path_:
            listed = entry.model.body.listed
            for number in range(len(listed)):
                shorter = RuleList(
                    (*listed[:number], *listed[number + 1 :]), entry.model.body.default
                )
                assert answers(shorter, fitted, X) != answers(entry.model.body, fitted, X)
            assert not repeats_the_default(entry.model.body)
            assert np.sum(entry.model.evidence) == pytest.approx(len(y))
            entry.certificate.verify(entry.model, X, y)
        sizes = [entry.size for entry in fitted.path_]
        assert sizes == sorted(set(sizes))


def rare_illness(seed):
    """Patients of whom one in four is ill; the best single rule is for those that are well."""
    rng = np.random.default_rng(seed)
    X = pandas.DataFrame(rng.normal(size=(200, 3)).round(1), columns=list("abc"))
    ill = (X.a > 0.3) & (rng.random(200) < 0.6)
    return X, np.where(ill, "ill", "well")


def answers(body, fitted, X):
    return (
        dataclasses.replace(
            fitted.model_, body=body, evidence=((1.0, 1.0),) * len(body.outputs), certificate=None
        )
        .predict(X)
        .tolist()
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_vote_for_what_is_answered_anyway_is_no_vote(seed):
    X, y = rare_illness(seed)
    fitted = RuleVoteClassifier(size="bound").fit(X, y)
    for entry in fitted.path_:
        assert not repeats_the_default(entry.model.body)


def test_rules_of_a_person_stay_in_a_list_even_if_they_change_nothing():
    X, y = rare_illness(0)
    fitted = RuleListClassifier(rules=["a > 99 -> ill", "b <= 99 -> well"], size="bound").fit(X, y)
    assert all(len(entry.model.body.listed) >= 2 for entry in fitted.path_)


@pytest.mark.cross_section(1)
@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["boosting_normalised", "relative_accuracy", "entropy"])
def test_weighting_goes_on_after_a_rule_that_covers_its_whole_class(criterion):
    X, y = load_iris(return_X_y=True)
    for weights in (None, np.repeat([1.0, 3.0], 75)):
        fitted = RuleListClassifier(criterion, covering="weighting").fit(X, y, weights)
        assert fitted.score(X, y) > 0.9


def test_weighting_takes_no_rule_for_new_that_covers_the_same():
    numbers = np.random.default_rng(0).normal(size=(100, 2))
    table = Table([NumericColumn(name, numbers[:, n]) for n, name in enumerate("ab")], 100)
    y = (numbers[:, 0] > 0) & (numbers[:, 1] > 0)
    *_, (body, _) = (
        RuleListSettings(covering="weighting")
        .search_for_lists(sample_of(table, y), Deadline(None))
        .lists()
    )
    covered = [(rule.output, rule.condition.holds(table).tobytes()) for rule in body.listed]
    assert len(covered) > 2
    assert len(set(covered)) == len(covered)


def test_a_function_of_the_users_is_a_criterion():
    X, y = patients()
    ours = RuleListClassifier("entropy", max_rules=1, max_terms=1).fit(X, y)
    theirs = RuleListClassifier(
        lambda p, n, P, N: entropy(p, n, P, N), max_rules=1, max_terms=1
    ).fit(X, y)
    assert ours.path_[-1].usefulness == theirs.path_[-1].usefulness


def test_explain_names_the_rule_its_values_and_the_runner_up():
    X, y = patients()
    fitted = RuleListClassifier(max_rules=3).fit(X, y)
    said = fitted.explain(X.iloc[:20])
    assert {"prediction", "rule", "why", "runner_up"} <= set(said.columns)
    first = fitted.model_.rules[0].condition.holds(fitted.model_.table(X.iloc[:20]))
    assert (said["rule"].to_numpy()[first] == 1).all()


def test_filters_leave_out_what_is_rare_or_chance():
    X, y = patients()
    strict = RuleListClassifier(min_support=20, min_precision=0.9, max_p_value=1e-4).fit(X, y)
    for rule, (covered, right) in zip(
        strict.model_.body.listed, strict.model_.support, strict=False
    ):
        assert right >= 20
        assert right / covered >= 0.9
        assert rule.condition != AllOf()
    none = RuleListClassifier(min_support=1000).fit(X, y)
    assert len(none.model_.rules) == 1


def test_any_number_of_classes_is_one_model():
    X, _ = patients(300)
    y = np.select([X.gene == "bb", X.bmi > 30], ["genetic", "heavy"], "neither")
    for learner in LEARNERS:
        fitted = learner("entropy").fit(X, y)
        assert fitted.score(X, y) == 1.0
        assert isinstance(fitted.model_.body, RuleList | RuleVote)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"criterion": "beauty"}, "criterion must be"),
        ({"correction": "vc"}, "correction must be None or 'sc'"),
        ({"correction": "sc", "eta": 1}, "eta must be in"),
        ({"default": "guess"}, "default must be one of"),
        ({"conditions": "trees"}, "conditions must be one of"),
        ({"size": 3}, "size must be one of"),
        ({"max_terms": 0}, "max_terms must be a whole number"),
        ({"beam_width": 2.5}, "beam_width must be a whole number"),
        ({"family": "subsets"}, "DecisionListMachine takes every family"),
        ({"keep": "bmi"}, "keep must be a list"),
        ({"forbid": ["height"]}, "not a column of the data"),
        ({"force": ["bmi"], "forbid": ["bmi"]}, "left out"),
        ({"monotonic_cst": {"bmi": 2}}, "monotonic_cst must be 1, -1 or 0"),
        ({"rules": "bmi > 3 -> positive"}, "rules must be a list"),
        ({"rules": ["height > 3 -> positive"]}, "height"),
        ({"rules": ["bmi > 3 -> ill"]}, "ill"),
        ({"min_precision": 2}, "min_precision must be in"),
        ({"min_rise": -1}, "min_rise must be a number"),
    ],
)
@pytest.mark.parametrize("learner", LEARNERS)
def test_bad_settings_are_refused_with_a_word(learner, options, said):
    X, y = patients(40)
    with pytest.raises(InputError, match=said):
        learner(**options).fit(X, y)


def test_bad_covering_is_refused():
    X, y = patients(40)
    with pytest.raises(InputError, match="covering must be one of"):
        RuleListClassifier(covering="all").fit(X, y)
    with pytest.raises(InputError, match="shrink must be in"):
        RuleListClassifier(covering="weighting", shrink=1.0).fit(X, y)


def test_an_exhaustive_search_that_was_cut_short_says_so(monkeypatch):
    X, y = patients(60)
    monkeypatch.setattr("rulewright.families.conjunctions.BUDGET", 2)
    with pytest.warns(UserWarning, match="better rules may have been missed"):
        RuleListClassifier(beam_width=None, max_terms=3, max_rules=1).fit(X, y)


def test_a_correction_of_many_rows_looks_at_some_of_them():
    X, y = patients(1500)
    one, again = (
        RuleListClassifier(correction="sc", beam_width=1, max_rules=3, random_state=seed).fit(X, y)
        for seed in (3, 3)
    )
    assert one.model_ == again.model_
    assert one.score(X, y) > 0.85


def test_rules_below_the_minimum_of_fishers_criterion_are_left_out():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(200) < 0.2)
    free = RuleListClassifier(max_rules=5).fit(X, y)
    strict = RuleListClassifier(max_rules=5, min_fisher=15.0).fit(X, y)
    assert 0 < len(strict.get_rules()) <= len(free.get_rules())
    none = RuleListClassifier(max_rules=5, min_fisher=1e6).fit(X, y)
    assert len(none.model_.body.listed) == 0
    first = strict.model_.body.listed[0]
    covered = first.condition.holds(strict.model_.table(X))
    own = y == first.output
    p, n = (covered & own).sum(), (covered & ~own).sum()
    assert fisher(p, n, own.sum(), (~own).sum()) >= 15.0


def test_recipes_leave_the_minimum_of_fishers_criterion_out_unless_it_is_set():
    assert "min_fisher" not in recipe_of(RuleListSettings())["parameters"]
    assert recipe_of(RuleListSettings(min_fisher=3.0))["parameters"]["min_fisher"] == 3.0


def test_small_votes_have_at_most_twelve_rules_of_one_term():
    X, y = load_breast_cancer(return_X_y=True)
    small = RuleVoteClassifier(preset="small").fit(X, y)
    limited = RuleVoteClassifier(max_rules=12, max_terms=1).fit(X, y)
    assert small.model_.body == limited.model_.body
    assert small.max_terms == 7
    shorter = RuleVoteClassifier(preset="small", max_rules=3).fit(X, y)
    assert len(shorter.model_.body.rules) <= 4


def test_recipes_have_the_options_of_spaces_only_where_they_are_set():
    assert "metric" not in recipe_of(RuleListSettings())["parameters"]
    said = recipe_of(RuleListSettings(family="balls", metric="l1"))["parameters"]
    assert said["metric"] == "l1" and "kernel" not in said
