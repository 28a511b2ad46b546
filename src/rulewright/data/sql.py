"""Quoting of names, texts and paths in SQL."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rulewright.errors import FileError

WILDCARDS = re.compile(r"[\[*?]")


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
    """Absolute path, so that DuckDB sees a local file and no prefix such as ``http:`` or ``~``."""
    return os.path.abspath(path)


def file_pattern(path: Path) -> str:
    """Pattern that matches exactly one local file; DuckDB reads every path as a pattern.

    Examples
    --------
    >>> print(file_pattern(Path("/data/d[1]*.csv")))
    /data/d[[]1][*].csv
    """
    name = absolute(path)
    if WILDCARDS.search(name):
        refuse_backslash(path)
    return WILDCARDS.sub(r"[\g<0>]", name)


def refuse_backslash(path: Path) -> None:
    """Refuse a backslash in a path, which DuckDB may read as a separator."""
    if os.sep == "/" and "\\" in absolute(path):
        raise FileError(
            f"Cannot read {str(path)!r}: its path has a backslash, which may be read as a "
            "separator. Rename the file or its folder."
        )
