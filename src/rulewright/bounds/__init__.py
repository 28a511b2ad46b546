"""Bounds: how far a classifier can be trusted, from counts alone.

Plain functions of m, the sizes of the roles, k, a message's length and delta; no data, no models,
no labels. Everything is computed in logs, so that nothing under- or overflows. May import: errors.
To add one: write the function, cite its source, and show by simulation that it is true.
"""

__all__: list[str] = []
