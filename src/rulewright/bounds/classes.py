"""Bounds by class: given the labels, the errors within each class are binomial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index

from rulewright.bounds.compression import check_counts, log_size_prior
from rulewright.bounds.counting import log_multinomial
from rulewright.bounds.tails import tail_inverse
from rulewright.errors import InputError


def class_tails(
    counts: Sequence[int],
    roles: Sequence[Sequence[int]],
    wrong: Sequence[int],
    log_message: float = 0.0,
    delta: float = 0.05,
    aside: Sequence[int] | None = None,
) -> tuple[float, ...]:
    """Upper bounds on the error rate of every class, all at once with confidence 1 - delta.

    Given the labels, the errors on the examples of a class outside the roles are binomial. So the
    tail form holds for each class, with an equal part of delta and the examples of the roles chosen
    within their classes.

    Parameters
    ----------
    counts : sequence of int
        Number of training examples of each class.
    roles : sequence of sequences of int
        For each role, the number of its examples of each class.
    wrong : sequence of int
        Number of errors on the examples of each class outside the roles.
    log_message : float, default=0.0
        Natural logarithm of the number of messages, or the length in nats of a message of a prefix
        code.
    delta : float, default=0.05
        Maximum probability that any of the bounds fails.
    aside : sequence of int, optional
        Number of examples of each class that were set aside beforehand. Default: none.

    Returns
    -------
    tuple of float
        An upper bound for each class.

    Examples
    --------
    >>> rates = class_tails(counts=[200, 300, 250], roles=[[2, 1, 0]], wrong=[5, 9, 0])
    >>> [round(rate, 3) for rate in rates]
    [0.178, 0.147, 0.094]
    """
    classes = len(counts)
    for role in roles:
        check_length("A role", role, classes)
    by_class = [[role[c] for role in roles] for c in range(classes)]
    return _within_classes(counts, by_class, wrong, log_message, delta, aside)


def class_tail(
    m_p: int,
    m_n: int,
    roles_p: Sequence[int],
    roles_n: Sequence[int],
    k_p: int,
    k_n: int,
    log_message: float = 0.0,
    delta: float = 0.05,
    aside_p: int = 0,
    aside_n: int = 0,
) -> tuple[float, float]:
    """Upper bounds on the miss rate and the false-alarm rate, both with confidence 1 - delta.

    ``class_tails`` for the two classes, positive and negative.

    Returns
    -------
    miss rate, false-alarm rate : float
        Upper bounds on the error rate of the positives and of the negatives.

    Examples
    --------
    >>> miss, alarm = class_tail(200, 300, roles_p=[2], roles_n=[1], k_p=5, k_n=9)
    >>> round(miss, 3), round(alarm, 3)
    (0.174, 0.144)
    """
    miss, alarm = _within_classes(
        [m_p, m_n], [roles_p, roles_n], [k_p, k_n], log_message, delta, [aside_p, aside_n]
    )
    return miss, alarm


def _within_classes(
    counts: Sequence[int],
    roles: Sequence[Sequence[int]],
    wrong: Sequence[int],
    log_message: float,
    delta: float,
    aside: Sequence[int] | None,
) -> tuple[float, ...]:
    """Error bounds with the roles counted by class; a class may lack a role."""
    classes = len(counts)
    aside = [0] * classes if aside is None else aside
    check_length("wrong", wrong, classes)
    check_length("aside", aside, classes)
    counts, wrong, aside = _whole(counts), _whole(wrong), _whole(aside)
    roles = [_whole(sizes) for sizes in roles]
    for m, sizes, k, out in zip(counts, roles, wrong, aside, strict=True):
        check_counts(m, sizes, k, log_message, delta, out)
    log_delta = math.log(delta) - math.log(classes) - log_message
    for m, sizes in zip(counts, roles, strict=True):
        log_delta += sum(map(log_size_prior, sizes)) - log_multinomial(m, sizes)
    return tuple(
        tail_inverse(k, m - sum(sizes) - out, log_delta)
        for m, sizes, k, out in zip(counts, roles, wrong, aside, strict=True)
    )


def _whole(numbers: Sequence[int]) -> list[int]:
    return [index(number) for number in numbers]  # NumPy's integers overflow


def check_length(name: str, values: Sequence[object], classes: int) -> None:
    """Refuse a sequence that does not have one number per class."""
    if not classes:
        raise InputError("There must be at least one class.")
    if len(values) != classes:
        raise InputError(
            f"{name} must have one number for each of {classes} classes, got {len(values)}."
        )
