"""Names, texts and paths inside SQL: quoted, never pasted."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rulewright.errors import FileError

PATTERN_LETTERS = re.compile(r"[\[*?]")


def identifier(name: str) -> str:
    """Quote a name.

    Examples
    --------
    >>> identifier("first name")
    '"first name"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text.

    Examples
    --------
    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def absolute(path: Path) -> str:
    """Path that DuckDB takes for a local file: no prefix such as ``http:`` or ``~`` leads it."""
    return os.path.abspath(path)


def file_pattern(path: Path) -> str:
    """Pattern that matches one local file only; DuckDB reads every path as a pattern.

    Examples
    --------
    >>> print(file_pattern(Path("/data/d[1]*.csv")))
    /data/d[[]1][*].csv
    """
    name = absolute(path)
    if PATTERN_LETTERS.search(name):
        refuse_backslash(path)
    return PATTERN_LETTERS.sub(r"[\g<0>]", name)


def refuse_backslash(path: Path) -> None:
    """Refuse a backslash in a name, which DuckDB may take for the end of a folder's name."""
    if os.sep == "/" and "\\" in absolute(path):
        raise FileError(
            f"Cannot read {str(path)!r}: its path has a backslash that could be taken for the end "
            "of a folder's name. Rename the file or its folder."
        )
