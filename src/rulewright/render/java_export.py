"""Models as one class of Java 8 without dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.errors import InputError, UnrenderableError
from rulewright.render.code_writing import (
    EXPONENTIAL_PARTS,
    MIXED_PARTS,
    CodeWriter,
    comment_text,
    decision_parts,
    node_table,
    runtime,
)
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import ArgmaxForm, BandForm, ModelProgram, TotalsForm, TreeForm

NAME = re.compile("[A-Z][A-Za-z0-9]{0,60}")
CHUNK = 400
"""Maximum number of texts or conditions in one nested class: a class file is limited."""

MAX_LITERAL = 20_000
"""Maximum number of characters in one literal: it has at most 65,535 bytes."""

MOMENT_IMPORTS = (
    *("java.time." + name for name in ("DateTimeException", "Duration", "Instant", "LocalDate")),
    *("java.time." + name for name in ("LocalDateTime", "OffsetDateTime", "ZoneOffset")),
    "java.time.ZonedDateTime",
    "java.util.regex.Matcher",
    "java.util.regex.Pattern",
)
IMPORTS = (
    *("java.math." + name for name in ("BigDecimal", "BigInteger", "MathContext", "RoundingMode")),
    *("java.util." + name for name in ("Arrays", "HashSet", "Locale", "Map", "Set")),
)


class JavaWriter(CodeWriter):
    """Conditions as expressions of the numbers ``x`` and the texts ``s``."""

    name = "java"

    def value(self, place: int) -> str:
        return f"x[{place}]"

    def unknown(self, place: int) -> str:
        return f"(s[{place}] == null)"

    def member(self, place: int, texts: tuple[str, ...], number: int) -> str:
        return f"SETS[{number}].contains(s[{place}])"

    def absolute(self, number: str) -> str:
        return f"Math.abs({number})"

    def rank(self, number: str, place: int) -> str:
        return f"rank({number}, KNOTS[{place}], BETWEEN[{place}], AT[{place}])"

    def counted(self, condition: str) -> str:
        return f"({condition} ? 1 : 0)"


def java_export(
    model: ExportedModel, *, class_name: str = "Model", package: str = "", reasons: bool = True
) -> str:
    """Write a model as one class of Java 8.

    Parameters
    ----------
    model : ExportedModel
    class_name : str, default="Model"
        Name of the class, which is also that of its file.
    package : str, default=""
        Package of the class; without it, the class has none.
    reasons : bool, default=True
        Whether the class holds the text of each rule.
    """
    if not NAME.fullmatch(class_name):
        raise InputError(
            f"class_name must be letters and digits, a capital first; got {class_name!r}."
        )
    if package and not re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*", package):
        raise InputError(f"package must be names of small letters and dots; got {package!r}.")
    program = program_of(model, reasons=reasons)
    return "".join(_parts(program, JavaWriter(program), class_name, package))


def _parts(program: ModelProgram, writer: JavaWriter, name: str, package: str) -> Iterator[str]:
    use = f"Use: {name}.Result found = {name}.predict(row), with a Map of columns by name"
    for line in [*program.head, check_line("java"), use]:
        yield f"// {_ascii(comment_text(line))}\n"
    yield f"\npackage {package};\n" if package else ""
    moments = any(field.moment is not None for field in program.inputs)
    imports = sorted([*IMPORTS, *(MOMENT_IMPORTS if moments else ())])
    yield "\n" + "".join(f"import {each};\n" for each in imports)
    yield f"\npublic final strictfp class {name} {{\n    private {name}() {{}}\n\n"
    texts = _Texts()
    yield from _tables(program, writer, texts)
    yield runtime("java_tables")
    yield runtime("java_reading")
    yield runtime("java_moments" if moments else "java_no_moments")
    if writer.ranks:
        yield runtime("java_rank")
    part = decision_parts(program)
    if isinstance(program.choice, TreeForm) and not program.choice.is_divided:
        part = "walk"
    if part in MIXED_PARTS:
        yield runtime("java_shares")
    if part in EXPONENTIAL_PARTS:
        yield runtime("java_odds")
    yield runtime(f"java_{part}")
    size = len(program.answers)
    copy = f"        System.arraycopy(PROBABILITIES, number * {size}, shares, 0, {size});\n"
    ending = runtime("java_classes" if program.is_classifier else "java_values")
    yield ending.replace("@SIZE@", str(size)).replace("@COPY@", "" if part in MIXED_PARTS else copy)
    yield from _conditions(program, writer)
    yield from texts.classes()
    yield "}\n"


class _Texts:
    """Lists of texts in nested classes, because one class cannot hold a great many."""

    def __init__(self) -> None:
        self._classes: list[str] = []

    def array(self, texts: Sequence[str]) -> str:
        """Return the expression of an array of texts."""
        parts = []
        for first in range(0, len(texts), CHUNK):
            lines = "".join(f"            {_string(t)},\n" for t in texts[first : first + CHUNK])
            name = f"Texts{len(self._classes)}"
            self._classes.append(
                f"\n    private static final class {name} {{\n"
                f"        static final String[] ALL = {{\n{lines}        }};\n    }}\n"
            )
            parts.append(f"{name}.ALL")
        return f"joined({', '.join(parts)})"

    def classes(self) -> list[str]:
        """Return the nested classes."""
        return self._classes


def _tables(program: ModelProgram, writer: JavaWriter, texts: _Texts) -> Iterator[str]:
    def field(kind: str, name: str, value: str) -> str:
        return f"    private static final {kind} {name} = {value};\n"

    yield field("String[]", "COLUMNS", texts.array([each.name for each in program.inputs]))
    yield field("String[]", "KINDS", texts.array([each.kind for each in program.inputs]))
    yield field("int", "CONDITION_COUNT", str(len(program.conditions)))
    yield field("String[]", "REASONS", texts.array(program.reasons))
    if program.is_classifier:
        labels = ", ".join(map(_label, program.labels))
        yield field("Object[]", "LABELS", f"{{{labels}}}")
        yield field("int[]", "OUTPUTS", _numbers("integers", program.outputs))
        flat = [x for row in program.probabilities for x in row]
        yield field("double[]", "PROBABILITIES", _numbers("doubles", flat))
    else:
        yield field("double[]", "VALUES", _numbers("doubles", program.answers))
    if writer.sets:
        sets = ", ".join(
            f"new HashSet<>(Arrays.asList({texts.array(each)}))" for each in writer.sets
        )
        yield '    @SuppressWarnings({"unchecked", "rawtypes"})\n'
        yield field("Set<String>[]", "SETS", f"new Set[] {{{sets}}}")
    for place, name in enumerate(("KNOTS", "BETWEEN", "AT") if writer.ranks else ()):
        rows = ", ".join(_numbers("doubles", rank[place]) for rank in writer.ranks)
        yield field("double[][]", name, f"{{{rows}}}")
    match program.choice:
        case TreeForm() as tree:
            for name, items in _nodes(tree).items():
                yield field("int[]", name, _numbers("integers", items))
            yield field("int", "ROOT", "0" if tree.nodes else "-1")
            yield field("int", "MAX_WAITING", str(tree.max_waiting))
        case ArgmaxForm(_, classes, weights):
            yield field("int[]", "VOTE_CLASS", _numbers("integers", classes))
            yield field("double[]", "VOTE_WEIGHT", _numbers("doubles", weights))
        case BandForm(_, points, lows):
            yield field("int[]", "POINTS", _numbers("integers", points))
            yield field("int[]", "LOWS", _numbers("integers", lows))
        case TotalsForm(_, by_class, start, slope):
            every = [number for points in by_class for number in points]
            yield field("int[]", "POINTS", _numbers("integers", every))
            yield field("int[]", "START", _numbers("integers", start))
            yield field("double", "SLOPE", writer.constant(slope))


def _nodes(tree: TreeForm) -> dict[str, list[int]]:
    table = node_table(tree)
    starts = [0]
    for _, branches, _, _ in table:
        starts.append(starts[-1] + len(branches))
    return {
        "NODE_START": starts,
        "NODE_FIRST": [first for first, *_ in table],
        "NODE_DIVIDED": [divided for _, _, divided, _ in table],
        "BRANCHES": [branch for _, some, _, _ in table for branch in some],
        "SHARES": [s for _, some, _, given in table for s in given or [0] * len(some)],
    }


def _numbers(function: str, items: Sequence[Any]) -> str:
    """Return a table of numbers, written in texts."""
    texts: list[str] = []
    for first in range(0, len(items), 1000):
        texts.append(" ".join(repr(item) for item in items[first : first + 1000]))
    return f"{function}({', '.join(map(_string, texts))})"


def _conditions(program: ModelProgram, writer: JavaWriter) -> Iterator[str]:
    forms = program.conditions
    chunks = range(0, len(forms), CHUNK)
    yield "\n    private static boolean holds(double[] x, String[] s, int number) {\n"
    yield f"        switch (number / {CHUNK}) {{\n"
    for place, _ in enumerate(chunks):
        yield f"            case {place}: return Conditions{place}.holds(x, s, number);\n"
    yield "            default: return false;\n        }\n    }\n"
    for place, first in enumerate(chunks):
        some = list(enumerate(forms))[first : first + CHUNK]
        yield f"\n    private static final strictfp class Conditions{place} {{\n"
        yield "        static boolean holds(double[] x, String[] s, int number) {\n"
        yield "            switch (number) {\n"
        for number, _ in some:
            yield f"                case {number}: return c{number}(x, s);\n"
        yield "                default: return false;\n            }\n        }\n"
        for number, form in some:
            yield f"\n        private static boolean c{number}(double[] x, String[] s) {{\n"
            yield f"            return {writer.condition(form)};\n        }}\n"
        yield "    }\n"


def _label(label: Any) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, str):
        return _string(label)
    if isinstance(label, int) and not -(2**63) <= label < 2**63:
        raise UnrenderableError(
            f"The class {label} is outside of the range of long in Java. Train with labels that "
            "are text."
        )
    return f"{label}L" if isinstance(label, int) else repr(label)


def _ascii(text: str) -> str:
    return "".join(c if ord(c) < 128 else f"<U+{ord(c):04X}>" for c in text)


def _string(text: str) -> str:
    r"""Return a text as an expression of Java in ASCII.

    Examples
    --------
    >>> print(_string('a"b'), _string("\u00e9\n"))
    "a\"b" "\u00e9\012"
    """
    pieces = [text[i : i + MAX_LITERAL] for i in range(0, len(text), MAX_LITERAL)] or [""]
    if len(pieces) == 1:
        return f'"{_escaped(text)}"'
    appended = "".join(f'.append("{_escaped(piece)}")' for piece in pieces)
    return f"new StringBuilder(){appended}.toString()"


def _escaped(text: str) -> str:
    def escaped(letter: str) -> str:
        if letter in '"\\':
            return f"\\{letter}"
        if " " <= letter <= "~":
            return letter
        if letter < "\x80":  # a Unicode escape would be read as the character itself
            return f"\\{ord(letter):03o}"
        units = letter.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))

    return "".join(map(escaped, text))
