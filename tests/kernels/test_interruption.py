"""Kernels stop when a signal arrives, and not only after they are done."""

import math
import signal
import threading
from functools import partial
from itertools import repeat, starmap

import numpy as np
import pytest

from rulewright.kernels import _core, distances

CALLS = 10
RNG = np.random.default_rng(0)
NO_MARKS = np.empty(0, np.uint8)


class StopError(Exception):
    """Raised by a handler of a signal."""


def stop(*_):
    raise StopError


def ints(*numbers):
    return np.array(numbers, np.int32)


def row_numbers(rows):
    return np.arange(rows, dtype=np.int32)


def signed(rows):
    return RNG.integers(-9, 9, rows)


def columns(count, rows):
    return [RNG.normal(size=rows) for _ in range(count)]


def finished(call):
    """Make calls until a signal arrives, and count those that came to their end.

    The interpreter itself looks for signals only when all calls are over.
    """
    results = []
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(StopError):
            results.extend(starmap(call, repeat((), CALLS)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return len(results)


def growing(impurity, *, threads=1, intervals=False):
    rows = 100_000
    numbers = impurity > 2
    label = np.empty(0, np.int32) if numbers else RNG.integers(0, 2, rows).astype(np.int32)
    target = RNG.normal(size=rows) if numbers else np.empty(0)
    answers = (label, target, np.empty(0), np.empty(0, np.int8))
    how = (10, 1 if numbers else 2, None, impurity, True, intervals, 2, False, False)
    limits = (2**63, 2**64 - 1, 2.0, 1.0, 0.0, threads, math.inf)
    groups = (np.empty((0, 0), np.uint8), np.empty(0, np.uint8))
    limits = (*limits, 2**64 - 1, 2**64 - 1, *groups, 2**64 - 1, 0, 2**16)
    return partial(_core.grow, columns(10, rows), [], [], 0, *answers, *how, *limits)


def binning():
    return partial(_core.BinnedColumns, columns(1, 20_000) * 2000, 1)


def sorting():
    return partial(_core.SortedColumns, columns(1, 20_000) * 800, 2)


def thresholds():
    index = _core.BinnedColumns(columns(1, 20_000) * 2000, 2)
    return partial(index.heaviest, signed(20_000), False, False)


def intervals():
    index = _core.SortedColumns(columns(1, 20_000) * 2000, 2)
    return partial(index.heaviest, signed(20_000), NO_MARKS, NO_MARKS, False, False)


def measuring():
    count = 400_000
    return partial(_core.distances, columns(1, 4000) * count, np.zeros(count), 1, np.empty(4000))


def comparing():
    rows, out = np.tile(row_numbers(1000), 5), np.empty((5000, 1000))
    return partial(_core.similarity_rows, columns(10, 1000), rows, 2, 1.0, 0.0, 64, out, 2)


def balls():
    rows = 3000
    around = (columns(100, rows), row_numbers(rows), np.ones(rows, np.uint8))
    shape = (1, 0, 1.0, 0.0, 1)
    query = (signed(rows), np.ones(rows, np.uint8), NO_MARKS, False, NO_MARKS)
    return partial(_core.heaviest_ball, *around, *shape, *query, np.full(rows, 2**62), 1)


def half_spaces():
    rows, half = 1200, 600
    lines = row_numbers(rows)
    pairs = (RNG.normal(size=(rows, rows)), lines, lines[:half], lines[half:])
    orders = (lines[:half], lines[:half])
    query = (signed(rows), np.ones(rows, np.uint8), NO_MARKS, False, NO_MARKS)
    kept = np.full(half * half, 2**62)
    return partial(_core.heaviest_half_space, *pairs, *orders, *query, kept, 2)


def coupling():
    lines = row_numbers(12_000)
    return partial(_core.couple_lines, RNG.normal(size=(12_000, 4)), lines, np.empty_like(lines))


def chain(rows, depth):
    """Make the parts of a tree that cuts off one value after the other."""
    splits, leaves = row_numbers(depth), depth + row_numbers(depth + 1)
    nodes = 2 * depth + 1
    kind = np.zeros(nodes, np.int8)
    kind[:depth] = 1
    branches = np.stack([leaves[:depth], np.append(splits[1:], leaves[depth])], axis=1).ravel()
    start = np.minimum(2 * np.arange(nodes + 1), 2 * depth).astype(np.int32)
    low = np.zeros(nodes)
    low[:depth] = np.arange(depth) * rows / depth
    zeros, number = np.zeros(nodes, np.int32), np.full(nodes, -1, np.int32)
    number[:depth] = 0
    weight = np.zeros((nodes, 2))
    weight[:depth] = depth
    weight[leaves, leaves % 2] = 1.0
    places = (np.zeros(nodes + 1, np.int32), np.empty(0, np.int32), weight)
    tree = _core.Tree(kind, number, low, low, zeros, zeros, start, branches, *places)
    room = (np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty((nodes, 2)))
    values = np.arange(rows, dtype=np.float64)
    return tree, [values], [], RNG.integers(0, 2, rows).astype(np.int32), np.ones(rows), room


def pruning_by_confidence():
    *parts, room = chain(40_000, 5000)
    return partial(_core.prune_pessimistic, *parts, 0.25, 0.67, True, *room)


def pruning_by_errors():
    *parts, room = chain(20_000, 10_000)
    return partial(_core.prune_reduced_error, *parts, True, *room)


def dropping():
    rows, rules = 64_000, 2000
    holds = RNG.integers(0, 2**63, (40, rows // 64), np.uint64)
    own = np.stack([holds[0], ~holds[0]])
    start, number = 10 * row_numbers(rules + 1), RNG.integers(0, 40, 10 * rules).astype(np.int32)
    out = (np.empty(10 * rules, np.uint8), np.empty(rules), np.empty(rules))
    facts = (holds, own, np.empty(0), rows, start, number, np.zeros(rules, np.int32))
    return partial(_core.drop_conditions, *facts, 0.25, 0.67, *out, 2)


def expecting():
    cases = np.full(10_000_000, 9.0)
    return partial(_core.pessimistic_errors, cases, cases / 9, 0.25, 0.67, np.empty_like(cases))


def coded(rows, count, values):
    codes = RNG.integers(0, values, (count, rows)).astype(np.int32)
    return _core.ExtensionTable(codes, np.full(count, values, np.int32), [NO_WORDS] * count, 2)


NO_WORDS = np.empty(0, np.uint64)


def tallying():
    table, words = coded(100_000, 400, 5000), np.full(100_000 // 64, 2**64 - 1, np.uint64)
    words = np.append(words, np.uint64(2**32 - 1))
    return partial(table.tally, words, words, np.empty(0))


def growing_a_rule():
    rows, count = 100_000, 400
    table, own = coded(rows, count, 5000), RNG.integers(0, 2, rows).astype(np.uint8)
    marks, none = np.ones(count, np.uint8), np.empty((0, 3), np.int32)
    field = (row_numbers(rows), own, np.empty(0), marks, marks)
    return partial(table.grow, *field, none, True, 1.0, 255)


def following():
    rows = 400_000
    table = coded(rows, 1, 5000)
    tests = np.tile(ints(0, 0, 5000), (500, 1))
    return partial(table.depth, tests, row_numbers(rows), np.empty(rows, np.int32))


def routing():
    rows, tests = 20_000, 5000
    numbers = row_numbers(tests)
    low = np.full(tests, 9.0)
    ends = (np.full(tests, ~0, np.int32), *[np.append(numbers[1:], ints(~0))] * 2)
    asked = (low, low, np.zeros(tests, np.int32), np.full(tests, -1, np.int32), *ends)
    forks = (ints(0), np.empty(0, np.int32), np.empty(0))
    leaf = np.empty(rows, np.int32)
    ways = (*asked, NO_WORDS, *forks, ints(0), 1)
    return partial(_core.route, columns(1, rows), [], *ways, leaf, 2, False)


def visiting():
    rows, rules = 2000, 100_000
    flags = RNG.integers(0, 2, rows).astype(np.uint8)
    room = (np.empty((rules, 7), np.int32), np.empty((0, 3), np.int32))
    what = (np.zeros(3, np.uint8), flags, np.ones(rows, np.uint8), 500, -1, 0, 0.0, 1)
    return partial(_core.visit_sc_rules, columns(3, rows), *what, *room)


def overfitting():
    counts = np.tile(ints(900, 100, 900, 2, 2, 1, 1), (2_000_000, 1))
    return partial(_core.overfitting_sum, counts, 4000, 2000, 0, 1)


def coding(rows=200_000, count=12):
    codes = RNG.integers(0, 30, (count, rows)).astype(np.int32)
    label = RNG.integers(0, 2, rows).astype(np.int32)
    marks = np.ones(count, np.uint8)
    values = np.full(count, 30, np.int32)
    return partial(_core.CodedCells, codes, values, marks, label, np.ones(rows, np.int64), 2)


def finding_trees():
    cells = coding(rows=2000)()
    return partial(cells.optimal_trees, 4, 16, 2**62, 2**20, math.inf, 1, 0, True, 1)


def finding_lists():
    cells = coding(rows=2000)()
    return partial(cells.optimal_lists, 3, 3, 2**62, 2**20, math.inf)


def name_of(prepare):
    """A name that is the same in every process."""
    if isinstance(prepare, partial):
        return f"growing-{prepare.args}-{prepare.keywords}"
    return prepare.__name__


@pytest.mark.parametrize(
    "prepare",
    [
        partial(growing, 2, threads=2),
        partial(growing, 1),
        partial(growing, 3),
        partial(growing, 4, threads=2),
        partial(growing, 2, intervals=True),
        binning,
        sorting,
        thresholds,
        intervals,
        measuring,
        comparing,
        balls,
        half_spaces,
        coupling,
        pruning_by_confidence,
        pruning_by_errors,
        dropping,
        expecting,
        tallying,
        growing_a_rule,
        following,
        routing,
        visiting,
        overfitting,
        coding,
        finding_trees,
        finding_lists,
    ],
    ids=name_of,
)
def test_a_signal_stops_a_kernel_in_the_middle(prepare):
    assert finished(prepare()) < CALLS


@pytest.mark.slow
def test_a_kernel_works_again_after_it_was_stopped():
    call = half_spaces()
    finished(call)
    total, *_ = call()
    assert total == half_space_total(call)


def half_space_total(call):
    """Ask again, without what was learned before the signal."""
    *args, kept, threads = call.args
    return _core.heaviest_half_space(*args, np.full_like(kept, 2**62), threads)[0]


def test_a_thread_other_than_the_main_one_is_not_stopped():
    results, call, over = [], measuring(), threading.Event()

    def work():
        results.append(call())
        over.set()

    before = signal.signal(signal.SIGALRM, stop)
    try:
        threading.Thread(target=work).start()
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(StopError):
            over.wait()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    over.wait()
    assert len(results) == 1


def test_a_handler_that_raises_nothing_changes_nothing():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(True))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        parts = measuring()
        parts()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen
    first = parts.args[0][0]
    assert parts.args[-1][:3] == pytest.approx(np.abs(first[:3]) * np.sqrt(400_000))
    assert distances([first], [0.0], "l2")[:3] == pytest.approx(np.abs(first[:3]))
