"""Cross-validation in the papers' terms: total errors over ten folds.

The papers had one split into folds, which is not known. Here there are several, each shuffled with
its number as the seed, and not stratified: the papers say "10-fold" and no more.
"""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import KFold

FOLDS = 10
SPLITS = 10


def errors_by_size(machine, X, y, splits=SPLITS):
    """Count errors over the folds, a row for each split, a column for each size of the machine.

    One fit gives all sizes. Where a run ends early, its last machine stands for larger ones.
    """
    parallel = Parallel(n_jobs=-1, prefer="threads")
    return np.array(parallel(delayed(_one_split)(machine, X, y, seed) for seed in range(splits)))


def errors(machine, X, y, splits=SPLITS):
    """Count errors over the folds, for each split."""
    return errors_by_size(machine, X, y, splits)[:, -1]


def _one_split(machine, X, y, seed):
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    return sum(_one_fold(machine, X, y, train, test) for train, test in folds.split(X))


def _one_fold(machine, X, y, train, test):
    path = clone(machine).fit(X[train], y[train]).path_
    wrong = [int((entry.model.predict(X[test]) != y[test]).sum()) for entry in path]
    return np.array(wrong + wrong[-1:] * (machine.max_rules - len(wrong)))


def in_words(totals):
    """Say totals as mean [least-most]."""
    return f"{np.mean(totals):.1f} [{np.min(totals)}-{np.max(totals)}]"
