"""No learner loses more on its training rows than the majority answer, unless it says why."""

import warnings

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import EIGHTH
from strategies.mixed import tables

from rulewright import (
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.learners.base.baseline import loses_more
from rulewright.learners.base.needed_rules import needed_rules

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
FEW = {"max_terms": 2, "beam_width": 2, "max_rules": 4}
LEARNERS = {
    "conjunction": SetCoveringMachine(),
    "disjunction": SetCoveringMachine(kind="disjunction"),
    "either": SetCoveringMachine(kind="best", max_rules=2),
    "consistent conjunction": SetCoveringMachine(consistent=True),
    "decision list machine": DecisionListMachine(),
    "consistent list": DecisionListMachine(consistent=True),
    "list": RuleListClassifier(**FEW),
    "list by bound": RuleListClassifier(**FEW, size="bound"),
    "list by weighting": RuleListClassifier(**FEW, covering="weighting"),
    "list by weighting and bound": RuleListClassifier(**FEW, covering="weighting", size="bound"),
    "list by precision": RuleListClassifier("precision", **FEW),
    "vote": RuleVoteClassifier(**FEW),
    "vote of one rule": RuleVoteClassifier(max_terms=1, max_rules=1),
    "vote by bound": RuleVoteClassifier(**FEW, size="bound"),
    "ripper": RipperClassifier(),
    "irep": RipperClassifier(algorithm="irep"),
    "unpruned irep": RipperClassifier(algorithm="irep", prune=False),
    "slipper": SlipperClassifier(max_rounds=5, n_folds=2),
    "scorecard": ScorecardClassifier(),
    "scorecard of one test": ScorecardClassifier(1),
    "slipper of one round": SlipperClassifier(n_rounds=1),
    "unpruned slipper": SlipperClassifier(n_rounds=3, prune=False),
    "tree rules": TreeRulesClassifier(),
    "tree rules of small leaves": TreeRulesClassifier(min_samples_leaf=1, confidence=0.5),
    "tree rules of subsets": TreeRulesClassifier(subsets=True, winnow=True),
    "voting rules": TreeRulesClassifier(n_rounds=3),
    "voting trees": TreeRulesClassifier(n_rounds=2, base="trees"),
    "cart": TreeClassifier(),
    "priced cart": TreeClassifier(ccp_alpha=0.05),
    "c4.5": TreeClassifier(preset="c4.5"),
    "id3": TreeClassifier(preset="id3"),
    "tree by bound": TreeClassifier(pruning="bound"),
    "fractional tree by bound": TreeClassifier(preset="c4.5", pruning="bound"),
    "tree by control": TreeClassifier(pruning="reduced-error"),
    "monotone tree": TreeClassifier(monotonic_cst={"a": 1}),
}
MACHINES = ("conjunction", "disjunction", "either", "consistent conjunction", "monotone tree")
"""They tell two classes apart."""


def loss(answers, y, weight, costs):
    price = np.array([costs.get(label, 1.0) for label in y.tolist()])
    return float((weight * price)[answers != y].sum())


def least_loss(y, weight, costs):
    return min(loss(np.full(y.size, label), y, weight, costs) for label in np.unique(y))


def learnt(name, table, y, weight=None, costs=None):
    learner = LEARNERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return type(learner)(**learner.get_params() | {"class_costs": costs or None}).fit(
            table, y, weight
        )


@st.composite
def cases(draw, name):
    """A table with any labels, often skewed, with weights and costs or without."""
    table = draw(tables(most_rows=20, least_rows=4))
    most = 1 if name in MACHINES else 2
    rare = draw(st.booleans())
    label = st.sampled_from([0, 0, 0, 0, 1, most]) if rare else st.integers(0, most)
    labels = st.lists(label, min_size=table.rows, max_size=table.rows)
    y = np.array(draw(labels.filter(lambda some: len(set(some)) > 1)))
    weights = st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=y.size, max_size=y.size)
    weight = np.array(draw(weights)) if draw(st.booleans()) else np.ones(y.size)
    some = st.dictionaries(st.sampled_from(np.unique(y).tolist()), st.sampled_from([0.25, 3.0]))
    return table, y, weight, draw(some)


@pytest.mark.cross_section(12)
@pytest.mark.parametrize("name", LEARNERS)
@EIGHTH
@given(data=st.data())
def test_no_learner_loses_more_than_the_majority_answer_on_anything(name, data):
    table, y, weight, costs = data.draw(cases(name))
    fitted = learnt(name, table, y, weight, costs)
    lost = loss(fitted.predict(table), y, weight, costs)
    assert lost <= least_loss(y, weight, costs) * (1 + 1e-9)
    assert not loses_more(fitted.model_, [costs.get(label, 1) for label in fitted.classes_])
    fitted.certificate_.verify(fitted.model_, table, y, weight)
    assert fitted.model_ in [entry.model for entry in fitted.path_]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LEARNERS)
def test_no_learner_loses_more_than_the_majority_answer_on_noise(name, seed):
    rng = np.random.default_rng(seed)
    numbers = pandas.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    y = np.full(200, "well", dtype=object)
    y[rng.choice(200, 4, replace=False)] = "ill"
    fitted = learnt(name, numbers, y)
    assert (fitted.predict(numbers) != y).sum() <= 4


def test_costs_of_answers_count_for_rules_from_trees():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), np.repeat(["a", "b", "c"], [90, 6, 4])
    costs = {("a", "b"): 0.01, ("b", "a"): 20.0, ("c", "a"): 30.0}
    for trials in (1, 3):
        fitted = TreeRulesClassifier(class_costs=costs, n_rounds=trials).fit(X, y)
        pairs = zip(y, fitted.predict(X), strict=True)
        lost = sum(costs.get(pair, 1.0) for pair in pairs if pair[0] != pair[1])
        constants = [
            sum(costs.get((label, answer), 1.0) for label in y if label != answer)
            for answer in "abc"
        ]
        assert lost <= min(constants) + 1e-9


def test_a_penalty_other_than_1_keeps_all_sizes():
    """The user's own price of an example that is lost is a reason to answer otherwise."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], [55, 5])
    kept = SetCoveringMachine(penalty=10, max_rules=2).fit(X, y)
    assert [entry.size for entry in kept.path_] == [1, 2]
    assert loses_more(kept.model_)
    assert not loses_more(SetCoveringMachine(max_rules=2).fit(X, y).model_)


@given(st.data())
def test_rules_are_left_out_only_where_no_answer_changes(data):
    rows, classes = data.draw(st.integers(1, 10)), 3
    masks = st.lists(st.booleans(), min_size=rows, max_size=rows)
    covered = [np.array(mask) for mask in data.draw(st.lists(masks, max_size=6))]
    outputs = data.draw(
        st.lists(st.integers(0, classes - 1), min_size=len(covered), max_size=len(covered))
    )
    default, kept = data.draw(st.integers(-1, classes - 1)), data.draw(st.integers(0, len(covered)))

    def answers(numbers):
        found = np.full(rows, default)
        for number in reversed(numbers):
            found[covered[number]] = outputs[number]
        return found.tolist()

    everything = list(range(len(covered)))
    needed = needed_rules(covered, outputs, default, rows, kept)
    assert answers(needed) == answers(everything)
    assert needed[:kept] == everything[:kept]
    for number in needed[kept:]:
        assert answers([other for other in needed if other != number]) != answers(everything)
    places = [np.flatnonzero(mask) for mask in covered]
    assert needed_rules(places, outputs, default, rows, kept) == needed
