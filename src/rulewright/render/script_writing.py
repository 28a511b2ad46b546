"""What the exports to Python and JavaScript share: the tables of a program, and their runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.render.code_writing import (
    EXPONENTIAL_PARTS,
    MIXED_PARTS,
    CodeWriter,
    decision_parts,
    node_table,
    runtime,
)
from rulewright.render.programs import ArgmaxForm, BandForm, ModelProgram, TotalsForm, TreeForm


def answer_tables(program: ModelProgram) -> Iterator[tuple[str, Any]]:
    """Yield the names and items of the tables of columns and answers."""
    yield "COLUMNS", [(field.name, field.kind) for field in program.inputs]
    if program.is_classifier:
        yield "CLASSES", program.answers
    yield "LABELS", program.labels
    yield "OUTPUTS", program.outputs
    if program.is_classifier:
        yield "PROBABILITIES", program.probabilities
    yield "REASONS", program.reasons


def choice_constants(program: ModelProgram, writer: CodeWriter) -> Iterator[tuple[str, Any]]:
    """Yield names with what the decision needs: the items of a table, or the text of a number."""
    size = "SIZE", str(len(program.answers))
    match program.choice:
        case TreeForm() as tree:
            yield "NODES", node_table(tree)
            yield "ROOT", str(0 if tree.nodes else -1)
            yield size
        case ArgmaxForm(_, classes, weights):
            yield "VOTES", list(zip(classes, weights, strict=True))
            yield size
        case BandForm(_, points, lows):
            yield "POINTS", points
            yield "LOWS", lows
        case TotalsForm(_, by_class, start, slope):
            yield "POINTS", by_class
            yield "START", start
            yield "SLOPE", writer.constant(slope)
            yield size


def runtime_parts(program: ModelProgram, writer: CodeWriter) -> Iterator[str]:
    """Yield the parts that read a row, decide, and give the answer."""
    part = decision_parts(program)
    needed = {
        "reading": True,
        "moments": any(field.moment is not None for field in program.inputs),
        "rank": bool(writer.ranks),
        "shares": part in MIXED_PARTS,
        "odds": part in EXPONENTIAL_PARTS,
        part: True,
        "classes": program.is_classifier,
        "values": not program.is_classifier,
    }
    for name, is_needed in needed.items():
        if is_needed:
            yield runtime(f"{writer.name}_{name}")
