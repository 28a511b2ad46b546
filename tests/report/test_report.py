"""The report: one page, whole, escaped, and true."""

import warnings

import numpy as np
import pandas as pd
import pytest
from report.reading import EVIL, check_drawings, check_scripts, read
from sklearn.datasets import load_breast_cancer

from rulewright import SetCoveringMachine
from rulewright.data import detect_table
from rulewright.report import facts, page, write_report

CANCER = load_breast_cancer(as_frame=True)


def report_of(X, y, **options):
    machine = SetCoveringMachine(**options).fit(X, y)
    codes = (np.asarray(y) == machine.classes_[1]).astype(np.int32)
    content = facts(machine.path_[-1], machine.path_, detect_table(X), codes, title="A title")
    return machine, content, page(content)


def test_the_page_says_what_the_model_and_its_certificate_say():
    machine, content, text = report_of(CANCER.data, CANCER.target, max_rules=3)
    _, words = read(text)
    assert "A title" in words
    assert machine.certificate_.sentence in words
    for part in machine.model_.body.parts:
        assert f"{part.column} > {part.cut}" in words or f"{part.column} <= {part.cut}" in words
    assert content["errors"] == machine.certificate_.errors
    counts = np.array([row["counts"] for row in content["confusion"]])
    assert counts.sum() == 569
    assert counts.sum() - np.trace(counts) == machine.path_[-1].errors
    assert sorted(row["row"] for row in content["examples"]["rows"]) == list(
        machine.certificate_.examples
    )


def test_the_page_needs_nothing_from_the_network():
    _, _, text = report_of(CANCER.data, CANCER.target)
    reader, _ = read(text)
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe")
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    assert "url(" not in text and "@import" not in text


def test_names_values_and_labels_are_data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({EVIL: rng.normal(size=60), "c": rng.choice([EVIL, "b"], 60)})
    y = np.where((X[EVIL] > 0) & (X["c"] == EVIL), EVIL, "other")
    machine, _, text = report_of(X, y)
    check_scripts(text)
    assert "&lt;script&gt;" in text
    assert "<script" not in machine._repr_html_()
    assert "<script" not in machine.model_._repr_html_()


def test_every_shape_lies_inside_its_drawing():
    _, _, text = report_of(CANCER.data, CANCER.target, kind="disjunction", max_rules=5)
    check_drawings(text)


def test_bars_count_every_row():
    _, content, _ = report_of(CANCER.data, CANCER.target, max_rules=2)
    for plot in content["plots"]:
        assert sum(bar["n"] for bar in plot["stacks"]) == 569


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"c": ["a", "b", None, "d"] * 20, "n": [1.0, None, 3.0, 1.0] * 20}),
        pd.DataFrame({"c": [f"value {i}" for i in range(80)]}),
        pd.DataFrame({"n": [0.0] * 79 + [1e12]}),
        pd.DataFrame({"n": [5.0] * 80}),
        pd.DataFrame({"n": [None, 1e17, 1e17, 1e17] * 20}),
        pd.DataFrame({"n": [-1.7e308, 1.7e308, 1.7e308, 1.7e308] * 20}),
        pd.DataFrame({"n": [None, 1.0] * 40}),
    ],
    ids=[
        "mixed",
        "many categories",
        "one far value",
        "constant",
        "large constant",
        "huge",
        "missing",
    ],
)
@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_any_table_gives_a_page(X, kind):
    y = np.array([0, 1, 1, 1] * 20)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, content, text = report_of(X, y, kind=kind)
    _, words = read(text)
    assert "nan" not in words.lower()
    warned = [str(warning.message) for warning in caught]
    assert content["cautions"][: len(warned)] == warned
    assert words.count("Caution.") == len(content["cautions"])
    assert content["statement"]["kind"] in ("always", "junction")


def test_the_page_is_written_whole(tmp_path):
    _, content, text = report_of(CANCER.data, CANCER.target)
    write_report(tmp_path / "r.html", content)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == text
