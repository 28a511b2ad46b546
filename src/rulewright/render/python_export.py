"""Models as one file of Python without dependencies, which is also a filter for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.render.code_writing import (
    EXPONENTIAL_PARTS,
    CodeWriter,
    comment_text,
    decision_parts,
    lines_of,
    runtime,
)
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import ArgmaxForm, ExponentialForm, ModelProgram, forms_in
from rulewright.render.script_writing import answer_tables, choice_constants, runtime_parts

PREDICTED_PROBABILITY = "predicted_class_probability"
"""Title of the column of probabilities, here and in what `rulewright predict` writes."""
MOMENT_KINDS = ("date", "datetime", "instant", "duration")


class PythonWriter(CodeWriter):
    """Conditions as expressions of the list of values ``x``."""

    name = "python"
    and_, or_, not_ = " and ", " or ", "not "
    true, false = "True", "False"

    def value(self, place: int) -> str:
        return f"x[{place}]"

    def unknown(self, place: int) -> str:
        return f"(x[{place}] is None)"

    def member(self, place: int, texts: tuple[str, ...], number: int) -> str:
        return f"(x[{place}] in SETS[{number}])"

    def absolute(self, number: str) -> str:
        return f"abs({number})"

    def rank(self, number: str, place: int) -> str:
        return f"_rank({number}, *RANKS[{place}])"

    def filled(self, number: str, constant: str) -> str:
        return f"({constant} if {number} != {number} else {number})"

    def exponential(self, number: str) -> str:
        return f"_exp({number})"


def python_export(model: ExportedModel, *, reasons: bool = True) -> str:
    """Write a model as one file of Python.

    Parameters
    ----------
    model : ExportedModel
    reasons : bool, default=True
        Whether the file holds the text of each rule.
    """
    program = program_of(model, reasons=reasons)
    return "".join(_parts(program, PythonWriter(program)))


def _parts(program: ModelProgram, writer: PythonWriter) -> Iterator[str]:
    head = [*program.head, check_line("python"), "Use: from model import predict"]
    head.append("Or as a filter: python model.py < data.csv")
    yield "".join(f"# {comment_text(line)}\n" for line in head)
    moments = any(field.kind in MOMENT_KINDS for field in program.inputs)
    exponential = any(isinstance(f, ExponentialForm) for f in forms_in(program.conditions))
    modules = ["csv", "re", "sys"]
    modules += ["datetime", "fractions"] if moments else []
    modules += ["bisect"] if writer.ranks else []
    modules += ["math"] if decision_parts(program) in EXPONENTIAL_PARTS else []
    yield "\n" + "".join(f"import {module}\n" for module in sorted(modules))
    if exponential:
        yield runtime("python_exponential")
    yield "\n" + "\n".join(_tables(program, writer)) + "\n\n\n"
    yield from runtime_parts(program, writer)
    yield runtime("python_filter")


def _tables(program: ModelProgram, writer: PythonWriter) -> Iterator[str]:
    for name, items in answer_tables(program):
        yield _table(name, items)
    if writer.sets:
        texts = [f"frozenset({_literal(texts)})" for texts in writer.sets]
        yield f"SETS = (\n{lines_of(texts, '    ')}\n)"
    if writer.ranks:
        yield _table("RANKS", writer.ranks)
    conditions = [f"lambda x: {writer.condition(form)}" for form in program.conditions]
    yield f"CONDITIONS = (\n{lines_of(conditions, '    ')}\n)" if conditions else "CONDITIONS = ()"
    for name, value in choice_constants(program, writer):
        yield f"{name} = {value}" if isinstance(value, str) else _table(name, value)
    if isinstance(program.choice, ArgmaxForm):
        yield "LARGEST = 1.7976931348623157e+308"
    names = ["class", "probability", "rule", "reason"]
    names = names if program.is_classifier else ["value", "rule", "reason"]
    yield _table("RESULTS", names)
    titles = {"class": "prediction", "value": "prediction", "probability": PREDICTED_PROBABILITY}
    yield _table("HEADER", [titles.get(name, name) for name in names])


def _table(name: str, items: Any) -> str:
    if not items:
        return f"{name} = ()"
    return f"{name} = (\n{lines_of([_literal(item) for item in items], '    ')}\n)"


def _literal(value: Any) -> str:
    """Return a plain value in ASCII."""
    if isinstance(value, tuple):
        inside = ", ".join(map(_literal, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return ascii(value)
