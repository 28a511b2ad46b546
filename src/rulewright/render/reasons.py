"""Reasons: why predicates hold on a row, in the row's own values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rulewright.data import Table
from rulewright.render.cells import is_missing, missing_text
from rulewright.render.formatting import column_text, rounded_text
from rulewright.render.registry import predicate_renderer
from rulewright.rules import SHARES, Predicate, Share


def reason_text(
    grounds: Sequence[Predicate], table: Table, row: int, shares: Sequence[Share] = ()
) -> str:
    """Reason why predicates hold on one row; see ``reason_texts``.

    Examples
    --------
    >>> from rulewright.data import detect_table
    >>> from rulewright.rules import Threshold
    >>> import numpy as np
    >>> reason_text([Threshold("x0", True, 3.0)], detect_table(np.array([[5.5]])), 0)
    'x0 = 5.5 (> 3)'
    """
    return reason_texts(grounds, table.take(np.array([row])), shares)[0]


def reason_texts(
    grounds: Sequence[Predicate], table: Table, shares: Sequence[Share] = ()
) -> list[str]:
    """Reason why predicates hold, for each row of a table on which all of them do.

    ``shares`` are the places where a row with a missing value may have been shared out.
    """
    by_ground = [predicate_renderer(ground).reasons(ground, table) for ground in grounds]
    rows = zip(*by_ground, strict=True) if by_ground else [()] * table.rows
    texts = []
    for row, parts in enumerate(rows):
        reasons = dict.fromkeys(parts)
        shared = list(_share_texts(shares, table, row, reasons)) if shares else []
        texts.append("; ".join([*reasons, *shared]) or "always")
    return texts


def _share_texts(
    shares: Sequence[Share], table: Table, row: int, reasons: dict[str, None]
) -> Iterator[str]:
    """Part of the row that came here; it replaces the reason that a value is missing."""
    parts: dict[str, list[int]] = {}
    for columns, share in shares:
        missing = [name for name in columns if is_missing(table.column(name), row)]
        if missing:
            for name in missing:
                reasons.pop(f"{column_text(name)} is missing", None)
            parts.setdefault(missing_text(missing), []).append(share)
    for missing_names, counts in parts.items():
        part = math.prod(count / SHARES for count in counts)
        amount = f"{counts[0]}/{SHARES}" if len(counts) == 1 else f"about {rounded_text(part)}"
        yield f"{missing_names} ({amount} of the row comes here)"
