"""Tests use the public names of a package, those in ``__all__`` of its ``__init__``.

A constant or function that a test replaces is named by a string, which is not an import.
"""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

# The inner modules that tests may import, each with the reason.
INNER = {
    "bounds.messages": "an approximation by itself, compared with exact counts",
    "certificates.codes.machine_message": "lengths of messages, compared with all messages",
    "certificates.counted_order": "the statistic of an order, compared with all orders",
    "certificates.exchangeability": "chances of orders, compared with all orders",
    "certificates.model_cautions": "a chance, compared with all orders",
    "certificates.split_statements": "bounds from counts, compared with an oracle",
    "certificates.repetition": "hashes of rows, and how often they raise a false alarm",
    "cli.commands": "the commands, compared with their summaries in the help",
    "cli.console": "the progress line, which only a terminal shows",
    "cli.learner_forms": "the learners as forms, which the workbench is given",
    "cli.serve": "a first look at a table, which the workbench is given",
    "criteria.arithmetic": "a logarithm by itself, compared with exact numbers",
    "data.csv_file": "the queries of one file format, counted",
    "data.partition_functions": "the functions that Spark sends to its workers",
    "data.spark_partitions": "functions for workers that do not have the package",
    "data.duckdb_file": "limits of the connection that reads untrusted files",
    "families.axes": "random pairs of examples, compared with all pairs",
    "families.weighted_sums": "half-planes without their cuts, compared with an oracle",
    "kernels._core": "the compiled core, called with bad arguments and interrupted",
    "learners.base.baseline": "whether a model loses more than a constant answer",
    "learners.base.description_length": "numbers of bits, compared with an oracle",
    "learners.base.estimator_class": "parameters that estimators have besides their settings",
    "learners.base.needed_rules": "needed rules, compared with an oracle",
    "learners.base.number_groups": "values in groups, from which bounds are computed",
    "learners.base.rule_weights": "the precision of a weight",
    "learners.base.usefulness": "whole weights, compared with exact fractions",
    "learners.base.voting_mixin": "votes of a model built by hand",
    "learners.ripper.key_division": "limits of hashes, compared with what they leave",
    "learners.tree.counted_splits": "splits of one node, from which bounds are computed",
    "learners.tree.gain_ranges": "ranges of gains, compared with all cuts",
    "learners.tree.tree_columns": "ranges of a column, compared with their definition",
    "render.branch_tests": "tests that are shown, compared with those of the split",
    "render.text_metrics": "widths and line breaks by themselves",
    "report.charts": "data of one chart, without its page",
    "report.plots": "data of one plot, without its page",
    "report.rule_table": "one line of a table, with a count too large for test data",
    "rules.serialization": "the maximum depth of a file",
    "rules.trees": "the maximum number of tests of all rules of a tree",
    "selection.estimator_pool": "the pool of an estimator, compared with one by hand",
    "selection.estimator_recipe": "parameters as JSON, by themselves",
    "selection.front_plot": "the cost of a model built by hand that abstains",
}


def imports(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    """Modules that are imported, each with the name that is taken from it, if any."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def inner_imports(source: str) -> set[str]:
    """Inner modules of packages of rulewright that a source imports, without ``rulewright``."""
    found = set()
    for module, name in imports(ast.parse(source)):
        package, _, inside = module.partition(".")
        if package != "rulewright" or not inside:
            continue
        loaded = importlib.import_module(module)
        if not hasattr(loaded, "__path__"):
            found.add(inside)
        elif name is not None and name not in getattr(loaded, "__all__", ()):
            found.add(f"{inside}.{name}")
    return found


FILES = sorted(TESTS.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_tests_import_public_names(path: Path) -> None:
    assert inner_imports(path.read_text(encoding="utf-8")) <= INNER.keys()


def test_all_allowed_modules_are_imported() -> None:
    found = [inner_imports(path.read_text(encoding="utf-8")) for path in FILES]
    assert INNER.keys() <= set().union(*found)


@pytest.mark.parametrize(
    ("source", "inner"),
    [
        ("from rulewright.rules.node import Literal", {"rules.node"}),
        ("from rulewright.bounds import counting", {"bounds.counting"}),
        ("def f():\n    import rulewright.data.frames as frames", {"data.frames"}),
        ("from rulewright.rules import Literal", set()),
        ("from rulewright.learners.tree import fewest_errors", set()),
        ("import rulewright.rules\nfrom rulewright import load_model, rules", set()),
    ],
)
def test_inner_imports_are_found(source: str, inner: set[str]) -> None:
    assert inner_imports(source) == inner
