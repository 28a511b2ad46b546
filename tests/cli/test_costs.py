"""rulewright fit --class-costs: errors that cost more than others."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from rulewright import DecisionListMachine, SetCoveringMachine, load_model
from rulewright.render import cost_text


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    data = load_breast_cancer(as_frame=True)
    frame = data.data.iloc[:, :4].assign(
        diagnosis=np.where(data.target == 0, "malignant", "benign")
    )
    path = tmp_path_factory.mktemp("costs") / "cancer.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def fit(rulewright, cancer):
    return lambda *options: rulewright("fit", cancer, "--target", "diagnosis", *options)


def shown(text):
    """Join the lines of the box that a usage error is printed in."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.slow
def test_a_cost_is_said_and_lowers_the_promised_misses(fit, rulewright, tmp_path):
    path = tmp_path / "m.json"
    done = fit("--class-costs", "malignant=10", "--out", path)
    plain, dear = fit("--json").json, rulewright("show", path, "--json").json
    assert (done.code, plain["cost_bound"]) == (0, None)
    misses = [said["certificate"]["miss_rate_bound"] for said in (plain, dear)]
    assert misses[1] < misses[0] - 0.03
    bound = load_model(path).certificate.cost_bound([1, 10])
    assert 0 < bound < 10 * misses[0]
    assert f"A new case costs at most {cost_text(bound)} on average (95 %" in done.out
    assert "Cost of a misclassified case: benign 1, malignant 10." in shown(done.out)


def page_without_comments(path):
    """A report without the comment of the export in its script, which has the certificate too."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("// Certificate: ") for line in lines) == 1
    return "\n".join(line for line in lines if not line.startswith("// Certificate: "))


def test_the_cost_comes_before_the_share_of_errors(fit, rulewright, cancer, tmp_path):
    path, report = tmp_path / "m.json", tmp_path / "r.html"
    done = fit("--class-costs", "malignant=10", "--out", path, "--report", report)
    costs = load_model(path).certificate.cost_bound([1, 10])
    first = f"A new case costs at most {cost_text(costs)} on average (95 % confidence)."
    shown_file, checked = rulewright("show", path), rulewright("certify", path, cancer)
    assert [one.code for one in (done, shown_file, checked)] == [0, 0, 0]
    page = page_without_comments(report)
    for text in (done.out, shown_file.out, checked.out, page):
        assert text.count(first) == 1
        assert text.index(first) < text.index(" of new cases will be misclassified")
    assert f"cost of a new case, on average<b>&le; {cost_text(costs)}</b>" in page


def test_balanced_costs_are_read_from_the_file(fit, rulewright, tmp_path):
    path = tmp_path / "m.json"
    said = fit("--class-costs", "balanced", "--out", path, "--json").json
    bound = cost_text(said["cost_bound"])
    assert f"A new case costs at most {bound} on average" in rulewright("show", path).out


@pytest.mark.parametrize("form", ["compression", "holdout"])
def test_every_form_of_the_certificate_names_the_cost(fit, rulewright, cancer, tmp_path, form):
    path, report, rules = tmp_path / "m.json", tmp_path / "r.html", tmp_path / "rules.txt"
    learner = ("--learner", "scm", "--certificate", form, "--class-costs", "malignant=10")
    done = fit(*learner, "--out", path, "--report", report)
    bound = load_model(path).certificate.cost_bound([1, 10])
    first = f"A new case costs at most {cost_text(bound)} on average (95 % confidence)."
    again = [rulewright("show", path), rulewright("certify", path, cancer)]
    page = page_without_comments(report)
    for text in (done.out, *(one.out for one in again), page):
        assert text.count(first) == 1
        assert "Cost of a misclassified case: benign 1, malignant 10." in shown(text)
        assert "toss of a coin" not in text
    for said in (rulewright("show", path, "--json"), rulewright("certify", path, cancer, "--json")):
        assert said.json["class_costs"] == {"benign": 1.0, "malignant": 10.0}
        assert said.json["cost_bound"] == bound
    assert rulewright("edit", path, "--out", rules).code == 0
    edited = rulewright("certify", rules, cancer, "--like", path)
    assert "A new case costs at most" in edited.out
    assert "given cases cost" in edited.out


def test_the_cost_in_json_is_that_of_the_certificate(fit, tmp_path):
    path = tmp_path / "m.json"
    said = fit(
        "--json", "--class-costs", "malignant=10", "--class-costs", "benign=0.5", "--out", path
    ).json
    certificate = load_model(path).certificate
    assert said["cost_bound"] == certificate.cost_bound([0.5, 10])
    assert said["certificate"]["bound"] == certificate.bound


def test_it_is_the_machine_of_the_library(fit, cancer, tmp_path):
    path = tmp_path / "m.json"
    options = ("--learner", "scm", "--kind", "best", "--max-rules", "3", "--out", path)
    assert fit(*options, "--class-costs", "malignant=2.5").code == 0
    data = pd.read_csv(cancer)
    machine = SetCoveringMachine(kind="best", max_rules=3, class_costs={"malignant": 2.5})
    machine.fit(data.drop(columns="diagnosis"), data["diagnosis"])
    assert load_model(path) == machine.model_
    assert load_model(path).certificate == machine.certificate_


def test_the_best_certified_cost_is_kept(fit):
    best = fit("--json", "--class-costs", "malignant=10").json["cost_bound"]
    for kind in ("conjunction", "disjunction"):
        one = fit(
            *("--json", "--class-costs", "malignant=10", "--learner", "scm", "--kind", kind),
            *("--penalty", "5", "--max-rules", "1"),
        ).json
        assert best <= one["cost_bound"] + 0.05


@pytest.mark.parametrize(
    ("cost", "found"),
    [
        ("sick=10", "--class-costs sick=10"),
        ("malignant=ten", "--class-costs malignant=ten"),
        ("malignant", "--class-costs malignant"),
        ("malignant=", "--class-costs malignant="),
        ("=3", "--class-costs =3"),
        ("10", "--class-costs 10"),
    ],
)
def test_wrong_usage_says_the_classes_and_exits_with_two(fit, cost, found):
    done = fit("--class-costs", cost)
    assert done.code == 2
    said = shown(done.err)
    assert f"{found}: write CLASS=NUMBER" in said
    assert "the classes are 'benign', 'malignant'." in said
    assert "Traceback" not in done.err


@pytest.mark.parametrize("number", ["-1", "0", "nan", "inf", "1e300"])
def test_a_number_that_is_no_cost_is_refused(fit, number):
    done = fit("--class-costs", f"malignant={number}")
    assert done.code == 1
    assert "class_costs must be numbers above 0" in done.err
    assert "'malignant'" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("labels", "costs"),
    [
        ([0, 1], ["1=5"]),
        ([1.5, 2.5], ["2.5=5"]),
        (["no", "yes=sure"], ["yes=sure=5", "no=1"]),
        (["a b", "c"], ["c=5"]),
        (["False", "True"], ["True=5"]),
    ],
)
def test_classes_are_named_as_they_are_printed(rulewright, tmp_path, labels, costs):
    path = tmp_path / "t.csv"
    y = np.arange(60) % 7 < 2
    x = np.arange(60) + 40 * y
    pd.DataFrame({"x": x, "y": np.array(labels, dtype=object)[y.astype(int)]}).to_csv(
        path, index=False
    )
    flags = [part for cost in costs for part in ("--class-costs", cost)]
    done = rulewright("fit", path, "--target", "y", "--learner", "scm", "--json", *flags)
    assert done.code == 0, done.err
    machine = SetCoveringMachine(class_costs={1: 5}).fit(x.reshape(-1, 1), y.astype(int))
    assert done.json["cost_bound"] == machine.certificate_.cost_bound([1, 5])
    wrong = rulewright("fit", path, "--target", "y", "--class-costs", "7=5")
    assert wrong.code == 2
    assert f"the classes are '{labels[0]}', '{labels[1]}'." in shown(wrong.err)


def test_three_classes_have_costs_too(rulewright, tmp_path):
    iris = load_iris(as_frame=True)
    path, out = tmp_path / "iris.csv", tmp_path / "m.json"
    iris.data.assign(species=iris.target_names[iris.target]).to_csv(path, index=False)
    done = rulewright(
        *("fit", path, "--target", "species", "--learner", "dlm", "--family", "auto"),
        *("--class-costs", "virginica=3", "--class-costs", "setosa=0.1", "--out", out, "--json"),
    )
    assert done.code == 0
    data = pd.read_csv(path)
    costs = {"virginica": 3, "setosa": 0.1}
    machine = DecisionListMachine(family="auto", class_costs=costs)
    machine.fit(data.drop(columns="species"), data["species"])
    assert load_model(out) == machine.model_
    assert done.json["cost_bound"] == machine.certificate_.cost_bound([0.1, 1, 3])
    options = ("--class-costs", "virginica=3", "--certificate", "compression", "--json")
    auto = rulewright("fit", path, "--target", "species", *options)
    assert auto.code == 0
    assert auto.json["learner"].startswith("dlm")
    assert auto.json["cost_bound"] > 0


def test_a_class_has_one_cost(fit):
    done = fit("--class-costs", "malignant=2", "--class-costs", "malignant=3")
    assert done.code == 2
    assert "class malignant has a cost already" in shown(done.err)


def test_new_costs_change_predictions_without_learning_again(rulewright, model, table, tmp_path):
    loaded, frame = load_model(model), pd.read_csv(table)
    second = str(loaded.classes[1])
    out = tmp_path / "decided.csv"
    done = rulewright("predict", model, table, "--class-costs", f"{second}=30", "--out", out)
    assert done.code == 0
    found = pd.read_csv(out)
    decided = loaded.decide(frame, {loaded.classes[1]: 30})
    assert found["prediction"].astype(str).tolist() == [str(label) for label in decided]
    assert found["prediction"].tolist() != loaded.predict(frame).tolist()
    chances = loaded.predict_proba(frame)[np.arange(len(frame)), loaded.codes(decided)]
    assert np.allclose(found["predicted_class_probability"], chances)
    assert rulewright("predict", model, table, "--class-costs", "nobody=2").code != 0
    refused = rulewright("predict", model, table, "--class-costs", "balanced")
    assert "is for fit" in refused.err


def test_with_costs_the_error_is_not_compared_with_a_guess(rulewright, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(400)})
    frame["y"] = np.where(rng.random(400) < 0.3 * frame["a"], "bad", "good")
    path, model, report = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "r.html"
    frame.to_csv(path, index=False)
    options = ("fit", path, "-t", "y", "--learner", "tree", "--certificate", "split")
    done = rulewright(*options, "--class-costs", "bad=9", "-o", model, "-r", report)
    assert done.code == 0, done.err
    words = ("toss of a coin", "This bound is weak")
    assert any(word in load_model(model).certificate.sentence for word in words)
    printed = [done.out, rulewright("show", model).out, rulewright("certify", model, path).out]
    page = report.read_text(encoding="utf-8")
    for text in (*printed, re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)):
        assert "costs at most" in text
        assert not any(word in text for word in words)
