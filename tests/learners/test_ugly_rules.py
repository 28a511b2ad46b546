"""Rule lists and rule votes on ugly data: what must hold whatever the table holds."""

import json
import pickle  # noqa: TID251  (joblib pickles estimators)
import warnings

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from rulewright import RuleListClassifier, RuleVoteClassifier
from rulewright.certificates import from_json
from rulewright.models import to_json
from rulewright.rules import literals_of

pytestmark = pytest.mark.filterwarnings("ignore:Column '")
LEARNERS = [RuleListClassifier, RuleVoteClassifier]
SMALL = {"max_rules": 3, "max_terms": 2, "beam_width": 2}
EXTREMES = (1e300, -1e300, 5e-324, -5e-324, 0.0, -0.0, 1.0, 1.7976931348623157e308, 0.1, np.nan)
OPTIONS = st.sampled_from(
    [
        {},
        {"criterion": "fisher"},
        {"criterion": "laplace"},
        {"default": "abstain"},
        {"conditions": "syndromes", "max_terms": 3},
        {"family": ["intervals", "categories", "missing"]},
        {"size": "bound"},
        {"correction": "sc"},
    ]
)


@st.composite
def ugly(draw, most_rows=14):
    """Draw a frame and labels: columns that say nothing, twins, extremes, and some that are odd."""
    rows = draw(st.integers(2, most_rows))
    some = lambda values: draw(st.lists(values, min_size=rows, max_size=rows))  # noqa: E731
    numbers = some(st.sampled_from(EXTREMES))
    frame = pandas.DataFrame(
        {
            "constant": np.full(rows, 7.0),
            "extreme": np.array(numbers, np.float64),
            "twin": np.array(numbers, np.float64),
            "nothing": np.full(rows, np.nan),
            "text": pandas.Series(some(st.sampled_from(["a", "b", None])), dtype=object),
            "once": [f"only {row}" for row in range(rows)],
            "truth": np.array(some(st.booleans())),
        }
    )
    labels = st.lists(st.integers(0, 2), min_size=rows, max_size=rows)
    y = np.array(draw(labels.filter(lambda drawn: len(set(drawn)) > 1)))
    return frame, y


def strangers():
    """Rows with categories that no training table has, missing values and extreme numbers."""
    cells = len(EXTREMES)
    return pandas.DataFrame(
        {
            "constant": np.array(EXTREMES[::-1]),
            "extreme": np.array(EXTREMES),
            "twin": np.array(EXTREMES),
            "nothing": np.arange(cells, dtype=float),
            "text": pandas.Series(["never seen", None] * (cells // 2), dtype=object),
            "once": ["only 0", "only -1"] * (cells // 2),
            "truth": np.arange(cells) % 2 == 0,
        }
    )


def fitted_on(learner, frame, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a column has no values, a category one row
        return learner(**{**SMALL, **options}).fit(frame, y)


def rules_of(fitted):
    return [(rule.condition, rule.output) for rule in fitted.model_.rules]


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=10)
@given(case=ugly(), options=OPTIONS)
def test_answers_explanations_files_and_pickles_agree_on_anything(learner, case, options):
    frame, y = case
    fitted = fitted_on(learner, frame, y, **options)
    fitted.certificate_.verify(fitted.model_, frame, y)
    loaded = from_json(json.loads(json.dumps(to_json(fitted.model_))))
    loaded.certificate.verify(loaded, frame, y)
    pickled = pickle.loads(pickle.dumps(fitted))
    for X in (frame, strangers()):
        says = fitted.predict(X)
        assert loaded.predict(X).tolist() == says.tolist()
        assert pickled.predict(X).tolist() == says.tolist()
        assert np.array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
        told = fitted.explain(X)
        assert told["prediction"].tolist() == says.tolist()
        labels = fitted.get_rules()["class"].tolist()
        assert [labels[number - 1] for number in told["rule"]] == says.tolist()
    assert fitted.get_rules()["support"].sum() == pytest.approx(y.size)


@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=10)
@given(case=ugly())
def test_of_equal_columns_the_first_is_tested(learner, case):
    """The twin of a column is never better, and neither is what is constant or missing.

    The first column is the first by name, wherever it stands in the table.
    """
    frame, y = case
    fitted = fitted_on(learner, frame, y)
    tested = {test.column for rule in fitted.model_.rules for test in literals_of(rule)}
    assert not tested & {"twin", "constant", "nothing"}
    swapped = fitted_on(learner, frame.rename(columns={"extreme": "twin", "twin": "extreme"}), y)
    assert "twin" not in {
        test.column for rule in swapped.model_.rules for test in literals_of(rule)
    }


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=10)
@given(case=ugly(), seed=st.integers(0, 99))
def test_the_order_of_columns_changes_ties_only(learner, case, seed):
    """The first rule is the best there is, whatever the order in which its columns were seen."""
    frame, y = case
    names = np.random.default_rng(seed).permutation(frame.columns)
    options = {"beam_width": None, "max_rules": 1}
    one = fitted_on(learner, frame, y, **options)
    other = fitted_on(learner, frame[names], y, **options)
    assert [e.usefulness for e in one.path_] == [e.usefulness for e in other.path_]


@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=10)
@given(case=ugly(), data=st.data(), options=OPTIONS)
def test_weights_are_repeated_rows_and_zero_is_absence(learner, case, data, options):
    """Rows of weight zero may hold anything, and weights of two are the same rows twice."""
    frame, y = case
    drawn = st.lists(st.sampled_from([0, 1, 2]), min_size=y.size, max_size=y.size)
    drawn = drawn.filter(lambda some: 1 in some)  # no common factor
    weight = np.array(
        data.draw(drawn.filter(lambda some: np.unique(y[np.array(some) > 0]).size > 1))
    )
    repeated = np.repeat(np.arange(y.size), weight)
    one = learner(**{**SMALL, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one.fit(frame, y, sample_weight=weight)
    other = fitted_on(learner, frame.iloc[repeated].reset_index(drop=True), y[repeated], **options)
    if options.get("size") != "bound":  # a row that counts twice is one example of a certificate
        assert str(one.model_) == str(other.model_)
    assert one.get_rules()["support"].sum() == pytest.approx(weight.sum())
    one.certificate_.verify(one.model_, frame, y, sample_weight=weight)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=6)
@given(case=ugly(), options=OPTIONS)
def test_libraries_threads_refitting_and_clones_change_nothing(learner, case, options):
    frame, y = case
    one = fitted_on(learner, frame, y, **options)
    threaded = fitted_on(learner, frame, y, n_jobs=2, **options)
    assert one.model_ == threaded.model_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        again = clone(threaded).fit(frame, y).fit(frame, y)
        of_polars = clone(one).fit(polars.from_pandas(frame), y)
    assert again.model_ == one.model_
    assert str(of_polars.model_) == str(one.model_)
    assert of_polars.predict(polars.from_pandas(frame)).tolist() == one.predict(frame).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_contradictions_and_single_rows_leave_something_to_say(learner):
    same = pandas.DataFrame({"a": [1.0] * 6, "b": ["x"] * 6})
    fitted = fitted_on(learner, same, [0, 1, 1, 0, 1, 1])
    assert fitted.predict(same).tolist() == [1] * 6
    assert fitted.model_.body.columns == ()
    one_each = pandas.DataFrame({"a": [1.0, 2.0, 3.0]})
    few = fitted_on(learner, one_each, ["x", "y", "z"])
    assert set(few.predict(one_each)) <= {"x", "y", "z"}
    assert few.certificate_.bound > 0.5


@pytest.mark.parametrize("learner", LEARNERS)
def test_minus_zero_is_zero(learner):
    X = np.array([[-0.0], [0.0], [-0.0], [0.0], [1.0], [1.0], [5e-324], [5e-324]])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    fitted = learner(max_rules=2).fit(X, y)
    assert fitted.predict([[0.0], [-0.0], [5e-324], [-5e-324]]).tolist() == [0, 0, 1, 0]
    assert rules_of(fitted) == rules_of(learner(max_rules=2).fit(np.abs(X), y))


@pytest.mark.parametrize("learner", LEARNERS)
def test_costs_move_answers_towards_the_dear_class(learner):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, (80, 2)).astype(float), rng.integers(0, 2, 80)
    dear = fitted_on(learner, X, y, class_costs={1: 30})
    assert (dear.predict(X) == 1).sum() > (fitted_on(learner, X, y).predict(X) == 1).sum()
    equal = fitted_on(learner, X, y, class_costs={0: 7, 1: 7})
    assert rules_of(equal) == rules_of(fitted_on(learner, X, y))


@pytest.mark.parametrize("learner", LEARNERS)
def test_pipelines_and_grids_take_them(learner):
    rng = np.random.default_rng(1)
    X = pandas.DataFrame({"a": rng.normal(size=60), "b": rng.choice(["u", "v"], 60)})
    y = np.where((X["a"] > 0) & (X["b"] == "u"), "yes", "no")
    chain = make_pipeline(FunctionTransformer(), learner(max_rules=2))
    name = chain.steps[-1][0]
    grid = {f"{name}__criterion": ["entropy", "fisher", "laplace"], f"{name}__max_terms": [1, 2]}
    search = GridSearchCV(chain, grid, cv=3, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.score(X, y) > 0.9
    assert set(search.predict(X)) == {"yes", "no"}
