"""Rules from trees, slowly: every count made anew from the rows, every subset tried."""

import math
from itertools import chain, combinations

from oracles.pruning import more_errors

THEORY_WEIGHT = 0.5


def expected_rate(rows, own, weight, confidence):
    """The rate of errors to be expected of a rule that covers these rows."""
    total = sum(weight[row] for row in rows)
    if total == 0:
        return math.inf
    wrong = sum(weight[row] for row in rows if not own[row])
    return round((wrong + more_errors(total, wrong, confidence)) / total, 12)


def dropped(tests, own, weight, confidence):
    """The numbers of the tests that a rule keeps; ``tests`` are lists of truths, one a row."""
    kept = list(range(len(tests)))

    def standing(numbers):
        rows = [row for row in range(len(own)) if all(tests[n][row] for n in numbers)]
        weight_left = sum(weight[row] for row in rows)
        return expected_rate(rows, own, weight, confidence), -weight_left

    while kept:
        now = standing(kept)[0]
        options = [(*standing([m for m in kept if m != n]), n) for n in kept]
        best = min(options)
        if best[0] > now:
            break
        kept.remove(best[2])
    return kept


def subset_bits(size, chosen, expected):
    """The bits of naming a subset, an element at a time."""
    if size == 0:
        return 0.0
    share = expected / size
    bits = 0.0
    if chosen:
        bits -= chosen * math.log2(share)
    if size - chosen > 1e-9:
        bits -= (size - chosen) * math.log2(1 - share)
    return bits


def description_length(rules, bits, chosen, own, weight):
    """The bits of the chosen rules, and of what they get wrong."""
    covered = {row for number in chosen for row in rules[number]}
    sums = {"covered": 0.0, "uncovered": 0.0, "alarms": 0.0, "misses": 0.0}
    for row, of_class in enumerate(own):
        inside = row in covered
        sums["covered" if inside else "uncovered"] += weight[row]
        if inside != of_class:
            sums["alarms" if inside else "misses"] += weight[row]
    half = (sums["alarms"] + sums["misses"]) / 2
    most = sums["covered"] > sums["uncovered"]
    alarms = subset_bits(sums["covered"], sums["alarms"], half if most else sums["alarms"])
    misses = subset_bits(sums["uncovered"], sums["misses"], sums["misses"] if most else half)
    theory = sum(bits[number] for number in chosen) - math.log2(math.factorial(len(chosen)))
    return THEORY_WEIGHT * theory + math.log2(sum(weight) + 1) + alarms + misses


def shortest(rules, bits, own, weight):
    """The least description length of all subsets."""
    numbers = range(len(rules))
    subsets = chain.from_iterable(combinations(numbers, size) for size in range(len(rules) + 1))
    return min(description_length(rules, bits, some, own, weight) for some in subsets)


def listed_errors(rules, default, y, weight):
    """What a list gets wrong: rules are (rows, class), the first that covers a row answers."""
    wrong = 0.0
    for row, label in enumerate(y):
        answers = [output for rows, output in rules if row in rows]
        wrong += weight[row] * ((answers[0] if answers else default) != label)
    return wrong
