"""Datasets: real data sets by name.

A data set is searched for in the folder named by ``RULEWRIGHT_DATA``, in scikit-learn, in the
``datasets`` extra, and on OpenML, in this order. The result names its source. May import: data,
errors.
"""

__all__ = ["Dataset", "available", "load"]

from rulewright.datasets.loading import Dataset, available, load
