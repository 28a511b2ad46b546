"""Tables of texts for people: aligned plain text, and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rulewright.render.formatting import console_text


def table_text(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    r"""Return an aligned table; the first ``left`` columns are flush left, the others right.

    Control characters and line breaks in cells are escaped.

    Examples
    --------
    >>> print(table_text(["group", "rows"], [["Bern", "12"], ["Chur", "105"]]))
    group  rows
    Bern     12
    Chur    105
    """
    lines = [[_one_line(cell) for cell in line] for line in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def table_html(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as HTML; all texts are escaped.

    Examples
    --------
    >>> table_html("Groups", ["group"], [["<b>"]])[-62:]
    '<tbody><tr><th scope="row">&lt;b&gt;</th></tr></tbody></table>'
    """
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{_html_cells(row)}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _html_cells(row: Sequence[str]) -> str:
    first, *others = map(escape, row)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others)


def _one_line(cell: str) -> str:
    return console_text(cell).replace("\n", "\\n")
