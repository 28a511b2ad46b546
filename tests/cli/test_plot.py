"""Pictures of models: of the form that the name says, the same each time, and never misread."""

import builtins

import pandas as pd
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from rulewright.render import PicturedRule, rule_figure  # noqa: E402

EVIL = "a$x^2$ <b> & \\frac"
STARTS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def tree(rulewright, table, tmp_path):
    path = tmp_path / "tree.json"
    options = ("--target", "class", "--drop", "id", "--learner", "tree", "--out", path)
    assert rulewright("fit", table, *options).code == 0
    return path


@pytest.mark.parametrize("suffix", STARTS)
def test_the_ending_is_the_format_and_the_picture_the_same_each_time(
    rulewright, model, tmp_path, suffix
):
    path = tmp_path / f"p{suffix}"
    first = rulewright("plot", model, "--out", path, "--json")
    assert first.code == 0, first.err
    assert first.json["what"] == "rules" and first.json["out"] == str(path)
    drawn = path.read_bytes()
    assert drawn.startswith(STARTS[suffix])
    assert rulewright("plot", model, "--out", path).code == 0
    assert path.read_bytes() == drawn


def test_rules_are_drawn_with_the_cases_of_a_table(rulewright, table, tree, tmp_path):
    trained, new, part = (tmp_path / name for name in ("a.svg", "b.svg", "part.csv"))
    pd.read_csv(table).head(50).to_csv(part, index=False)
    assert rulewright("plot", tree, "--what", "rules", "--out", trained).code == 0
    done = rulewright("plot", tree, part, "--what", "rules", "--out", new)
    assert done.code == 0, done.err
    assert "training cases" in trained.read_text(encoding="utf-8")
    assert "cases of part.csv" in new.read_text(encoding="utf-8")


def test_the_front_is_drawn_from_a_file_that_holds_it(rulewright, table, model, tmp_path):
    path, picture = tmp_path / "m.json", tmp_path / "front.svg"
    options = ("--target", "class", "--drop", "id", "--learner", "scm", "--front", "--out", path)
    assert rulewright("fit", table, *options).code == 0
    done = rulewright("plot", path, "--what", "front", "--out", picture, "--json")
    assert done.code == 0, done.err
    assert done.json["what"] == "front"
    assert "certified, with confidence 95" in picture.read_text(encoding="utf-8")
    assert "holds one model" in rulewright("plot", model, "--what", "front", "-o", picture).err


def test_a_tree_is_drawn_as_a_tree(rulewright, tree, tmp_path):
    done = rulewright("plot", tree, "--out", tmp_path / "t.svg", "--json")
    assert done.code == 0 and done.json["what"] == "tree"


def test_what_cannot_be_drawn_is_refused(rulewright, table, model, tree, tmp_path):
    other = tmp_path / "notes.svg"
    other.write_text("mine", encoding="utf-8")
    assert "Refusing to overwrite" in rulewright("plot", model, "--out", other).err
    assert "must end in .svg, .png, .pdf" in rulewright("plot", model, "-o", tmp_path / "x").err
    p = tmp_path / "p.svg"
    assert "not a tree" in rulewright("plot", model, "--what", "tree", "-o", p).err
    assert "must be rules, tree or front" in rulewright("plot", model, "--what", "pie", "-o", p).err
    assert "add --what rules" in rulewright("plot", tree, table, "-o", p).err


def test_without_matplotlib_the_extra_is_named(rulewright, model, tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    done = rulewright("plot", model, "--out", tmp_path / "p.svg")
    assert done.code == 1 and "pip install rulewright[plot]" in done.err


def test_texts_are_drawn_as_they_are_and_stay_in_the_picture():
    rules = [
        PicturedRule(1, f"{EVIL} > 3 and " * 12, EVIL, 1, [3.0, 1_000_000.0]),
        PicturedRule(2, "otherwise", "no answer", None, [2.0, 5.0]),
        PicturedRule(3, "x", "b", 0, [0.0, 0.0]),
    ]
    names = ["b", EVIL, *(f"class {n}" for n in range(30))]
    figure = rule_figure(rules, names, title=EVIL * 20, caption=["word " * 200])
    figure.draw_without_rendering()
    width = figure.bbox.width
    (ax,) = figure.axes
    for text in ax.texts:
        extent = text.get_window_extent()
        assert extent.x0 >= 0 and extent.x1 <= width
    results = [text.get_window_extent() for text in ax.texts if "right" in text.get_text()]
    bars = [patch.get_window_extent() for patch in ax.patches]
    assert not any(one.overlaps(other) for one in results for other in bars)
    matplotlib.pyplot.close(figure)
