"""The papers' printed theorems, for models that they are about.

They do not hold (``rulewright.bounds.printed`` has the reasons). A certificate shows them for
comparison with the papers only.
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
from rulewright.certificates.codes import CompressedMachine
from rulewright.families import Balls, Family, HalfSpaces

Counts = tuple[int, ...]


def printed_bound(
    machine: CompressedMachine | None,
    families: Sequence[Family],
    y: NDArray[np.int32],
    counts: Counts,
    wrong: Counts,
    delta: float,
) -> float | None:
    """Return the theorem's bound for this machine and family, None where the papers have none.

    The theorems are for machines that classify their compression set correctly. This is not checked
    here; ``consistent=True`` ensures it.
    """
    match families:
        case [Balls() | HalfSpaces() as family] if (
            not family.measures_columns
            and machine is not None
            and len(counts) == 2
            and machine.rules
        ):
            (m_n, m_p), (k_n, k_p) = counts, wrong
            c_n, c_p = _by_class(y, machine.roles[family.role])
            b_n, b_p = _by_class(y, machine.roles["borders"])
        case _:
            return None
    rules = len(machine.rules)
    if isinstance(family, HalfSpaces):
        if machine.kind == "list":
            return None
        pairs = len({rule.prototypes for rule in machine.rules})
        return printed_scm_half_spaces(
            machine.kind, m_p, m_n, c_p, c_n, b_p + b_n, k_p, k_n, pairs, delta
        )
    if machine.kind != "list":
        return printed_scm_balls(machine.kind, m_p, m_n, c_p, c_n, b_p + b_n, k_p, k_n, delta)
    sizes = (m_p, m_n, c_p, c_n, b_p, b_n, k_p, k_n)
    if family.types == "complex":
        return printed_dlm_complex(*sizes, rules, delta)
    return printed_dlm_simple(*sizes, delta) if rules == c_p + c_n else None


def _by_class(y: NDArray[np.int32], rows: Sequence[int]) -> tuple[int, int]:
    positive = sum(int(y[row]) for row in rows)
    return len(rows) - positive, positive
