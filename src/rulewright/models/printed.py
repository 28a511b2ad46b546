"""The papers' printed theorems for a model that one of them is about.

They do not hold (``rulewright.bounds.printed`` says why). They stand beside a certificate for
comparison with the papers, never as a promise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import (
    printed_dlm_complex,
    printed_dlm_simple,
    printed_scm_balls,
    printed_scm_half_spaces,
)
from rulewright.families import Balls, Family, HalfSpaces
from rulewright.models.rebuilding import Compressed

Counts = tuple[int, ...]


def printed_bound(
    said: Compressed | None,
    families: Sequence[Family],
    y: NDArray[np.int32],
    counts: Counts,
    wrong: Counts,
    delta: float,
) -> float | None:
    """Compute the theorem for this machine and family; None where the papers have none.

    The theorems are for machines that classify the examples which rebuild them correctly. Whether
    this one does is not asked: ``consistent=True`` sees to it.
    """
    match families:
        case [Balls(scale="none") | HalfSpaces(scale="none") as family] if (
            said is not None and len(counts) == 2 and said.words
        ):
            (m_n, m_p), (k_n, k_p) = counts, wrong
            c_n, c_p = _by_class(y, said.played[family.role])
            b_n, b_p = _by_class(y, said.played["borders"])
        case _:
            return None
    rules = len(said.words)
    if isinstance(family, HalfSpaces):
        if said.kind == "list":
            return None
        pairs = len({word.prototypes for word in said.words})
        return printed_scm_half_spaces(
            said.kind, m_p, m_n, c_p, c_n, b_p + b_n, k_p, k_n, pairs, delta
        )
    if said.kind != "list":
        return printed_scm_balls(said.kind, m_p, m_n, c_p, c_n, b_p + b_n, k_p, k_n, delta)
    sizes = (m_p, m_n, c_p, c_n, b_p, b_n, k_p, k_n)
    if family.types == "complex":
        return printed_dlm_complex(*sizes, rules, delta)
    return printed_dlm_simple(*sizes, delta) if rules == c_p + c_n else None


def _by_class(y: NDArray[np.int32], rows: Sequence[int]) -> tuple[int, int]:
    positive = sum(int(y[row]) for row in rows)
    return len(rows) - positive, positive
