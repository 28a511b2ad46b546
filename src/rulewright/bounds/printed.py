"""The theorems as the papers print them, which do NOT hold: for reproducing their tables only.

Marchand, Shah, Shawe-Taylor and Sokolova (2003), The Set Covering Machine with Data-Dependent
Half-Spaces; Sokolova, Marchand, Japkowicz and Shawe-Taylor (2002), The Decision List Machine. Each
bounds the error by ``1 - exp{-(ln B + ln M + ln 1/delta') / (m - lambda - k)}``, where B counts the
choices of the typed subsets and of the errors among the m_p positives, times the same among the
m_n negatives, and delta' is delta split by ``6/pi^2 (n + 1)^-2`` over all these sizes.

Why they do not hold: to choose inside the positives and inside the negatives is to fix every
label first. Given the labels, the chance that the machine is right on the other examples is
``(1 - alpha)^t_p (1 - beta)^t_n``, with its miss rate and its false-alarm rate. The proofs put
``(1 - er)^(m - lambda - k)`` there, which is the chance when the labels are open too. So errors
that are all in one class are nearly free. A machine that says "positive" nearly everywhere has
error 1/2 on balanced classes, and errs on 499 of 500 negatives; there is one way to choose those:

>>> errors = {"k_p": 0, "k_n": 499}
>>> printed = printed_scm_half_spaces("conjunction", 500, 500, a=1, b=1, c=1, r=1, **errors)
>>> round(printed, 2)
0.08

The closed form that is true draws all sets from all m examples, whatever their labels:

>>> from rulewright.bounds import compression_closed, compression_tail
>>> round(compression_closed(m=1000, roles=[1, 1, 1], k=499), 2)
0.77
>>> round(compression_tail(m=1000, roles=[1, 1, 1], k=499), 2)
0.61

Never certify by these functions, and never select by them.
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
"""How the choices of k out of n are counted: ``C(n, k)``, or ``n! / (n - k)!``."""


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
    """Return what Theorem 1 on half-spaces prints. It is not a valid bound.

    Parameters
    ----------
    kind : "conjunction" or "disjunction"
        The examples c are positives in a conjunction, negatives in a disjunction.
    m_p, m_n : int
        Positive and negative training examples.
    a, b, c : int
        Sizes of the three subsets of examples: half-spaces run between an a (positive) and a b
        (negative), and end at a c. An example is counted once.
    k_p, k_n : int
        Errors on the positives and on the negatives outside these subsets.
    r : int
        Different pairs (a, b) in use. The message says how many and which.
    delta : float
        Printed as the probability that the bound fails.
    counting : "printed" or "ordered"
        "ordered" replaces every ``C(n, k)`` by ``n! / (n - k)!``, which is how the column "bound"
        of the paper's Table 1 was computed.

    Examples
    --------
    >>> sizes = {"m_p": 216, "m_n": 399, "a": 1, "b": 1, "c": 1, "k_p": 5, "k_n": 10, "r": 1}
    >>> round(printed_scm_half_spaces("conjunction", **sizes), 3)
    0.156
    >>> round(printed_scm_half_spaces("conjunction", **sizes, counting="ordered"), 3)
    0.184
    """
    if counting not in COUNTING:
        raise InputError(f"counting is 'printed' or 'ordered', not {counting!r}.")
    count = COUNTING[counting]
    a, b, c, r = index(a), index(b), index(c), index(r)
    positives, negatives = ([a, c], [b]) if _is_conjunction(kind) else ([a], [b, c])
    pairs = max(a, 0) * max(b, 0)
    if not 0 <= r <= pairs:
        raise InputError(f"{a} times {b} examples make {pairs} pairs; {r} cannot be in use.")
    log_message = math.log(pairs) + count(pairs, r) if pairs else 0.0  # "every C(n, k)": this too
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
    """Return what the same theorem says for balls. It is not a valid bound.

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
    """Return what Theorem 1 on decision lists of balls prints. It is not a valid bound.

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
    """Return what Theorem 2 on decision lists of balls prints. It is not a valid bound.

    As ``printed_dlm_simple``, but a centre may have several balls, and a ball may cover what is
    outside. The message says how many balls there are (``ln lambda``, of all lambda examples), and
    for each of the r balls its centre and its side (``ln(2 c)``, of c centres).

    Examples
    --------
    >>> round(printed_dlm_complex(216, 399, c_p=1, c_n=1, b_p=1, b_n=0, k_p=5, k_n=10, r=2), 3)
    0.162
    """
    r, centres = index(r), index(c_p) + index(c_n)
    if r < 0 or (r and centres <= 0):
        raise InputError(f"{centres} centres cannot make {r} balls.")
    examples = centres + index(b_p) + index(b_n)
    log_message = math.log(examples) if examples > 0 else 0.0
    log_message += r * math.log(2 * centres) if r else 0.0
    return _theorem(m_p, m_n, [c_p, b_p, k_p], [c_n, b_n, k_n], log_message, delta)


def _is_conjunction(kind: str) -> bool:
    if kind not in ("conjunction", "disjunction"):
        raise InputError(f"kind is 'conjunction' or 'disjunction', not {kind!r}.")
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
    """Return the printed bound; the sizes within each class end with its number of errors."""
    if not 0 < delta < 1:
        raise InputError(f"delta must lie between 0 and 1, not at {delta}.")
    nats, right = log_message, 0
    for name, m, sizes in (("positives", m_p, positives), ("negatives", m_n, negatives)):
        left = index(m)
        sizes = [index(size) for size in sizes]
        if min(left, *sizes) < 0 or sum(sizes) > left:
            raise InputError(
                f"Subsets of {sizes[:-1]} examples and {sizes[-1]} errors cannot be disjoint parts "
                f"of {left} {name}."
            )
        for size in sizes:
            nats += count(left, size)
            left -= size
        right += left
    return closed_form(nats, [index(size) for size in (*positives, *negatives)], right, delta)
