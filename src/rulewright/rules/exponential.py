"""The exponential of numbers of 0 or less, the same to the last bit on every machine.

The exponentials of libraries differ in the last bit. This one consists of additions,
multiplications and one division in a fixed order, so that an exported model can repeat it in any
language.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

INVERSE_LOG_2 = 1.44269504088896338700
LOG_2_HIGH = 6.93147180369123816490e-01
LOG_2_LOW = 1.90821492927058770002e-10
EXPONENTIAL_COEFFICIENTS = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
EXPONENTIAL_LOWEST = -746.0
"""The exponential of smaller numbers is 0."""


def exponential(x: Floats) -> Floats:
    """Return ``exp(x)`` for numbers of 0 or less, with an error below one unit in the last place.

    ``x`` is ``-k log(2) + r`` with the whole number k that makes r smallest. ``exp(r)`` is a
    rational function (FreeBSD's msun, e_exp.c), which is divided by ``2**k``.

    Examples
    --------
    >>> exponential(np.array([0.0, -1.0, -2000.0])).tolist()
    [1.0, 0.36787944117144233, 0.0]
    """
    known = np.maximum(x, EXPONENTIAL_LOWEST)
    k = np.floor(0.5 - known * INVERSE_LOG_2)
    high = known + k * LOG_2_HIGH
    low = -(k * LOG_2_LOW)
    r = high - low
    t = r * r
    p1, p2, p3, p4, p5 = EXPONENTIAL_COEFFICIENTS
    c = r - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))))
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    found: Floats = np.where(x < EXPONENTIAL_LOWEST, 0.0, np.ldexp(y, -k.astype(np.int64)))
    return found
