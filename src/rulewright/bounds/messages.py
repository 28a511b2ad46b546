"""Lengths of the messages that identify a classifier, given its compression set.

Every length here belongs to a prefix code: the probabilities ``exp(-length)`` of all messages sum
to at most one, so a bound may use the length of the actual message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from operator import index

from rulewright.bounds.compression import log_size_prior
from rulewright.errors import InputError

Message = tuple[tuple[str, float], ...]

SETTINGS = "which of the settings tried"

MAX_EXACT_SIZE = 250_000
"""Maximum product of places and examples for which covering maps are counted exactly."""


@dataclass(frozen=True)
class LiteralGroup:
    """Literals of one kind, such as all thresholds.

    ``sites`` are the lengths in nats of the description of each (for example column and direction);
    ``exp(-length)`` must sum to at most one over all descriptions. ``min_count`` is the smallest
    number of literals that can use all examples; the message encodes only the excess.
    """

    sites: tuple[float, ...]
    min_count: int = 0


@dataclass(frozen=True)
class Pool:
    """Examples that literals are built from: each place takes one of the examples.

    ``must`` examples exist only to be used here, so each of them is taken at least once.
    """

    places: int
    examples: int
    must: int


def log_covering_maps(places: int, examples: int, must: int) -> float:
    """Return the log of the number of ways to fill places so that ``must`` examples are all used.

    Exact for pools of some hundreds, by inclusion and exclusion in whole numbers, and if all or
    none of the places are determined. Otherwise an upper bound that is a few nats longer; a longer
    message is still valid.

    Examples
    --------
    >>> round(math.exp(log_covering_maps(3, 3, 3)))
    6
    >>> round(math.exp(log_covering_maps(3, 2, 0)))
    8
    """
    places, examples, must = index(places), index(examples), index(must)
    if not 0 <= must <= min(examples, places) or (places and not examples):
        raise InputError(f"{places} places cannot use {must} of {examples} examples.")
    if must == places:
        return math.lgamma(places + 1.0)
    if must == 0:
        return places * math.log(examples)
    if places * must > MAX_EXACT_SIZE:
        return min(places * math.log(examples), _saddle_point(places, examples, must))
    ways = sum(
        (-1) ** missed * math.comb(must, missed) * (examples - missed) ** places
        for missed in range(must + 1)
    )
    return math.log(ways)


def covering_sets(
    choices: Callable[[Sequence[int]], int], counts: Sequence[int], must: Sequence[int]
) -> int:
    """Number of choices that use all examples of some classes.

    Computed by inclusion and exclusion, in whole numbers.

    Parameters
    ----------
    choices : function of counts
        Number of choices that use only the given numbers of examples of each class.
    counts : sequence of int
        Number of examples of each class.
    must : sequence of int
        Classes whose examples are all used.

    Examples
    --------
    Sets of two pairs, each of an example of either class, that use all four examples:

    >>> pairs = lambda left: math.comb(left[0] * left[1], 2)
    >>> covering_sets(pairs, [2, 2], [0, 1])
    2
    """
    ways = 0
    for missed in product(*(range(counts[c] + 1) for c in must)):
        left = list(counts)
        sign = 1
        for c, count in zip(must, missed, strict=True):
            left[c] -= count
            sign *= (-1) ** count * math.comb(counts[c], count)
        ways += sign * choices(left)
    return ways


def _saddle_point(places: int, examples: int, must: int) -> float:
    """Upper bound on the log of the number of covering maps, for ``0 < must < places``.

    It is ``places!`` times the coefficient of ``x^places`` in
    ``(e^x - 1)^must e^((examples - must) x)``. No coefficient is negative, so for every x > 0 the
    number is at most ``places!`` times that function divided by ``x^places``; the result is the
    smallest of these values.
    """
    free = places - must
    low, high = free / examples, free / (examples - must / 2)  # 1 + x/2 < x / (1 - e^-x) < 1 + x
    for _ in range(60):
        x = (low + high) / 2
        slope = (examples - must) * x - must * x / math.expm1(-x) - places
        low, high = (x, high) if slope < 0 else (low, x)
    log_ratio = math.log(-math.expm1(-x) / x)
    return math.lgamma(places + 1.0) + examples * x + must * log_ratio - free * math.log(x)


def rules_message(
    groups: Sequence[LiteralGroup],
    pools: Sequence[Pool],
    *,
    ordered: bool = False,
    settings: int = 1,
    which: float | None = None,
    outputs: float = 0.0,
    classes: int = 2,
    label: str = "which columns and tests",
) -> Message:
    """Parts of the message of a set or a list of rules, with their lengths.

    Parameters
    ----------
    sorts : sequence of Sort
        The literals, one per rule, by kind. In a set they are all different.
    pools : sequence of Pool
        Examples that the literals are built from.
    ordered : bool
        Whether the message encodes their order: for a list, but not for a set.
    settings : int
        Number of settings tried that a reconstruction depends on: family, metric, kernel,
        conjunction or disjunction. It is 1 if all of them were fixed beforehand.
    which : float, optional
        Length in nats of the choice of literals, if it is counted otherwise; ``groups`` then
        encode only their numbers.
    outputs : float
        Length in nats of the outputs that are not implied.
    classes : int
        Number of classes. Without rules, one of them is always predicted.
    label : str
        Description of the literals and their examples.

    Returns
    -------
    tuple of (description, nats)

    Examples
    --------
    >>> sites = (math.log(60), math.log(60))
    >>> parts = rules_message([LiteralGroup(sites, min_count=2)], [Pool(2, 2, 2)])
    >>> [(what, round(nats, 2)) for what, nats in parts]
    [('how many literals', 0.5), ('which columns and tests', 8.19)]
    """
    counts = [len(group.sites) for group in groups]
    how_many = -sum(log_size_prior(_more(len(group.sites), group.min_count)) for group in groups)
    if which is None:
        which = math.fsum(price for group in groups for price in group.sites)
        which += sum(log_covering_maps(p.places, p.examples, p.must) for p in pools)
        which -= sum(
            math.lgamma(count + 1) for count in counts
        )  # the order within a group is not encoded
    parts = [
        (SETTINGS, math.log(settings)),
        ("how many literals", how_many),
        (label, max(which, 0.0)),
    ]
    if ordered:
        parts.append(("in which order", math.lgamma(sum(counts) + 1)))
    parts.append(("which answers", outputs))
    if not sum(counts):
        parts.append(("which class, always", math.log(classes)))
    return tuple(
        (what, nats) for what, nats in parts if nats > 1e-12
    )  # smaller differences are rounding errors


def _more(count: int, min_count: int) -> int:
    if count < min_count:
        raise InputError(
            f"At least {min_count} literals are needed to use all examples, got {count}."
        )
    return count - min_count
