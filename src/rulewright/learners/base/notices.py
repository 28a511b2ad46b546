"""Warnings that point at the user's own line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parents[2])


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
