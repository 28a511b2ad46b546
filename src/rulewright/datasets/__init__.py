"""Datasets: real tables by name.

A set is looked for in the folder named by ``RULEWRIGHT_DATA``, in what scikit-learn ships, in the
``datasets`` extra, and on OpenML, in this order, and it says where it was found. May import: data,
errors.
"""

__all__ = ["Dataset", "available", "load"]

from rulewright.datasets.loading import Dataset, available, load
