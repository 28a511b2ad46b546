"""How many nats say which classifier it is, once the examples are known.

Every length here belongs to a prefix code: the probabilities ``exp(-length)`` of all messages sum
to at most one, so a bound may charge the length of the message actually sent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index

from rulewright.bounds.compression import log_size_prior
from rulewright.errors import InputError

Message = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Sort:
    """Literals of one sort, such as all thresholds.

    ``sites`` has the price in nats of what each of them says (a column and a direction, say);
    ``exp(-price)`` must sum to at most one over all that it could say. ``least`` is the smallest
    number of them that makes use of all examples: only what is more is told; None where their
    number is known.
    """

    sites: tuple[float, ...]
    least: int | None = 0


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

    By inclusion and exclusion, in whole numbers.

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
    ways = sum(
        (-1) ** missed * math.comb(must, missed) * (examples - missed) ** places
        for missed in range(must + 1)
    )
    return math.log(ways)


def rules_message(
    sorts: Sequence[Sort],
    pools: Sequence[Pool],
    *,
    ordered: bool = False,
    kinds: int = 1,
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
    kinds : int
        1 where conjunction or disjunction was settled beforehand, 2 where both were tried.
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
    how_many = -sum(
        log_size_prior(_more(count, sort.least))
        for count, sort in zip(counts, sorts, strict=True)
        if sort.least is not None
    )
    which = math.fsum(price for sort in sorts for price in sort.sites)
    which += sum(log_covering_maps(p.places, p.examples, p.must) for p in pools)
    which -= sum(math.lgamma(count + 1) for count in counts)  # the order within a sort is not told
    parts = [
        ("conjunction or disjunction", math.log(kinds)),
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
