"""Models as one ECMAScript module without dependencies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rulewright.errors import UnrenderableError
from rulewright.render.code_writing import CodeWriter, comment_text, lines_of
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import ModelProgram
from rulewright.render.script_writing import answer_tables, choice_constants, runtime_parts

MAX_EXACT_INTEGER = 2**53
EXPORTED = ("COLUMNS", "CLASSES")


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
    yield from runtime_parts(program, writer)


def _tables(program: ModelProgram, writer: JavascriptWriter) -> Iterator[str]:
    for name, items in answer_tables(program):
        yield _table(f"{'export ' if name in EXPORTED else ''}const {name}", items)
    yield from condition_tables(program, writer)
    for name, value in choice_constants(program, writer):
        if isinstance(value, str):
            yield f"const {name} = {value};"
        else:
            yield _table(f"const {name}", value)


def condition_tables(program: ModelProgram, writer: JavascriptWriter) -> Iterator[str]:
    """Yield the conditions of a program, and the tables that they read."""
    if writer.sets:
        sets = [f"new Set({_literal(texts)})" for texts in writer.sets]
        yield f"const SETS = [\n{lines_of(sets, '  ')}\n];"
    if writer.ranks:
        yield _table("const RANKS", writer.ranks)
    conditions = [f"(x) => {writer.condition(form)}" for form in program.conditions]
    yield f"const CONDITIONS = [\n{lines_of(conditions, '  ')}\n];"


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
