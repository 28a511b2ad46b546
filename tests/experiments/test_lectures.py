"""The experiments on the lectures: their numbers, their figures, their measurements."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier

from rulewright.datasets import load
from rulewright.experiments import EXPERIMENTS, Figure, Result, TableEncoder, make_folds, run_cells
from rulewright.experiments.lectures import (
    ENSEMBLES,
    NAMES,
    GaussianClasses,
    best_error,
    contours,
    criterion_errors,
    criterion_tests,
    ensemble_errors,
    fitted_unit,
    is_separable,
    learning_curve,
    linear_error,
    rows_saved,
    tree_rectangles,
    two_classes,
)

_, LOGISTIC, LDA = NAMES
NAMED = ("criteria", "lecture-trees", "ltu", "ensembles", "off-the-shelf")


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("quick", [True, False])
def test_every_cell_names_a_function_and_differs_from_all_others(name, quick):
    cells = EXPERIMENTS[name].cells(quick)
    assert all(callable(cell.resolved()) for cell in cells)
    assert len({cell.key() for cell in cells}) == len(cells)


def table_of(page, start):
    return next(table for table in page.tables if table.title.startswith(start))


def criteria_page(error):
    cells = EXPERIMENTS["criteria"].cells(True)
    results = [
        Result(cell, {"error": error(cell.parameters), "literals": 5.0}, 0.0) for cell in cells
    ]
    return EXPERIMENTS["criteria"].page(results, True)


def test_the_lectures_comparison_of_criteria_is_the_same_to_the_last_digit():
    table = table_of(criteria_page(lambda of: 0.2), "Criteria for P = 200")
    assert len(table.rows) == 6 and not table.emphasis
    assert all(row[place] == row[place + 1] for row in table.rows for place in range(2, 18, 2))


def test_criteria_that_do_not_matter_have_no_spread():
    errors = {"breastw": 0.1, "glass": 0.3, "votes": 0.2}
    page = criteria_page(lambda of: errors[of["table"]])
    spread = table_of(page, "Rule lists: does the criterion matter")
    assert [row[1] for row in spread.rows] == pytest.approx([0.1, 0.0, 0.0, 0.0])
    biased = criteria_page(lambda of: errors[of["table"]] + 0.05 * (of["criterion"] == "precision"))
    spread = table_of(biased, "Rule lists: does the criterion matter")
    assert spread.rows[-1][1] == pytest.approx(0.05)
    assert "worst precision" in spread.note


def test_contours_lie_where_the_function_has_the_value():
    x, y = np.meshgrid(np.linspace(0, 10, 41), np.linspace(0, 20, 41))
    curves = contours(x, y, y - 2 * x, levels=3)
    assert len(curves) == 3
    for curve in curves:
        assert len(curve.points) > 5
        values = [b - 2 * a for a, b in curve.points]
        assert values == pytest.approx([values[0]] * len(values))
        assert float(curve.labels[0]) == pytest.approx(values[0], rel=0.01)


def test_criteria_are_tested_against_the_default_with_tables_as_pairs():
    draw = np.random.default_rng(0)
    usual = draw.uniform(0.1, 0.3, 12)
    worse = usual + draw.uniform(0.01, 0.02, 12)
    matrix = np.column_stack([worse, usual, usual])
    found = criterion_tests(["table"] * 12, ["a", "b", "c"], matrix, "b", "Lists")
    a, c = found.rows
    assert [a[0], c[0]] == ["a", "c"]
    assert 0.01 < a[2] < a[1] < a[3] < 0.02
    # All twelve differences have one sign: exact probability 2 / 2**12, doubled by Holm.
    assert a[4:] == [0, 12, pytest.approx(2**-11), pytest.approx(2**-10)]
    assert c[1:] == [0.0, 0.0, 0.0, 0, 0, 1.0, 1.0]
    assert "all 3 criteria are equal: p = " in found.note
    same = criterion_tests(["table"] * 12, ["a", "b", "c"], matrix[:, [1, 1, 1]], "b", "Lists")
    assert "p = 1." in same.note


def test_a_criterion_is_measured_on_folds_that_do_not_depend_on_it():
    found = [
        criterion_errors(
            {"table": "iris", "learner": "tree", "criterion": criterion, "folds": 3}, None
        )
        for criterion in ("gini", "error")
    ]
    assert all(0 < one["error"] < 0.1 and one["literals"] >= 2 for one in found)


@pytest.fixture(scope="module")
def trees():
    experiment = EXPERIMENTS["lecture-trees"]
    return experiment.page(run_cells(experiment.cells(True)), True)


def test_the_worked_examples_on_trees_are_reproduced(trees):
    best = table_of(trees, "Choosing the best attribute")
    assert [row[2:4] for row in best.rows] == [[2, 2], [4, 4], [4, 4]]
    outlook = {row[0]: row[1:] for row in table_of(trees, "Outlook").rows}
    assert outlook["H(outlook)"] == pytest.approx([1.157, 1.157], abs=5e-4)
    assert outlook["H(rain | outlook)"] == pytest.approx([0.893, 0.891], abs=5e-4)
    assert outlook["I(rain | outlook), the gain"] == pytest.approx([0.106, 0.108], abs=5e-4)
    progress = table_of(trees, "A split that makes progress").rows
    assert progress[0][1] == progress[1][1] and progress[0][2] > progress[1][2]


def test_a_transformation_bends_the_line_and_leaves_the_tree(trees):
    figures = [one for one in trees.sections if isinstance(one, Figure)]
    assert [one.note for one in figures[-2:]] == [
        "A line separates the classes.",
        "No line separates the classes.",
    ]
    assert "changes 0 of 10,000 answers" in trees.text()


def test_every_point_has_the_class_of_its_rectangle():
    values = tree_rectangles({"seed": 3, "rows": 80, "leaves": 5}, None)
    wrong = 0
    for (x, y), of in zip(values["points"], values["classes"], strict=True):
        inside = [box["class"] for box in values["boxes"] if contains(box["sides"], x, y)]
        assert len(inside) == 1
        wrong += inside != [of]
    assert wrong == values["errors"]


def contains(sides, x, y):
    """Whether a point lies in a rectangle that includes its right and upper sides."""
    left, right, bottom, top = sides
    lower = (left is None or x > left) and (bottom is None or y > bottom)
    return lower and (right is None or x <= right) and (top is None or y <= top)


@pytest.mark.parametrize(
    "rows, y, separable",
    [
        ([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], False),
        ([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 1, 1, 1], True),
        ([[0.0], [0.0]], [0, 1], False),
        ([[0.0], [1e-3]], [0, 1], True),
    ],
)
def test_separable_classes_are_recognised(rows, y, separable):
    assert is_separable(np.array(rows, float), np.array(y)) == separable


def test_without_missing_values_gaussian_classes_are_discriminant_analysis():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) @ rng.normal(size=(3, 3))
    y = rng.integers(0, 3, 90)
    X[:, 0] += y
    new = rng.normal(size=(500, 3)) * 3
    expected = LinearDiscriminantAnalysis().fit(X, y).predict(new)
    assert (GaussianClasses().fit(X, y).predict(new) == expected).mean() > 0.995


def test_a_column_with_missing_values_has_the_mean_of_its_regression():
    """The maximum of the likelihood where one column is missing in some rows (Anderson 1957)."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    X[:, 1] += 2 * X[:, 0]
    X[40:, 1] = np.nan
    slope, constant = np.polyfit(X[:40, 0], X[:40, 1], 1)
    found = GaussianClasses(rounds=500).fit(X, np.zeros(60)).means_[0]
    assert found == pytest.approx([X[:, 0].mean(), constant + slope * X[:, 0].mean()], abs=1e-4)


@given(st.floats(0.5, 4.0))
def test_the_lowest_error_of_two_gaussian_classes_is_known(distance):
    assert best_error("right", distance) == pytest.approx(norm.cdf(-distance / 2), abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_exact_errors_are_those_of_many_rows(name):
    rng = np.random.default_rng(2)
    model = fitted_unit(name, *two_classes(rng, "right", 2.0, 100))
    X, y = two_classes(rng, "right", 2.0, 200_000)
    measured = (model.predict(X) != y).mean()
    assert linear_error(model, "right", 2.0, (X, y)) == pytest.approx(measured, abs=0.005)


def test_discriminant_analysis_wins_where_its_model_is_right_and_loses_where_it_is_wrong():
    common = {"distance": 3.0, "seed": 0, "names": [LOGISTIC, LDA], "repeats": 10, "sizes": [200]}
    right = learning_curve({"kind": "right", **common}, None)["errors"]
    wrong = learning_curve({"kind": "far", **common}, None)["errors"]
    assert right[LDA][0][0] < right[LOGISTIC][0][0]
    assert wrong[LDA][0][0] > wrong[LOGISTIC][0][0] + 0.03


def test_rows_saved_are_read_off_the_curve():
    sizes = [100, 200, 400]
    saved = rows_saved(sizes, [0.3, 0.2, 0.1], [0.4, 0.3, 0.2])
    assert np.isnan(saved[0])
    assert saved[1:] == pytest.approx([0.5, 0.5])


def test_the_last_vote_of_a_forest_is_the_forest():
    dataset, sizes = load("iris"), [1, 3, 20]
    (fold,) = make_folds(dataset.y, folds=3)[:1]
    found = ENSEMBLES["random forest"](dataset, fold, sizes)
    encoder = TableEncoder("plain").fit(dataset.table.take(fold.train))
    X, test = (encoder.transform(dataset.table.take(rows)) for rows in (fold.train, fold.test))
    forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, dataset.y[fold.train])
    expected = int((forest.predict(test) != dataset.y[fold.test]).sum())
    assert found["probabilities"][-1] == expected
    assert list(map(len, found.values())) == [3, 3]


@pytest.mark.parametrize("method", ["single tree", "boosting", "boosted trials", "rule vote"])
def test_every_method_counts_errors_for_every_size(method):
    sizes = [1] if method == "single tree" else [2, 5]
    found = ensemble_errors({"table": "iris", "method": method, "sizes": sizes, "folds": 3}, None)
    for errors in found["errors"].values():
        assert len(errors) == len(sizes) and all(0 <= error < 0.5 for error in errors)
