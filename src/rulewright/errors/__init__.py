"""Errors: what the product says when it cannot go on.

Every message says what is needed, what was found, and the way out. Each error also is the builtin
that a caller would expect, so that ``except ValueError`` works. May import: nothing.
"""

__all__ = [
    "CertificateError",
    "FileError",
    "InputError",
    "ModelFileError",
    "RulewrightError",
    "UnrenderableError",
    "preview",
]

from collections.abc import Iterable


class RulewrightError(Exception):
    """What all errors of this library have in common."""


class InputError(RulewrightError, ValueError):
    """Data or parameters that no answer can be given for."""


class FileError(RulewrightError, OSError):
    """A file that cannot be read or written."""


class ModelFileError(RulewrightError, ValueError):
    """A file that does not hold a model this version can read."""


class CertificateError(RulewrightError, ValueError):
    """A certificate that does not hold for the given model and data."""


class UnrenderableError(RulewrightError, ValueError):
    """A node that has no form in the wanted language."""


def preview(values: Iterable[object], most: int = 5) -> str:
    """List the first few values for a message.

    Examples
    --------
    >>> preview(["a", "b"])
    "'a', 'b'"
    >>> preview(range(9), most=2)
    '0, 1, ... (9 in all)'
    """
    shown = [repr(v) for v in values]
    if len(shown) <= most:
        return ", ".join(shown)
    return ", ".join(shown[:most]) + f", ... ({len(shown)} in all)"
