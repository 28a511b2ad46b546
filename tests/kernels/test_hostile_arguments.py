"""No argument of a kernel, however wrong, does worse than a clear error."""

import gc
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from rulewright import kernels
from rulewright.kernels import _core

ROWS, COLUMNS = 70, 2
RNG = np.random.default_rng(0)
ERRORS = (ValueError, TypeError, OverflowError, IndexError)


def ints(*numbers):
    return np.array(numbers, np.int32)


def marks(count):
    return np.ones(count, np.uint8)


def numbers():
    return [RNG.integers(0, 9, ROWS).astype(float) for _ in range(COLUMNS)]


def codes():
    return [RNG.integers(-1, 3, ROWS).astype(np.int32) for _ in range(COLUMNS)]


def labels():
    return RNG.integers(0, 2, ROWS).astype(np.int32)


def signed():
    return RNG.integers(-5, 5, ROWS)


def words(lines):
    bits = RNG.integers(0, 2, (lines, ROWS)).astype(np.bool_)
    return np.stack([kernels.packed(line) for line in bits])


def sorted_columns():
    return _core.SortedColumns(numbers(), 1)


def table():
    no_bits = [np.empty(0, np.uint64)] * COLUMNS
    return _core.ExtensionTable(np.stack(codes()), ints(3, 3), no_bits, 1)


def binned_table():
    """Make a table by which a rule was grown."""
    made = table()
    _, arguments = CASES["ExtensionTable.grow"]
    made.grow(**arguments)
    return made


def tree():
    return _core.Tree(**TREE)


TREE = {
    "kind": np.array([1, 3, 0, 0, 0], np.int8),
    "column": ints(0, 2, -1, -1, -1),
    "low": np.full(5, 4.0),
    "high": np.full(5, 5.0),
    "missing": ints(-1, 0, -1, -1, -1),
    "largest": ints(0, 1, -1, -1, -1),
    "start": ints(0, 2, 4, 4, 4, 4),
    "branches": ints(1, 2, 3, 4),
    "table_start": ints(0, 0, 3, 3, 3, 3),
    "branch_of": ints(0, 1, -1),
    "weight": np.ones((5, 2)),
}
CELLS = {
    "first": ints(0, 2, 3),
    "low": np.array([0.0, 3.0, 0.0]),
    "high": np.array([2.0, 4.0, 9.0]),
    "scale": np.array([2.0, 4.0, 0.5]),
}
COUNTED = {
    "value": numbers()[0],
    "node": ints(*RNG.integers(-1, 2, ROWS)),
    "label": labels(),
}
PRUNED = {
    "instead": np.empty(5, np.int32),
    "leaf": np.empty(5, np.int32),
    "weights": np.empty((5, 2)),
}
ROUTES = {
    "low": np.array([2.0, 0.0, -np.inf]),
    "high": np.array([5.0, 0.0, np.inf]),
    "column": ints(0, 1, 1),
    "bits": ints(-1, 0, -1),
    "inside": ints(1, ~0, ~1),
    "outside": ints(2, ~1, ~3),
    "missing": ints(2, ~1, ~3),
    "words": np.array([5], np.uint64),
    "first": ints(0, 2),
    "target": ints(~0, ~2),
    "share": np.array([0.5, 0.5]),
    "output": ints(0, 1, 1),
    "classes": 2,
}
SIMILARITY = {"kind": 2, "gamma": 1.0, "offset": 0.0, "degree": 3}
RAYS = {
    "weight": signed(),
    "border": marks(ROWS),
    "open": marks(ROWS),
    "apart": True,
    "excused": marks(ROWS),
}
GROWN = {
    "numeric": numbers(),
    "codes": codes(),
    "categories": [3, 3],
    "ranges": 1,
    "label": labels(),
    "target": np.empty(0),
    "weight": np.ones(ROWS),
    "direction": np.array([1, 0], np.int8),
    "plain": 2,
    "classes": 2,
    "scoring": None,
    "impurity": 2,
    "cuts": True,
    "intervals": True,
    "category_splits": 2,
    "fractional": False,
    "by_ratio": False,
    "max_depth": 9,
    "max_leaves": 9,
    "min_split": 2.0,
    "min_leaf": 1.0,
    "min_gain": 0.0,
    "threads": 1,
    "seconds": 60.0,
    "max_columns": 9,
    "max_on_path": 9,
    "groups": np.ones((2, 4), np.uint8),
    "used": marks(4),
    "max_features": 2,
    "seed": 7,
    "max_sorted_rows": 20,
}
OF_NUMBERS = {"label": np.empty(0, np.int32), "target": RNG.normal(size=ROWS), "classes": 1}
DROPPED = {
    "holds": words(3),
    "own": words(2),
    "weight": np.ones(ROWS),
    "rows": ROWS,
    "start": ints(0, 2, 3),
    "number": ints(0, 1, 2),
    "output": ints(0, 1),
    "confidence": 0.25,
    "deviations": 0.67,
    "kept": np.empty(3, np.uint8),
    "right": np.empty(2),
    "wrong": np.empty(2),
    "threads": 1,
}
CODED = {
    "codes": np.stack(codes()),
    "values": ints(3, 4),
    "ordered": np.array([1, 0], np.uint8),
    "label": labels(),
    "weight": np.abs(signed()),
    "classes": 2,
}
SEARCHED = {
    "max_depth": 3,
    "max_leaves": 8,
    "max_subproblems": 9,
    "max_memory": 10**6,
    "seconds": 60.0,
}
LEAVES = {"error": 1, "impurity": 1, "by_impurity": True, "threads": 1}
LISTED = {
    "max_rules": 2,
    "max_terms": 2,
    "max_subproblems": 9,
    "max_memory": 10**6,
    "seconds": 60.0,
}
COUNTS = np.tile(ints(9, 4, 9, 2, 2, 1, 1), (3, 1))

POINTS = {
    "weight": np.ones(ROWS),
    "coefficient": np.array([1.0, -0.5]),
    "low": ints(-3, -3),
    "high": ints(3, 3),
    "ridge": 1.0,
}


def condition_marks(count):
    return RNG.integers(0, 2, (count, ROWS)).astype(np.uint8)


CONDITIONS = {
    "kind": np.array([0, 2, 3, 5, 6, 1, 4], np.int8),
    "negated": np.array([0, 0, 1, 0, 0, 0, 1], np.uint8),
    "first": ints(0, 1, 0, 0, 2, 1, 3),
    "end": ints(0, 0, 0, 2, 3, 0, 5),
    "count": ints(0, 0, 0, 0, 1, 0, 0),
    "low": np.full(7, 2.0),
    "high": np.full(7, 5.0),
    "links": ints(0, 1, 2, 3, 5),
    "set_column": ints(1),
}


def bound_conditions():
    given = [RNG.integers(0, 2, ROWS).astype(np.uint8)]
    sets = np.array([5], np.uint64), ints(0), ints(1)
    return _core.ConditionTable(
        _core.Conditions(**CONDITIONS), numbers(), codes(), given, *sets, ROWS
    )


CASES = {
    "Conditions": (lambda: _core.Conditions, CONDITIONS),
    "ConditionTable": (
        lambda: partial(_core.ConditionTable, _core.Conditions(**CONDITIONS)),
        {
            "numbers": numbers(),
            "codes": codes(),
            "given": [marks(ROWS)],
            "words": np.array([5], np.uint64),
            "set_first": ints(0),
            "set_words": ints(1),
            "rows": ROWS,
        },
    ),
    "ConditionTable.first_true": (
        lambda: bound_conditions().first_true,
        {"roots": ints(6, 4), "answer": np.empty(ROWS, np.int32), "threads": 1},
    ),
    "ConditionTable.find_truth": (
        lambda: bound_conditions().find_truth,
        {"roots": ints(6, 4), "truth": np.empty((2, ROWS), np.uint8), "threads": 1},
    ),
    "ConditionTable.count_votes": (
        lambda: bound_conditions().count_votes,
        {
            "roots": ints(6, 4),
            "output": ints(1, 0),
            "weight": np.array([0.5, 0.25]),
            "heaviest_first": ints(0, 1),
            "classes": 2,
            "answer": np.empty(ROWS, np.int32),
            "votes": np.empty((ROWS, 2)),
            "chance": np.empty((ROWS, 2)),
            "default_chance": np.array([0.5, 0.5]),
            "threads": 1,
        },
    ),
    "ConditionTable.add_points": (
        lambda: bound_conditions().add_points,
        {
            "roots": ints(6, 4),
            "points": np.array([[1, -2], [3, 0]], np.int32),
            "start": ints(0, 1),
            "lows": ints(),
            "slope": 0.5,
            "answer": np.empty(ROWS, np.int32),
            "totals": np.empty((ROWS, 2), np.int64),
            "chance": np.empty((ROWS, 2)),
            "threads": 1,
        },
    ),
    "CsvRows": (lambda: _core.CsvRows, {"path": b"no-such-file", "start": 0, "threads": 1}),
    "CsvRows.read": (
        lambda: _core.CsvRows(b"no-such-file", 0, 1).read,
        {"numbers": [np.empty(0)], "codes": [ints()], "delimiter": ",", "missing": ["NA"]},
    ),
    "dense_ranks": (
        lambda: _core.dense_ranks,
        {"values": numbers()[0], "ranks": np.empty(ROWS, np.int64)},
    ),
    "ArrowRows.next": (
        lambda: _core.ArrowRows(pa.table({"x": np.arange(9.0)}).__arrow_c_stream__()).next,
        {"size": 4},
    ),
    "row_lines": (
        lambda: _core.row_lines,
        {
            "first": 98,
            "rows": ROWS,
            "codes": [np.zeros(ROWS, np.int32)],
            "texts": [b"ab"],
            "starts": [np.array([0, 1, 2], np.int64)],
        },
    ),
    "search_scores": (
        lambda: _core.search_scores,
        {
            "codes": RNG.integers(0, 4, (COLUMNS, ROWS)).astype(np.uint8),
            "own": condition_marks(1),
            "weight": np.ones(ROWS),
            "terms": np.array(
                [[0, 0, 1, 0, 1, 0], [1, 1, 2, 1, 1, 0], [1, 2, 3, 0, 0, 0]], np.int32
            ),
            "kept": np.array([[0, -1]], np.int32),
            "forced": np.array([1], np.int32),
            "max_tests": 3,
            "beam_width": 2,
            "expansions": 3,
            "swap_passes": 1,
            "ridge": 1.0,
            "min_weight": 1.0,
            "min_refinement": 1.0,
            "pairs": True,
            "intervals": True,
            "threads": 1,
        },
    ),
    "round_points": (
        lambda: _core.round_points,
        {"holds": condition_marks(2), "own": condition_marks(1)[0], **POINTS},
    ),
    "round_class_points": (
        lambda: _core.round_class_points,
        {
            "holds": condition_marks(2),
            "y": labels(),
            "classes": 2,
            **POINTS,
            "coefficient": np.array([1.0, -0.5, 0.5, 0.25]),
        },
    ),
    "BinnedColumns": (lambda: _core.BinnedColumns, {"columns": numbers(), "threads": 1}),
    "BinnedColumns.heaviest": (
        lambda: _core.BinnedColumns(numbers(), 1).heaviest,
        {"weight": signed(), "gathers_missing": True, "prefers_above": False},
    ),
    "SortedColumns": (lambda: _core.SortedColumns, {"columns": numbers(), "threads": 2}),
    "SortedColumns.tally": (
        lambda: sorted_columns().tally,
        {
            "first": 0,
            "label": labels(),
            "weight": np.ones(ROWS),
            "classes": 2,
            "row": np.empty((COLUMNS, ROWS), np.int32),
            "below": np.empty((COLUMNS, 2 * ROWS)),
            "cuts": np.empty(COLUMNS, np.int32),
        },
    ),
    "SortedColumns.heaviest": (
        lambda: sorted_columns().heaviest,
        {
            "weight": signed(),
            "inside_end": marks(ROWS),
            "outside_end": marks(ROWS),
            "gathers_missing": True,
            "prefers_outside": False,
        },
    ),
    "BinCounter": (lambda: _core.BinCounter, {**CELLS, "bins": 4, "classes": 2}),
    "BinCounter.add": (lambda: _core.BinCounter(**CELLS, bins=4, classes=2).add, COUNTED),
    "ValueCounter": (lambda: _core.ValueCounter, {**CELLS, "classes": 2}),
    "ValueCounter.add": (lambda: _core.ValueCounter(**CELLS, classes=2).add, COUNTED),
    "CodedCells": (lambda: _core.CodedCells, CODED),
    "CodedCells.optimal_trees": (
        lambda: _core.CodedCells(**CODED).optimal_trees,
        {**SEARCHED, **LEAVES},
    ),
    "CodedCells.root_choices": (
        lambda: _core.CodedCells(**CODED).root_choices,
        {"max_loss": 30, **SEARCHED, **LEAVES},
    ),
    "CodedCells.optimal_lists": (lambda: _core.CodedCells(**CODED).optimal_lists, LISTED),
    "CodedCells.first_rules": (
        lambda: _core.CodedCells(**CODED).first_rules,
        {"max_errors": 30, **LISTED},
    ),
    "check_weights": (lambda: _core.check_weights, {"weight": signed()}),
    "hash_rows": (
        lambda: _core.hash_rows,
        {"numbers": numbers(), "codes": codes(), "hash": np.empty(ROWS, np.uint64)},
    ),
    "gather": (
        lambda: _core.gather,
        {
            "columns": numbers(),
            "rows": np.zeros(2, np.int64),
            "out": np.empty((COLUMNS, 2)),
        },
    ),
    "weigh_categories": (
        lambda: _core.weigh_categories,
        {
            "code": codes()[0],
            "weight": signed(),
            "positive": np.empty(3, np.int64),
            "negative": np.empty(3, np.int64),
        },
    ),
    "count_codes": (
        lambda: _core.count_codes,
        {"code": codes()[0], "count": np.empty(3, np.int64)},
    ),
    "sum_by_code": (
        lambda: _core.sum_by_code,
        {"code": codes()[0], "weight": np.ones(ROWS), "sum": np.empty(3)},
    ),
    "distances": (
        lambda: _core.distances,
        {"columns": numbers(), "point": np.zeros(COLUMNS), "metric": 2, "out": np.empty(ROWS)},
    ),
    "similarities": (
        lambda: _core.similarities,
        {"columns": numbers(), "point": np.zeros(2), **SIMILARITY, "out": np.empty(ROWS)},
    ),
    "kernel_distances": (
        lambda: _core.kernel_distances,
        {
            "columns": numbers(),
            "point": np.zeros(2),
            **SIMILARITY,
            "self": np.empty(ROWS),
            "out": np.empty(ROWS),
        },
    ),
    "similarity_rows": (
        lambda: _core.similarity_rows,
        {
            "columns": numbers(),
            "rows": ints(3, 0),
            **SIMILARITY,
            "out": np.empty((2, ROWS)),
            "threads": 2,
        },
    ),
    "heaviest_ball": (
        lambda: _core.heaviest_ball,
        {
            "columns": numbers(),
            "centres": ints(3, 9),
            "below": marks(2),
            "metric": -1,
            **SIMILARITY,
            **RAYS,
            "kept": np.full(2, 2**62),
            "threads": 2,
        },
    ),
    "heaviest_given_ball": (
        lambda: _core.heaviest_given_ball,
        {
            "distances": RNG.random((2, ROWS)),
            "centres": ints(3, 9),
            "below": marks(2),
            **RAYS,
            "kept": np.full(2, 2**62),
            "threads": 2,
        },
    ),
    "couple_lines": (
        lambda: _core.couple_lines,
        {
            "similarity": RNG.random((4, ROWS)),
            "list": ints(0, 2, 3),
            "order": np.empty(3, np.int32),
        },
    ),
    "heaviest_half_space": (
        lambda: _core.heaviest_half_space,
        {
            "similarity": RNG.random((4, ROWS)),
            "prototypes": ints(3, 9, 12, 60),
            "toward": ints(0, 1),
            "away": ints(2, 3),
            "toward_order": ints(1, 0),
            "away_order": ints(0, 1),
            **RAYS,
            "kept": np.full(4, 2**62),
            "threads": 2,
        },
    ),
    "grow": (lambda: _core.grow, GROWN),
    "grow, with fractions": (lambda: _core.grow, {**GROWN, "fractional": True, "by_ratio": True}),
    "grow, by variance": (lambda: _core.grow, {**GROWN, **OF_NUMBERS, "impurity": 3}),
    "grow, by distances": (lambda: _core.grow, {**GROWN, **OF_NUMBERS, "impurity": 4}),
    "route": (
        lambda: _core.route,
        {
            "numbers": numbers(),
            "codes": codes(),
            **ROUTES,
            "leaf": np.empty(ROWS, np.int32),
            "threads": 1,
            "in_parts": True,
        },
    ),
    "ExtensionTable": (
        lambda: _core.ExtensionTable,
        {
            "codes": np.stack(codes()),
            "values": ints(3, 3),
            "bits": [np.zeros(8, np.uint64)] * COLUMNS,
            "threads": 1,
        },
    ),
    "ExtensionTable.tally": (
        lambda: table().tally,
        {"rows": words(1)[0], "own": words(1)[0], "weight": np.ones(ROWS)},
    ),
    "ExtensionTable.terms": (
        lambda: table().terms,
        {
            "rows": words(1)[0],
            "own": words(1)[0],
            "weight": np.ones(ROWS),
            "cut": np.array([0, 1], np.uint8),
            "single": np.array([1, 0], np.uint8),
            "allowed": np.ones((COLUMNS, 6), np.uint8),
            "boundaries": True,
        },
    ),
    "ExtensionTable.grow": (
        lambda: table().grow,
        {
            "rows": np.arange(ROWS, dtype=np.int32),
            "own": labels().astype(np.uint8),
            "weight": np.ones(ROWS),
            "numeric": np.array([0, 1], np.uint8),
            "allowed": marks(2),
            "first": np.array([[0, 2, 1]], np.int32),
            "foil": True,
            "min_weight": 1.0,
            "max_tests": 9,
        },
    ),
    "ExtensionTable.depth": (
        lambda: table().depth,
        {
            "tests": np.array([[0, 2, 1], [1, 0, 1]], np.int32),
            "rows": ints(0, 5, 9),
            "out": np.empty(3, np.int32),
        },
    ),
    "ExtensionTable.depth, by bin": (
        lambda: binned_table().depth,
        {
            "tests": np.array([[0, 2, 1], [1, 0, 1]], np.int32),
            "rows": np.arange(ROWS, dtype=np.int32),
            "out": np.empty(ROWS, np.int32),
        },
    ),
    "ExtensionTable.passing": (
        lambda: binned_table().passing,
        {
            "tests": np.array([[0, 1, 1], [1, 0, 1]], np.int32),
            "rows": np.arange(ROWS, dtype=np.int32),
        },
    ),
    "count_marked": (
        lambda: _core.count_marked,
        {"rows": ints(0, 5, 9), "marks": marks(ROWS)},
    ),
    "rows_covered": (
        lambda: _core.rows_covered,
        {"rows": ints(0, 5, 9), "times": np.ones(ROWS, np.int16), "wanted": 1},
    ),
    "part_rows": (
        lambda: _core.part_rows,
        {
            "rows": ints(0, 5, 9, 11),
            "own": marks(ROWS),
            "own_draws": np.array([1, 0]),
            "other_draws": np.empty(0, np.int64),
            "parts": 3,
        },
    ),
    "delete_rules": (
        lambda: _core.delete_rules,
        {
            "rows": [ints(0, 1, 2), ints(2, 3)],
            "numbers": ints(0, 1),
            "bits": np.full(2, 99.0),
            "own": labels().astype(np.uint8),
            "weight": np.ones(ROWS),
            "totals": np.array([20.0, 20.0]),
            "times": np.array([1, 1, 2, 1] + [0] * (ROWS - 4), np.int16),
            "sum": np.array([0, 0, 1, 1] + [0] * (ROWS - 4), np.int32),
            "alone": np.ones((2, 2)),
            "covered": np.full(2, 2.0),
            "rounding": 1e-9,
            "only_weights": True,
        },
    ),
    "Tree": (lambda: _core.Tree, TREE),
    "drop_conditions": (lambda: _core.drop_conditions, DROPPED),
    "pessimistic_errors": (
        lambda: _core.pessimistic_errors,
        {
            "total": np.full(3, 9.0),
            "errors": np.ones(3),
            "confidence": 0.25,
            "deviations": 0.67,
            "expected": np.empty(3),
        },
    ),
    "prune_pessimistic": (
        lambda: partial(_core.prune_pessimistic, tree()),
        {
            "numeric": numbers(),
            "codes": codes(),
            "label": labels(),
            "weight": np.ones(ROWS),
            "confidence": 0.25,
            "deviations": 0.67,
            "raising": True,
            **PRUNED,
        },
    ),
    "prune_reduced_error": (
        lambda: partial(_core.prune_reduced_error, tree()),
        {
            "numeric": numbers(),
            "codes": codes(),
            "label": labels(),
            "weight": np.ones(ROWS),
            "raising": True,
            **PRUNED,
        },
    ),
    "visit_sc_rules": (
        lambda: _core.visit_sc_rules,
        {
            "columns": numbers(),
            "at_least": marks(2),
            "positive": labels().astype(np.uint8),
            "possible": marks(ROWS),
            "trained": 30,
            "layers": 3,
            "always": 0,
            "share": 0.1,
            "min_deviation": 1,
            "counts": np.empty((99, 7), np.int32),
            "thresholds": np.empty((99, 2), np.int32),
        },
    ),
    "overfitting_sum": (
        lambda: _core.overfitting_sum,
        {"counts": COUNTS, "objects": 60, "trained": 30, "counted": 1, "min_deviation": 2},
    ),
    "overfitting_quantiles": (
        lambda: _core.overfitting_quantiles,
        {"counts": COUNTS, "objects": 60, "trained": 30, "eta": 0.1},
    ),
}

WITHOUT_ARGUMENTS = {"keep_freed_memory"}

INTEGERS = (-1, 0, 2, 2**31 - 1, -(2**31), 2**62, 2**64 - 1, 2**70)
FLOATS = (float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 1e308)
OF_A_TYPE = {
    "f": FLOATS,
    "i": (-1, -2, 2, 9, 2**31 - 1, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63)),
    "u": (2, 255, 2**63, 2**64 - 1),
}


def hostile(value):
    """Give values of the same kind that are wrong in one way or another."""
    if isinstance(value, np.ndarray):
        yield from hostile_arrays(value)
    elif isinstance(value, list):
        yield from ([], value[:1], [*value, value[0]])
        for other in hostile(value[-1]):
            yield [*value[:-1], other]
    elif isinstance(value, bool):
        yield from (True, False, 2, None)
    elif isinstance(value, int):
        yield from (*INTEGERS, 0.5, None)
    elif isinstance(value, float):
        yield from (*FLOATS, None)
    else:
        yield from (3, "text", np.zeros(2))


def hostile_arrays(array):
    yield array[:0]
    yield array[:-1]
    yield np.concatenate([array, array])
    yield array.astype(np.complex128)
    if array.ndim == 2:
        yield from (array[:, :0], array[:, :-1].copy(), array[0], array.T.copy())
    for value in OF_A_TYPE[array.dtype.kind]:
        info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        if info and not info.min <= value <= info.max:
            continue
        for place in (slice(1), slice(-1, None), slice(None)):
            wrong = array.copy()
            wrong.reshape(-1)[place] = value
            yield wrong


@pytest.mark.cross_section(25)
@pytest.mark.parametrize("name", CASES)
def test_a_wrong_argument_is_a_clear_error_or_harmless(name):
    make, arguments = CASES[name]
    make()(**arguments)
    for argument, value in arguments.items():
        for wrong in hostile(value):
            try:
                make()(**{**arguments, argument: wrong})
            except ERRORS as error:
                assert str(error), argument
    gc.collect()


@pytest.mark.parametrize("name", CASES)
def test_two_wrong_arguments_are_not_right_together(name):
    """Arrays of wrong lengths may agree with one another."""
    make, arguments = CASES[name]
    names = list(arguments)
    choice = np.random.default_rng(len(name))
    for _ in range(200):
        some = {
            argument: (wrong := list(hostile(arguments[argument])))[choice.integers(len(wrong))]
            for argument in choice.choice(names, min(3, len(names)), replace=False)
        }
        try:
            make()(**{**arguments, **some})
        except ERRORS as error:
            assert str(error), some


def test_every_kernel_is_asked():
    called = {name.split(",")[0].split(".")[0] for name in CASES}
    named = {name for name in dir(_core) if callable(getattr(_core, name)) and name[0] != "_"}
    assert called == named - WITHOUT_ARGUMENTS


def test_only_a_stream_of_doubles_and_texts_is_read():
    for capsule in (1, None, object()):
        with pytest.raises(TypeError):
            _core.ArrowRows(capsule)
    table = pa.table({"x": [1, 2]})
    with pytest.raises(ValueError, match="must be a stream in a capsule"):
        _core.ArrowRows(table.schema.__arrow_c_schema__())
    with pytest.raises(ValueError, match="must hold doubles or text"):
        _core.ArrowRows(table.__arrow_c_stream__())


def test_conditions_cannot_contain_each_other_without_end():
    count = 1100
    chain = {
        "kind": np.array([1] + [4] * count, np.int8),
        "negated": np.zeros(count + 1, np.uint8),
        "first": ints(0, *range(count)),
        "end": ints(0, *range(1, count + 1)),
        "count": np.zeros(count + 1, np.int32),
        "low": np.zeros(count + 1),
        "high": np.zeros(count + 1),
        "links": ints(*range(count)),
        "set_column": ints(),
    }
    with pytest.raises(ValueError, match="to a depth of 1000"):
        _core.Conditions(**chain)
    shared = {**chain, "links": np.zeros(count, np.int32)}
    with pytest.raises(ValueError, match="part of one condition only"):
        _core.Conditions(**shared)


def test_a_negative_code_is_no_address():
    leaf = np.empty(3, np.int32)
    arguments = {**CASES["route"][1], "numbers": [np.zeros(3)] * 2, "leaf": leaf}
    for code, match in (
        (-2, "-1 where missing"),
        (-(2**31), "-1 where missing"),
        (63, "larger than the bits"),
    ):
        with pytest.raises(ValueError, match=match):
            _core.route(**{**arguments, "codes": [np.zeros(3, np.int32), ints(0, code, 0)]})


@pytest.mark.parametrize("weight", [2**62, -(2**62), 2**61])
def test_weights_whose_sum_could_wrap_are_refused(weight):
    x, weights = np.arange(3.0), np.array([weight, weight // 2, weight // 2])
    borders, similarity = np.ones(3, np.bool_), np.outer(x, x)
    rows = ints(0, 1, 2)
    balls = kernels.BallIndex([x], rows, np.zeros(3, np.bool_))
    pairs = kernels.PairIndex(similarity, rows, rows[2:], rows[:1])
    calls = (
        lambda: kernels.ThresholdIndex([x]).heaviest(weights),
        lambda: kernels.IntervalIndex([x]).heaviest(weights),
        lambda: balls.heaviest(weights, borders),
        lambda: pairs.heaviest(weights, borders),
        lambda: kernels.weigh_categories(rows, weights, 3),
    )
    for call in calls:
        with pytest.raises(ValueError, match="less than 2\\^62"):
            call()
    fine = np.array([-1, 3, 3])  # what was refused has left no trace
    assert pairs.heaviest(fine, borders) == kernels.HeaviestRay(6, 6, 0, 0)
    assert balls.heaviest(fine, borders).total == 6


def test_labels_are_not_cut_to_16_bits():
    answers = np.array([0, 65_536, 1], np.int32)
    training = kernels.TrainingColumns([np.arange(3.0)], [], [], answers, np.ones(3), 2)
    with pytest.raises(ValueError, match="class must be from 0 to 1, got 65536"):
        kernels.grow_tree(training, kernels.GrowthOptions())


@pytest.mark.parametrize("degree", [-1, 65, 10**9])
def test_a_degree_that_would_take_forever_is_refused(degree):
    with pytest.raises(ValueError, match=f"must be from 0 to 64, got {degree}"):
        kernels.similarities([np.ones(3)], [1.0], "polynomial", degree=degree)


def test_forks_of_forks_cannot_send_a_row_endless_ways():
    depth = 60
    tests = np.arange(depth, dtype=np.int32)
    forks = np.minimum(np.repeat(tests + 1, 2), depth - 1).astype(np.int32)
    forks[-2:] = ~0
    arguments = {
        "low": np.zeros(depth),
        "high": np.zeros(depth),
        "column": np.zeros(depth, np.int32),
        "bits": np.full(depth, -1, np.int32),
        "inside": np.full(depth, ~0, np.int32),
        "outside": (~(1 + tests)).astype(np.int32),
        "missing": np.full(depth, ~0, np.int32),
        "words": np.empty(0, np.uint64),
        "first": 2 * np.arange(depth + 1, dtype=np.int32),
        "target": forks,
        "share": np.full(2 * depth, 0.5),
        "output": ints(0),
        "classes": 1,
    }
    with pytest.raises(ValueError, match="paths"):
        leaf = np.empty(2, np.int32)
        _core.route([np.ones(2)], [], **arguments, leaf=leaf, threads=1, in_parts=False)


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_must_be_one_or_more(threads):
    with pytest.raises(ValueError, match=f"threads must be 1 or more, got {threads}"):
        _core.SortedColumns([np.ones(3)], threads)
