"""Errors of the library.

Every message says what is required, what was found, and how to correct it. Each error is also a
builtin exception, so ``except ValueError`` works. May import: nothing.
"""

__all__ = [
    "CertificateError",
    "EngineError",
    "FileError",
    "InputError",
    "ModelFileError",
    "RulewrightError",
    "UnrenderableError",
    "preview",
    "suggestion",
]

from collections.abc import Iterable
from difflib import get_close_matches


class RulewrightError(Exception):
    """Base class of all errors of this library."""


class InputError(RulewrightError, ValueError):
    """Data or parameters that are not valid."""


class FileError(RulewrightError, OSError):
    """A file that cannot be read or written."""


class EngineError(RulewrightError, RuntimeError):
    """A query that a database or another engine could not run."""


class ModelFileError(RulewrightError, ValueError):
    """A file without a model that this version can read."""


class CertificateError(RulewrightError, ValueError):
    """A certificate that does not hold for the given model and data."""


class UnrenderableError(RulewrightError, ValueError):
    """A node that cannot be rendered in the requested language."""


def preview(values: Iterable[object], max_values: int = 5) -> str:
    """Text of the first few values, for a message.

    Examples
    --------
    >>> preview(["a", "b"])
    "'a', 'b'"
    >>> preview(range(9), max_values=2)
    '0, 1, ... (9 in all)'
    """
    shown = [repr(v) for v in values]
    if len(shown) <= max_values:
        return ", ".join(shown)
    return ", ".join(shown[:max_values]) + f", ... ({len(shown)} in all)"


def suggestion(name: object, known: Iterable[object]) -> str:
    """Question whether a similar name was meant, with a space before it; empty if none is similar.

    Examples
    --------
    >>> suggestion("clas", ["age", "class"])
    " Did you mean 'class'?"
    >>> suggestion("height", ["age", "class"])
    ''
    """
    names = {str(one).casefold(): one for one in known}
    near = get_close_matches(str(name).casefold(), names, 1)
    return f" Did you mean {names[near[0]]!r}?" if near else ""
