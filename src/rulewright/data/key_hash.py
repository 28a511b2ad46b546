"""Rows drawn by a hash of their keys, which every engine computes alike.

A hash is a chain of fifth powers modulo the prime 2**31 - 1, with a secret number added before
each. Five has no common factor with the prime less one, so each step only changes the order of the
numbers. All products are below 2**62: whole numbers of 64 bits hold them in every engine, and none
has to wrap around. Keys are numbers that were given to the rows, never their content: equal rows
would fall on one side, and the check rows would be no sample of the source.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import MAX_EXACT_INTEGER
from rulewright.errors import InputError

MODULUS = 2**31 - 1
ROUNDS = 4
HASH = "hash"
"""Column of the hash, unless the table has one of that name."""


@dataclass(frozen=True)
class KeyHash:
    """A hash of whole numbers from 0 to 2**53, to numbers below ``MODULUS``.

    Attributes
    ----------
    secrets : tuple of int
        The number that each round adds.

    Examples
    --------
    >>> KeyHash.of(b"secret", 1).hashed(np.arange(4)).tolist()
    [2138290206, 1448932439, 1757417120, 1078360660]
    """

    secrets: tuple[int, ...]

    @classmethod
    def of(cls, secret: bytes, number: int) -> KeyHash:
        """Return the hash of a number of draw with a key."""
        words = hashlib.sha256(secret + b"%d," % number).digest()
        parts = [words[i : i + 8] for i in range(0, 8 * ROUNDS, 8)]
        return cls(tuple(int.from_bytes(part, "little") % MODULUS for part in parts))

    def hashed(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the hashes of keys."""
        found = _first_round(keys, self.secrets[0])
        for secret in self.secrets[1:]:
            found = _round(found, secret)
        return np.asarray(found)

    def with_hash(self, frame: Any, key: str, name: str) -> Any:
        """Return a lazy frame with the hash of a column of keys in a new column."""
        number = nw.col(key).cast(nw.Int64)
        frame = frame.with_columns(_first_round(number, self.secrets[0]).alias(name))
        for secret in self.secrets[1:]:  # a projection each: the expressions stay small
            frame = frame.with_columns(_round(nw.col(name), secret).alias(name))
        return frame


def _first_round(key: Any, secret: int) -> Any:
    """First round of the low digits of keys; the high digits are added to it."""
    return (_round(key % MODULUS, secret) + key // MODULUS) % MODULUS


def _round(x: Any, secret: int) -> Any:
    """Fifth power of numbers with a secret number added."""
    base = (x + secret) % MODULUS
    square = (base * base) % MODULUS
    return ((square * square) % MODULUS * base) % MODULUS


def rows_from(frame: Any, key: str, key_hash: KeyHash, least: int) -> Any:
    """Return the rows of a lazy frame whose key has a hash of ``least`` or more."""
    name = _free_name(frame, HASH)
    return key_hash.with_hash(frame, key, name).filter(nw.col(name) >= least).drop(name)


def rows_below(frame: Any, key: str, key_hash: KeyHash, limit: int) -> Any:
    """Return the rows of a lazy frame whose key has a hash below ``limit``."""
    name = _free_name(frame, HASH)
    return key_hash.with_hash(frame, key, name).filter(nw.col(name) < limit).drop(name)


def _free_name(frame: Any, name: str) -> str:
    names = frame.collect_schema().names()
    while name in names:
        name += "_"
    return name


def checked_keys(values: NDArray[Any], name: str = "keys") -> NDArray[np.int64]:
    """Return keys as whole numbers; refuse others, and keys that several rows have."""
    if not np.issubdtype(values.dtype, np.number) or values.dtype.kind == "c":
        raise _not_whole(name, f"values of type {values.dtype}")
    if values.size and not (0 <= values.min() and values.max() <= MAX_EXACT_INTEGER):
        raise _not_whole(name, f"numbers from {values.min()} to {values.max()}")
    keys = values.astype(np.int64)
    if (keys != values).any():
        raise _not_whole(name, f"the number {values[keys != values][0]}")
    different = np.unique(keys).size
    if different < keys.size:
        raise repeated_keys(name, different, keys.size)
    return keys


def _not_whole(name: str, found: str) -> InputError:
    return InputError(
        f"{name} must hold a whole number from 0 to 2**53 for each row, got {found}. Number the "
        "rows, or their owners, in a column of their own."
    )


def repeated_keys(name: str, different: int, rows: int) -> InputError:
    """Error about keys that do not identify rows."""
    return InputError(
        f"{name} must be different in each row: {rows:,} rows have {different:,} different ones. "
        "Rows of one owner depend on each other: collect them and give groups, or keep one row of "
        "each."
    )


def check_lazy_keys(found: dict[str, Any], name: str, rows: int) -> None:
    """Refuse keys of a lazy table that are missing, not whole, out of range or repeated.

    ``found`` has their number, their extremes, and how many are different.
    """
    name = f"column {name!r}"
    if found["count"] < rows:
        raise _not_whole(name, f"{rows - found['count']:,} rows without one")
    if not (0 <= found["min"] and found["max"] <= MAX_EXACT_INTEGER):
        raise _not_whole(name, f"numbers from {found['min']} to {found['max']}")
    if found["different"] < rows:
        raise repeated_keys(name, found["different"], rows)
