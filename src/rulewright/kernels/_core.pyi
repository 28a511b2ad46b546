from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

most_ranked_rows: int
code_words: int
bin_words: int

def bin_columns(
    columns: Sequence[NDArray[np.float64]],
    code: NDArray[np.uint16],
    mixed: NDArray[np.uint64],
    single: NDArray[np.uint64],
    smallest: NDArray[np.float64],
    cells: NDArray[np.int32],
    threads: int,
) -> None: ...
def heaviest_threshold(
    columns: Sequence[NDArray[np.float64]],
    code: NDArray[np.uint16],
    mixed: NDArray[np.uint64],
    single: NDArray[np.uint64],
    smallest: NDArray[np.float64],
    cells: NDArray[np.int32],
    weight: NDArray[np.int64],
    gathers_missing: bool,
    prefers_above: bool,
    threads: int,
) -> tuple[int, bool, float, int, int]: ...
def sort_columns(
    columns: Sequence[NDArray[np.float64]],
    order: NDArray[np.int32],
    present: NDArray[np.int32],
    threads: int,
) -> None: ...
def tally_cuts(
    columns: Sequence[NDArray[np.float64]],
    order: NDArray[np.int32],
    present: NDArray[np.int32],
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    classes: int,
    row: NDArray[np.int32],
    below: NDArray[np.float64],
    cuts: NDArray[np.int32],
    threads: int,
) -> None: ...
def weigh_categories(
    code: NDArray[np.int32],
    weight: NDArray[np.int64],
    positive: NDArray[np.int64],
    negative: NDArray[np.int64],
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
