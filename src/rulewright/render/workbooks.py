"""Models as a workbook: a sheet to type cases into, which formulas answer without macros.

Each form of a program has one column of the sheet Working, so that every formula is short.
Constants stand in cells, because a formula keeps 15 digits of a number. "<" and "=" of spreadsheets
round to about 15 digits, and "=" ignores case: numbers are compared by GESTEP and texts by EXACT.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Sequence
from typing import Any

from rulewright.data import Field
from rulewright.errors import InputError, UnrenderableError
from rulewright.render.code_writing import comment_text
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import (
    AndForm,
    AtLeastForm,
    BandForm,
    ComparisonForm,
    Condition,
    FirstTrueForm,
    MemberForm,
    ModelProgram,
    NotForm,
    NumberForm,
    OrForm,
    TreeForm,
    TruthForm,
    UndefinedForm,
    UnknownForm,
    ValueForm,
)

MAX_COLUMNS = 16_000
MAX_FORMULA = 8_000
MAX_ARGUMENTS = 200
MAX_TEXT = 32_000
"""Limits of spreadsheets, with some room."""
DATE_OFFSET = 25_569
"""Number of the day 1970-01-01 in a spreadsheet."""
FIRST_DATE = 61
"""Number of 1900-03-01, from which on all spreadsheets count days alike."""
MAX_POINTS = 2**40
"""Sums of whole numbers below this are not rounded."""

ESCAPED = re.compile("_x[0-9A-Fa-f]{4}_|[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
TESTS = {
    ">=": "GESTEP({x},{c})=1",
    "<": "GESTEP({x},{c})=0",
    "<=": "GESTEP(-{x},-{c})=1",
    ">": "GESTEP(-{x},-{c})=0",
    "==": "GESTEP({x},{c})+GESTEP(-{x},-{c})=2",
}
"""GESTEP is 1 where its first number is at least the second."""


def cell_text(text: str) -> str:
    """Return a text as it stands in the file of a workbook.

    Examples
    --------
    >>> cell_text("a_x0041_")
    'a_x005F_x0041_'
    """

    def escaped(found: re.Match[str]) -> str:
        letters = found[0]
        return f"_x005F{letters}" if len(letters) > 1 else f"_x{ord(letters):04X}_"

    return ESCAPED.sub(escaped, text)


def put_cell(cell: Any, value: Any) -> None:
    """Write a value into a cell: a text is never a formula, and a number keeps its 17 digits."""
    if isinstance(value, str):
        cell.value = cell_text(value)
        cell.data_type = "s"
        cell.number_format = "@"
    elif isinstance(value, float):
        cell.value = repr(float(value))  # openpyxl writes 16 digits of a number
        cell.data_type = "n"
    else:
        cell.value = value


class Working:
    """The columns of the sheet Working, as formulas with the row of a case as ``{r}``."""

    def __init__(self, fields: Sequence[Field], letter: Any) -> None:
        self.fields = fields
        self.columns: list[str] = []
        self.constants: list[Any] = []
        self.letter = letter
        self._known: dict[Any, str] = {}

    def case(self, place: int) -> str:
        """Return the cell of an input."""
        return f"Cases!${self.letter(place + 1)}{{r}}"

    def column(self, formula: str) -> str:
        """Add a column, and return its cell."""
        if len(formula) > MAX_FORMULA or len(self.columns) >= MAX_COLUMNS:
            raise UnrenderableError(
                "The model has more conditions than a workbook can hold. Train a smaller model, or "
                "export it to another form."
            )
        if formula not in self._known:
            self.columns.append(formula)
            self._known[formula] = f"Working!${self.letter(len(self.columns))}{{r}}"
        return self._known[formula]

    def constant(self, value: Any) -> str:
        """Return a cell that holds a constant."""
        self.constants.append(value)
        return f"Values!$A${len(self.constants)}"

    def condition(self, form: Condition) -> str:
        """Return the cell with the truth of a condition."""
        match form:
            case TruthForm(truth):
                return self.column("TRUE()" if truth else "FALSE()")
            case ComparisonForm(comparator, number, constant, if_undefined):
                offset = self._offset(number)
                cell = self._value(number)
                return self._comparison(comparator, cell, constant + offset, if_undefined)
            case UndefinedForm(number):
                return self.column(f"NOT(ISNUMBER({self._value(number)}))")
            case UnknownForm(place):
                return self.column(f"ISBLANK({self.case(place)})")
            case MemberForm(place, texts):
                return self._member(place, texts)
            case AndForm(parts):
                return self._joined("AND", [self.condition(part) for part in parts])
            case OrForm(parts):
                return self._joined("OR", [self.condition(part) for part in parts])
            case NotForm(part):
                return self.column(f"NOT({self.condition(part)})")
            case AtLeastForm(count, parts):
                ones = [f"IF({self.condition(part)},1,0)" for part in parts]
                return self.column(f"{'+'.join(ones)}>={count}")

    def _value(self, number: NumberForm) -> str:
        if isinstance(number, ValueForm):
            return self.case(number.place)
        raise UnrenderableError(
            "The model has a ball, half-space or weighted sum. Spreadsheets round sums near zero, "
            "so that a workbook could answer otherwise. Export the model to another form."
        )

    def _offset(self, number: NumberForm) -> int:
        """Return what a spreadsheet adds to the days since 1970."""
        is_date = isinstance(number, ValueForm) and self.fields[number.place].kind == "date"
        return DATE_OFFSET if is_date else 0

    def _comparison(self, comparator: str, cell: str, constant: float, if_undefined: bool) -> str:
        if 0 < abs(constant) < sys.float_info.min:
            raise UnrenderableError(
                f"The model compares with {constant!r}, which a spreadsheet may read as 0. Export "
                "the model to another form."
            )
        key = (comparator, cell, constant, if_undefined)
        if key not in self._known:
            test = TESTS[comparator].format(x=cell, c=self.constant(float(constant)))
            otherwise = "TRUE()" if if_undefined else "FALSE()"
            self._known[key] = self.column(f"IF(ISNUMBER({cell}),{test},{otherwise})")
        return self._known[key]

    def _member(self, place: int, texts: tuple[str, ...]) -> str:
        cell = self.case(place)
        if self.fields[place].kind == "boolean":
            text = f'EXACT(UPPER({cell}),"TRUE")'
            truth = self.column(f"IF(ISTEXT({cell}),{text},IF({cell},TRUE(),FALSE()))")
            parts = [truth] if "True" in texts else []
            parts += [f"NOT({truth})"] if "False" in texts else []
            known = self._joined("OR", parts) if parts else self.column("FALSE()")
            return self.column(f"IF(ISBLANK({cell}),FALSE(),{known})")
        if (place, texts) not in self._known:
            cells = [self.constant(self._text(text)) for text in texts]
            if not cells:
                return self.column("FALSE()")
            several = f"{cells[0]}:{cells[-1].removeprefix('Values!')}"
            test = f"SUMPRODUCT(--EXACT({cell},{several}))>0"
            self._known[place, texts] = self.column(f"IF(ISBLANK({cell}),FALSE(),{test})")
        return self._known[place, texts]

    def _text(self, text: str) -> str:
        if not text:
            raise UnrenderableError(
                "The model tests for the empty text, which is a missing value in a workbook. "
                "Export the model to another form."
            )
        if len(text) > MAX_TEXT:
            raise UnrenderableError(
                f"The category {text[:40]!r}... has {len(text)} characters, more than the "
                f"{MAX_TEXT} that a workbook can hold. Export the model to another form."
            )
        return text

    def _joined(self, function: str, cells: Sequence[str]) -> str:
        """Return the cell of a function of any number of arguments."""
        while len(cells) > MAX_ARGUMENTS:
            groups = range(0, len(cells), MAX_ARGUMENTS)
            cells = [self._joined(function, cells[i : i + MAX_ARGUMENTS]) for i in groups]
        return self.column(f"{function}({','.join(cells)})")

    def first(self, conditions: Sequence[Condition], results: Sequence[Any]) -> str:
        """Return the result of the first true condition, otherwise the last result."""
        found = str(results[-1])
        for form, result in reversed(list(zip(conditions, results, strict=False))):
            found = self.column(f"IF({self.condition(form)},{result},{found})")
        return found

    def rule(self, program: ModelProgram) -> str:
        """Return the number of the rule that answers, from 1."""
        match program.choice:
            case FirstTrueForm(conditions):
                return self.first(conditions, range(1, len(conditions) + 2))
            case TreeForm() as tree:
                return self._tree(tree)
            case BandForm(conditions, points, lows):
                return self._band(conditions, points, lows)
            case _:
                raise UnrenderableError(
                    "A vote, or a scorecard of several classes, has probabilities from an "
                    "exponential, which a spreadsheet rounds in its own way. Export the model to "
                    "another form."
                )

    def _tree(self, tree: TreeForm) -> str:
        if tree.is_divided:
            raise UnrenderableError(
                "The tree divides rows with missing values among its branches, and a spreadsheet "
                "rounds the sums of the shares in its own way. Train with missing='learn', or "
                "export the model to another form."
            )
        cells: dict[int, Any] = {}
        for number in reversed(range(len(tree.nodes))):
            node = tree.nodes[number]
            results = [~b + 1 if b < 0 else cells[b] for b in node.branches]
            cells[number] = self.first(node.tests, results)
        return str(cells.get(0, 1))

    def _band(
        self, conditions: Sequence[Condition], points: Sequence[int], lows: Sequence[int]
    ) -> str:
        if sum(map(abs, points)) > MAX_POINTS or any(abs(low) > MAX_POINTS for low in lows):
            raise UnrenderableError(
                f"The points of the scorecard are above {MAX_POINTS}, where spreadsheets round "
                "sums. Export the model to another form."
            )
        total, band = "0", "1"
        for form, value in zip(conditions, points, strict=True):
            total = self.column(f"{total}+IF({self.condition(form)},{value},0)")
        for low in lows:
            band = self.column(f"{band}+IF({total}>={low},1,0)")
        return band


def excel_export(model: ExportedModel, *, reasons: bool = True, cases: int = 20) -> bytes:
    """Write a model as a workbook of Excel or LibreOffice.

    Parameters
    ----------
    model : ExportedModel
    reasons : bool, default=True
        Whether the workbook holds the text of each rule.
    cases : int, default=20
        Number of rows of the sheet Cases.
    """
    return _deterministic(model_workbook(model, reasons=reasons, cases=cases))


def model_workbook(model: ExportedModel, *, reasons: bool = True, cases: int = 20) -> Any:
    """Return the workbook of a model as an object of openpyxl."""
    try:
        from openpyxl import Workbook  # noqa: PLC0415
        from openpyxl.utils import get_column_letter  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "The form 'excel' needs openpyxl. Install it with: pip install rulewright[excel]"
        ) from error
    program = program_of(model, reasons=reasons)
    _refuse_moments(program.inputs)
    working = Working(program.inputs, get_column_letter)
    rule = working.rule(program)
    book = Workbook()
    book.active.title = "Cases"
    _write_rules(book.create_sheet("Rules"), program)
    _write_column(book.create_sheet("Values"), working.constants)
    head = [*program.head, check_line("excel"), *NOTES]
    _write_column(book.create_sheet("About"), [comment_text(line) for line in head])
    _write_cases(book["Cases"], book.create_sheet("Working"), program, working, rule, cases)
    book.properties.title = comment_text(program.head[0])
    return book


NOTES = (
    "Type each case into a row of the sheet Cases. An empty cell is a missing value.",
    "Dates are typed as dates, from 1900-03-01 on.",
    "A spreadsheet keeps 15 digits of a number that is typed.",
    "Categories are compared letter by letter, and numbers exactly.",
)


def _refuse_moments(fields: Sequence[Field]) -> None:
    for field in fields:
        if field.moment not in (None, "date"):
            raise UnrenderableError(
                f"Column {field.name!r:.80} holds times or durations, which a spreadsheet counts "
                "in fractions of days. Export the model to another form."
            )


def _write_column(sheet: Any, values: Sequence[Any]) -> None:
    for number, value in enumerate(values, 1):
        put_cell(sheet.cell(number, 1), value)


def _write_rules(sheet: Any, program: ModelProgram) -> None:
    answer = "class" if program.is_classifier else "value"
    shares = [f"probability of {label}" for label in program.answers if program.is_classifier]
    heads = ["rule", answer, "condition", *shares]
    for place, head in enumerate(heads, 1):
        put_cell(sheet.cell(1, place), _shown(head))
    for number, output in enumerate(program.outputs):
        label = program.abstain_label if output < 0 else program.answers[output]
        reason = program.reasons[number] if program.reasons else ""
        row = [number + 1, label, _shown(reason)]
        row += program.probabilities[number] if program.is_classifier else ()
        for place, value in enumerate(row, 1):
            put_cell(sheet.cell(number + 2, place), value)
    sheet.freeze_panes = "A2"


def _shown(text: str) -> str:
    """Return a text for readers only."""
    safe = comment_text(text)
    return safe if len(safe) <= MAX_TEXT else f"{safe[:MAX_TEXT]}..."


def _write_cases(
    sheet: Any, work: Any, program: ModelProgram, working: Working, rule: str, cases: int
) -> None:
    errors = _errors(program.inputs, working)
    results = _results(program, working, rule, errors)
    names = [field.name for field in program.inputs]
    for place, head in enumerate([*names, *(head for head, _ in results)], 1):
        put_cell(sheet.cell(1, place), _shown(head))
    for row in range(2, cases + 2):
        for place, formula in enumerate(working.columns, 1):
            work.cell(row, place).value = f"={formula.format(r=row)}"
        for place, field in enumerate(program.inputs, 1):
            sheet.cell(row, place).number_format = _cell_format(field)
        for place, (_, formula) in enumerate(results, len(names) + 1):
            sheet.cell(row, place).value = f"={formula.format(r=row)}"
    sheet.freeze_panes = "A2"


def _cell_format(field: Field) -> str:
    if field.kind == "date":
        return "yyyy-mm-dd"
    return "General" if field.is_numeric else "@"


def _errors(fields: Sequence[Field], working: Working) -> str:
    """Return the number of cells of a case that should hold a number or date and do not."""
    errors = "0"
    for place, field in enumerate(fields):
        if field.is_numeric:
            cell = working.case(place)
            wrong = "0"
            if field.kind == "date":  # a whole number of days
                wrong = f"IF(GESTEP(INT({cell}),{cell})*GESTEP({cell},{FIRST_DATE})=1,0,1)"
            found = f"IF(ISNUMBER({cell}),{wrong},IF(ISBLANK({cell}),0,1))"
            errors = working.column(f"{errors}+{found}")
    return errors


def _results(
    program: ModelProgram, working: Working, rule: str, errors: str
) -> list[tuple[str, str]]:
    """Return the head and the formula of each result: what stands in the row of the rule."""
    shares = [f"probability of {label}" for label in program.answers if program.is_classifier]
    message = '"Type numbers and dates only, or leave cells empty"'
    found = []
    for place, head in enumerate(["answer", "condition", *shares], 2):
        letter, last = working.letter(place), len(program.outputs) + 1
        otherwise = message if place == 2 else '""'
        cells = f"INDEX(Rules!${letter}$2:${letter}${last},{rule})"
        found.append((head, f"IF({errors}>0,{otherwise},{cells})"))
    found.insert(1, ("rule", f'IF({errors}>0,"",{rule})'))
    return found


def _deterministic(book: Any) -> bytes:
    """Return the file of a workbook without the time at which it was made."""
    made, fixed = io.BytesIO(), io.BytesIO()
    book.save(made)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(fixed, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = re.sub(
                    rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>", b"", content
                )
            entry = zipfile.ZipInfo(name)
            target.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return fixed.getvalue()
