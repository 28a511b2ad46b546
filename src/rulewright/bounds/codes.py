"""Prefix codes for numbers, trees and sets.

An encoder writes and a decoder reads the same numbers in the same order. Every number that is
written has a probability; the probabilities of all alternatives sum to at most one, and the length
in nats is the negative logarithm. So every message of an encoder belongs to a prefix code.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import index

from rulewright.bounds.compression import log_size_prior
from rulewright.bounds.counting import log_choose
from rulewright.bounds.messages import Message, log_covering_maps
from rulewright.errors import InputError

SIGNS = (31, 2, 31)
"""Weights of a number that is below, at or above 0."""


class Encoder(ABC):
    """Writer of numbers in a prefix code."""

    def about(self, what: str) -> Encoder:
        """Label the next numbers, for people."""
        return self

    @abstractmethod
    def choose(self, number: int, of: int) -> None:
        """Write one of 0, 1, ..., ``of`` - 1 with equal probabilities."""

    @abstractmethod
    def weigh(self, number: int, ways: Sequence[int]) -> None:
        """Write the number of one of these ways, with probabilities proportional to them."""

    @abstractmethod
    def size(self, number: int) -> None:
        """Write one of 0, 1, 2, ..., with probability ``6/pi^2 (number + 1)^-2``."""

    def signed(self, number: int) -> None:
        """Write a whole number: 0, -1, 1, -2, 2, ..., with decreasing probabilities."""
        self.size(2 * number if number >= 0 else -2 * number - 1)

    def real(self, value: float) -> None:
        """Write a finite number: its sign, its significant bits and their exponent.

        A number of few bits, such as 0.75, is short.
        """
        if not math.isfinite(value):
            raise InputError(f"Only finite numbers can be written, got {value}.")
        sign = (value > 0) - (value < 0)
        self.weigh(sign + 1, SIGNS)
        if sign:
            odd, exponent = _dyadic(abs(value))
            bits = odd.bit_length()
            self.size(bits - 1)
            if bits > 1:  # the first and the last bit are known
                self.choose((odd - (1 << (bits - 1))) >> 1, 1 << (bits - 2))
            self.signed(exponent + bits - 1)

    def shape(self, splits: Sequence[bool]) -> None:
        """Write a binary tree, all trees with this number of splits being equally likely.

        ``splits`` marks the nodes that are splits, in preorder; their number is known.
        """
        walk = _Walk(sum(splits))
        for split in splits:
            if walk.unsettled:
                self.weigh(int(split), walk.ways)
            walk.go(split)

    def subset(self, chosen: Sequence[bool]) -> None:
        """Write a subset of known size."""
        left = sum(chosen)
        for rest, member in zip(range(len(chosen), 0, -1), chosen, strict=True):
            self.weigh(int(member), (rest - left, left))
            left -= member

    def multiset(self, members: Sequence[int], of: int) -> None:
        """Write numbers below ``of`` in increasing order; their count is known."""
        if members:
            self.choose(_rank(members), math.comb(of + len(members) - 1, len(members)))

    def covering(self, places: Sequence[int], examples: int) -> None:
        """Write which example fills each place if every example fills at least one."""
        cover = _Cover(len(places), examples)
        for place in places:
            fresh = place in cover.unused
            self.weigh(int(fresh), cover.ways)
            pool = cover.pool(fresh)
            self.choose(pool.index(place), len(pool))
            cover.take(place)


class Decoder(ABC):
    """Reader of the numbers of an encoder."""

    @abstractmethod
    def choose(self, of: int) -> int:
        """Read a number of ``Encoder.choose``."""

    @abstractmethod
    def weigh(self, ways: Sequence[int]) -> int:
        """Read a number of ``Encoder.weigh``."""

    @abstractmethod
    def size(self) -> int:
        """Read a number of ``Encoder.size``."""

    def signed(self) -> int:
        """Read a number of ``Encoder.signed``."""
        half, below = divmod(self.size(), 2)
        return -half - 1 if below else half

    def real(self) -> float:
        """Read a number of ``Encoder.real``."""
        sign = self.weigh(SIGNS) - 1
        if not sign:
            return 0.0
        bits = self.size() + 1
        odd = 1
        if bits > 1:
            odd += (1 << (bits - 1)) + 2 * self.choose(1 << (bits - 2))
        return math.ldexp(sign * odd, self.signed() - bits + 1)

    def shape(self, splits: int) -> list[bool]:
        """Read a tree of ``Encoder.shape``."""
        walk, read = _Walk(splits), []
        for _ in range(2 * splits + 1):
            split = bool(self.weigh(walk.ways)) if walk.unsettled else False
            walk.go(split)
            read.append(split)
        return read

    def subset(self, chosen: int, of: int) -> list[bool]:
        """Read a subset of ``Encoder.subset``."""
        read = []
        for rest in range(of, 0, -1):
            member = bool(self.weigh((rest - chosen, chosen)))
            chosen -= member
            read.append(member)
        return read

    def multiset(self, size: int, of: int) -> list[int]:
        """Read the numbers of ``Encoder.multiset``."""
        return _unranked(self.choose(math.comb(of + size - 1, size)), size, of) if size else []

    def covering(self, places: int, examples: int) -> list[int]:
        """Read the places of ``Encoder.covering``."""
        cover, read = _Cover(places, examples), []
        for _ in range(places):
            pool = cover.pool(bool(self.weigh(cover.ways)))
            place = pool[self.choose(len(pool))]
            cover.take(place)
            read.append(place)
        return read


class LengthEncoder(Encoder):
    """An encoder that only adds up the message length, by label.

    Examples
    --------
    >>> length = LengthEncoder()
    >>> length.about("which colour").choose(2, 8)
    >>> length.about("which weight").real(0.75)
    >>> [(what, round(nats / math.log(2), 2)) for what, nats in length.message]
    [('which colour', 3.0), ('which weight', 6.48)]
    """

    def __init__(self) -> None:
        self._prices: dict[str, list[float]] = {}
        self._pay = self._prices.setdefault("", []).append

    @property
    def message(self) -> Message:
        """The parts of the message by label, each with its length in nats."""
        totals = ((what, math.fsum(prices)) for what, prices in self._prices.items())
        return tuple(
            (what, nats) for what, nats in totals if nats > 1e-12
        )  # smaller differences are rounding errors

    def about(self, what: str) -> Encoder:
        self._pay = self._prices.setdefault(what, []).append
        return self

    def choose(self, number: int, of: int) -> None:
        if not 0 <= number < of:
            raise InputError(f"The number must be from 0 to {of - 1}, got {number}.")
        self._pay(math.log(of))

    def weigh(self, number: int, ways: Sequence[int]) -> None:
        if not 0 <= number < len(ways) or not ways[number]:
            raise InputError(f"{number} has no positive weight in {list(ways)}.")
        self._pay(math.log(sum(ways)) - math.log(ways[number]))

    def size(self, number: int) -> None:
        if number < 0:
            raise InputError(f"A size must be 0 or more, got {number}.")
        self._pay(-log_size_prior(number))

    def shape(self, splits: Sequence[bool]) -> None:
        count = sum(splits)
        if len(splits) != 2 * count + 1:
            raise InputError(f"A tree of {count} splits must have {2 * count + 1} nodes.")
        self._pay(log_choose(2 * count, count) - math.log(count + 1))  # Catalan number

    def subset(self, chosen: Sequence[bool]) -> None:
        self._pay(log_choose(len(chosen), sum(chosen)))

    def multiset(self, members: Sequence[int], of: int) -> None:
        # The length does not need the rank, which is huge.
        size = len(members)
        if any(not 0 <= member < of for member in members):
            raise InputError(f"The numbers must be below {of}, got {list(members)}.")
        if size == 1:
            self._pay(math.log(of))
        elif size:
            ways = of + size - 1
            exact = ways > 2**53  # too large for a double
            self._pay(math.log(math.comb(ways, size)) if exact else log_choose(ways, size))

    def covering(self, places: Sequence[int], examples: int) -> None:
        if set(places) != set(range(examples)):
            raise InputError(f"{len(places)} places must use all of {examples} examples.")
        if places:
            self._pay(log_covering_maps(len(places), examples, examples))


class RecordingEncoder(Encoder):
    """An encoder that stores the numbers, to rebuild objects from them."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def choose(self, number: int, of: int) -> None:
        self.numbers.append(number)

    def weigh(self, number: int, ways: Sequence[int]) -> None:
        self.numbers.append(number)

    def size(self, number: int) -> None:
        self.numbers.append(number)

    def multiset(self, members: Sequence[int], of: int) -> None:
        self.numbers += members

    def covering(self, places: Sequence[int], examples: int) -> None:
        self.numbers += places


class RecordingDecoder(Decoder):
    """Decoder of the numbers that a ``RecordingEncoder`` stored."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = iter(numbers)

    def choose(self, of: int) -> int:
        return next(self._numbers)

    def weigh(self, ways: Sequence[int]) -> int:
        return next(self._numbers)

    def size(self) -> int:
        return next(self._numbers)

    def multiset(self, size: int, of: int) -> list[int]:
        return list(islice(self._numbers, size))

    def covering(self, places: int, examples: int) -> list[int]:
        return list(islice(self._numbers, places))


def _dyadic(value: float) -> tuple[int, int]:
    """Decompose a positive number into an odd whole number and a power of two."""
    whole, denominator = value.as_integer_ratio()
    zeros = (whole & -whole).bit_length() - 1
    return whole >> zeros, zeros - (denominator.bit_length() - 1)


class _Walk:
    """A partial binary tree in preorder: remaining splits and open nodes."""

    def __init__(self, splits: int) -> None:
        self._splits, self._waiting = splits, 1

    @property
    def unsettled(self) -> bool:
        """Whether a split can follow."""
        return self._splits > 0

    @property
    def ways(self) -> tuple[int, int]:
        """Numbers of trees with a leaf next, and with a split next.

        There are ``t/(2s + t) C(2s + t, s)`` continuations with s splits and t open nodes.
        """
        s, t = self._splits, self._waiting
        leaf = (t - 1) * (s + t)
        return leaf, t * (2 * s + t - 1) - leaf

    def go(self, split: bool) -> None:
        """Add the next node."""
        self._splits -= split
        self._waiting += 1 if split else -1


class _Cover:
    """A partial assignment of examples to places."""

    def __init__(self, places: int, examples: int) -> None:
        self._left = places
        self._examples = examples
        self.unused = set(range(examples))

    @property
    def ways(self) -> tuple[int, int]:
        """Numbers of continuations with a used example next, and with an unused one."""
        left, unused = self._left - 1, len(self.unused)
        again = (self._examples - unused) * _covering_maps(left, self._examples, unused)
        fresh = unused * _covering_maps(left, self._examples, unused - 1) if unused else 0
        return again, fresh

    def pool(self, fresh: bool) -> list[int]:
        """The unused examples, or the used ones, in increasing order."""
        return [example for example in range(self._examples) if (example in self.unused) == fresh]

    def take(self, example: int) -> None:
        """Fill the next place."""
        self._left -= 1
        self.unused.discard(example)


def _covering_maps(places: int, examples: int, must: int) -> int:
    """Number whose logarithm is ``log_covering_maps``; it may be zero."""
    return sum(
        (-1) ** missed * math.comb(must, missed) * (examples - missed) ** places
        for missed in range(must + 1)
    )


def _rank(members: Sequence[int]) -> int:
    """Rank of a multiset: that of the set it becomes when made strictly increasing."""
    return sum(math.comb(index(member) + i, i + 1) for i, member in enumerate(members))


def _unranked(rank: int, size: int, of: int) -> list[int]:
    """Multiset of a rank."""
    return list(_falling(rank, size, of))[::-1]


def _falling(rank: int, size: int, of: int) -> Iterator[int]:
    for i in reversed(range(size)):
        low, high = 0, of - 1  # the largest member whose own rank is at most the remaining one
        while low < high:
            middle = (low + high + 1) // 2
            fits = math.comb(middle + i, i + 1) <= rank
            low, high = (middle, high) if fits else (low, middle - 1)
        rank -= math.comb(low + i, i + 1)
        yield low
