"""The script of a model for an interactive page: its export, and what decides an edited model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.errors import UnrenderableError
from rulewright.render.code_writing import EXPONENTIAL_PARTS, MIXED_PARTS, runtime
from rulewright.render.export_programs import ExportedModel, program_of
from rulewright.render.javascript_export import (
    JavascriptWriter,
    condition_tables,
    javascript_export,
)
from rulewright.render.lowering import Inputs, lowered_condition
from rulewright.render.programs import FirstTrueForm, ModelProgram
from rulewright.rules import (
    Arrangement,
    ClassScorecard,
    Conjunction,
    Disjunction,
    Predicate,
    RuleList,
    RuleVote,
    Scorecard,
    Tree,
)

PARTS: dict[type[Arrangement], str] = {
    Conjunction: "first",
    Disjunction: "first",
    RuleList: "first",
    RuleVote: "vote",
    Tree: "tree",
    Scorecard: "bands",
    ClassScorecard: "totals",
}
"""The part of the runtime that decides each kind of arrangement."""

TABLES = (
    *("CONDITIONS", "OUTPUTS", "PROBABILITIES", "NODES", "ROOT", "SIZE"),
    *("VOTES", "POINTS", "LOWS", "START", "SLOPE"),
)
"""What the decisions read."""


def page_model_script(model: ExportedModel, tests: Sequence[Predicate]) -> tuple[str, str]:
    """Return the script of a model, and why the model cannot be exported ("" where it can).

    The script defines ``exported``, which has the functions of the JavaScript export and the truth
    of each test (null where the model cannot be exported), and ``deciderOf``, which makes the
    function that decides from the tables of an edited model. Both are the text of the export.

    Parameters
    ----------
    model : ExportedModel
    tests : sequence of Predicate
        Single tests of the model.
    """
    try:
        program = program_of(model)
        module = javascript_export(model)
        truths = "".join(_truths(program, tests))
    except UnrenderableError as error:
        return f"const exported = null;\n{_decider(model.body)}", str(error)
    inner = re.sub(r"(?m)^export ", "", module)
    names = "COLUMNS, CLASSES, CONDITIONS, OUTPUTS, REASONS, decide, predict, read"
    return (
        f"const exported = (() => {{\n{inner}\nreturn {{ {names}, TRUTHS: {truths} }};\n}})();\n"
        f"{_decider(model.body)}",
        "",
    )


def _truths(program: ModelProgram, tests: Sequence[Predicate]) -> Iterator[str]:
    """Yield the conditions of single tests, with tables of their own."""
    inputs = Inputs({field.name: field for field in program.inputs})
    forms = tuple(lowered_condition(test, inputs) for test in tests)
    single = replace(program, choice=FirstTrueForm(forms))
    writer = JavascriptWriter(single)
    yield "(() => {\n" + "\n".join(condition_tables(single, writer)) + "\n"
    if writer.ranks:
        yield runtime("javascript_rank")
    yield "return CONDITIONS;\n})()"


def _decider(body: Arrangement) -> str:
    part = PARTS.get(type(body))
    if part is None:
        return "const deciderOf = null;\n"
    parts = [part]
    if part in MIXED_PARTS:
        parts.append("shares")
    if part in EXPONENTIAL_PARTS:
        parts.append("odds")
    text = "".join(runtime(f"javascript_{name}") for name in parts)
    return f"const deciderOf = ({{ {', '.join(TABLES)} }}) => {{\n{text}\nreturn decide;\n}};\n"
