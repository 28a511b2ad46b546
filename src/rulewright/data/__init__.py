"""Data: one table, whatever it came from.

The only room that knows dataframes, files and where a missing value comes from. What leaves it is a
``Table`` of numeric columns (float64, NaN where missing) and categorical columns (codes, -1 where
missing), or a frame in the library the caller uses. May import: errors.
To add a container or a file format: teach it to ``frames`` or ``files``; nothing else changes.
"""

__all__ = [
    "CategoricalColumn",
    "CellType",
    "DataFile",
    "Field",
    "Kind",
    "NumericColumn",
    "Table",
    "detect_table",
    "fit_table",
    "frame",
    "frame_library",
    "is_frame",
    "is_missing",
    "keep_known",
    "key_columns",
    "key_notice",
    "labels_of",
    "open_data",
    "refuse_lazy",
    "text_of",
    "write_atomically",
    "write_rows",
    "write_table",
]

from rulewright.data.columns import (
    CategoricalColumn,
    Field,
    Kind,
    NumericColumn,
    is_missing,
    text_of,
)
from rulewright.data.datafile import DataFile
from rulewright.data.files import open_data
from rulewright.data.frames import (
    detect_table,
    fit_table,
    frame,
    frame_library,
    is_frame,
    keep_known,
    refuse_lazy,
)
from rulewright.data.keys import key_columns, key_notice
from rulewright.data.table import Table, labels_of
from rulewright.data.writing import CellType, write_atomically, write_rows, write_table
