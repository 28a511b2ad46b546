"""The theorems as printed in the papers. They do NOT hold; use them only to reproduce tables.

Marchand, Shah, Shawe-Taylor and Sokolova (2003), The Set Covering Machine with Data-Dependent
Half-Spaces; Sokolova, Marchand, Japkowicz and Shawe-Taylor (2003), The Decision List Machine. Each
bounds the error by ``1 - exp{-(ln B + ln M + ln 1/delta') / (m - lambda - k)}``, where B counts the
choices of the typed subsets and of the errors among the m_p positives, times the same among the m_n
negatives, and delta' is delta split by ``6/pi^2 (n + 1)^-2`` over all these sizes.

Why they do not hold: choosing within the positives and within the negatives fixes every label
first. Given the labels, the probability that the machine is correct on the other examples is
``(1 - alpha)^t_p (1 - beta)^t_n``, where alpha is its miss rate and beta its false-alarm rate. The
proofs use ``(1 - er)^(m - lambda - k)`` instead, which is the probability when the labels are
random too. So errors that are all in one class cost almost nothing. A machine that predicts
"positive" nearly everywhere has error 1/2 on balanced classes, and errs on 499 of 500 negatives,
which can be chosen in one way:

>>> errors = {"k_p": 0, "k_n": 499}
>>> printed = printed_scm_half_spaces("conjunction", 500, 500, a=1, b=1, c=1, r=1, **errors)
>>> round(printed, 2)
0.08

The closed form that holds draws all sets from all m examples, independently of their labels:

>>> from rulewright.bounds import compression_closed, compression_tail
>>> round(compression_closed(m=1000, roles=[1, 1, 1], k=499), 2)
0.77
>>> round(compression_tail(m=1000, roles=[1, 1, 1], k=499), 2)
0.61

Never use these functions for a certificate or for model selection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index

from rulewright.bounds.compression import closed_form
from rulewright.bounds.counting import log_arrangements, log_choose
from rulewright.errors import InputError

COUNTING: dict[str, Callable[[int, int], float]] = {
    "printed": log_choose,
    "ordered": log_arrangements,
}
"""Log of the number of choices of k out of n: ``C(n, k)``, or ``n! / (n - k)!``."""


def printed_scm_half_spaces(
    kind: str,
    m_p: int,
    m_n: int,
    a: int,
    b: int,
    c: int,
    k_p: int,
    k_n: int,
    r: int,
    delta: float = 0.05,
    counting: str = "printed",
) -> float:
    """Return the bound printed in Theorem 1 on half-spaces. It is not valid.

    Parameters
    ----------
    kind : "conjunction" or "disjunction"
        The examples c are positives in a conjunction, negatives in a disjunction.
    m_p, m_n : int
        Numbers of positive and negative training examples.
    a, b, c : int
        Sizes of the three subsets of examples: a half-space is given by an a (positive) and a b
        (negative), and its border by a c. An example is counted once.
    k_p, k_n : int
        Numbers of errors on the positives and on the negatives outside these subsets.
    r : int
        Number of different pairs (a, b) used. The message encodes how many and which.
    delta : float
        The probability that the bound fails, according to the paper.
    counting : "printed" or "ordered"
        "ordered" replaces every ``C(n, k)`` by ``n! / (n - k)!``: the column "bound" of the paper's
        Table 1 was computed in this way.

    Examples
    --------
    >>> sizes = {"m_p": 216, "m_n": 399, "a": 1, "b": 1, "c": 1, "k_p": 5, "k_n": 10, "r": 1}
    >>> round(printed_scm_half_spaces("conjunction", **sizes), 3)
    0.156
    >>> round(printed_scm_half_spaces("conjunction", **sizes, counting="ordered"), 3)
    0.184
    """
    if counting not in COUNTING:
        raise InputError(f"counting must be 'printed' or 'ordered', got {counting!r}.")
    count = COUNTING[counting]
    a, b, c, r = index(a), index(b), index(c), index(r)
    positives, negatives = ([a, c], [b]) if _is_conjunction(kind) else ([a], [b, c])
    pairs = max(a, 0) * max(b, 0)
    if not 0 <= r <= pairs:
        raise InputError(
            f"r must be from 0 to {pairs}, the number of pairs of {a} and {b} examples, got {r}."
        )
    # "Every C(n, k)" includes this one.
    log_message = math.log(pairs) + count(pairs, r) if pairs else 0.0
    return _theorem(m_p, m_n, [*positives, k_p], [*negatives, k_n], log_message, delta, count)


def printed_scm_balls(
    kind: str,
    m_p: int,
    m_n: int,
    c_p: int,
    c_n: int,
    b: int,
    k_p: int,
    k_n: int,
    delta: float = 0.05,
) -> float:
    """Return the bound of the same theorem for balls. It is not valid.

    Centres are positives (c_p) or negatives (c_n); borders (b) are positives in a conjunction,
    negatives in a disjunction. The radii follow from the examples: there is no message.

    Examples
    --------
    >>> round(printed_scm_balls("conjunction", 216, 399, c_p=1, c_n=1, b=1, k_p=5, k_n=10), 3)
    0.156
    """
    positives, negatives = ([c_p, b], [c_n]) if _is_conjunction(kind) else ([c_p], [c_n, b])
    return _theorem(m_p, m_n, [*positives, k_p], [*negatives, k_n], 0.0, delta)


def printed_dlm_simple(
    m_p: int,
    m_n: int,
    c_p: int,
    c_n: int,
    b_p: int,
    b_n: int,
    k_p: int,
    k_n: int,
    delta: float = 0.05,
) -> float:
    """Return the bound printed in Theorem 1 on decision lists of balls. It is not valid.

    Centres are positives (c_p) or negatives (c_n), and so are borders (b_p, b_n). Every centre has
    one ball, and the message is the order of the balls.

    Examples
    --------
    >>> round(printed_dlm_simple(216, 399, c_p=1, c_n=1, b_p=1, b_n=0, k_p=5, k_n=10), 3)
    0.158
    """
    log_message = math.lgamma(max(index(c_p) + index(c_n), 0) + 1.0)
    return _theorem(m_p, m_n, [c_p, b_p, k_p], [c_n, b_n, k_n], log_message, delta)


def printed_dlm_complex(
    m_p: int,
    m_n: int,
    c_p: int,
    c_n: int,
    b_p: int,
    b_n: int,
    k_p: int,
    k_n: int,
    r: int,
    delta: float = 0.05,
) -> float:
    """Return the bound printed in Theorem 2 on decision lists of balls. It is not valid.

    As ``printed_dlm_simple``, but a centre may have several balls, and a ball may cover its
    outside. The message encodes the number of balls (``ln lambda``, of all lambda examples), and
    for each of the r balls its centre and its side (``ln(2 c)``, of c centres).

    Examples
    --------
    >>> round(printed_dlm_complex(216, 399, c_p=1, c_n=1, b_p=1, b_n=0, k_p=5, k_n=10, r=2), 3)
    0.162
    """
    r, centres = index(r), index(c_p) + index(c_n)
    if r < 0 or (r and centres <= 0):
        raise InputError(f"r must be 0 or more, and 0 without centres, got {r}.")
    examples = centres + index(b_p) + index(b_n)
    log_message = math.log(examples) if examples > 0 else 0.0
    log_message += r * math.log(2 * centres) if r else 0.0
    return _theorem(m_p, m_n, [c_p, b_p, k_p], [c_n, b_n, k_n], log_message, delta)


def _is_conjunction(kind: str) -> bool:
    if kind not in ("conjunction", "disjunction"):
        raise InputError(f"kind must be 'conjunction' or 'disjunction', got {kind!r}.")
    return kind == "conjunction"


def _theorem(
    m_p: int,
    m_n: int,
    positives: Sequence[int],
    negatives: Sequence[int],
    log_message: float,
    delta: float,
    count: Callable[[int, int], float] = log_choose,
) -> float:
    """Return the printed bound; the sizes of each class end with its number of errors."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}.")
    nats, right = log_message, 0
    for name, m, sizes in (("positives", m_p, positives), ("negatives", m_n, negatives)):
        left = index(m)
        sizes = [index(size) for size in sizes]
        if min(left, *sizes) < 0 or sum(sizes) > left:
            raise InputError(
                f"Subsets and errors must be 0 or more and sum to at most {left} {name}, got "
                f"{sizes[:-1]} and {sizes[-1]} errors."
            )
        for size in sizes:
            nats += count(left, size)
            left -= size
        right += left
    return closed_form(nats, [index(size) for size in (*positives, *negatives)], right, delta)
