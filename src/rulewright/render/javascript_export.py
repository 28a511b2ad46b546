"""Models as one ECMAScript module without dependencies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rulewright.errors import UnrenderableError
from rulewright.render.code_writing import (
    EXPONENTIAL_PARTS,
    MIXED_PARTS,
    CodeWriter,
    comment_text,
    decision_parts,
    lines_of,
    node_table,
    runtime,
)
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import ArgmaxForm, BandForm, ModelProgram, TotalsForm, TreeForm

MAX_EXACT_INTEGER = 2**53


class JavascriptWriter(CodeWriter):
    """Conditions as expressions of the array of values ``x``."""

    name = "javascript"

    def value(self, place: int) -> str:
        return f"x[{place}]"

    def unknown(self, place: int) -> str:
        return f"(x[{place}] === null)"

    def member(self, place: int, texts: tuple[str, ...], number: int) -> str:
        return f"SETS[{number}].has(x[{place}])"

    def absolute(self, number: str) -> str:
        return f"Math.abs({number})"

    def rank(self, number: str, place: int) -> str:
        return f"rank({number}, RANKS[{place}])"


def javascript_export(model: ExportedModel, *, reasons: bool = True) -> str:
    """Write a model as one ECMAScript module.

    Parameters
    ----------
    model : ExportedModel
    reasons : bool, default=True
        Whether the module holds the text of each rule.
    """
    program = program_of(model, reasons=reasons)
    return "".join(_parts(program, JavascriptWriter(program)))


def _parts(program: ModelProgram, writer: JavascriptWriter) -> Iterator[str]:
    head = [*program.head, check_line("javascript"), 'Use: import { predict } from "./model.mjs"']
    yield "".join(f"// {comment_text(line, '<')}\n" for line in head)
    yield "\n" + "\n".join(_tables(program, writer)) + "\n"
    yield runtime("javascript_reading")
    if any(field.moment is not None for field in program.inputs):
        yield runtime("javascript_moments")
    if writer.ranks:
        yield runtime("javascript_rank")
    part = decision_parts(program)
    if part in MIXED_PARTS:
        yield runtime("javascript_shares")
    if part in EXPONENTIAL_PARTS:
        yield runtime("javascript_odds")
    yield runtime(f"javascript_{part}")
    yield runtime("javascript_classes" if program.is_classifier else "javascript_values")


def _tables(program: ModelProgram, writer: JavascriptWriter) -> Iterator[str]:
    yield _table("export const COLUMNS", [(field.name, field.kind) for field in program.inputs])
    if program.is_classifier:
        yield _table("export const CLASSES", program.answers)
    yield _table("const LABELS", program.labels)
    yield _table("const OUTPUTS", program.outputs)
    if program.is_classifier:
        yield _table("const PROBABILITIES", program.probabilities)
    yield _table("const REASONS", program.reasons)
    if writer.sets:
        sets = [f"new Set({_literal(texts)})" for texts in writer.sets]
        yield f"const SETS = [\n{lines_of(sets, '  ')}\n];"
    if writer.ranks:
        yield _table("const RANKS", writer.ranks)
    conditions = [f"(x) => {writer.condition(form)}" for form in program.conditions]
    yield f"const CONDITIONS = [\n{lines_of(conditions, '  ')}\n];"
    match program.choice:
        case TreeForm() as tree:
            yield _table("const NODES", node_table(tree))
            yield f"const ROOT = {0 if tree.nodes else -1};"
            yield f"const SIZE = {len(program.answers)};"
        case ArgmaxForm(_, classes, weights):
            yield _table("const VOTES", list(zip(classes, weights, strict=True)))
            yield f"const SIZE = {len(program.answers)};"
        case BandForm(_, points, lows):
            yield _table("const POINTS", points)
            yield _table("const LOWS", lows)
        case TotalsForm(_, by_class, start, slope):
            yield _table("const POINTS", by_class)
            yield _table("const START", start)
            yield f"const SLOPE = {writer.constant(slope)};"
            yield f"const SIZE = {len(program.answers)};"


def _table(name: str, items: Any) -> str:
    return f"{name} = [\n{lines_of([_literal(item) for item in items], '  ')}\n];"


def _literal(value: Any) -> str:
    """Return a plain value in ASCII that cannot end a script element."""
    if isinstance(value, int) and abs(value) > MAX_EXACT_INTEGER:
        raise UnrenderableError(
            f"The class {value} is above 2**53, and numbers of JavaScript are doubles. Train with "
            "labels that are text."
        )
    return json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e")
