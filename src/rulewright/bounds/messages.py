"""How many nats say which classifier it is, once the examples are known.

Every length here belongs to a prefix code: the probabilities ``exp(-length)`` of all messages sum
to at most one, so a bound may charge the length of the message actually sent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.bounds.compression import log_size_prior
from rulewright.errors import InputError

Message = tuple[tuple[str, float], ...]


def junction_message(
    *,
    anchors: int,
    anchored: Sequence[float],
    free: Sequence[float],
    free_possible: bool,
    kinds: int = 1,
) -> Message:
    """Code a conjunction or disjunction of literals.

    An anchored literal is a site (a column and a direction) and the example that gives its number;
    a free literal is a site alone (a column and a category, say). The order of literals need not be
    told. Every anchor serves at least one literal, so that one literal an anchor needs only its
    site; literals beyond that name their anchor too.

    Parameters
    ----------
    anchors : int
        Examples that rebuild the classifier.
    anchored, free : sequence of float
        Price in nats of the site of every literal, of the two sorts. ``exp(-price)`` must sum to at
        most one over all sites of a sort.
    free_possible : bool
        Whether there could have been free literals.
    kinds : int
        1 where conjunction or disjunction was settled beforehand, 2 where both were tried.

    Returns
    -------
    tuple of (what is said, nats)

    Examples
    --------
    >>> site = math.log(60)
    >>> parts = junction_message(anchors=2, anchored=[site, site], free=[], free_possible=False)
    >>> [(what, round(nats, 2)) for what, nats in parts]
    [('how many literals', 0.5), ('which columns and tests', 8.19)]
    """
    more = len(anchored) - anchors
    if anchors < 0 or more < 0 or (anchors == 0 and more > 0):
        raise InputError(f"{anchors} anchors cannot serve {len(anchored)} literals.")
    if free and not free_possible:
        raise InputError(f"{len(free)} literals have no site to stand on.")
    how_many = 0.0
    if anchors:
        how_many -= log_size_prior(more)
    if free_possible:
        how_many -= log_size_prior(len(free))
    which = math.fsum(anchored) + math.fsum(free)
    if more:
        which += more * math.log(anchors)
    which -= math.lgamma(more + 1) + math.lgamma(len(free) + 1)  # their order is not told
    parts = [
        ("conjunction or disjunction", math.log(kinds)),
        ("how many literals", how_many),
        ("which columns and tests", max(which, 0.0)),
    ]
    if not anchored and not free:
        parts.append(("which class, always", math.log(2)))
    return tuple((what, nats) for what, nats in parts if nats > 0)
