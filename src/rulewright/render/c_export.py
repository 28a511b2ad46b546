"""Models as one file of C99 that allocates nothing, or as its header."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from typing import Literal

from rulewright.data import Field
from rulewright.errors import InputError, UnrenderableError
from rulewright.render.code_writing import (
    EXPONENTIAL_PARTS,
    MIXED_PARTS,
    CodeWriter,
    comment_text,
    decision_parts,
    node_table,
    runtime,
    wrapped,
)
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import (
    ArgmaxForm,
    BandForm,
    ModelProgram,
    TotalsForm,
    TreeForm,
    UnknownForm,
    forms_in,
)

UNITS = {
    "date": "days since 1970-01-01",
    "datetime": "microseconds since 1970-01-01 on the clock",
    "instant": "microseconds since 1970-01-01 UTC",
    "duration": "microseconds",
}
PLAIN = frozenset(string.ascii_letters + string.digits + " _-+.,:;()<>=%/{}[]&|*'#@")
"""Characters that need no escape in a literal."""

NAME = re.compile("[a-z][a-z0-9_]{0,40}")


class CWriter(CodeWriter):
    """Conditions as expressions of the pointer ``row``."""

    name = "c"
    true, false = "1", "0"

    def __init__(self, program: ModelProgram, prefix: str) -> None:
        super().__init__(program)
        self.prefix = prefix
        self.members = c_members(program.inputs)

    def value(self, place: int) -> str:
        return f"row->{self.members[place]}"

    def unknown(self, place: int) -> str:
        test = "< 0" if self.program.inputs[place].kind == "boolean" else "== NULL"
        return f"(row->{self.members[place]} {test})"

    def member(self, place: int, texts: tuple[str, ...], number: int) -> str:
        value = f"row->{self.members[place]}"
        if self.program.inputs[place].kind != "boolean":
            return f"{self.prefix}_is_member({value}, {self.prefix}_set{number}, {len(texts)})"
        known = {"True": "1", "False": "0"}
        tests = [f"{value} == {known[text]}" for text in texts if text in known]
        return f"({' || '.join(tests) or '0'})"

    def absolute(self, number: str) -> str:
        return f"fabs({number})"

    def rank(self, number: str, place: int) -> str:
        size = len(self.ranks[place][0])
        tables = [f"{self.prefix}_{what}{place}" for what in ("knots", "between", "at")]
        return f"{self.prefix}_rank_of({number}, {', '.join(tables)}, {size})"

    def exponential(self, number: str) -> str:
        return f"exp({number})"


def c_members(inputs: Sequence[Field]) -> list[str]:
    """Return the names of the members of a row: numbered, with what C can hold of a name.

    Examples
    --------
    >>> c_members([Field("age", "numeric"), Field("a b; int", "text")])
    ['x1_age', 'x2_a_b_int']
    """
    bare = (re.sub("[^A-Za-z0-9]+", "_", field.name).strip("_")[:40] for field in inputs)
    return [f"x{place + 1}_{name}".rstrip("_") for place, name in enumerate(bare)]


def c_export(
    model: ExportedModel,
    *,
    prefix: str = "model",
    part: Literal["source", "header"] = "source",
    reasons: bool = True,
) -> str:
    """Write a model as one file of C99, or its header.

    Parameters
    ----------
    model : ExportedModel
    prefix : str, default="model"
        What the names of types and functions start with.
    part : {"source", "header"}, default="source"
        The source has the declarations too and needs no header.
    reasons : bool, default=True
        Whether the file holds the text of each rule.
    """
    name = prefix
    if not NAME.fullmatch(name):
        raise InputError(
            f"prefix must be small letters, digits and underscores, a letter first; got {name!r}."
        )
    if part not in ("source", "header"):
        raise InputError(f"part must be 'source' or 'header', got {part!r}.")
    program = program_of(model, reasons=reasons)
    head = [
        *program.head,
        check_line("c"),
        "Compile with: cc -std=c99 -O2 -ffp-contract=off -c FILE.c; link with -lm",
        "A fused multiply-add or -ffast-math could change answers at borders.",
    ]
    comment = "".join(f"/* {_comment(line)} */\n" for line in head)
    declared = "\n".join(_declarations(program, name))
    if part == "header":
        guard = f"{name.upper()}_H"
        start = f"{comment}\n#ifndef {guard}\n#define {guard}\n"
        return f'{start}\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{declared}\n' + (
            "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
        )
    writer = CWriter(program, name)
    body = "".join(_definitions(program, writer, name))
    return f"{comment}{runtime('c_start')}{declared}\n{body}"


def _comment(text: str) -> str:
    return comment_text(text, "*")


def _declarations(program: ModelProgram, name: str) -> Iterator[str]:
    yield "typedef struct {"
    for field, member in zip(program.inputs, c_members(program.inputs), strict=True):
        shown = field.name if len(field.name) <= 60 else f"{field.name[:60]}..."
        yield f"    {_member_type(field)}{member}; /* {_comment(shown)}: {_unit(field)} */"
    if not program.inputs:
        yield "    char unused;"
    yield f"}} {name}_row;\n"
    yield "typedef struct {"
    if program.is_classifier:
        yield f"    int class_number; /* its place in {name}_classes; -1 for no answer */"
        yield "    int rule; /* number of the rule that answers, from 1 */"
        yield "    double probability; /* of the class; NAN for no answer */"
        yield f"    double probabilities[{len(program.answers)}]; /* of every class */"
        yield "    const char *label; /* of the class */"
    else:
        yield "    double value;"
        yield "    int rule; /* number of the rule that answers, from 1 */"
    yield "    const char *reason; /* condition of the rule */"
    yield f"}} {name}_result;\n"
    if program.is_classifier:
        yield f"extern const char *const {name}_classes[{len(program.answers)}];\n"
    yield f"void {name}_predict(const {name}_row *row, {name}_result *result);"


def _member_type(field: Field) -> str:
    if field.is_numeric:
        return "double "
    return "int " if field.kind == "boolean" else "const char *"


def _unit(field: Field) -> str:
    if field.is_numeric:
        unit = f"{UNITS[field.kind]}, " if field.moment else ""
        return f"{unit}NAN if missing"
    return "1, 0, or -1 if missing" if field.kind == "boolean" else "UTF-8, NULL if missing"


def _definitions(program: ModelProgram, writer: CWriter, name: str) -> Iterator[str]:
    if program.is_classifier:
        labels = _strings(list(map(str, program.answers)))
        yield f"\nconst char *const {name}_classes[{len(program.answers)}] = {{\n{labels}\n}};\n"
        yield f"\nenum {{ {name}_class_count = {len(program.answers)} }};\n"
    yield f"enum {{ {name}_condition_count = {len(program.conditions)} }};\n"
    yield from _tables(program, writer)
    part = decision_parts(program)
    if writer.ranks:
        yield runtime("c_rank").replace("@NAME@", name)
    boolean = {place for place, field in enumerate(program.inputs) if field.kind == "boolean"}
    if any(place not in boolean for place in _tested(program)):
        yield runtime("c_member").replace("@NAME@", name)
    yield from _conditions(writer, name)
    if part == "tree" and isinstance(program.choice, TreeForm):
        part = "tree" if program.choice.is_divided else "walk"
    if part in MIXED_PARTS:
        yield runtime("c_shares").replace("@NAME@", name)
    if part in EXPONENTIAL_PARTS:
        yield runtime("c_odds").replace("@NAME@", name)
    yield runtime(f"c_{part}").replace("@NAME@", name)
    yield _predict(program, name, part)


def _tested(program: ModelProgram) -> set[int]:
    """Return the places of the categories that are compared with texts."""
    return {
        place
        for form in forms_in(program.conditions)
        if not isinstance(form, UnknownForm) and (place := getattr(form, "place", None)) is not None
        if hasattr(form, "texts")
    }


def _tables(program: ModelProgram, writer: CWriter) -> Iterator[str]:
    used = {
        number
        for number, texts in enumerate(writer.sets)
        if any(
            getattr(form, "texts", None) == texts
            and program.inputs[getattr(form, "place", 0)].kind != "boolean"
            for form in forms_in(program.conditions)
        )
    }
    for number in sorted(used):
        texts = writer.sets[number]
        yield _texts(f"{writer.prefix}_set{number}", texts)
    for number, tables in enumerate(writer.ranks):
        for what, numbers in zip(("knots", "between", "at"), tables, strict=True):
            yield _numbers(
                f"double {writer.prefix}_{what}{number}[]", [writer.constant(x) for x in numbers]
            )
    if not program.is_classifier:
        yield _numbers(
            f"double {writer.prefix}_values[]", [writer.constant(x) for x in program.answers]
        )
    else:
        yield _numbers(f"int {writer.prefix}_outputs[]", list(map(str, program.outputs)))
        rows = ["{" + ", ".join(map(writer.constant, row)) + "}" for row in program.probabilities]
        yield _numbers(f"double {writer.prefix}_probabilities[][{len(program.answers)}]", rows)
    if program.reasons:
        yield _texts(f"{writer.prefix}_reasons", program.reasons)
    match program.choice:
        case TreeForm() as tree:
            yield from _nodes(tree, writer.prefix)
        case ArgmaxForm(_, classes, weights):
            yield _numbers(f"int {writer.prefix}_vote_class[]", list(map(str, classes)) or ["0"])
            yield _numbers(
                f"double {writer.prefix}_vote_weight[]",
                list(map(writer.constant, weights)) or ["0.0"],
            )
        case BandForm(_, points, lows):
            yield f"enum {{ {writer.prefix}_low_count = {len(lows)} }};\n"
            yield _numbers(f"int {writer.prefix}_points[]", list(map(str, points)) or ["0"])
            yield _numbers(f"long {writer.prefix}_lows[]", list(map(str, lows)) or ["0"])
        case TotalsForm() as totals:
            yield from _totals(totals, len(program.answers), writer)


def _totals(choice: TotalsForm, classes: int, writer: CWriter) -> Iterator[str]:
    prefix = writer.prefix
    flat = [str(number) for points in choice.points for number in points]
    start = [*choice.start, *[0] * (classes - len(choice.start))]
    yield f"enum {{ {prefix}_scored_count = {len(choice.start)} }};\n"
    yield _numbers(f"int {prefix}_points[]", flat or ["0"])
    yield _numbers(f"int {prefix}_start[]", list(map(str, start)))
    yield f"static const double {prefix}_slope = {writer.constant(choice.slope)};\n"


def _nodes(tree: TreeForm, prefix: str) -> Iterator[str]:
    table = node_table(tree)
    starts = [0]
    for _, branches, _, _ in table:
        starts.append(starts[-1] + len(branches))
    yield f"enum {{ {prefix}_root = {0 if table else -1} }};\n"
    yield _numbers(f"int {prefix}_node_start[]", list(map(str, starts)))
    yield _numbers(f"int {prefix}_node_first[]", [str(first) for first, *_ in table] or ["0"])
    yield _numbers(
        f"int {prefix}_branches[]", [str(b) for _, some, _, _ in table for b in some] or ["0"]
    )
    if tree.is_divided:
        yield f"enum {{ {prefix}_max_waiting = {tree.max_waiting} }};\n"
        yield _numbers(f"int {prefix}_node_divided[]", [str(divided) for _, _, divided, _ in table])
        shares = [str(s) for _, some, _, given in table for s in given or [0] * len(some)]
        yield _numbers(f"int {prefix}_branch_shares[]", shares)


def _conditions(writer: CWriter, name: str) -> Iterator[str]:
    yield f"\nstatic int {name}_holds(const {name}_row *row, int number) {{\n    (void)row;\n"
    yield "    switch (number) {\n"
    for number, form in enumerate(writer.program.conditions):
        yield f"        case {number}: return {writer.condition(form)};\n"
    yield "        default: return 0;\n    }\n}\n"


def _predict(program: ModelProgram, name: str, part: str) -> str:
    reason = f"{name}_reasons[number]" if program.reasons else '""'
    text = runtime("c_classes" if program.is_classifier else "c_values")
    row = f"{name}_probabilities[number]"
    copy = f"    memcpy(result->probabilities, {row}, sizeof {row});\n"
    return (
        text.replace("@NAME@", name)
        .replace("@COPY@", "" if part in MIXED_PARTS else copy)
        .replace("@ABSTAIN@", _string(str(program.abstain_label or "")))
        .replace("@REASON@", reason)
    )


def _numbers(declared: str, items: Sequence[str]) -> str:
    return f"static const {declared} = {{\n{wrapped(items, '    ')}\n}};\n"


def _texts(name: str, texts: Sequence[str]) -> str:
    return f"static const char *const {name}[] = {{\n{_strings(texts)}\n}};\n"


def _strings(texts: Sequence[str]) -> str:
    return "\n".join(f"    {_string(text)}," for text in texts)


def _string(text: str) -> str:
    r"""Return a text in UTF-8 as a literal of C.

    Examples
    --------
    >>> print(_string('a"b'), _string("é?"))
    "a\042b" "\303\251\077"
    """
    if "\0" in text:
        raise UnrenderableError(
            "A name or value of the model holds the character NUL, which ends a text in C. Export "
            "the model to another form, or rename the value."
        )
    safe = (chr(b) if chr(b) in PLAIN else f"\\{b:03o}" for b in _utf8(text))
    return f'"{"".join(safe)}"'


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnrenderableError(
            f"A name or value of the model holds {text[error.start]!r}, which is not a character. "
            "Rename the value."
        ) from error
