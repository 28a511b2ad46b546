"""The split form by its definition: prior probabilities by plain loops, bounds by halving.

The tails are SciPy's, in logarithms where the probability would underflow.
"""

import hashlib
import math

from scipy import stats

LOSS_WEIGHT, SIZE_WEIGHT, MOST = 0.3, 1.0, 60
SPLIT_PART = 15 / 16


def prior(learners):
    """Prior probability of each candidate by its name.

    Parameters
    ----------
    learners : list of lists of (name, loss, literals)
        What each learner found; a name may occur several times.
    """
    groups = [group for group in map(_distinct, learners) if group]
    found = {}
    for group in groups:
        size = len(group)
        smallest = min(group.values())
        total = 0.0
        for penalty in group.values():
            total += math.exp(smallest - penalty)
        for name, penalty in group.items():
            equal = 1 / size
            gibbs = math.exp(smallest - penalty) / total
            share = (equal / 2 + gibbs / 2) / len(groups)
            found[name] = found.get(name, 0.0) + share
    return found


def _distinct(learner):
    penalties = {}
    for name, loss, literals in learner:
        if name not in penalties:
            penalties[name] = LOSS_WEIGHT * loss + SIZE_WEIGHT * literals
    best = sorted(penalties, key=lambda name: penalties[name])[:MOST]
    return {name: penalties[name] for name in best}


def upper(k, n, length, steps=110):
    """Largest e with P[Bin(n, e) <= k] >= exp(-length), by halving."""
    if k == n:
        return 1.0
    return _largest(lambda e: stats.binom.logcdf(k, n, e) >= -length, 0.0, steps)


def lower(k, n, length):
    """Smallest e with P[Bin(n, e) >= k] >= exp(-length)."""
    return 1 - upper(n - k, n, length)


def clopper_pearson(k, n, delta):
    """Upper end of the one-sided interval."""
    return 1.0 if k == n else float(stats.beta.isf(delta, k + 1, n - k))


def split_length(delta, prior, n_splits, settings=1):
    """Nats of the certificate: confidence, split, candidate and recipe."""
    return -math.log(delta) - math.log(SPLIT_PART / n_splits) - math.log(prior) + math.log(settings)


def hoeffding(mean, n, length):
    """Largest u with n kl(mean || u) <= length, by halving."""
    return _largest(lambda u: n * _kl(mean, u) <= length, mean)


def bentkus(mean, n, length):
    """Largest u with e P[Bin(n, u) <= ceil(n mean)] >= exp(-length)."""
    return upper(min(math.ceil(n * mean - 1e-9), n), n, length + 1)


def _kl(p, q):
    total = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += math.inf if b <= 0 else a * math.log(a / b)
    return total


def _largest(holds, low, steps=110):
    high = 1.0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high


def draw(key, number, rows, count):
    """Rows of the smallest 64-bit words of the stream SHA-256(key, number, counter), sorted."""
    words = []
    while len(words) < rows:
        block = (len(words) // 4).to_bytes(8, "little")
        digest = hashlib.sha256(key + f"{number},0,".encode() + block).digest()
        words += [int.from_bytes(digest[i : i + 8], "little") for i in (0, 8, 16, 24)]
    words = words[:rows]
    assert len(set(words)) == rows
    return sorted(sorted(range(rows), key=lambda row: words[row])[:count])
