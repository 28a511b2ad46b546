"""Reading of parts while others are worked on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")


def read_ahead(parts: Iterator[Part]) -> Generator[Part]:
    """Yield the parts of an iterator, which prepares the next one in a thread of its own."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = reader.submit(next, parts, None)
            yield part
