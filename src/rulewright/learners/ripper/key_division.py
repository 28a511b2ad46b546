"""Growing and pruning examples drawn by a hash of their keys, which every engine computes alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.data import MODULUS, KeyHash
from rulewright.families import Term
from rulewright.learners.ripper.binary_problem import PARTS, BinaryProblem

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]

SECRET = b"growing and pruning rows,%d,"
PRUNING = MODULUS // PARTS
"""Hash below which an example is set aside for pruning."""


class KeyDraws:
    """Hashes of keys, a new one for each draw."""

    def __init__(self, seed: int) -> None:
        self._secret = SECRET % seed
        self._number = 0

    def next(self) -> KeyHash:
        """Return the hash of the next draw."""
        self._number += 1
        return KeyHash.of(self._secret, self._number)


def growing_limits(
    examples: Sequence[int], max_examples: int, *, divided: bool
) -> tuple[list[int], list[tuple[int, int]]]:
    """How many examples each of those stands for that a rule is grown from, and their hashes.

    ``examples`` are the numbers of examples of the class, and of others, before their division.
    Where about two thirds of them, or all if they are not ``divided``, are more than
    ``max_examples``, one of several is drawn. The hashes are from a number to below another.

    Examples
    --------
    >>> growing_limits([100, 900], 200, divided=True)[0]
    [1, 3]
    """
    least = PRUNING if divided else 0
    parts, of = (PARTS - 1, PARTS) if divided else (1, 1)
    shares = [max(-(-parts * size // (of * max_examples)), 1) for size in examples]
    return shares, [(least, least + (MODULUS - least) // share) for share in shares]


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Examples before their division, and the hash that divides them."""

    rows: Rows
    key_hash: KeyHash


@dataclass(frozen=True, eq=False, kw_only=True)
class KeyedProblem(BinaryProblem):
    """A problem whose examples have ``keys``, by which they are divided and drawn.

    About a third of the examples is set aside, rather than exactly a third of each class.
    """

    keys: NDArray[np.int64] = field(repr=False)
    draws: KeyDraws

    def parted(self, rows: Rows | DrawnRows) -> tuple[DrawnRows, Rows]:  # type: ignore[override]
        """Examples to grow from, as a draw, and examples to prune on."""
        assert isinstance(rows, np.ndarray)
        key_hash = self.draws.next()
        return DrawnRows(rows, key_hash), rows[key_hash.hashed(self.keys[rows]) < PRUNING]

    def grown(self, rows: Rows | DrawnRows, first: Sequence[Term] = ()) -> tuple[Term, ...]:
        divided = isinstance(rows, DrawnRows)
        drawn = rows if isinstance(rows, DrawnRows) else DrawnRows(rows, self.draws.next())
        covered = self.grower.covered(first, drawn.rows) if first else drawn.rows
        return self.grown_from(*self._drawn(covered, drawn.key_hash, divided=divided), first)

    def _drawn(self, rows: Rows, key_hash: KeyHash, *, divided: bool) -> tuple[Rows, Floats | None]:
        """Examples to grow from, and weights by which each stands for several."""
        own = self.own[rows]
        right = int(np.count_nonzero(own))
        shares, limits = growing_limits(
            (right, own.size - right), self.max_examples, divided=divided
        )
        low, high = np.array(limits)[np.where(own, 0, 1)].T
        hashes = key_hash.hashed(self.keys[rows])
        rows = rows[(hashes >= low) & (hashes < high)]
        if max(shares) <= 1:
            return rows, self.weight
        weight = np.ones(self.own.size) if self.weight is None else self.weight.copy()
        weight[rows] *= np.array(shares)[np.where(self.own[rows], 0, 1)]
        return rows, weight
