"""Key of a table: a hash that depends on its content only, and rows drawn with such a key.

The order of rows and of named columns does not change the key. A draw is a uniformly random subset
if SHA-256 behaves like a random function. Rows are drawn by their places in the sorted table, never
by a hash of their own content: repeated rows would all fall on one side.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data.canonical_order import canonical_table, sorted_rows
from rulewright.data.columns import Column, NumericColumn
from rulewright.data.table import Table

Rows = NDArray[np.intp]
WORDS_PER_DIGEST = 4


def content_key(
    purpose: str, table: Table, labels: Sequence[Any], *more: NDArray[Any], recipe: Any = None
) -> tuple[bytes, Rows]:
    """Return the key of a table, and its row numbers in sorted order.

    Parameters
    ----------
    purpose : str
        What the key is for. Keys for different purposes are unrelated.
    table : Table
    labels : sequence
        Names of the classes.
    *more : arrays
        Further values of each row: class numbers, weights, groups.
    recipe : JSON value
        What else the key depends on.
    """
    table = canonical_table(table)
    order, _ = sorted_rows(table, *more)
    head = {
        "purpose": purpose,
        "columns": [[column.name, column.field.kind] for column in table.columns],
        "named": table.named,
        "classes": [[type(label).__name__, str(label)] for label in labels],
        "rows": table.rows,
        "recipe": recipe,
    }
    key = hashlib.sha256(_json(head))
    for column in table.columns:
        _add_column(key, column, order)
    for values in more:
        key.update(values[order].astype("<f8").tobytes())
    return key.digest(), order


def _add_column(key: Any, column: Column, order: Rows) -> None:
    if isinstance(column, NumericColumn):
        values = column.values[order] + 0.0  # -0.0 is 0.0
        values[np.isnan(values)] = np.nan  # one of many bit patterns
        key.update(values.astype("<f8").tobytes())
    else:
        observed = column.observed().by_text()
        key.update(_json(list(observed.categories)))
        key.update(observed.codes[order].astype("<i4").tobytes())


def seed_key(purpose: str, seed: int) -> bytes:
    """Return the key of a seed that was settled beforehand."""
    return hashlib.sha256(_json({"purpose": purpose, "seed": seed})).digest()


def recipe_key(purpose: str, recipe: Any) -> bytes:
    """Return the key of a recipe, which is settled beforehand as a seed is."""
    return hashlib.sha256(_json({"purpose": purpose, "recipe": recipe})).digest()


def draw_rows(key: bytes, number: int, rows: int, count: int) -> Rows:
    """Draw ``count`` of ``rows`` row numbers at random, in increasing order.

    Each number of draw has its own stream of 64-bit words, ``SHA-256(key, number, counter)``. The
    rows with the smallest words are drawn; equal words, which are hardly possible, draw again.

    Examples
    --------
    >>> draw_rows(seed_key("example", 1), number=1, rows=10, count=4).tolist()
    [0, 6, 7, 9]
    """
    attempt = 0
    while True:
        words = _words(key + b"%d,%d," % (number, attempt), rows)
        order = np.argsort(words, kind="stable")
        if rows < 2 or (np.diff(words[order]) > 0).all():
            return np.sort(order[:count])
        attempt += 1


def _words(prefix: bytes, count: int) -> NDArray[np.uint64]:
    blocks = -(-count // WORDS_PER_DIGEST)
    start = hashlib.sha256(prefix)
    digests = bytearray()
    for block in range(blocks):
        stream = start.copy()
        stream.update(block.to_bytes(8, "little"))
        digests += stream.digest()
    return np.frombuffer(bytes(digests), "<u8")[:count]


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
