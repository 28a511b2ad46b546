"""Names and texts inside SQL: quoted, never pasted."""

from __future__ import annotations


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
