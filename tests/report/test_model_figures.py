"""Figures of a model: what they show is what the model does."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rulewright import RuleListClassifier, SetCoveringMachine
from rulewright.bounds import sc_graph
from rulewright.errors import InputError
from rulewright.report import (
    plot_calibration,
    plot_coverage_space,
    plot_front,
    plot_overlap,
    plot_regions,
    plot_sc_graph,
)

mpl.use("Agg")
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["a", "b"])
Y = np.where(((X["a"] > 0) & (X["b"] < 1)) ^ (RNG.random(200) < 0.05), "yes", "no")
FITTED = RuleListClassifier(max_rules=3).fit(X, Y)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_regions_are_the_answers_of_the_model():
    balls = SetCoveringMachine(family="balls", max_rules=2).fit(X, Y).model_
    for model in (FITTED.model_, balls):
        axes = plot_regions(model, X, Y)
        (image,) = axes.images
        left, right, low, high = image.get_extent()
        picture = np.asarray(image.get_array())
        rows, columns = RNG.integers(0, 200, (2, 50))
        points = pd.DataFrame(
            {
                "a": np.linspace(left, right, 200)[columns],
                "b": np.linspace(low, high, 200)[rows],
            }
        )
        answers = model.predict(points)
        colours = {tuple(picture[r, c]) for r, c in zip(rows, columns, strict=True)}
        by_class = {
            label: {tuple(picture[r, c]) for r, c in zip(rows[own], columns[own], strict=True)}
            for label in ("yes", "no")
            if (own := answers == label).any()
        }
        assert all(len(found) == 1 for found in by_class.values())
        assert len(colours) == len(by_class)
        assert sum(len(group.get_offsets()) for group in axes.collections) == 200


def test_overlap_is_counted_on_the_rows():
    axes = plot_overlap(FITTED.model_, X)
    table = FITTED.model_.table(X)
    holds = [rule.condition.holds(table) for rule in FITTED.model_.body.listed]
    shares = np.asarray(axes.images[0].get_array())
    for one, first in enumerate(holds):
        for other, second in enumerate(holds):
            assert shares[one, other] == pytest.approx((first & second).sum() / first.sum())
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert all(name.endswith(f" ({rows.sum()})") for name, rows in zip(names, holds, strict=True))
    written = [int(text.get_text().removesuffix(" %")) / 100 for text in axes.texts]
    assert np.abs(np.reshape(written, shares.shape) - shares).max() <= 0.005


def test_rules_are_points_of_coverage_space():
    axes = plot_coverage_space(FITTED.model_, X, Y, positive="yes", criterion="laplace")
    table = FITTED.model_.table(X)
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines]
    for rule, place in zip(FITTED.model_.body.listed, places, strict=True):
        held = rule.condition.holds(table)
        assert place == ((held & (Y == "no")).sum(), (held & (Y == "yes")).sum())


def test_rules_that_lie_close_together_share_a_label():
    axes = plot_coverage_space(FITTED.model_, X, Y)
    rules = len(FITTED.model_.body.listed)
    labels = [label.get_text() for label in axes.texts if label.get_text()[0] in "123456789"]
    numbers = [number for label in labels for number in label.split(", ")]
    assert sorted(numbers) == [str(number) for number in range(1, rules + 1)]


def test_a_graph_has_its_rules_in_layers():
    graph = sc_graph(np.arange(6.0)[:, None], np.arange(6) < 3, ["<="])
    axes = plot_sc_graph(graph)
    (points,) = axes.collections
    assert sorted(points.get_offsets()[:, 1]) == sorted(len(rule.errors) for rule in graph.rules)
    assert len(axes.lines) == len(graph.edges)


def test_front_and_calibration_return_what_they_drew():
    axes = plot_front(FITTED.path_)
    assert len(axes.lines[0].get_xdata()) == len(FITTED.path_)
    display = plot_calibration(FITTED.model_, X, Y, positive="yes")
    assert np.all(np.diff(display.prob_pred) > 0)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="two different numeric columns"):
        plot_regions(FITTED.model_, X, columns=["a", "a"])
    with pytest.raises(InputError, match="positive must be one of"):
        plot_calibration(FITTED.model_, X, Y, positive="perhaps")
    with pytest.raises(InputError, match="no model whose size"):
        plot_front([])
