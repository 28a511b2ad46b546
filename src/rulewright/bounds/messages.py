"""How many nats say which classifier it is, once the examples are known.

Every length here belongs to a prefix code: the probabilities ``exp(-length)`` of all messages sum
to at most one, so a bound may charge the length of the message actually sent.
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

EXACT = 250_000
"""Up to so many places times examples, covering maps are counted in whole numbers."""


@dataclass(frozen=True)
class Sort:
    """Literals of one sort, such as all thresholds.

    ``sites`` has the price in nats of what each of them says (a column and a direction, say);
    ``exp(-price)`` must sum to at most one over all that it could say. ``least`` is the smallest
    number of them that makes use of all examples: only what is more is told.
    """

    sites: tuple[float, ...]
    least: int = 0


@dataclass(frozen=True)
class Pool:
    """Examples that literals are built from: each of so many places takes one of the examples.

    ``must`` of them are there for no other reason, so each of these is taken at least once.
    """

    places: int
    examples: int
    must: int


def log_covering_maps(places: int, examples: int, must: int) -> float:
    """Return the log of the ways to fill places from a pool so that ``must`` of it are all used.

    Exact for pools of some hundreds, by inclusion and exclusion in whole numbers, and where all or
    none of the places are bound. Otherwise an upper bound that is a few nats longer: a longer
    message is still a message.

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
    if places * must > EXACT:
        return min(places * math.log(examples), _saddle_point(places, examples, must))
    ways = sum(
        (-1) ** missed * math.comb(must, missed) * (examples - missed) ** places
        for missed in range(must + 1)
    )
    return math.log(ways)


def covering_sets(
    choices: Callable[[Sequence[int]], int], counts: Sequence[int], must: Sequence[int]
) -> int:
    """Count the choices that use all examples of some classes.

    By inclusion and exclusion, in whole numbers.

    Parameters
    ----------
    choices : function of counts
        How many choices there are that use only so many examples of each class.
    counts : sequence of int
        Examples of each class.
    must : sequence of int
        The classes whose examples are all used.

    Examples
    --------
    Sets of two pairs, one of each of two classes, that use both examples of either class:

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
    """Bound the number of covering maps, for ``0 < must < places``.

    It is ``places!`` times the coefficient of ``x^places`` in ``(e^x - 1)^must
    e^((examples - must) x)``. No coefficient is negative, so for every x > 0 the number is at most
    ``places!`` times that function divided by ``x^places``; we look for the smallest such value.
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
    sorts: Sequence[Sort],
    pools: Sequence[Pool],
    *,
    ordered: bool = False,
    settings: int = 1,
    which: float | None = None,
    outputs: float = 0.0,
    classes: int = 2,
    label: str = "which columns and tests",
) -> Message:
    """Code a set or a list of rules.

    Parameters
    ----------
    sorts : sequence of Sort
        The literals, one a rule, by sort. In a set they are all different.
    pools : sequence of Pool
        Which examples the literals are built from.
    ordered : bool
        Whether their order must be told: a list, and not a conjunction or disjunction.
    settings : int
        How many settings were tried that a reconstruction depends on: a family, a metric, a
        kernel, conjunction or disjunction; 1 where all that was settled beforehand.
    which : float, optional
        Price in nats of which literals these are, where that is counted otherwise; ``sorts`` then
        tell only how many there are.
    outputs : float
        Price in nats of the answers that do not follow.
    classes : int
        How many classes there are; without rules one of them is always answered.
    label : str
        What the literals and their examples are called.

    Returns
    -------
    tuple of (what is said, nats)

    Examples
    --------
    >>> sites = (math.log(60), math.log(60))
    >>> parts = rules_message([Sort(sites, least=2)], [Pool(2, 2, 2)])
    >>> [(what, round(nats, 2)) for what, nats in parts]
    [('how many literals', 0.5), ('which columns and tests', 8.19)]
    """
    counts = [len(sort.sites) for sort in sorts]
    how_many = -sum(log_size_prior(_more(len(sort.sites), sort.least)) for sort in sorts)
    if which is None:
        which = math.fsum(price for sort in sorts for price in sort.sites)
        which += sum(log_covering_maps(p.places, p.examples, p.must) for p in pools)
        which -= sum(math.lgamma(count + 1) for count in counts)  # no order within a sort is told
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
    return tuple((what, nats) for what, nats in parts if nats > 1e-12)  # less is rounding


def _more(count: int, least: int) -> int:
    if count < least:
        raise InputError(f"{count} literals cannot use as many examples as need {least}.")
    return count - least
