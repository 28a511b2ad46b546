"""The report of a split certificate and of the certified front."""

import re

import numpy as np
import pandas as pd
import pytest
from report.reading import EVIL, check_drawings, check_scripts, read, shapes
from sklearn.datasets import load_breast_cancer

from rulewright import AutoClassifier, TreeClassifier
from rulewright.report import report_model
from rulewright.report.charts import number_ticks

CANCER = load_breast_cancer(as_frame=True)


def page_of(estimator, X, y, path):
    estimator.fit(X, y)
    report_model(estimator.model_, X, y, path, sizes=estimator.path_, notices=estimator.notices_)
    return estimator, path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    path = tmp_path_factory.mktemp("front") / "r.html"
    return page_of(AutoClassifier(), CANCER.data.iloc[:, :8], CANCER.target, path)


def points(text):
    """The models that can be opened: their buttons."""
    reader, _ = read(text)
    return [button for button in shapes(reader, "input")]


def test_every_model_of_the_front_can_be_opened(cancer):
    fitted, text = cancer
    buttons = points(text)
    on_front = [button for button in buttons if button.get("class") == "on-front"]
    assert len(on_front) == len(fitted.front_) > 1
    for button, entry in zip(on_front, fitted.front_, strict=True):
        assert button["aria-label"].startswith(f"{entry.size} rule")
        panel = re.search(
            rf'<div class="opened" id="{button["aria-controls"]}">.*?</div>', text, flags=re.S
        )
        _, said = read(panel.group())
        assert " ".join(str(entry.model).split()) in said
        assert entry.certificate.sentence in said


def test_the_chosen_model_is_open_at_first(cancer):
    fitted, text = cancer
    (chosen,) = [button for button in points(text) if "checked" in button]
    size = next(entry.size for entry in fitted.path_ if entry.model is fitted.model_)
    assert chosen["aria-label"].startswith(f"{size} rule")
    assert len({button["name"] for button in points(text)}) == 1


def test_the_buttons_lie_on_their_points(cancer):
    _, text = cancer
    drawing = next(d for d in re.findall(r"<svg.*?</svg>", text, flags=re.S) if "against size" in d)
    reader, _ = read(drawing)
    circles = {(float(c["cx"]), float(c["cy"])) for c in shapes(reader, "circle")}
    box = shapes(reader, "svg")[0]["viewbox"].split()
    corner_x, corner_y, width, height = map(float, box)
    for button in points(text):
        left, top = map(float, re.findall(r"([\d.]+)%", button["style"]))
        x, y = corner_x + left * width / 100, corner_y + top * height / 100
        assert min(abs(x - cx) + abs(y - cy) for cx, cy in circles) < 0.3
    check_drawings(text)


def test_the_error_on_the_check_rows_is_shown_not_that_in_training(cancer):
    fitted, text = cancer
    certificate = fitted.certificate_
    _, words = read(text)
    assert f"check error {100 * certificate.errors / certificate.m:.1f} %" in words
    assert "training error" not in words


def test_the_certificate_section_has_everything(cancer):
    fitted, text = cancer
    certificate = fitted.certificate_
    _, words = read(text)
    for said in (
        certificate.sentence,
        certificate.details,
        f"split of the rows {certificate.split} of {certificate.n_splits}",
        f"place among the candidates {certificate.place} of {certificate.pool_size}",
        f"check rows, on which errors were counted {certificate.m}",
        f"key of the splits {certificate.key[:16]}...",
        "recipe learner auto",
        *certificate.assumptions(fitted.model_),
    ):
        assert said in words
    assert certificate.key not in text
    assert "compression set" not in words


def test_parameters_that_were_set_are_in_the_recipe(tmp_path):
    tree = TreeClassifier(certificate="split", max_depth=2)
    _, text = page_of(tree, CANCER.data.iloc[:, :4], CANCER.target, tmp_path / "r.html")
    _, words = read(text)
    assert "learner tree" in words and "max_depth 2" in words
    assert "random_state" not in words


def test_costs_are_drawn_where_the_choice_followed_them(tmp_path):
    auto = AutoClassifier(class_costs={0: 10})
    fitted, text = page_of(auto, CANCER.data.iloc[:, :8], CANCER.target, tmp_path / "r.html")
    _, words = read(text)
    assert words.index("A new case costs at most") < words.index("of new cases will be")
    assert "mean cost of a check row" in words and "cost at most" in words
    check_drawings(text)
    worths = [entry.certificate.cost_bound([10, 1]) for entry in fitted.front_]
    assert worths == sorted(worths, reverse=True) and len(worths) > 1


def test_a_held_out_certificate_claims_no_compression_set(tmp_path):
    tree = TreeClassifier(certificate="holdout")
    _, text = page_of(tree, CANCER.data.iloc[:, :4], CANCER.target, tmp_path / "r.html")
    _, words = read(text)
    assert "The model was learnt without the 114 rows held out." in words
    assert "Models with a better certificate" not in words
    assert "holds at once" not in words
    assert "compression set" not in words


def test_names_of_models_that_can_be_opened_are_data(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({EVIL: rng.normal(size=300), "c": rng.choice([EVIL, "b"], 300)})
    y = pd.Series(np.where((X[EVIL] > 0) & (X["c"] == EVIL), EVIL, "other"))
    _, text = page_of(AutoClassifier(), X, y, tmp_path / "r.html")
    check_scripts(text)
    assert "&lt;script&gt;" in text
    read(text)


@pytest.mark.parametrize("largest", [0.0, 1e-9, 0.43, 1.0, 7.0, 7.1, 12345.6])
def test_ticks_of_costs_are_few_and_cover_the_largest(largest):
    ticks = number_ticks(largest)
    assert ticks[0] == 0 and ticks[-1] > largest
    assert 2 <= len(ticks) <= 9
