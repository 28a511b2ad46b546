"""What fit prints of the choice: the front, models of a given size, remarks, and details."""

import numpy as np
import pandas as pd
import pytest

from rulewright import load_model
from rulewright.render import percent_text

EVIL = "\x1b[31m<b>[red]"


def stairs(rows=600, seed=0):
    """Rows whose class alternates along x: each step needs one more rule."""
    rng = np.random.default_rng(seed)
    x = rng.random(rows).round(3)
    y = np.where((6 * x).astype(int) % 2 == 1, "up", "down")
    return pd.DataFrame({"x": x, "noise": rng.normal(size=rows).round(2), "step": y})


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    path = tmp_path_factory.mktemp("steps") / "steps.csv"
    stairs().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def done():
    """Commands that were run, with what they printed."""
    return {}


@pytest.fixture
def fit_steps(rulewright, steps, done):
    """Function that runs fit with some options, once for all tests."""

    def fit(*options):
        if options not in done:
            done[options] = rulewright("fit", steps, "--target", "step", *options)
        return done[options]

    return fit


@pytest.fixture
def noise(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)).round(1), columns=list("abc"))
    path = tmp_path / "noise.csv"
    frame.assign(illness=np.where(rng.random(200) < 0.15, "ill", "well")).to_csv(path, index=False)
    return path


def test_the_model_comes_first_then_the_sentence(rulewright, table, tmp_path):
    path = tmp_path / "m.json"
    done = rulewright("fit", table, "--target", "class", "--drop", "id", "--out", path)
    model = load_model(path)
    assert done.out.startswith(f"{model}\n\n{model.certificate.sentence}\n")
    assert "bits" not in done.out and "place" not in done.out


def test_details_are_printed_on_request(rulewright, table, tmp_path):
    path = tmp_path / "m.json"
    fit = ("fit", table, "--target", "class", "--drop", "id", "--out", path)
    first = rulewright(*fit)
    certificate = load_model(path).certificate
    for command in (fit, ("show", path), ("certify", path, table)):
        brief = first if command == fit else rulewright(*command)
        full = rulewright(*command, "--verbose")
        assert certificate.details in full.out and certificate.details not in brief.out
        assert f"key of the splits {certificate.key[:16]}..." in full.out
        assert "The error rate is between " in full.out
        assert certificate.sentence in brief.out


def test_a_compression_certificate_has_details_too(rulewright, model, table):
    for command in (("show", model), ("certify", model, table)):
        assert "Message: " in rulewright(*command, "--verbose").out
        assert "Message: " not in rulewright(*command).out


def test_the_front_is_a_table_with_the_chosen_model_marked(fit_steps):
    done = fit_steps("--front")
    _, _, rest = done.out.partition("Models with a better certificate than all smaller ones")
    lines = rest.partition("\n\n")[0].splitlines()[1:]
    assert lines[0].split() == ["size", "wrong", "at", "most", "tests"]
    rows = [line.replace("*", " ").split() for line in lines[1:]]
    sizes, bounds = [int(row[0]) for row in rows], [float(row[1]) for row in rows]
    assert len(rows) > 2
    assert sizes == sorted(set(sizes)) and bounds == sorted(bounds, reverse=True)
    assert [line.startswith("*") for line in lines[1:]].count(True) == 1
    said = fit_steps("--json").json
    assert [entry["size"] for entry in said["front"]] == sizes
    assert [percent_text(entry["bound"]) for entry in said["front"]] == [f"{b} %" for b in bounds]
    assert "Models with a better" not in fit_steps().out


def test_a_size_picks_the_best_model_of_this_size(fit_steps):
    said = fit_steps("--json").json
    for entry in said["front"][1::2]:
        one = fit_steps("--size", entry["size"], "--json").json
        assert len(one["rules"]) == entry["size"] + 1
        assert one["certificate"]["bound"] == entry["bound"]


def test_a_size_that_no_model_has_is_refused(rulewright, steps):
    done = rulewright("fit", steps, "--target", "step", "--size", "500")
    assert (done.code, done.out) == (1, "")
    assert "No model has the size 500. Models have these numbers of rules: 0" in done.err
    other = rulewright("fit", steps, "--target", "step", "--size", "2", "--certificate", "holdout")
    assert other.code == 1
    assert "size needs certificate='split'" in other.err


def test_a_better_model_that_was_too_large_is_named(fit_steps):
    done = fit_steps("--max-rules", "2", "--json").json
    (remark,) = done["remarks"]
    chosen = percent_text(done["certificate"]["bound"])
    wanted = int(remark.rpartition(" ")[2].rstrip("."))
    better = fit_steps("--size", wanted, "--json").json
    bound = percent_text(better["certificate"]["bound"])
    assert remark == (
        f"A model with {wanted} rules would have the bound {bound} instead of {chosen}: "
        f"--size {wanted}."
    )
    assert better["remarks"] == []
    assert remark in fit_steps("--max-rules", "2").out


def test_a_model_without_rules_names_the_best_rules(rulewright, noise, tmp_path):
    page = tmp_path / "r.html"
    done = rulewright("fit", noise, "--target", "illness", "--report", page)
    assert done.out.startswith("always well\n")
    said = "No rule beat always 'well'. The best rules found have the bound "
    assert said in done.out
    rules = done.out.partition(said)[2].partition("\n\n")[0].splitlines()[1:]
    assert rules and all(line.startswith("  ") for line in rules)
    assert any("ill" in line for line in rules)
    text = page.read_text(encoding="utf-8")
    assert "No rule beat always &#39;well&#39;." in text
    assert "The best rules found, wrong on at most " in text


def test_a_learner_that_finds_no_rule_says_so(rulewright, noise):
    done = rulewright("fit", noise, "--target", "illness", "--learner", "ripper")
    assert "No rule beat always 'well'.\n" in done.out


def test_a_weak_compression_certificate_names_the_split_form(rulewright, steps, table):
    said = "A split certificate is usually much tighter: --certificate split."
    weak = ("fit", steps, "--target", "step", "--learner", "tree")
    assert said in rulewright(*weak).out
    assert said not in rulewright(*weak, "--certificate", "split").out
    strong = rulewright("fit", table, "--target", "class", "--learner", "scm", "--json").json
    weak_too = strong["certificate"]["bound"] > 1.5 * strong["training_errors"] / 300 + 0.05
    assert (said in strong["remarks"]) == weak_too


def test_a_split_certificate_is_not_suggested_where_there_can_be_none(rulewright, steps):
    options = ("--learner", "rule-list", "--max-rules", "6", "--json")
    free = rulewright("fit", steps, "--target", "step", *options).json
    timed = rulewright("fit", steps, "--target", "step", *options, "--time-budget", "60").json
    assert free["rules"] == timed["rules"]
    assert [remark for remark in free["remarks"] if "split" in remark]
    assert timed["remarks"] == []


def test_certify_names_the_recipe_that_it_runs_again(rulewright, table, tmp_path):
    path = tmp_path / "m.json"
    rulewright("fit", table, "--target", "class", "--drop", "id", "--out", path)
    done = rulewright("certify", path, table)
    assert (done.code, done.err) == (0, "")
    assert "auto was run again on its 150 design rows" in done.out
    assert load_model(path).certificate.sentence in done.out


def test_names_cannot_act_on_the_terminal(rulewright, tmp_path):
    path = tmp_path / "evil.csv"
    frame = stairs()
    frame["step"] = np.where(frame["step"] == "up", EVIL, "down")
    frame.rename(columns={"x": EVIL}).to_csv(path, index=False)
    done = rulewright("fit", path, "--target", "step", "--verbose", "--max-rules", "1")
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
