"""Pages of results: text, tables and figures, written for a terminal or as a file."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import jinja2
from markupsafe import Markup

from rulewright.render import (
    console_text,
    page_environment,
    table_text,
)

MAX_COLUMNS = 8
"""Maximum number of columns with wide margins."""
MAX_SHORT = 30
"""Maximum length of names of rows that are not broken into lines."""
CellValue = str | int | float | None
MARKDOWN_MARK = "<!-- Written by rulewright. -->"
"""First line of a Markdown file of results."""


@dataclass(frozen=True)
class ResultColumn:
    """A column of a table of results.

    Attributes
    ----------
    name : str
    digits : int, optional
        Digits after the decimal point; by default one to three, by the size of the numbers.
    percent : bool
        Whether numbers are shares, written as percentages.
    least : float
        Smaller numbers are written as below it.
    """

    name: str
    digits: int | None = None
    percent: bool = False
    least: float | None = None


@dataclass(frozen=True)
class Paragraph:
    """A text of one paragraph, with or without a title above it."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Listing:
    """Some statements as a list, or commands as they are typed, with a title above them."""

    title: str
    lines: Sequence[str]
    is_code: bool = False


@dataclass(frozen=True)
class Figure:
    """A chart as SVG, with a title and a note; what is not from ``render.charts`` is trusted."""

    title: str
    svg: str
    note: str = ""


@dataclass(frozen=True)
class ResultTable:
    """A table of results; the first column names the rows.

    Attributes
    ----------
    title : str
    columns : sequence of str or ResultColumn
    rows : sequence of rows of str, int, float or None
    note : str
        A text below the table.
    emphasis : collection of (row, column)
        Cells to highlight, by their positions.
    """

    title: str
    columns: Sequence[str | ResultColumn]
    rows: Sequence[Sequence[CellValue]]
    note: str = ""
    emphasis: Collection[tuple[int, int]] = frozenset()

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self._columns]

    @property
    def _columns(self) -> list[ResultColumn]:
        return [ResultColumn(c) if isinstance(c, str) else c for c in self.columns]

    def is_text(self, place: int) -> bool:
        """Whether a column holds texts, which are written flush left."""
        return any(isinstance(row[place], str) for row in self.rows)

    @property
    def is_dense(self) -> bool:
        """Whether the table has many columns."""
        return len(self.columns) > MAX_COLUMNS

    @property
    def has_short_names(self) -> bool:
        """Whether the names of the rows are short enough to stay on one line."""
        return all(len(str(row[0])) <= MAX_SHORT for row in self.rows)

    def texts(self) -> list[list[str]]:
        """The cells as text, formatted column by column."""
        columns = [
            _formatted(column, [row[place] for row in self.rows])
            for place, column in enumerate(self._columns)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def is_emphasised(self, row: int, column: int) -> bool:
        """Whether a cell is highlighted."""
        return (row, column) in self.emphasis


def _formatted(column: ResultColumn, values: Sequence[CellValue]) -> list[str]:
    factor = 100 if column.percent else 1
    numbers = [abs(v) * factor for v in values if isinstance(v, float)]
    digits = column.digits
    if digits is None:
        largest = max(numbers, default=0.0)
        digits = 1 if largest >= 10 or column.percent else 2 if largest >= 1 else 3

    def text(value: CellValue) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not column.percent:
            return f"{value:,}"
        if column.least is not None and value < column.least:
            return f"<{column.least:g}"
        return f"{factor * value:z,.{digits}f}" + (" %" if column.percent else "")

    return [text(value) for value in values]


Section = Paragraph | Listing | ResultTable | Figure


@dataclass(frozen=True)
class ResultPage:
    """A page of results.

    Examples
    --------
    >>> table = ResultTable("Errors", ["learner", "error"], [["tree", 0.25], ["list", 0.5]])
    >>> page = ResultPage("Two learners", [Paragraph("On one table."), table])
    >>> print(page.text())
    Two learners
    ============
    <BLANKLINE>
    On one table.
    <BLANKLINE>
    Errors
    learner  error
    tree     0.250
    list     0.500
    <BLANKLINE>
    """

    title: str
    sections: Sequence[Section]

    @property
    def tables(self) -> list[ResultTable]:
        """The tables of the page."""
        return [section for section in self.sections if isinstance(section, ResultTable)]

    def text(self, width: int = 100) -> str:
        """The page for a terminal; wide tables are continued below with their first column."""
        title = console_text(self.title)
        blocks = [f"{title}\n{'=' * len(title)}"]
        blocks += [_section_text(section, width) for section in self.sections]
        return "\n\n".join(blocks) + "\n"

    def markdown(self) -> str:
        """The page as Markdown; figures are named, not drawn."""
        blocks = [MARKDOWN_MARK, f"# {_markdown(self.title)}"]
        blocks += [_section_markdown(section) for section in self.sections]
        return "\n\n".join(blocks) + "\n"

    def csv(self) -> str:
        """The tables as CSV with unrounded numbers.

        Several tables are separated by an empty line, and each has its title in a line before it.
        """
        return "\n".join(_table_csv(table, titled=len(self.tables) > 1) for table in self.tables)

    def html(self) -> str:
        """The page as one HTML file without references to others."""
        return _template().render(
            title=self.title, sections=[(type(one).__name__, one) for one in self.sections]
        )


def _section_text(section: Section, width: int) -> str:
    if isinstance(section, Paragraph):
        title = f"{console_text(section.title)}\n" if section.title else ""
        return title + _wrapped(section.text, width)
    if isinstance(section, Listing):
        return f"{console_text(section.title)}\n{_listing_text(section, width)}"
    note = f"\n{_wrapped(section.note, width)}" if section.note else ""
    title = console_text(section.title)
    if isinstance(section, Figure):
        return f"[Figure: {title}; the HTML page shows it.]{note}"
    return f"{title}\n{_table_blocks(section, width)}{note}"


def _listing_text(listing: Listing, width: int) -> str:
    if listing.is_code:
        return "\n".join(f"    {console_text(line)}" for line in listing.lines)
    items = [_wrapped(line, width - 2).replace("\n", "\n  ") for line in listing.lines]
    return "\n".join(f"- {item}" for item in items)


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(console_text(text), width, break_long_words=False, break_on_hyphens=False)


def _table_blocks(table: ResultTable, width: int) -> str:
    """The table, its columns in as many blocks as the width needs."""
    cells = [
        [f"{text}*" if table.is_emphasised(r, c) else text for c, text in enumerate(row)]
        for r, row in enumerate(table.texts())
    ]
    for place, name in enumerate(table.names):
        if table.is_text(place):  # flush left: blanks up to the widest cell
            widest = max([len(name), *(len(row[place]) for row in cells)])
            for row in cells:
                row[place] = row[place].ljust(widest)
    blocks: list[list[int]] = [[0]]
    for place in range(1, len(table.names)):
        if len(blocks[-1]) > 1 and _table_width(table, cells, [*blocks[-1], place]) > width:
            blocks.append([0])
        blocks[-1].append(place)
    return "\n\n".join(_block_text(table, cells, block) for block in blocks)


def _table_width(table: ResultTable, cells: list[list[str]], places: Sequence[int]) -> int:
    lines = _block_text(table, cells, places).split("\n")
    return max(map(len, lines))


def _block_text(table: ResultTable, cells: list[list[str]], places: Sequence[int]) -> str:
    head = []
    for place in places:
        name = table.names[place]
        widest = max([len(name), *(len(row[place]) for row in cells)])
        head.append(name.ljust(widest) if table.is_text(place) else name)
    return table_text(head, [[row[place] for place in places] for row in cells])


def _section_markdown(section: Section) -> str:
    if isinstance(section, Paragraph):
        title = f"## {_markdown(section.title)}\n\n" if section.title else ""
        return title + _markdown(section.text)
    if isinstance(section, Listing):
        return f"## {_markdown(section.title)}\n\n{_listing_markdown(section)}"
    note = f"\n\n{_markdown(section.note)}" if section.note else ""
    title = _markdown(section.title)
    if isinstance(section, Figure):
        return f"*Figure: {title}*{note}"
    lines = [section.names, ["---" if section.is_text(i) else "---:" for i in _places(section)]]
    lines += [
        [f"**{text}**" if section.is_emphasised(r, c) else text for c, text in enumerate(row)]
        for r, row in enumerate([list(map(_markdown, row)) for row in section.texts()])
    ]
    lines[0] = list(map(_markdown, section.names))
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {title}\n\n{table}{note}"


def _listing_markdown(listing: Listing) -> str:
    if listing.is_code:  # nothing is markup in an indented line
        return "\n".join(f"    {console_text(line)}" for line in listing.lines)
    return "\n".join(f"- {_markdown(line)}" for line in listing.lines)


def _places(table: ResultTable) -> range:
    return range(len(table.columns))


def _markdown(text: str) -> str:
    """A text on one line, in which nothing is markup."""
    line = console_text(" ".join(text.split()))
    for letter in "\\`*_[]|":
        line = line.replace(letter, f"\\{letter}")
    return escape(line, quote=False)


def _table_csv(table: ResultTable, *, titled: bool) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if titled:
        writer.writerow([table.title])
    writer.writerow(table.names)
    writer.writerows(table.rows)
    return file.getvalue()


@cache
def _template() -> jinja2.Template:
    environment = page_environment("rulewright.experiments")
    environment.filters["drawn"] = Markup
    return environment.get_template("page.html.jinja")
