from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

max_sc_objects: int

class BinnedColumns:
    def __init__(self, columns: Sequence[NDArray[np.float64]], threads: int) -> None: ...
    def heaviest(
        self, weight: NDArray[np.int64], gathers_missing: bool, prefers_above: bool
    ) -> tuple[int, bool, float, int, int]: ...

class SortedColumns:
    def __init__(self, columns: Sequence[NDArray[np.float64]], threads: int) -> None: ...
    def tally(
        self,
        first: int,
        label: NDArray[np.int32],
        weight: NDArray[np.float64],
        classes: int,
        row: NDArray[np.int32],
        below: NDArray[np.float64],
        cuts: NDArray[np.int32],
    ) -> None: ...
    def heaviest(
        self,
        weight: NDArray[np.int64],
        inside_end: NDArray[np.uint8],
        outside_end: NDArray[np.uint8],
        gathers_missing: bool,
        prefers_outside: bool,
    ) -> tuple[int, bool, int, int, int, int]: ...

def check_weights(weight: NDArray[np.int64]) -> None: ...
def keep_freed_memory() -> bool: ...
def dense_ranks(values: NDArray[np.float64], ranks: NDArray[np.int64]) -> int: ...
def hash_rows(
    numbers: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int32]],
    hash: NDArray[np.uint64],
) -> None: ...
def gather(
    columns: Sequence[NDArray[np.float64]],
    rows: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def weigh_categories(
    code: NDArray[np.int32],
    weight: NDArray[np.int64],
    positive: NDArray[np.int64],
    negative: NDArray[np.int64],
) -> None: ...
def count_codes(code: NDArray[np.int32], count: NDArray[np.int64]) -> None: ...
def sum_by_code(
    code: NDArray[np.int32], weight: NDArray[np.float64], sum: NDArray[np.float64]
) -> None: ...
def distances(
    columns: Sequence[NDArray[np.float64]],
    point: NDArray[np.float64],
    metric: int,
    out: NDArray[np.float64],
) -> None: ...
def similarities(
    columns: Sequence[NDArray[np.float64]],
    point: NDArray[np.float64],
    kind: int,
    gamma: float,
    offset: float,
    degree: int,
    out: NDArray[np.float64],
) -> None: ...
def kernel_distances(
    columns: Sequence[NDArray[np.float64]],
    point: NDArray[np.float64],
    kind: int,
    gamma: float,
    offset: float,
    degree: int,
    self: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def similarity_rows(
    columns: Sequence[NDArray[np.float64]],
    rows: NDArray[np.int32],
    kind: int,
    gamma: float,
    offset: float,
    degree: int,
    out: NDArray[np.float64],
    threads: int,
) -> None: ...
def heaviest_ball(
    columns: Sequence[NDArray[np.float64]],
    centres: NDArray[np.int32],
    below: NDArray[np.uint8],
    metric: int,
    kind: int,
    gamma: float,
    offset: float,
    degree: int,
    weight: NDArray[np.int64],
    border: NDArray[np.uint8],
    open: NDArray[np.uint8],
    apart: bool,
    excused: NDArray[np.uint8],
    kept: NDArray[np.int64],
    threads: int,
) -> tuple[int, int, int, int]: ...
def heaviest_given_ball(
    distances: NDArray[np.float64],
    centres: NDArray[np.int32],
    below: NDArray[np.uint8],
    weight: NDArray[np.int64],
    border: NDArray[np.uint8],
    open: NDArray[np.uint8],
    apart: bool,
    excused: NDArray[np.uint8],
    kept: NDArray[np.int64],
    threads: int,
) -> tuple[int, int, int, int]: ...
def couple_lines(
    similarity: NDArray[np.float64], list: NDArray[np.int32], order: NDArray[np.int32]
) -> None: ...
def heaviest_half_space(
    similarity: NDArray[np.float64],
    prototypes: NDArray[np.int32],
    toward: NDArray[np.int32],
    away: NDArray[np.int32],
    toward_order: NDArray[np.int32],
    away_order: NDArray[np.int32],
    weight: NDArray[np.int64],
    border: NDArray[np.uint8],
    open: NDArray[np.uint8],
    apart: bool,
    excused: NDArray[np.uint8],
    kept: NDArray[np.int64],
    threads: int,
) -> tuple[int, int, int, int]: ...
def grow(
    numeric: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int32]],
    categories: Sequence[int],
    ranges: int,
    label: NDArray[np.int32],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    direction: NDArray[np.int8],
    plain: int,
    classes: int,
    scoring: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]] | None,
    impurity: int,
    cuts: bool,
    intervals: bool,
    category_splits: int,
    fractional: bool,
    by_ratio: bool,
    max_depth: int,
    max_leaves: int,
    min_split: float,
    min_leaf: float,
    min_gain: float,
    threads: int,
    seconds: float,
    max_columns: int,
    max_on_path: int,
    groups: NDArray[np.uint8],
    used: NDArray[np.uint8],
    max_features: int,
    seed: int,
    max_sorted_rows: int,
) -> tuple[Any, ...]: ...
def route(
    numbers: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int32]],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    column: NDArray[np.int32],
    bits: NDArray[np.int32],
    inside: NDArray[np.int32],
    outside: NDArray[np.int32],
    missing: NDArray[np.int32],
    words: NDArray[np.uint64],
    first: NDArray[np.int32],
    target: NDArray[np.int32],
    share: NDArray[np.float64],
    output: NDArray[np.int32],
    classes: int,
    leaf: NDArray[np.int32],
    threads: int,
    in_parts: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...

class Conditions:
    def __init__(
        self,
        kind: NDArray[np.int8],
        negated: NDArray[np.uint8],
        first: NDArray[np.int32],
        end: NDArray[np.int32],
        count: NDArray[np.int32],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        links: NDArray[np.int32],
        set_column: NDArray[np.int32],
    ) -> None: ...

class ConditionTable:
    def __init__(
        self,
        conditions: Conditions,
        numbers: Sequence[NDArray[np.float64]],
        codes: Sequence[NDArray[np.int32]],
        given: Sequence[NDArray[np.uint8]],
        words: NDArray[np.uint64],
        set_first: NDArray[np.int32],
        set_words: NDArray[np.int32],
        rows: int,
    ) -> None: ...
    def first_true(
        self, roots: NDArray[np.int32], answer: NDArray[np.int32], threads: int
    ) -> None: ...
    def find_truth(
        self, roots: NDArray[np.int32], truth: NDArray[np.uint8], threads: int
    ) -> None: ...
    def count_votes(
        self,
        roots: NDArray[np.int32],
        output: NDArray[np.int32],
        weight: NDArray[np.float64],
        heaviest_first: NDArray[np.int32],
        classes: int,
        answer: NDArray[np.int32],
        votes: NDArray[np.float64],
        chance: NDArray[np.float64],
        default_chance: NDArray[np.float64],
        threads: int,
    ) -> None: ...
    def add_points(
        self,
        roots: NDArray[np.int32],
        points: NDArray[np.int32],
        start: NDArray[np.int32],
        lows: NDArray[np.int32],
        slope: float,
        answer: NDArray[np.int32],
        totals: NDArray[np.int64],
        chance: NDArray[np.float64],
        threads: int,
    ) -> None: ...

class BinCounter:
    def __init__(
        self,
        first: NDArray[np.int32],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        scale: NDArray[np.float64],
        bins: int,
        classes: int,
    ) -> None: ...
    def add(
        self, value: NDArray[np.float64], node: NDArray[np.int32], label: NDArray[np.int32]
    ) -> None: ...
    def groups(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...

class ValueCounter:
    def __init__(
        self,
        first: NDArray[np.int32],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        scale: NDArray[np.float64],
        classes: int,
    ) -> None: ...
    def add(
        self, value: NDArray[np.float64], node: NDArray[np.int32], label: NDArray[np.int32]
    ) -> None: ...
    def groups(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...

class ArrowRows:
    def __init__(self, capsule: Any) -> None: ...
    def next(self, size: int) -> tuple[int, list[Any]] | None: ...

class CsvRows:
    plain: bool
    rows: int
    def __init__(self, path: bytes, start: int, threads: int) -> None: ...
    def read(
        self,
        numbers: Sequence[NDArray[np.float64]],
        codes: Sequence[NDArray[np.int32]],
        delimiter: str,
        missing: Sequence[str],
    ) -> list[list[str]] | str: ...

def row_lines(
    first: int,
    rows: int,
    codes: Sequence[NDArray[np.int32]],
    texts: Sequence[bytes],
    starts: Sequence[NDArray[np.int64]],
) -> bytes: ...

class CodedCells:
    def __init__(
        self,
        codes: NDArray[np.int32],
        values: NDArray[np.int32],
        ordered: NDArray[np.uint8],
        label: NDArray[np.int32],
        weight: NDArray[np.int64],
        classes: int,
    ) -> None: ...
    def tests(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8]]: ...
    def optimal_trees(
        self,
        max_depth: int,
        max_leaves: int,
        max_subproblems: int,
        max_memory: int,
        seconds: float,
        error: int,
        impurity: int,
        by_impurity: bool,
        threads: int,
    ) -> tuple[
        NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], int, int, bool
    ]: ...
    def root_choices(
        self,
        max_loss: int,
        max_depth: int,
        max_leaves: int,
        max_subproblems: int,
        max_memory: int,
        seconds: float,
        error: int,
        impurity: int,
        by_impurity: bool,
        threads: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], bool]: ...
    def optimal_lists(
        self,
        max_rules: int,
        max_terms: int,
        max_subproblems: int,
        max_memory: int,
        seconds: float,
    ) -> tuple[
        NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], int, int, bool
    ]: ...
    def first_rules(
        self,
        max_errors: int,
        max_rules: int,
        max_terms: int,
        max_subproblems: int,
        max_memory: int,
        seconds: float,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], bool]: ...

class ExtensionTable:
    def __init__(
        self,
        codes: NDArray[np.int32],
        values: NDArray[np.int32],
        bits: Sequence[NDArray[np.uint64]],
        threads: int,
    ) -> None: ...
    def tally(
        self, rows: NDArray[np.uint64], own: NDArray[np.uint64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]: ...
    def terms(
        self,
        rows: NDArray[np.uint64],
        own: NDArray[np.uint64],
        weight: NDArray[np.float64],
        cut: NDArray[np.uint8],
        single: NDArray[np.uint8],
        allowed: NDArray[np.uint8],
        boundaries: bool,
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
    ]: ...
    def grow(
        self,
        rows: NDArray[np.int32],
        own: NDArray[np.uint8],
        weight: NDArray[np.float64],
        numeric: NDArray[np.uint8],
        allowed: NDArray[np.uint8],
        first: NDArray[np.int32],
        foil: bool,
        min_weight: float,
        max_tests: int,
    ) -> list[tuple[int, int, int]]: ...
    def depth(
        self, tests: NDArray[np.int32], rows: NDArray[np.int32], out: NDArray[np.int32]
    ) -> None: ...
    def passing(self, tests: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.int32]: ...

def count_marked(rows: NDArray[np.int32], marks: NDArray[np.uint8]) -> int: ...
def rows_covered(
    rows: NDArray[np.int32], times: NDArray[np.int16], wanted: int
) -> NDArray[np.int32]: ...
def part_rows(
    rows: NDArray[np.int32],
    own: NDArray[np.uint8],
    own_draws: NDArray[np.int64],
    other_draws: NDArray[np.int64],
    parts: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def delete_rules(
    rows: Sequence[NDArray[np.int32]],
    numbers: NDArray[np.int32],
    bits: NDArray[np.float64],
    own: NDArray[np.uint8],
    weight: NDArray[np.float64],
    totals: NDArray[np.float64],
    times: NDArray[np.int16],
    sum: NDArray[np.int32],
    alone: NDArray[np.float64],
    covered: NDArray[np.float64],
    rounding: float,
    only_weights: bool,
) -> list[int]: ...

class Tree:
    def __init__(
        self,
        kind: NDArray[np.int8],
        column: NDArray[np.int32],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        missing: NDArray[np.int32],
        largest: NDArray[np.int32],
        start: NDArray[np.int32],
        branches: NDArray[np.int32],
        table_start: NDArray[np.int32],
        branch_of: NDArray[np.int32],
        weight: NDArray[np.float64],
    ) -> None: ...

def drop_conditions(
    holds: NDArray[np.uint64],
    own: NDArray[np.uint64],
    weight: NDArray[np.float64],
    rows: int,
    start: NDArray[np.int32],
    number: NDArray[np.int32],
    output: NDArray[np.int32],
    confidence: float,
    deviations: float,
    kept: NDArray[np.uint8],
    right: NDArray[np.float64],
    wrong: NDArray[np.float64],
    threads: int,
) -> None: ...
def pessimistic_errors(
    total: NDArray[np.float64],
    errors: NDArray[np.float64],
    confidence: float,
    deviations: float,
    expected: NDArray[np.float64],
) -> None: ...
def prune_pessimistic(
    tree: Tree,
    numeric: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int32]],
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    confidence: float,
    deviations: float,
    raising: bool,
    instead: NDArray[np.int32],
    leaf: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> None: ...
def prune_reduced_error(
    tree: Tree,
    numeric: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int32]],
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    raising: bool,
    instead: NDArray[np.int32],
    leaf: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> None: ...
def visit_sc_rules(
    columns: Sequence[NDArray[np.float64]],
    at_least: NDArray[np.uint8],
    positive: NDArray[np.uint8],
    possible: NDArray[np.uint8],
    trained: int,
    layers: int,
    always: int,
    share: float,
    min_deviation: int,
    counts: NDArray[np.int32],
    thresholds: NDArray[np.int32],
) -> tuple[int, int, int, int]: ...
def overfitting_sum(
    counts: NDArray[np.int32], objects: int, trained: int, counted: int, min_deviation: int
) -> float: ...
def overfitting_quantiles(
    counts: NDArray[np.int32], objects: int, trained: int, eta: float
) -> tuple[int, int]: ...
def search_scores(
    codes: NDArray[np.uint8],
    own: NDArray[np.uint8],
    weight: NDArray[np.float64],
    terms: NDArray[np.int32],
    kept: NDArray[np.int32],
    forced: NDArray[np.int32],
    max_tests: int,
    beam_width: int,
    expansions: int,
    swap_passes: int,
    ridge: float,
    min_weight: float,
    min_refinement: float,
    pairs: bool,
    intervals: bool,
    threads: int,
) -> list[tuple[list[tuple[int, int]], list[float], list[float], float]]: ...
def round_points(
    holds: NDArray[np.uint8],
    own: NDArray[np.uint8],
    weight: NDArray[np.float64],
    coefficient: NDArray[np.float64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    ridge: float,
) -> tuple[list[int], float, float, float]: ...
def round_class_points(
    holds: NDArray[np.uint8],
    y: NDArray[np.int32],
    classes: int,
    weight: NDArray[np.float64],
    coefficient: NDArray[np.float64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    ridge: float,
) -> tuple[list[int], float, float, float]: ...
