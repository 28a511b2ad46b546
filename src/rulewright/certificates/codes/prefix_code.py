"""Prefix codes for numbers.

An encoder writes numbers; a decoder reads them back in the same order. Each number has a
probability. Over all numbers that could stand in its place these sum to at most one, and the length
of a number is the negative logarithm of its probability. So every encoded message belongs to a
prefix code.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import index

from rulewright.bounds import Message, log_choose, log_covering_maps, log_size_prior
from rulewright.errors import InputError

SIGNS = (31, 2, 31)
"""Weights of a negative number, of 0 and of a positive number."""


class Encoder(ABC):
    """Writer of a message made of numbers."""

    def part(self, name: str) -> Encoder:
        """Name the part of the message that the next numbers belong to."""
        return self

    @abstractmethod
    def choose(self, number: int, of: int) -> None:
        """Write one of 0, 1, ..., ``of`` - 1, all equally likely."""

    @abstractmethod
    def weighted(self, number: int, weights: Sequence[int]) -> None:
        """Write the number of a choice whose probability is proportional to its weight."""

    @abstractmethod
    def size(self, number: int) -> None:
        """Write one of 0, 1, 2, ..., with probability ``6/pi^2 (number + 1)^-2``."""

    def signed(self, number: int) -> None:
        """Write an integer: 0, -1, 1, -2, 2, ..., in order of decreasing probability."""
        self.size(2 * number if number >= 0 else -2 * number - 1)

    def real(self, value: float) -> None:
        """Write a finite number: its sign, its bits from the first 1 to the last, its exponent.

        A number of few bits, such as 0.75, has a short code.
        """
        if not math.isfinite(value):
            raise InputError(f"Only finite numbers can be encoded, got {value}.")
        sign = (value > 0) - (value < 0)
        self.weighted(sign + 1, SIGNS)
        if sign:
            odd, exponent = _dyadic(abs(value))
            bits = odd.bit_length()
            self.size(bits - 1)
            if bits > 1:  # the first and the last bit are known
                self.choose((odd - (1 << (bits - 1))) >> 1, 1 << (bits - 2))
            self.signed(exponent + bits - 1)

    def shape(self, splits: Sequence[bool]) -> None:
        """Write a binary tree; all trees with the same number of splits are equally likely.

        ``splits`` marks the nodes, in preorder, that are splits. The decoder knows their number.
        """
        progress = _TreeProgress(sum(splits))
        for split in splits:
            if progress.has_splits:
                self.weighted(int(split), progress.weights)
            progress.add(split)

    def subset(self, chosen: Sequence[bool]) -> None:
        """Write a subset. The decoder knows its size and the size of the whole set."""
        left = sum(chosen)
        for rest, member in zip(range(len(chosen), 0, -1), chosen, strict=True):
            self.weighted(int(member), (rest - left, left))
            left -= member

    def multiset(self, members: Sequence[int], of: int) -> None:
        """Write numbers below ``of`` in increasing order. The decoder knows how many."""
        if members:
            self.choose(_rank(members), math.comb(of + len(members) - 1, len(members)))

    def covering(self, places: Sequence[int], examples: int) -> None:
        """Write the example in each place, where every example is in at least one place."""
        cover = _Cover(len(places), examples)
        for place in places:
            fresh = place in cover.unused
            self.weighted(int(fresh), cover.weights)
            pool = cover.pool(fresh)
            self.choose(pool.index(place), len(pool))
            cover.take(place)


class Decoder(ABC):
    """Reader of what an encoder wrote."""

    @abstractmethod
    def choose(self, of: int) -> int:
        """Read what ``Encoder.choose`` wrote."""

    @abstractmethod
    def weighted(self, weights: Sequence[int]) -> int:
        """Read what ``Encoder.weighted`` wrote."""

    @abstractmethod
    def size(self) -> int:
        """Read what ``Encoder.size`` wrote."""

    def signed(self) -> int:
        """Read what ``Encoder.signed`` wrote."""
        half, below = divmod(self.size(), 2)
        return -half - 1 if below else half

    def real(self) -> float:
        """Read what ``Encoder.real`` wrote."""
        sign = self.weighted(SIGNS) - 1
        if not sign:
            return 0.0
        bits = self.size() + 1
        odd = 1
        if bits > 1:
            odd += (1 << (bits - 1)) + 2 * self.choose(1 << (bits - 2))
        return math.ldexp(sign * odd, self.signed() - bits + 1)

    def shape(self, splits: int) -> list[bool]:
        """Read what ``Encoder.shape`` wrote."""
        progress, read = _TreeProgress(splits), []
        for _ in range(2 * splits + 1):
            split = bool(self.weighted(progress.weights)) if progress.has_splits else False
            progress.add(split)
            read.append(split)
        return read

    def subset(self, chosen: int, of: int) -> list[bool]:
        """Read what ``Encoder.subset`` wrote."""
        read = []
        for rest in range(of, 0, -1):
            member = bool(self.weighted((rest - chosen, chosen)))
            chosen -= member
            read.append(member)
        return read

    def multiset(self, size: int, of: int) -> list[int]:
        """Read what ``Encoder.multiset`` wrote."""
        return _unranked(self.choose(math.comb(of + size - 1, size)), size, of) if size else []

    def covering(self, places: int, examples: int) -> list[int]:
        """Read what ``Encoder.covering`` wrote."""
        cover, read = _Cover(places, examples), []
        for _ in range(places):
            pool = cover.pool(bool(self.weighted(cover.weights)))
            place = pool[self.choose(len(pool))]
            cover.take(place)
            read.append(place)
        return read


class LengthEncoder(Encoder):
    """Encoder that writes nothing and adds up the length of each part of the message.

    Examples
    --------
    >>> lengths = LengthEncoder()
    >>> lengths.part("which colour").choose(2, 8)
    >>> lengths.part("which weight").real(0.75)
    >>> [(name, round(nats / math.log(2), 2)) for name, nats in lengths.message]
    [('which colour', 3.0), ('which weight', 6.48)]
    """

    def __init__(self) -> None:
        self._lengths: dict[str, list[float]] = {}
        self._add = self._lengths.setdefault("", []).append

    @property
    def message(self) -> Message:
        """Parts of the message, each with its length in nats."""
        totals = ((name, math.fsum(lengths)) for name, lengths in self._lengths.items())
        return tuple((name, nats) for name, nats in totals if nats > 1e-12)  # less is rounding

    def part(self, name: str) -> Encoder:
        self._add = self._lengths.setdefault(name, []).append
        return self

    def choose(self, number: int, of: int) -> None:
        if not 0 <= number < of:
            raise InputError(f"{number} is not in 0, ..., {of - 1}.")
        self._add(math.log(of))

    def weighted(self, number: int, weights: Sequence[int]) -> None:
        if not 0 <= number < len(weights) or not weights[number]:
            raise InputError(f"{number} has no weight among {list(weights)}.")
        self._add(math.log(sum(weights)) - math.log(weights[number]))

    def size(self, number: int) -> None:
        if number < 0:
            raise InputError(f"A size must be 0 or more, got {number}.")
        self._add(-log_size_prior(number))

    def shape(self, splits: Sequence[bool]) -> None:
        count = sum(splits)
        if len(splits) != 2 * count + 1:
            raise InputError(f"A tree of {count} splits has {2 * count + 1} nodes.")
        self._add(log_choose(2 * count, count) - math.log(count + 1))  # Catalan's number

    def subset(self, chosen: Sequence[bool]) -> None:
        self._add(log_choose(len(chosen), sum(chosen)))

    def multiset(self, members: Sequence[int], of: int) -> None:
        # The length does not need the rank, which is a huge number.
        size = len(members)
        if any(not 0 <= member < of for member in members):
            raise InputError(f"The numbers {list(members)} are not all below {of}.")
        if size == 1:
            self._add(math.log(of))
        elif size:
            ways = of + size - 1
            exact = ways > 2**53  # more than doubles can count
            self._add(math.log(math.comb(ways, size)) if exact else log_choose(ways, size))

    def covering(self, places: Sequence[int], examples: int) -> None:
        if set(places) != set(range(examples)):
            raise InputError(f"{len(places)} places do not use all of {examples} examples.")
        if places:
            self._add(log_covering_maps(len(places), examples, examples))


class ListEncoder(Encoder):
    """Encoder that keeps the numbers in a list."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def choose(self, number: int, of: int) -> None:
        self.numbers.append(number)

    def weighted(self, number: int, weights: Sequence[int]) -> None:
        self.numbers.append(number)

    def size(self, number: int) -> None:
        self.numbers.append(number)

    def multiset(self, members: Sequence[int], of: int) -> None:
        self.numbers += members

    def covering(self, places: Sequence[int], examples: int) -> None:
        self.numbers += places


class ListDecoder(Decoder):
    """Decoder of the numbers that a ``ListEncoder`` kept."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = iter(numbers)

    def choose(self, of: int) -> int:
        return next(self._numbers)

    def weighted(self, weights: Sequence[int]) -> int:
        return next(self._numbers)

    def size(self) -> int:
        return next(self._numbers)

    def multiset(self, size: int, of: int) -> list[int]:
        return list(islice(self._numbers, size))

    def covering(self, places: int, examples: int) -> list[int]:
        return list(islice(self._numbers, places))


def _dyadic(value: float) -> tuple[int, int]:
    """Return the odd integer and the power of two whose product is a positive number."""
    whole, denominator = value.as_integer_ratio()
    zeros = (whole & -whole).bit_length() - 1
    return whole >> zeros, zeros - (denominator.bit_length() - 1)


class _TreeProgress:
    """Splits left and nodes to come while a binary tree is written in preorder."""

    def __init__(self, splits: int) -> None:
        self._splits, self._open = splits, 1

    @property
    def has_splits(self) -> bool:
        """Whether a split is still to come."""
        return self._splits > 0

    @property
    def weights(self) -> tuple[int, int]:
        """Proportion of the possible trees whose next node is a leaf, and a split.

        With s splits and t nodes to come there are ``t/(2s + t) C(2s + t, s)`` trees.
        """
        s, t = self._splits, self._open
        leaf = (t - 1) * (s + t)
        return leaf, t * (2 * s + t - 1) - leaf

    def add(self, split: bool) -> None:
        """Add the next node."""
        self._splits -= split
        self._open += 1 if split else -1


class _Cover:
    """Examples used and places left while places are filled with examples."""

    def __init__(self, places: int, examples: int) -> None:
        self._left = places
        self._examples = examples
        self.unused = set(range(examples))

    @property
    def weights(self) -> tuple[int, int]:
        """Number of completions whose next example was used before, and was not."""
        left, unused = self._left - 1, len(self.unused)
        again = (self._examples - unused) * _covering_maps(left, self._examples, unused)
        fresh = unused * _covering_maps(left, self._examples, unused - 1) if unused else 0
        return again, fresh

    def pool(self, fresh: bool) -> list[int]:
        """Return the unused examples, or the used ones, in increasing order."""
        return [example for example in range(self._examples) if (example in self.unused) == fresh]

    def take(self, example: int) -> None:
        """Fill the next place."""
        self._left -= 1
        self.unused.discard(example)


def _covering_maps(places: int, examples: int, must: int) -> int:
    """Return the number whose logarithm is ``log_covering_maps``; it may be zero."""
    return sum(
        (-1) ** missed * math.comb(must, missed) * (examples - missed) ** places
        for missed in range(must + 1)
    )


def _rank(members: Sequence[int]) -> int:
    """Return the rank of a multiset: that of the strictly increasing set made from it."""
    return sum(math.comb(index(member) + i, i + 1) for i, member in enumerate(members))


def _unranked(rank: int, size: int, of: int) -> list[int]:
    """Return the multiset of a rank."""
    return list(_falling(rank, size, of))[::-1]


def _falling(rank: int, size: int, of: int) -> Iterator[int]:
    for i in reversed(range(size)):
        low, high = 0, of - 1  # the largest member whose own number is not above the rank
        while low < high:
            middle = (low + high + 1) // 2
            fits = math.comb(middle + i, i + 1) <= rank
            low, high = (middle, high) if fits else (low, middle - 1)
        rank -= math.comb(low + i, i + 1)
        yield low
