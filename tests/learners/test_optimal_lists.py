"""Optimal lists of rules: proof, models, certificates, and settings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.optimal_lists import fewest_errors
from strategies.effort import QUARTER
from strategies.mixed import tables

from rulewright import RuleListClassifier
from rulewright.errors import InputError
from rulewright.learners import TimeBudgetWarning
from rulewright.rules import Category, Missing, Threshold

pytestmark = pytest.mark.filterwarnings("ignore:Column .* has:UserWarning")


def literal_masks(table):
    """Every literal that a rule may have, as a mask; false on missing values."""
    found = []
    for column in table.columns:
        if column.missing.any():
            found += [Missing(column.name), Missing(column.name, False)]
        if hasattr(column, "categories"):
            values = [(value,) for value in column.categories]
            found += [Category(column.name, v, among) for v in values for among in (True, False)]
        else:
            cuts = np.unique(column.values[~column.missing])
            found += [Threshold(column.name, a, float(c)) for c in cuts for a in (True, False)]
    return dict(enumerate(test.holds(table) for test in found))


@st.composite
def examples(draw):
    table = draw(tables(most_rows=9, least_rows=3))
    classes = draw(st.integers(2, 3))
    y = draw(hnp.arrays(np.int32, table.rows, elements=st.integers(0, classes - 1)))
    y[:classes] = np.arange(classes)
    weight = draw(hnp.arrays(np.int64, table.rows, elements=st.integers(1, 3)))
    weight[0] = 1  # no common factor
    return table, y, weight


@QUARTER
@given(examples(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
def test_no_list_has_fewer_errors(case, rules, terms, cost):
    table, y, weight = case
    options = {"max_rules": rules, "max_terms": terms, "class_costs": {0: cost}}
    model = RuleListClassifier(search="optimal", **options).fit(table, y, weight)
    worth = weight * np.where(y == 0, cost, 1)
    least = fewest_errors(literal_masks(table), y, worth, y.max() + 1, rules, terms)
    assert worth[model.model_.body.classify(table) != y].sum() == least[-1]
    assert model.optimality_.proven
    assert model.optimality_.objective == pytest.approx(least[-1] / worth.sum())
    assert all(
        worth[entry.model.body.classify(table) != y].sum() == least[entry.size]
        for entry in model.path_
    )


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(5)
    rows = 250
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, rows).astype(float),
            "bmi": rng.integers(18, 45, rows).astype(float),
            "ward": rng.choice(["north", "south", "west", "east"], rows),
        }
    )
    ill = (frame["age"] > 60) & (frame["bmi"] > 30) | (frame["ward"] == "west")
    ill ^= rng.random(rows) < 0.1
    frame.loc[::9, "bmi"] = np.nan
    return frame, np.where(ill, "ill", "well")


def optimal(**options):
    return RuleListClassifier(**{"search": "optimal", "max_rules": 2, "max_cuts": 8, **options})


def test_the_model_does_not_depend_on_rows_columns_or_threads(patients):
    frame, y = patients
    model = optimal().fit(frame, y)
    order = np.random.default_rng(0).permutation(len(frame))
    again = optimal(n_jobs=2).fit(frame.iloc[order][["ward", "bmi", "age"]], y[order])
    assert str(again.model_) == str(model.model_)
    assert again.optimality_ == model.optimality_
    assert model.certificate_.verify(model.model_, frame, y).holds


def test_it_is_at_least_as_good_as_a_greedy_list(patients):
    frame, y = patients
    best = optimal(max_cuts=100).fit(frame, y)
    greedy = RuleListClassifier(max_rules=2, max_terms=2).fit(frame, y)
    assert best.score(frame, y) >= greedy.score(frame, y)


def test_sentences_say_what_is_proven(patients):
    frame, y = patients
    model = optimal().fit(frame, y)
    assert model.optimality_.sentence == (
        "Optimal, with proof: no list of at most 2 rules with at most 2 terms, and at most 8 cuts "
        "of a column, has a lower training error."
    )
    assert model.notices_[0] == model.optimality_.sentence
    stopped = optimal(max_rules=3, max_subproblems=1).fit(frame, y)
    assert stopped.optimality_.stopped_by == "max_subproblems"
    assert stopped.optimality_.lower_bound <= model.optimality_.objective
    by_bound = optimal(size="bound", max_terms=1).fit(frame, y)
    bounds = [entry.certificate.bound for entry in by_bound.path_]
    assert by_bound.certificate_.bound == min(bounds)
    assert "with at most 1 term," in by_bound.optimality_.sentence


def test_a_time_budget_keeps_the_best_list_and_a_valid_bound(patients):
    frame, y = patients
    with pytest.warns(TimeBudgetWarning):
        model = optimal(max_rules=3, time_budget=1e-9).fit(frame, y)
    assert model.optimality_.stopped_by == "time_budget"
    assert model.optimality_.lower_bound <= optimal().fit(frame, y).optimality_.objective


def test_alternatives_have_other_first_rules(patients):
    frame, y = patients
    model = optimal(n_alternatives=3, max_excess=0.02).fit(frame, y)
    most = model.path_[-1].errors + 0.02 * len(frame)
    assert model.optimality_.n_alternatives >= len(model.alternatives_) == 3
    first = {str(entry.model.body.listed[0].condition) for entry in model.alternatives_}
    assert len(first | {str(model.model_.body.listed[0].condition)}) == 4
    for entry in model.alternatives_:
        assert entry.errors <= most
        assert (entry.model.predict(frame) != y).sum() == entry.errors
    assert "other first rules give lists of at most 2 rules" in model.notices_[1]


def test_a_split_certificate_has_optimal_lists_as_candidates(patients):
    frame, y = patients
    model = optimal(max_terms=1, certificate="split", n_splits=2).fit(frame, y)
    assert model.certificate_.verify(model.model_, frame, y).holds


def test_a_list_without_rules_is_kept_where_none_is_better():
    X, y = np.zeros((6, 1)), ["a", "a", "a", "a", "b", "b"]
    model = optimal(n_alternatives=1).fit(X, y)
    assert not model.model_.body.listed
    assert model.optimality_.proven
    assert model.optimality_.n_alternatives is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "gini"}, "criterion has no effect with search='optimal'"),
        ({"beam_width": None}, "beam_width has no effect"),
        ({"default": "abstain"}, "default has no effect"),
        ({"rules": ["age > 3 -> ill"]}, "rules has no effect"),
        ({"family": "intervals"}, "has the families 'thresholds'"),
        ({"max_rules": 9}, "max_rules must be at most 8 with search='optimal', got 9"),
        ({"max_rules": None}, "max_rules must be at most 8"),
        ({"max_terms": 4}, "max_terms must be at most 3"),
        ({"search": "greedy"}, "max_cuts has no effect with search='greedy'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(patients, options, message):
    with pytest.raises(InputError, match=message):
        optimal(**options).fit(*patients)


def test_too_many_tests_are_refused():
    X = np.random.default_rng(0).normal(size=(1200, 3))
    with pytest.raises(InputError, match="at most 2048 tests, got 2400. Set max_cuts lower"):
        optimal(max_cuts=800).fit(X, X[:, 0] > 0)
