"""The decision list machine as users meet it."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rulewright import DecisionListMachine, SetCoveringMachine, load_model
from rulewright.errors import InputError
from rulewright.families import Balls, HalfSpaces
from rulewright.learners import read_penalties
from rulewright.rules import Rule, RuleList, Threshold

pytestmark = pytest.mark.filterwarnings("ignore:types has no effect")
WINE = load_wine(as_frame=True)
X, Y = WINE.data, WINE.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})


@pytest.fixture(scope="module")
def machine():
    return DecisionListMachine(family="auto", max_rules=6).fit(X, Y)


def test_one_list_tells_many_classes_apart(machine):
    assert isinstance(machine.model_.body, RuleList)
    assert machine.classes_.tolist() == ["barbera", "barolo", "grignolino"]
    assert machine.score(X, Y) > 0.9
    assert (machine.predict(X) == machine.model_.predict(X)).all()
    assert machine.predict_proba(X).shape == (178, 3)
    assert machine.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(178))


def test_the_path_has_every_size_and_every_default_is_the_majority_of_the_rest(machine):
    for size, entry in enumerate(machine.path_, 1):
        body = entry.model.body
        assert (entry.size, len(body.listed)) == (size, size)
        answers = body.answer(entry.model.table(X))
        rest = Y[answers == size]
        if len(rest):
            assert entry.model.classes[body.default] == rest.value_counts().idxmax()
        entry.certificate.verify(entry.model, X, Y)


def test_a_certificate_for_many_classes_reads_and_has_no_miss_rate(machine):
    c = machine.certificate_
    assert c.miss_rate_bound is None
    assert c.false_alarm_bound is None
    assert 0 < c.bound < 0.5
    assert "95 % confidence" in str(c)


def test_it_is_saved_and_loaded(machine, tmp_path):
    machine.save_model(tmp_path / "list.json")
    loaded = load_model(tmp_path / "list.json")
    assert (loaded.predict(X) == machine.predict(X)).all()
    loaded.certificate.verify(loaded, X, Y)


def test_rules_and_explanations_come_as_frames(machine):
    rules = machine.get_rules()
    assert rules["support"].sum() == 178
    assert rules["rule"].iloc[-1] == "otherwise"
    why = machine.explain(X.head(2))
    assert why["prediction"].tolist() == machine.predict(X.head(2)).tolist()


def test_rivests_algorithm_is_the_machine_with_infinite_penalties():
    """Rivest (1987): take any rule that errs on nothing that is left, until nothing is left."""
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2, (80, 5)).astype(float)
    # If a then 1, else if not b then 0, else if c then 1, else 0.
    y = np.where(bits[:, 0] == 1, 1, np.where(bits[:, 1] == 0, 0, bits[:, 2])).astype(int)
    machine = DecisionListMachine(family="thresholds", penalty=math.inf, max_rules=None)
    machine.fit(bits, y)
    assert machine.score(bits, y) == 1.0
    remaining = np.ones(80, bool)
    for rule in machine.model_.body.listed:
        fires = rule.condition.holds(machine.model_.table(bits)) & remaining
        assert (y[fires] == rule.output).all()  # no rule errs on what is left
        remaining &= ~fires


def test_penalties_are_one_number_a_pair_or_one_a_class():
    assert read_penalties(2, "ab") == [2, 2]
    assert read_penalties((3, math.inf), "ab") == [math.inf, 3]
    assert read_penalties({"a": 1, "b": 0.5, "c": 2}, "abc")[1] == 0.5
    for wrong in ((1, 2, 3), {"a": 1}, {"a": 1, "b": 2, "z": 3}, "much", -1, (1, None)):
        with pytest.raises(InputError, match="penalty must"):
            read_penalties(wrong, "ab")
    with pytest.raises(InputError, match="pair"):
        read_penalties((1, 2), "abc")


def test_a_penalty_moves_errors_from_one_class_to_the_other():
    data = load_breast_cancer(as_frame=True)
    counts = []
    for penalties in ((10, 0.5), (0.5, 10)):
        machine = DecisionListMachine(family="thresholds", penalty=penalties, max_rules=3)
        wrong = machine.fit(data.data, data.target).predict(data.data) != data.target
        counts.append([(wrong & (data.target == k)).sum() for k in (0, 1)])
    assert counts[0][1] < counts[1][1]
    assert counts[0][0] > counts[1][0]


@pytest.mark.parametrize("family", ["thresholds", "balls", "half_spaces", ["thresholds", "balls"]])
@pytest.mark.parametrize("consistent", [False, True])
def test_every_family_lists_three_classes(family, consistent):
    iris = load_iris()
    machine = DecisionListMachine(
        family=family, types="complex", consistent=consistent, max_rules=5
    ).fit(iris.data, iris.target)
    assert machine.score(iris.data, iris.target) > 0.6
    for entry in machine.path_:
        entry.certificate.verify(entry.model, iris.data, iris.target)
        if consistent:
            rows = np.array(entry.certificate.examples)
            assert (entry.model.predict(iris.data[rows]) == iris.target[rows]).all()


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(5)
    matrix = np.round(rng.normal(size=(50, 2)), 1)
    y = rng.integers(0, 3, 50)
    weight = rng.integers(0, 4, 50)
    rows = np.repeat(np.arange(50), weight)
    for family in ("thresholds", "balls", "half_spaces"):
        weighted = DecisionListMachine(family=family, types="complex")
        weighted.fit(matrix, y, sample_weight=weight)
        repeated = DecisionListMachine(family=family, types="complex").fit(matrix[rows], y[rows])
        assert weighted.model_.body == repeated.model_.body
        assert weighted.model_.evidence == repeated.model_.evidence
        weighted.certificate_.verify(weighted.model_, matrix, y, sample_weight=weight)


def test_it_works_in_pipelines_and_searches():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline = make_pipeline(StandardScaler(), DecisionListMachine(family="balls"))
        assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.7
        grid = {"types": ["simple", "complex"], "penalty": [1.0, math.inf]}
        search = GridSearchCV(DecisionListMachine(family="balls", scale="standard"), grid, cv=3)
        assert search.fit(X, Y).best_score_ > 0.7


def test_balls_take_the_numeric_columns_of_a_mixed_table():
    data = X.assign(town=["Alba", "Asti"] * 89)
    machine = DecisionListMachine(family=["balls", "categories"], scale="rank").fit(data, Y)
    assert "town" not in machine.model_.body.listed[0].condition.columns
    machine.certificate_.verify(machine.model_, data, Y)
    with pytest.raises(InputError, match=r"no columns for family balls.*family='auto'"):
        DecisionListMachine(family="balls").fit(data[["town"]], Y)


@pytest.mark.parametrize("family", ["balls", "half_spaces"])
def test_missing_values_are_refused_with_the_way_out(family):
    holes = X.copy()
    holes.iloc[3, 2] = np.nan
    with pytest.raises(InputError, match=r"Input X contains NaN.*'ash \(1\)'.*--impute mean"):
        DecisionListMachine(family=family).fit(holes, Y)
    machine = DecisionListMachine(family=family, max_rules=2).fit(X, Y)
    with pytest.raises(InputError, match="column 'ash' has 1 missing values"):
        machine.predict(holes)


def test_a_function_may_be_the_metric_and_is_given_again_on_loading(tmp_path):
    def biggest_step(a, b):
        return float(np.abs(a - b).max())

    machine = DecisionListMachine(family="balls", metric=biggest_step, max_rules=3).fit(X, Y)
    plain = DecisionListMachine(family="balls", metric="linf", max_rules=3).fit(X, Y)
    assert (machine.predict(X) == plain.predict(X)).all()
    machine.certificate_.verify(machine.model_, X, Y)
    machine.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    with pytest.raises(InputError, match=r"functions=\{'biggest_step'"):
        loaded.predict(X)
    loaded = load_model(tmp_path / "m.json", functions={"biggest_step": biggest_step})
    assert (loaded.predict(X) == machine.predict(X)).all()
    loaded.certificate.verify(loaded, X, Y)


def test_precomputed_similarities_and_distances_give_the_same_lists():
    iris = load_iris()
    data, y = iris.data[::3], iris.target[::3]
    gram = data @ data.T
    direct = DecisionListMachine(family="half_spaces", max_rules=4).fit(data, y)
    given = DecisionListMachine(family="half_spaces", kernel="precomputed", max_rules=4)
    given.fit(gram, y)
    assert given.path_[0].usefulness == direct.path_[0].usefulness  # ties go another way
    assert given.score(gram, y) > 0.9
    assert given.score(iris.data @ data.T, iris.target) > 0.9
    given.certificate_.verify(given.model_, gram, y)

    away = np.abs(data[:, None] - data[None]).sum(axis=2)
    balls = DecisionListMachine(family="balls", metric="l1", max_rules=4).fit(data, y)
    given = DecisionListMachine(family="balls", metric="precomputed", max_rules=4).fit(away, y)
    assert (given.predict(away) == balls.predict(data)).all()
    assert cross_val_score(given, away, y, cv=3).mean() > 0.8
    given.certificate_.verify(given.model_, away, y)

    kernel = np.column_stack([gram, np.diag(gram)])
    own = DecisionListMachine(
        family="balls", metric="kernel", kernel="precomputed", max_rules=4
    ).fit(kernel, y)
    direct = DecisionListMachine(family="balls", metric="kernel", kernel="linear", max_rules=4).fit(
        data, y
    )
    assert (own.predict(kernel) == direct.predict(data)).all()
    own.certificate_.verify(own.model_, kernel, y)
    with pytest.raises(InputError, match="one per training row"):
        DecisionListMachine(family="balls", metric="precomputed").fit(away[:, :10], y)


def test_rows_of_weight_zero_keep_their_columns_in_a_precomputed_matrix():
    iris = load_iris()
    data, y = iris.data[::3], iris.target[::3]
    weight = (np.arange(50) % 4 > 0).astype(float)
    gram = data @ data.T
    machine = DecisionListMachine(family="half_spaces", kernel="precomputed", max_rules=3)
    machine.fit(gram, y, sample_weight=weight)
    direct = DecisionListMachine(family="half_spaces", max_rules=3)
    direct.fit(data, y, sample_weight=weight)
    assert machine.path_[0].usefulness == direct.path_[0].usefulness
    machine.certificate_.verify(machine.model_, gram, y, sample_weight=weight)


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(1)
    data = np.round(rng.normal(size=(60, 2)), 1)
    y = rng.integers(0, 3, 60)
    shuffled = rng.permutation(60)
    for family in ("thresholds", "balls", "half_spaces"):
        for consistent in (False, True):
            machine = DecisionListMachine(family=family, types="complex", consistent=consistent)
            one = machine.fit(data, y).model_
            other = machine.fit(data[shuffled], y[shuffled]).model_
            assert one.body == other.body


def test_the_same_list_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    data = np.round(rng.normal(size=(150, 4)), 1)
    y = (data[:, 0] + data[:, 1] * data[:, 2] > 0).astype(int) + (data[:, 3] > 1)
    for family in ("balls", "half_spaces", "auto"):
        lists = [
            DecisionListMachine(family=family, types="complex", n_jobs=n).fit(data, y)
            for n in (1, 2, 8)
        ]
        assert lists[0].model_ == lists[1].model_ == lists[2].model_
        assert lists[0].certificate_ == lists[2].certificate_


def test_large_data_try_some_candidates_and_say_so_once():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(2500, 3))
    y = (data.sum(axis=1) > 0).astype(int)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        one = DecisionListMachine(family="balls", types="complex", max_rules=2).fit(data, y)
        assert [str(w.message) for w in caught if "max_candidates" in str(w.message)] == [
            "Family 'balls' has 2500 centres in 2500 rows. Only 2000 of them, drawn at random, are "
            "tried on all rows. Set max_candidates to another number, or to None for all."
        ]
    with pytest.warns(UserWarning, match="Only 50 of them"):
        few = DecisionListMachine(family="half_spaces", max_candidates=50, max_rules=1)
        few.fit(data, y)
    few.certificate_.verify(few.model_, data, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DecisionListMachine(family="balls", max_candidates=None, max_rules=1).fit(data, y)
    with pytest.warns(UserWarning, match="drawn at random"):
        again = DecisionListMachine(family="balls", types="complex", max_rules=2).fit(data, y)
    assert again.model_ == one.model_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": "odd"}, "types must be one of 'simple', 'complex'"),
        ({"metric": "l3"}, "metric must be one of 'l1', 'l2'"),
        ({"family": "half_spaces", "kernel": "sigmoid"}, "kernel must be one of 'linear'"),
        ({"metric": "kernel", "kernel": "rbf", "gamma": math.inf}, "gamma must be finite"),
        ({"metric": "kernel", "kernel": "polynomial", "degree": 1.5}, "degree must be a whole"),
        ({"scale": "log"}, "scale must be one of 'none', 'standard', 'rank'"),
        ({"metric": "precomputed", "scale": "rank"}, "cannot be scaled"),
        ({"consistent": "yes"}, "consistent must be True or False"),
        ({"max_candidates": 0}, "max_candidates must be a whole number"),
        ({"random_state": -1}, "random_state must be"),
        ({"penalty": -1}, "penalty must be a number"),
        ({"max_rules": 0}, "max_rules must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        DecisionListMachine(**{"family": "balls"} | options).fit(X, Y)


@pytest.mark.parametrize("learner", [DecisionListMachine, SetCoveringMachine])
def test_parameters_without_effect_are_named_in_a_warning(learner):
    y = Y == "barolo"
    with pytest.warns(UserWarning, match=r"metric, scale have no effect with family='auto'"):
        learner(family="auto", metric="l1", scale="rank", max_rules=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner(family="auto", max_rules=1).fit(X, y)
        learner(family=["auto", "balls"], metric="l1", scale="rank", max_rules=1).fit(X, y)


def test_families_can_be_given_with_their_own_options():
    families = [Balls(metric="l1"), HalfSpaces(kernel="rbf", scale="standard")]
    machine = DecisionListMachine(family=families, max_rules=3).fit(X, Y)
    machine.certificate_.verify(machine.model_, X, Y)


def test_it_takes_any_table_where_nothing_is_said_of_families():
    data = pd.DataFrame(
        {"x": [1.0, np.nan, 3.0, 6.0, 7.0, 8.0], "town": ["Alba", None, "Asti"] * 2}
    )
    machine = DecisionListMachine().fit(data, ["low"] * 3 + ["high"] * 3)
    assert machine.score(data, ["low"] * 3 + ["high"] * 3) == 1.0


@pytest.mark.parametrize("seed", range(20))
def test_no_list_ends_with_a_rule_that_answers_as_the_default(seed):
    rng = np.random.default_rng(seed)
    data, y = rng.normal(size=(40, 2)).round(), rng.choice([0, 0, 1, 2], 40)
    for entry in DecisionListMachine(max_rules=6, penalty=0.5).fit(data, y).path_:
        body = entry.model.body
        assert not body.listed or body.listed[-1].output != body.default
        entry.certificate.verify(entry.model, data, y)


def test_a_list_of_one_rule_is_what_it_says():
    data = pd.DataFrame({"x": [1.0, 2.0, 3.0, 6.0, 7.0, 8.0]})
    y = ["low"] * 3 + ["high"] * 3
    machine = DecisionListMachine(family="thresholds").fit(data, y)
    assert machine.model_.body == RuleList((Rule(Threshold("x", False, 3.0), 1),), 0)
