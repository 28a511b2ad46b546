"""Upper bounds on the expected cost of a new case if errors have different costs.

There are two: from bounds on the error rate of each class if the class priors of new cases are
known, and without priors for new cases drawn as the examples were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.bounds.classes import check_length
from rulewright.bounds.compression import compression_tail
from rulewright.errors import InputError


def cost_tail(
    m: int,
    roles: Sequence[int],
    wrong: Sequence[int],
    costs: Sequence[float],
    log_message: float = 0.0,
    delta: float = 0.05,
    aside: int = 0,
) -> float:
    """Upper bound on the expected cost of a new case, drawn as the training examples were.

    The cost is a sum of layers: the smallest cost for every error, the increase to the next one for
    errors of the classes with at least that cost, and so on. The errors of each layer are binomial
    among the examples outside the roles, so each layer has a tail bound, with its part of delta. If
    all classes have the same cost there is one layer, and the bound is that cost times
    ``compression_tail``. Class priors need not be known.

    Parameters
    ----------
    m, roles, log_message, delta, aside
        As in ``compression_tail``.
    wrong : sequence of int
        Number of errors on examples of each class outside the roles.
    costs : sequence of float
        Cost of an error on a case of each class.

    Examples
    --------
    >>> round(cost_tail(500, [2], wrong=[9, 5], costs=[1.0, 1.0]), 4)
    0.0899
    >>> round(cost_tail(500, [2], wrong=[9, 5], costs=[1.0, 5.0]), 4)
    0.3314
    """
    check_costs(costs, len(wrong))
    levels = sorted({float(cost) for cost in costs if cost})
    total, below = 0.0, 0.0
    for level in levels:
        k = sum(count for count, cost in zip(wrong, costs, strict=True) if cost >= level)
        part = delta / len(levels)
        total += (level - below) * compression_tail(m, roles, k, log_message, part, aside)
        below = level
    return total


def cost_bound(rates: Sequence[float], costs: Sequence[float], prior: Sequence[float]) -> float:
    """Upper bound on the expected cost of a new case: ``sum_c prior_c cost_c rate_c``.

    Parameters
    ----------
    rates : sequence of float
        Upper bounds on the error rate of each class, all at once (``class_tails``).
    costs : sequence of float
        Cost of an error on a case of each class.
    prior : sequence of float
        Share of each class among new cases. It must be known, not estimated from the same examples.

    Examples
    --------
    >>> round(cost_bound(rates=[0.1, 0.2], costs=[1.0, 5.0], prior=[0.9, 0.1]), 3)
    0.19
    """
    check_costs(costs, len(rates))
    check_length("prior", prior, len(rates))
    if not all(0 <= rate <= 1 for rate in rates):
        raise InputError(f"Rates must be in [0, 1], got {list(rates)}.")
    if not all(p >= 0 for p in prior) or abs(math.fsum(prior) - 1) > 1e-9:
        raise InputError(
            f"The prior must be 0 or more for each class and sum to 1, got {list(prior)}."
        )
    mean = math.fsum(p * c * rate for p, c, rate in zip(prior, costs, rates, strict=True))
    return min(mean, float(max(costs)))


def check_costs(costs: Sequence[float], classes: int) -> None:
    """Refuse costs that are not one finite number of 0 or more per class."""
    check_length("costs", costs, classes)
    if not all(0 <= cost < math.inf for cost in costs):
        raise InputError(f"Costs must be finite and 0 or more, got {list(costs)}.")
