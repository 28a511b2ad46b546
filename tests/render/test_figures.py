"""The figure of a path: what it says, and that nothing lies on top of anything."""

import builtins
import re
import sys
from itertools import pairwise

import numpy as np
import pytest

from rulewright import BoundSearch, SetCoveringMachine
from rulewright.render import path_figure

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

RNG = np.random.default_rng(1)
X = np.round(RNG.normal(size=(150, 3)), 1)
Y = (X[:, 0] + X[:, 1] + 0.4 * RNG.normal(size=150) > 0).astype(int)


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def curves(many, first=1):
    """Make curves as they come: errors fall, bounds fall and rise again."""
    sizes = list(range(first, first + many))
    errors = [0.4 / (n + 1) for n in range(many)]
    bounds = [e + 0.15 + 0.01 * n for n, e in enumerate(errors)]
    return {"sizes": sizes, "errors": errors, "bounds": bounds}


def drawn(ax):
    ax.figure.canvas.draw()
    return ax.figure.canvas.get_renderer()


def note(ax):
    return next(text for text in ax.texts if text.get_text().startswith("chosen"))


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.slow
@pytest.mark.parametrize("figsize", [(7, 4), (4, 3)])
@pytest.mark.parametrize("many", [1, 30])
def test_nothing_lies_on_top_of_anything(many, figsize):
    flat = {**curves(many), "bounds": [1.0] * many}
    falling = curves(many)
    sizes = falling["sizes"]
    cases = [(falling, sizes[0]), (falling, sizes[many // 2]), (falling, sizes[-1]), (flat, 1)]
    for shape, chosen in cases:
        _, ax = plt.subplots(figsize=figsize, layout="constrained")
        tested = [0.5 * (e + b) for e, b in zip(shape["errors"], shape["bounds"], strict=True)]
        path_figure(**shape, tested=tested, chosen=chosen, held=tested[0], ax=ax)
        renderer = drawn(ax)
        box, frame = note(ax).get_window_extent(renderer), ax.get_window_extent(renderer)
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        curved = [line for line in ax.lines if not line.get_label().startswith("_")]
        assert len(curved) == 4
        for line in curved:
            path = line.get_transform().transform_path(line.get_path())
            assert not path.intersects_bbox(box, filled=False)
        legend = ax.get_legend().get_window_extent(renderer)
        assert not legend.overlaps(frame)
        assert legend.x1 <= ax.figure.bbox.x1
        ticks = [t.get_window_extent(renderer) for t in ax.get_xticklabels() if t.get_text()]
        assert all(a.x1 < b.x0 for a, b in pairwise(ticks))
        plt.close(ax.figure)


def test_it_says_what_was_chosen_and_promised():
    ax = path_figure([1, 2], [0.2, 0.1], [0.3, 0.25001], chosen=2, delta=0.1)
    assert note(ax).get_text() == "chosen: 2 rules\nat most 25.1 %"
    assert labels(ax) == ["certified, with confidence 90 %", "in training"]
    assert ax.get_xlabel() == "rules"
    assert ax.get_ylabel() == "share of wrong cases"
    drawn(ax)
    ticks = [text.get_text() for text in ax.get_yticklabels()]
    assert "10 %" in ticks
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2"]
    one = path_figure([1], [0.2], [0.3], chosen=1)
    assert note(one).get_text() == "chosen: 1 rule\nat most 30.0 %"
    assert not path_figure([1], [0.2], [0.3]).texts


def test_no_share_above_all_is_written():
    ax = path_figure([1, 2], [0.5, 0.5], [1.0, 0.99], chosen=1)
    drawn(ax)
    ticks = [text.get_text() for text in ax.get_yticklabels()]
    assert "100 %" in ticks
    assert not any(tick.startswith(("110", "120")) for tick in ticks)


def test_many_sizes_are_not_all_written():
    ax = path_figure(**curves(30), chosen=7)
    drawn(ax)
    shown = [float(t) for t in ax.get_xticks() if 1 <= t <= 30]
    assert len(shown) < 13
    assert all(tick.is_integer() for tick in shown)


def test_a_path_without_rules_or_errors_is_drawn():
    assert note(path_figure([0], [0.5], [0.7], chosen=0)).get_text().startswith("chosen: 0 rules")
    drawn(path_figure([1], [0.0], [0.0], chosen=1))


def test_costs_are_costs_and_are_rounded_up():
    ax = path_figure([1, 2], [0.2, 0.1], [1.2341, 2.0], chosen=1, costs=True)
    assert note(ax).get_text() == "chosen: 1 rule\nat most 1.24"
    assert ax.get_ylabel() == "average cost of a case"
    drawn(ax)
    assert not any("%" in text.get_text() for text in ax.get_yticklabels())


def line(ax, label):
    found = next(line for line in ax.lines if line.get_label() == label)
    return found.get_xdata().tolist(), list(found.get_ydata())


def test_a_search_draws_its_chosen_run():
    search = BoundSearch(SetCoveringMachine(), {"penalty": [1, 3]}, cross_validate=True, cv=3).fit(
        X, Y
    )
    ax = search.plot_path()
    results = search.results_
    run = results[results["param_penalty"] == search.best_params_["penalty"]]
    for label, column in (
        ("certified, with confidence 95 %", "bound"),
        ("in training", "train_error"),
        ("cross-validated", "cv_loss"),
    ):
        assert line(ax, label) == (run["size"].tolist(), run[column].tolist())
    size, bound = search.best_params_["max_rules"], search.certificate_.bound
    assert f"chosen: {size} rule" in note(ax).get_text()
    (stated,) = re.findall(r"at most ([\d.]+) %", note(ax).get_text())
    assert 100 * bound <= float(stated) < 100 * bound + 0.1, "rounded up"


def test_the_third_curve_is_there_where_there_was_a_test():
    def said(**options):
        search = BoundSearch(SetCoveringMachine(max_rules=3), {"penalty": [1]}, cv=3, **options)
        return labels(search.fit(X, Y).plot_path())

    assert len(said()) == 2
    assert "cross-validated" in said(cross_validate=True)
    assert "cross-validated" in said(by="cv")
    held = said(by="holdout")
    assert "on the rows held out" in held
    assert "certified, by the rows held out" in held
    assert "cross-validated" in said(by="holdout", cross_validate=True)


def test_rows_held_out_mark_the_promise_of_the_certificate():
    search = BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}, by="holdout").fit(X, Y)
    ax = search.plot_path()
    c = search.certificate_
    assert line(ax, "certified, by the rows held out") == ([search.path_[-1].size], [c.bound])
    assert f"at most {np.ceil(1000 * c.bound) / 10:.1f} %" in note(ax).get_text()


def test_all_curves_of_a_search_with_costs_are_costs():
    """Certified and training error stood beside cross-validated costs."""
    machine = SetCoveringMachine(class_costs={1: 10}, max_rules=4)
    search = BoundSearch(machine, {"penalty": [1]}, cross_validate=True, cv=3).fit(X, Y)
    ax = search.plot_path()
    path = SetCoveringMachine(class_costs={1: 10}, max_rules=4).fit(X, Y).path_
    price = np.where(Y, 10, 1)
    costs = [np.mean(price * (entry.model.predict(X) != Y)) for entry in path]
    assert line(ax, "in training")[1] == pytest.approx(costs)
    bounds = [entry.certificate.cost_bound([1, 10]) for entry in path]
    assert line(ax, "certified, with confidence 95 %")[1] == pytest.approx(bounds)
    assert line(ax, "cross-validated")[1] == search.cv_results_["cv_loss"].tolist()
    assert "cost" in ax.get_ylabel()


def test_given_axes_are_used():
    _, (left, right) = plt.subplots(1, 2)
    assert path_figure([1], [0.1], [0.2], ax=right) is right
    assert not left.lines
    search = BoundSearch(SetCoveringMachine(), {"penalty": [1]}).fit(X, Y)
    assert search.plot_path(ax=left) is left


def test_matplotlib_that_is_not_there_is_said(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    search = BoundSearch(SetCoveringMachine(), {"penalty": [1]}).fit(X, Y)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"needs matplotlib.*pip install rulewright\[plot\]"):
        search.plot_path()


def test_a_search_that_is_not_fitted_draws_nothing():
    with pytest.raises(Exception, match="not fitted"):
        BoundSearch(SetCoveringMachine(), {"penalty": [1]}).plot_path()
