"""Data: one table, whatever it came from.

The only room that knows dataframes, files and where a missing value comes from. What leaves it is a
``Table`` of numeric columns (float64, NaN where missing) and categorical columns (codes, -1 where
missing), or a frame in the library the caller uses. May import: errors.
To add a container or a file format: teach it to ``frames`` or ``files``; nothing else changes.
"""

__all__: list[str] = []
