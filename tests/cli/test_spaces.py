"""rulewright fit with balls, half-spaces, lists, and any number of classes."""

import pandas
import pytest
from sklearn.datasets import load_iris
from strategies.patients import patients

from rulewright import DecisionListMachine, SetCoveringMachine, load_model


@pytest.fixture
def iris(tmp_path):
    frame = load_iris(as_frame=True).frame.rename(columns={"target": "class"})
    frame["class"] = frame["class"].map({0: "setosa", 1: "versicolor", 2: "virginica"})
    path = tmp_path / "iris.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def two(tmp_path):
    frame = load_iris(as_frame=True).frame.rename(columns={"target": "class"})
    path = tmp_path / "two.csv"
    frame[frame["class"] > 0].to_csv(path, index=False)
    return path


def test_three_classes_get_a_list(rulewright, iris, tmp_path):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    done = rulewright("fit", iris, "--target", "class", "--out", model, "--report", report)
    assert done.code == 0, done.err
    assert "the first of these that holds" in done.out
    assert "otherwise v" in done.out
    assert "Among new cases that are virginica, at most " in done.out
    assert "(all with the same confidence)" in done.out
    assert "virginica" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, iris).code == 0
    assert (
        "150 rows answered" in rulewright("predict", model, iris, "--out", tmp_path / "p.csv").out
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--family", "balls", "--types", "complex", "--metric", "l1"],
        ["--family", "half_spaces", "--kernel", "rbf", "--gamma", "0.5", "--consistent"],
        ["--family", "balls", "--family", "thresholds", "--scale", "standard"],
        ["--family", "intervals", "--penalty", "2"],
        ["--family", "balls", "--metric", "kernel", "--kernel", "polynomial", "--degree", "2"],
    ],
)
def test_every_option_gives_a_model_that_certifies(rulewright, iris, tmp_path, options):
    model = tmp_path / "m.json"
    done = rulewright("fit", iris, "-t", "class", "--learner", "dlm", "--out", model, *options)
    assert done.code == 0, done.err
    checked = rulewright("certify", model, iris)
    assert checked.code == 0, checked.err
    assert "The certificate holds" in checked.out


def test_dlm_is_the_estimator_of_the_library(rulewright, iris, tmp_path):
    model = tmp_path / "m.json"
    rulewright("fit", iris, "-t", "class", "--learner", "dlm", "--family", "balls", "-o", model)
    frame = load_iris(as_frame=True)
    names = frame.target.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    machine = DecisionListMachine(family="balls").fit(frame.data, names)
    assert load_model(model) == machine.model_
    assert load_model(model).certificate == machine.certificate_


def test_dlm_takes_any_table_as_the_estimator_does(rulewright, tmp_path):
    frame, y = patients()
    table, model = tmp_path / "patients.csv", tmp_path / "m.json"
    frame.assign(illness=y).to_csv(table, index=False)
    done = rulewright("fit", table, "-t", "illness", "--learner", "dlm", "-o", model)
    assert done.code == 0, done.err
    machine = DecisionListMachine().fit(pandas.read_csv(table).drop(columns="illness"), y)
    assert load_model(model).body == machine.model_.body
    assert load_model(model).certificate == machine.certificate_


def test_half_spaces_read_as_weights_and_examples(rulewright, two):
    done = rulewright(
        "fit", two, "-t", "class", "--learner", "scm", "--family", "half_spaces", "--max-rules", "1"
    )
    assert "more like example" in done.out
    assert max(len(line) for line in done.out.splitlines() if "% right" in line) < 120


def test_some_candidates_are_said_to_be_some(rulewright, two):
    options = ["--family", "half_spaces", "--max-candidates", "25", "--seed", "3"]
    done = rulewright("fit", two, "-t", "class", "--learner", "scm", *options)
    assert "Only 25 of them, drawn at random" in done.err
    again = rulewright("fit", two, "-t", "class", "--learner", "scm", *options)
    model, _, end = done.out.rpartition(" rows, ")
    assert " s\n" in end
    assert again.out.rpartition(" rows, ")[0] == model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--learner", "scm"],
            "there are 3 classes: 'setosa', 'versicolor', 'virginica'. Use --learner dlm",
        ),
        (["--family", "balloons"], "There is no family 'balloons'"),
        (["--family", "balls", "--metric", "l7"], "metric must be one of"),
        (["--family", "categories"], "no columns for family categories"),
    ],
)
def test_what_makes_no_sense_is_said(rulewright, iris, options, message):
    done = rulewright("fit", iris, "-t", "class", *options)
    assert done.code == 1
    assert message in " ".join(done.err.split())


def test_a_scale_is_one_of_three(rulewright, iris):
    done = rulewright("fit", iris, "-t", "class", "--family", "balls", "--scale", "log")
    assert done.code == 2
    said = " ".join(done.err.replace("│", " ").split())
    assert "--scale must be one of none, standard, rank, got 'log'." in said


def test_both_penalties_of_a_list_can_be_given(rulewright, two, tmp_path):
    model = tmp_path / "m.json"
    options = ("--learner", "dlm", "--penalty", "2,0.5", "--max-rules", "2", "--seed", "1")
    done = rulewright("fit", two, "--target", "class", *options, "--out", model)
    assert done.code == 0, done.err
    frame = pandas.read_csv(two)
    X, y = frame.drop(columns="class"), frame["class"]
    fitted = DecisionListMachine(penalty=(2, 0.5), max_rules=2, random_state=1).fit(X, y)
    assert load_model(model).body == fitted.model_.body
    refused = rulewright("fit", two, "--target", "class", "--learner", "dlm", "--penalty", "1,2,3")
    assert refused.code != 0


@pytest.mark.parametrize(
    ("learner", "family", "types"),
    [
        ("dlm", "balls", {"centres", "borders"}),
        ("scm", "half_spaces", {"a", "b", "c"}),
        ("scm", "thresholds", {"cuts"}),
    ],
)
def test_verbose_shows_the_typed_subsets(rulewright, two, tmp_path, learner, family, types):
    model = tmp_path / "m.json"
    options = ("--learner", learner, "--family", family, "--certificate", "compression")
    rulewright("fit", two, "--target", "class", *options, "--max-rules", "3", "--out", model)
    loaded = load_model(model)
    certificate = loaded.certificate
    typed = certificate.typed_subsets(loaded)
    assert {name for name, rows in typed.items() if rows} <= types
    assert sorted(row for rows in typed.values() for row in rows) == list(certificate.examples)
    shown = " ".join(rulewright("show", model, "--verbose").out.split())
    line = shown[shown.index("Compression set:") :]
    for name, rows in typed.items():
        assert not rows or f"{name} {', '.join(map(str, rows))}" in line
    if family == "half_spaces":
        y = pandas.read_csv(two)["class"].to_numpy()
        assert len({*y[list(typed["a"])]}) == len({*y[list(typed["b"])]}) == 1


def test_missing_values_count_as_numbers_of_the_model(rulewright, two, tmp_path):
    frame = pandas.read_csv(two)
    frame.loc[::7, frame.columns[0]] = None
    frame.to_csv(two, index=False)
    model, program = tmp_path / "m.json", tmp_path / "m.py"
    fit = ["fit", two, "-t", "class", "--learner", "scm", "--family", "balls", "-o", model]
    refused = rulewright(*fit)
    assert refused.code == 1
    assert "--impute mean" in refused.err
    done = rulewright(*fit, "--impute", "mean")
    assert done.code == 0, done.err
    assert "missing values count as: " in done.out
    machine = SetCoveringMachine(family="balls", impute="mean")
    machine.fit(frame.drop(columns="class"), frame["class"])
    assert load_model(model) == machine.model_
    assert rulewright("certify", model, two).code == 0
    assert rulewright("predict", model, two, "--out", tmp_path / "p.csv").code == 0
    exported = rulewright("export", model, "--to", "python", "--out", program, "--check", two)
    assert exported.code == 0, exported.err
