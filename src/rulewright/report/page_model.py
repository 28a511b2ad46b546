"""A model for the scripts of the page: its nodes, its tests and its training rows in codes."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, Field, Table
from rulewright.errors import InputError, UnrenderableError
from rulewright.models import Model
from rulewright.render import (
    class_text,
    cut_text,
    headline_text,
    number_text,
    page_model_script,
    predicate_text,
    render,
    rules_file_text,
)
from rulewright.report.coded_rows import coded_facts, cuts_of
from rulewright.rules import (
    NODES,
    Arrangement,
    Conjunction,
    Disjunction,
    Interval,
    Literal,
    Missing,
    RuleList,
    RulesFile,
    RuleVote,
    Scorecard,
    Split,
    Threshold,
    Tree,
    encode,
    literals_of,
)

MAX_LISTED = 50
"""Maximum number of categories of a column that the page offers."""

TRIED = 41
"""Number of quantiles of a column that are tried for a change of the answer."""

LITERALS = frozenset(tag for tag, kind in NODES.items() if issubclass(kind, Literal))
"""Tags of single tests."""


def script_facts(
    model: Model,
    table: Table,
    y: NDArray[np.int32],
    row_numbers: NDArray[np.intp] | None,
    costs: Sequence[Fraction] | None,
    embedded: int,
) -> dict[str, Any]:
    """Return the script of a model, and what the scripts of the page read.

    Parameters
    ----------
    model, table, y : the model, its training data, and the class numbers of the rows
    row_numbers : array
        Numbers of the rows on the page, where they are not 0, 1, 2, ...
    costs : sequence of Fraction, optional
        Costs of the classes.
    embedded : int
        Number of rows whose values the page may hold.
    """
    tests = _tests(model.body)
    script, reason = page_model_script(model, tests)
    coded = coded_facts(tests, table, y, row_numbers)
    used = table.select(model.body.columns)
    body = _numbered(model.body, tests, coded)
    written = _written_texts(model, body)
    data = {
        "head": _head(model),
        "body": body,
        "tests": [_test(test) for test in tests],
        "fields": coded.pop("fields"),
        "rows": coded,
        "left_out": bool(table.rows) and not coded["classes"]["text"],
        "classes": [class_text(label) for label in model.classes],
        "written": written,
        "inputs": [_input(field, tests, used) for field in _inputs(model)],
        "costs": [1.0] * len(model.classes) if costs is None else [float(cost) for cost in costs],
        "values": _values(used, embedded),
        "not_exported": reason,
    }
    return {"page_script": script, "page_data": data}


def _head(model: Model) -> str | None:
    """Return the beginning of a model file, before the body; None where it cannot be written."""
    try:
        whole = json.loads(render(replace(model, certificate=None, profile=None), "json"))
    except (InputError, UnrenderableError):
        return None
    dropped = ("body", "evidence", "certificate")
    return json.dumps({name: value for name, value in whole.items() if name not in dropped})[:-1]


def _tests(body: Arrangement) -> list[Literal]:
    """Return the distinct tests of a model.

    With them are the tests of missing categories by which splits share rows out.
    """
    tests = dict.fromkeys(literals_of(body))
    if isinstance(body, Tree):
        cut = {test.column for test in tests if isinstance(test, Threshold | Interval)}
        shared = (node for node in body.nodes if isinstance(node, Split) and node.shares)
        names = dict.fromkeys(name for node in shared for name in node.columns)
        tests |= dict.fromkeys(Missing(name) for name in names if name not in cut)
    return list(tests)


def _numbered(body: Arrangement, tests: Sequence[Literal], coded: dict[str, Any]) -> Any:
    """Return a model as JSON without its examples.

    Each test has its number and its place in the model, and the numbers of its cuts among those of
    its field. A split that shares rows out has the fields that show what is missing.
    """
    numbers = {test: number for number, test in enumerate(tests)}
    literals, seen = literals_of(body), itertools.count()

    def copy(value: Any) -> Any:
        if isinstance(value, list):
            return [copy(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.get("node") not in LITERALS:
            members = {name: copy(member) for name, member in value.items()}
            if members.get("shares"):
                members["missing_fields"] = _missing_places(members, tests, coded["places"])
            return members
        literal = next(literals)
        kept = {name: member for name, member in value.items() if name != "anchored_on"}
        test = numbers[literal]
        marks: dict[str, Any] = {"test": test, "place": next(seen)}
        cuts = cuts_of(literal)
        if cuts:
            listed = coded["fields"][coded["places"][test]]["cuts"]
            marks["at"] = [listed.index(cut) for cut in cuts]
        return kept | marks

    return copy(encode(body))


def _missing_places(
    split: dict[str, Any], tests: Sequence[Literal], places: Sequence[int]
) -> list[int]:
    """Return the fields that show which columns of a split are missing."""
    names = {name for number in _numbers_in(split["tests"]) for name in tests[number].columns}
    fields: dict[str, int] = {}
    for test, place in zip(tests, places, strict=True):
        if isinstance(test, Threshold | Interval) or (isinstance(test, Missing) and test.missing):
            fields.setdefault(test.column, place)
    return [fields[name] for name in sorted(names)]


def _numbers_in(nodes: Sequence[dict[str, Any]]) -> Iterator[int]:
    """Yield the numbers of the tests in some conditions."""
    for node in nodes:
        if "test" in node:
            yield node["test"]
        else:
            yield from _numbers_in(node["parts"] if "parts" in node else [node["part"]])


def _test(test: Literal) -> dict[str, Any]:
    return {"text": predicate_text(test), "headline": headline_text(test), "columns": test.columns}


def _written_texts(model: Model, body: Any) -> dict[str, Any] | None:
    """Return what a rules file has besides conditions; None where none can be written.

    The answers are those after the arrows: the class names, and last the text of no answer. Of a
    vote or a scorecard there are the last lines, and ``body`` receives what follows the arrow of
    each rule.
    """
    try:
        model.to_rules()
    except (InputError, UnrenderableError):
        return None
    match model.body:
        case RuleList() | Conjunction() | Disjunction():
            outputs = (*range(len(model.classes)), None)
            files = [RulesFile(RuleList((), output)) for output in outputs]
            texts = [rules_file_text(file, model.classes) for file in files]
            return {"answers": [text.partition("->")[2].strip() for text in texts]}
        case Scorecard() if len(model.classes) != 2:  # a rules file adds points for one class
            return None
        case RuleVote() | Scorecard():
            units = body["voters" if isinstance(model.body, RuleVote) else "lines"]
            file = RulesFile.of(model.body)
            for number, unit in enumerate(units):
                unit["written"] = _written_result(file, number, model.classes)
            alone = file.without(range(1, len(units) + 1))
            return {"last": rules_file_text(alone, model.classes)}
    return None


def _written_result(file: RulesFile, number: int, classes: Sequence[object]) -> str:
    """Return what follows the arrow of a rule in a file."""
    others = [place + 1 for place in range(len(file.parts)) if place != number]
    condition = predicate_text(file.parts[number].condition)
    line = rules_file_text(file.without(others), classes)
    # The condition may be in parentheses, and is in the first line as it is.
    return line[line.index(condition) + len(condition) :].partition(" -> ")[2].partition("\n")[0]


def _inputs(model: Model) -> list[Field]:
    used = set(model.body.columns)
    return [field for field in model.columns if field.name in used]


def _input(field: Field, tests: Sequence[Literal], table: Table) -> dict[str, Any]:
    """Return what the page needs to ask for a value: its kind, a usual value, and its cuts."""
    own = [test for test in tests if field.name in test.columns]
    cuts = sorted({cut for test in own for cut in cuts_of(test)})
    column = next(column for column in table.columns if column.name == field.name)
    found = {
        "name": field.name,
        "kind": field.kind,
        "cuts": cuts,
        "texts": [cut_text(cut, field.moment) for cut in cuts],
    }
    if isinstance(column, CategoricalColumn):
        order = np.argsort(-np.bincount(column.codes[column.codes >= 0]), kind="stable")
        listed = [column.categories[code] for code in order[:MAX_LISTED].tolist()]
        named = [value for test in own for value in getattr(test, "values", ())]
        categories = list(dict.fromkeys([*listed, *named]))
        return found | {
            "categories": categories,
            "usual": categories[0] if categories else "",
            "tried": [],
        }
    exact = all(isinstance(test, Threshold | Interval | Missing) for test in own)
    tried = _tried(column, field, cuts, exact)
    return found | {"categories": [], "usual": _usual_number(column, field), "tried": tried}


def _tried(
    column: Column, field: Field, cuts: Sequence[float], exact: bool
) -> list[tuple[float, str]]:
    """Return further numbers that are tried for a change of the answer, with their texts.

    Cuts of dates, datetimes and durations have neighbours. A test that is not a cut is tried at
    round quantiles.
    """
    if field.moment is not None:
        near = sorted({cut + step for cut in cuts for step in (-1.0, 0.0, 1.0)})
        return [(number, cut_text(number, field.moment)) for number in near]
    values = column.values  # type: ignore[union-attr]
    known = values[np.isfinite(values)]
    if exact or not known.size:
        return []
    quantiles = np.quantile(known, np.linspace(0.0, 1.0, TRIED), method="lower")
    rounded = sorted({float(f"{quantile:.3g}") for quantile in quantiles.tolist()})
    return [(number, number_text(number)) for number in rounded if math.isfinite(number)]


def _usual_number(column: Column, field: Field) -> str:
    """Return the median of a column as text, rounded; nothing where all values are missing."""
    values = column.values  # type: ignore[union-attr]
    known = values[np.isfinite(values)]
    if not known.size:
        return ""
    middle = float(np.quantile(known, 0.5, method="lower"))
    if field.moment is not None:
        return cut_text(float(round(middle)), field.moment)
    rounded = float(f"{middle:.3g}")
    return number_text(rounded if math.isfinite(rounded) else middle)


def _values(table: Table, embedded: int) -> dict[str, Any] | None:
    """Return the values of the first rows, column by column, where they may be on the page."""
    if not embedded:
        return None
    first = table.take(np.arange(min(embedded, table.rows)))
    return {"names": first.names, "cells": [_finite_cells(column) for column in first.columns]}


def _finite_cells(column: Column) -> list[Any]:
    """Return the cells of a column; infinite numbers, which JSON does not have, are texts."""
    cells = column.cells()
    return [str(c) if isinstance(c, float) and not math.isfinite(c) else c for c in cells]
