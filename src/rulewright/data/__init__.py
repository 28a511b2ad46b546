"""Tables, columns and data files.

The only package that knows dataframes, file formats and the sources of missing values. It produces
a ``Table`` of numeric columns (float64, NaN where missing) and categorical columns (codes, -1 where
missing), or a frame of the caller's library. May import: kernels, errors.
To add a container or a file format, extend ``frames`` or ``files``; nothing else changes.
"""

__all__ = [
    "BINS",
    "CLOSED",
    "MAX_QUERY_TESTS",
    "MODULUS",
    "MOMENT_EXAMPLES",
    "MOMENT_NAMES",
    "POSTGRES_PREFIXES",
    "CategoricalColumn",
    "CategoryCounts",
    "CategoryOrder",
    "CellColumn",
    "CellType",
    "Column",
    "ColumnSummary",
    "Condition",
    "Counts",
    "DataFile",
    "DatabaseName",
    "DepthCounts",
    "Field",
    "Fork",
    "GroupCounts",
    "HashRange",
    "KeyHash",
    "Kind",
    "LazyTable",
    "Moment",
    "NumericColumn",
    "OpenDatabase",
    "Patterns",
    "Records",
    "ResultStore",
    "Route",
    "RowGroups",
    "RowPart",
    "RowWriter",
    "ServerTable",
    "Survey",
    "Table",
    "TooManyPatternsError",
    "ValueRange",
    "canonical_columns",
    "canonical_rows",
    "canonical_table",
    "check_writable",
    "checked_keys",
    "coded_cells",
    "content_key",
    "detect_table",
    "draw_rows",
    "excel_safe_cell",
    "file_to_replace",
    "first_by_content",
    "fit_table",
    "fixed_permutation",
    "frame",
    "frame_library",
    "frame_like",
    "installed",
    "is_earlier_output",
    "is_frame",
    "is_lazy",
    "is_missing",
    "is_parquet_name",
    "is_same_file",
    "is_standard_output",
    "is_workbook_name",
    "keep_known",
    "key_columns",
    "key_notice",
    "labels_of",
    "lazy_names",
    "match_moment",
    "moment_text",
    "no_labels",
    "open_data",
    "open_database",
    "open_server_table",
    "query_columns",
    "read_moment",
    "recipe_key",
    "refuse_lazy",
    "rows_from",
    "seed_key",
    "selected",
    "separated",
    "sorted_rows",
    "survey",
    "table_cautions",
    "text_labels",
    "text_of",
    "write_atomically",
    "write_rows",
    "write_table",
]

from typing import TYPE_CHECKING, Any

from rulewright.data.canonical_order import (
    canonical_columns,
    canonical_rows,
    canonical_table,
    first_by_content,
    fixed_permutation,
    sorted_rows,
)
from rulewright.data.column_queries import DatabaseName, query_columns
from rulewright.data.columns import (
    CategoricalColumn,
    CategoryOrder,
    CellColumn,
    Column,
    Field,
    Kind,
    NumericColumn,
    coded_cells,
    is_missing,
    text_of,
)
from rulewright.data.content_hash import content_key, draw_rows, recipe_key, seed_key
from rulewright.data.counts import (
    BINS,
    CLOSED,
    MAX_QUERY_TESTS,
    CategoryCounts,
    Condition,
    Counts,
    DepthCounts,
    Fork,
    GroupCounts,
    HashRange,
    Patterns,
    Route,
    RowGroups,
    RowPart,
    ValueRange,
)
from rulewright.data.datafile import DataFile
from rulewright.data.destinations import (
    check_writable,
    file_to_replace,
    is_same_file,
    is_standard_output,
)
from rulewright.data.file_formats import open_data
from rulewright.data.first_look import (
    ColumnSummary,
    Survey,
    survey,
    table_cautions,
)
from rulewright.data.frames import (
    detect_table,
    fit_table,
    frame_library,
    is_frame,
    keep_known,
    refuse_lazy,
    separated,
)
from rulewright.data.key_hash import MODULUS, KeyHash, checked_keys, rows_from
from rulewright.data.keys import key_columns, key_notice
from rulewright.data.lazy_queries import TooManyPatternsError
from rulewright.data.lazy_table import LazyTable, is_lazy, lazy_names, selected
from rulewright.data.moments import (
    MOMENT_EXAMPLES,
    MOMENT_NAMES,
    Moment,
    match_moment,
    moment_text,
    read_moment,
)
from rulewright.data.result_frames import Records, frame, frame_like, installed
from rulewright.data.scoring import POSTGRES_PREFIXES, OpenDatabase, open_database
from rulewright.data.server_table import ServerTable, open_server_table
from rulewright.data.table import Table, labels_of, no_labels, text_labels
from rulewright.data.workbook_file import is_workbook_name
from rulewright.data.writing import (
    CellType,
    RowWriter,
    excel_safe_cell,
    is_earlier_output,
    is_parquet_name,
    write_atomically,
    write_rows,
    write_table,
)

if TYPE_CHECKING:
    from rulewright.data.result_store import ResultStore


def __getattr__(name: str) -> Any:
    # The store is imported on first use: importing DuckDB takes long.
    if name != "ResultStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rulewright.data.result_store import ResultStore  # noqa: PLC0415

    return ResultStore
