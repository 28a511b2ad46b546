"""An exact arithmetic coder: numbers as bits, and numbers from the bits."""

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from rulewright.certificates.codes import Decoder, Encoder

WHOLE = 1 << 128
PI_SQUARED = Fraction("9.8696044010893586188344909998761511353136994072407906264")
TAIL = ((1, 1), (2, 2), (6, 3), (-30, 5), (42, 7), (-30, 9), (Fraction(66, 5), 11))


@lru_cache(maxsize=10_000)
def sizes_below(number):
    """The probability that a size is below a number, times WHOLE; by Euler and Maclaurin."""
    x = number + 1
    if x < 64:
        return int(WHOLE * 6 / PI_SQUARED * sum(Fraction(1, k * k) for k in range(1, x)))
    return WHOLE - int(WHOLE * 6 / PI_SQUARED * sum(1 / (Fraction(a) * x**b) for a, b in TAIL))


class BitEncoder(Encoder):
    """Narrows an interval of probability; the bits name an interval of halves inside it."""

    def __init__(self):
        self.low, self.width, self.total = 0, 1, 1

    def narrow(self, start, share, whole):
        assert 0 <= start < start + share <= whole
        self.low = self.low * whole + start * self.width
        self.width *= share
        self.total *= whole

    def choose(self, number, of):
        self.narrow(number, 1, of)

    def weighted(self, number, ways):
        self.narrow(sum(ways[:number]), ways[number], sum(ways))

    def size(self, number):
        start = sizes_below(number)
        self.narrow(start, sizes_below(number + 1) - start, WHOLE)

    @property
    def bits(self):
        """The shortest text of 0 and 1 that no other message begins with."""
        length = max((self.total // self.width).bit_length() - 1, 0)
        while True:
            first = -(-(self.low << length) // self.total)
            if (first + 1) * self.total <= (self.low + self.width) << length:
                return format(first, f"0{length}b") if length else ""
            length += 1


class BitDecoder(Decoder):
    """Follows a point of the interval that the bits name."""

    def __init__(self, bits):
        self.place, self.whole = int(bits or "0", 2), 1 << len(bits)

    def among(self, whole):
        return self.place * whole // self.whole

    def widen(self, start, share, whole):
        self.place = self.place * whole - start * self.whole
        self.whole *= share

    def choose(self, of):
        number = self.among(of)
        self.widen(number, 1, of)
        return number

    def weighted(self, ways):
        starts = [0, *accumulate(ways)]
        number = bisect_right(starts, self.among(starts[-1])) - 1
        self.widen(starts[number], ways[number], starts[-1])
        return number

    def size(self):
        aim, low, high = self.among(WHOLE), 0, 1
        while sizes_below(high) <= aim:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if sizes_below(middle) <= aim else (low, middle)
        self.widen(sizes_below(low), sizes_below(low + 1) - sizes_below(low), WHOLE)
        return low
