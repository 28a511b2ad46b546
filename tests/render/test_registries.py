"""Open nodes and exports: a new predicate and a new renderer need no change of the library."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from rulewright import load_model
from rulewright.certificates import model_schema
from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import InputError, ModelFileError, UnrenderableError
from rulewright.models import Model, save_model
from rulewright.render import (
    PREDICATES,
    RENDERERS,
    Border,
    NumericPlot,
    PredicateRenderer,
    predicate_text,
    register_predicate,
    register_renderer,
    render,
)
from rulewright.report.plots import rule_plot
from rulewright.rules import (
    NODES,
    AllOf,
    Leaf,
    Literal,
    Rule,
    RuleList,
    Split,
    Threshold,
    Tree,
    encode,
    register_node,
)


@dataclass(frozen=True, slots=True)
class Multiple(Literal):
    """A column whose value is a multiple of a number, or is not."""

    column: str
    of: float
    truth: bool = True
    if_missing: bool = False

    def __post_init__(self):
        if not self.of > 0:
            raise ValueError(f"a multiple needs a number above 0, not {self.of}")

    def holds(self, table):
        x = table.numbers(self.column)
        return np.where(np.isnan(x), self.if_missing, (x % self.of == 0) == self.truth)

    def __invert__(self):
        return replace(self, truth=not self.truth, if_missing=not self.if_missing)


class MultipleRenderer(PredicateRenderer[Multiple]):
    """``x is a multiple of 3``."""

    def text(self, node, *, headline=False):
        missing = " or missing" if node.if_missing else ""
        return f"{node.column} is {'' if node.truth else 'not '}a multiple of {node.of:g}{missing}"

    def reasons(self, node, table):
        return [f"{node.column} = {x:g}" for x in table.numbers(node.column)]

    def plot(self, node, table, upper=None):
        rest = table.numbers(node.column) % node.of
        return NumericPlot(rest, [Border(0.0, after=True)], [node.truth, not node.truth], "rest")


@pytest.fixture(autouse=True)
def registries():
    """Leave the registries as they were."""
    kept = [(registry, dict(registry)) for registry in (NODES, PREDICATES, RENDERERS)]
    yield
    for registry, before in kept:
        registry.clear()
        registry.update(before)


@pytest.fixture
def multiple():
    """The new predicate, registered."""
    register_node("multiple")(Multiple)
    register_predicate(Multiple, MultipleRenderer())
    return Multiple("x", 3.0)


X = np.array([[3.0], [4.0], [9.0], [10.0]])


def model_of(body, rules):
    return Model((Field("x", "numeric"),), ("no", "yes"), body, ((1.0, 1.0),) * rules, named=False)


def test_a_new_predicate_is_printed_explained_saved_loaded_and_run(multiple, tmp_path):
    condition = AllOf((multiple, Threshold("x", True, 5.0)))
    model = model_of(RuleList((Rule(condition, 1),), 0), 2)
    assert str(model) == (
        "the first of these that holds:\n  1. yes if x is a multiple of 3 and x > 5\notherwise no"
    )
    assert "<b>yes</b> if x is a multiple of 3 and x &gt; 5" in model._repr_html_()
    assert model.predict(X).tolist() == ["no", "no", "yes", "no"]
    why = list(model.explain(X)["why"])
    assert why[2] == "x = 9 and x = 9 (> 5)"
    assert why[0] == "x = 3 (<= 5)"
    path = tmp_path / "model.json"
    save_model(model, path)
    loaded = load_model(path)
    assert loaded == model
    assert loaded.predict(X).tolist() == model.predict(X).tolist()


def test_a_new_predicate_splits_a_tree_and_is_plotted(multiple):
    tree = Tree((Split((multiple,), (1, 2)), Leaf(1), Leaf(0)))
    model = model_of(tree, 2)
    assert str(model) == "if x is a multiple of 3: yes\nelse: no"
    assert model.predict(X).tolist() == ["yes", "no", "yes", "no"]
    assert predicate_text(~multiple) == "x is not a multiple of 3 or missing"
    plot = rule_plot(
        multiple, Table((NumericColumn("x", X[:, 0]),), 4), np.array([1, 0, 1, 0], np.int32), 2
    )
    assert plot["caption"] == "rest" and len(plot["shades"]) == 1


def test_a_new_predicate_is_checked_and_described_like_the_others(multiple, tmp_path):
    definitions = model_schema()["$defs"]
    assert {"$ref": "#/$defs/multiple"} in definitions["predicate"]["oneOf"]
    assert definitions["multiple"]["required"] == ["node", "column", "of"]
    assert encode(multiple)["node"] == "multiple"
    path = tmp_path / "model.json"
    save_model(model_of(RuleList((Rule(multiple, 1),), 0), 2), path)
    text = path.read_text(encoding="utf-8")
    for wrong, message in (('"of":"3"', "must be a number"), ('"of":-3', "above 0, not -3.0")):
        path.write_text(text.replace(" ", "").replace('"of":3.0', wrong), encoding="utf-8")
        with pytest.raises(ModelFileError, match=message):
            load_model(path)


def test_a_predicate_that_is_not_registered_is_refused_with_the_way_out():
    with pytest.raises(UnrenderableError, match="Register one with register_predicate"):
        predicate_text(Multiple("x", 3.0))
    with pytest.raises(ValueError, match="'threshold' is already registered for Threshold"):
        register_node("threshold")(Multiple)

    @dataclass(frozen=True)
    class Unknown(Multiple):
        pass

    with pytest.raises(TypeError, match=r"Decorate it with register_node\(tag\)"):
        encode(Unknown("x", 3.0))


def test_a_new_renderer_is_found_by_its_name():
    model = model_of(RuleList((Rule(Threshold("x", True, 5.0), 1),), 0), 2)

    def shout(model, *, mark="!"):
        return render(model, "text").upper() + mark

    register_renderer("shout", shout)
    assert render(model, "shout", mark="?") == str(model).upper() + "?"
    with pytest.raises(ValueError, match="'shout' is already registered"):
        register_renderer("shout", shout)


def test_the_text_and_the_html_of_a_model_are_renderers():
    model = model_of(RuleList((Rule(Threshold("x", True, 5.0), 1),), 0), 2)
    assert render(model, "text") == str(model)
    assert render(model, "html") == model._repr_html_()
    with pytest.raises(InputError, match=r"no renderer 'cobol'. Known are: text, html, "):
        render(model, "cobol")
