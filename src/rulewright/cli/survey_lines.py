"""A first look at a table as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rulewright.data import ColumnSummary, Survey
from rulewright.render import count_text, name_text

KINDS = {
    "numeric": "numbers",
    "text": "categories",
    "boolean": "true or false",
    "code": "categories",
    "date": "dates",
    "datetime": "datetimes",
    "instant": "datetimes",
    "duration": "durations",
}
"""Kinds of columns in words."""
MAX_CHARACTERS = 60
"""Maximum length of the values of a column in a line."""


def survey_lines(found: Survey, target: str | None) -> list[str]:
    """Return a first look as lines of text: a table of the columns, and the classes."""
    rows = [("column", "read as", "missing", "values", "")]
    rows += [_cells(column, found.rows) for column in found.columns]
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    columns = count_text(len(found.columns), "column")
    lines = [f"{count_text(found.rows, 'row')}, {columns}", ""]
    for name, kind, missing, values, rest in rows:
        text = (
            f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {missing:>{widths[2]}}  "
            f"{values:>{widths[3]}}  {rest}"
        )
        lines.append(text.rstrip())
    if target is None:
        return [*lines, "", "Name the column of the class with --target to see more."]
    shares = (
        f"{name_text(str(label))} {count:,} ({_percent(count, found.rows)})"
        for label, count in found.classes
    )
    return [*lines, "", f"class {name_text(target)}: {', '.join(shares)}"]


def survey_json(found: Survey, target: str | None) -> dict[str, Any]:
    """Return a first look as JSON values."""
    return {
        "rows": found.rows,
        "columns": [_column_json(column) for column in found.columns],
        "target": target,
        "classes": {str(label): count for label, count in found.classes},
        "cautions": list(found.cautions),
    }


def _column_json(column: ColumnSummary) -> dict[str, Any]:
    facts = asdict(column)
    facts["categories"] = [{"value": value, "rows": rows} for value, rows in column.categories]
    facts["read_as"] = KINDS[column.kind]
    return {**facts, "remarks": list(column.remarks), "left_out": column.left_out or None}


def _cells(column: ColumnSummary, rows: int) -> tuple[str, str, str, str, str]:
    missing = _percent(column.missing, rows) if column.missing else "-"
    values = f"{column.distinct:,}"
    return name_text(column.name), KINDS[column.kind], missing, values, _content(column)


def _content(column: ColumnSummary) -> str:
    """What a column holds, and what looks wrong with it."""
    marks = ["left out as a key"] if column.left_out else ["look at it"] if column.remarks else []
    if column.distinct == 1:
        marks = ["one value in all rows"]
    return "; ".join([*([_values(column)] if column.distinct else []), *marks])


def _values(column: ColumnSummary) -> str:
    if column.low is not None:
        ends = (column.low, column.middle, column.high)
        return " .. ".join(f"{v:.6g}" if isinstance(v, float) else str(v) for v in ends)
    shown = ", ".join(f"{name_text(value)} {rows:,}" for value, rows in column.categories)
    if len(shown) > MAX_CHARACTERS:
        return f"{shown[: MAX_CHARACTERS - 3]}..."
    return f"{shown}, ..." if column.distinct > len(column.categories) else shown


def _percent(part: int, whole: int) -> str:
    share = 100 * part / whole
    return f"{share:.1f} %" if share >= 0.1 or not part else "< 0.1 %"
