"""The comparison with training keeps its level: fresh training rows and fresh rows each time.

Rules are found by looking at the training rows, so that their shares there are not those of fresh
rows; the certificate's price covers it. ``make simulations`` draws more samples.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rulewright import SetCoveringMachine, TreeClassifier

SHARES = [0.5, 0.3, 0.1, 0.06, 0.02, 0.01, 0.005, 0.005]
LEVEL = 0.2
"""A high level, so that a test which does not keep it is noticed with few samples."""


def rows(rng, count):
    """Columns with ties, rare categories and missing values, and noisy classes."""
    X = pd.DataFrame(
        {
            "a": rng.normal(size=count).round(1),
            "b": rng.random(count),
            "c": rng.choice(list("abcdefgh"), count, p=SHARES),
            "d": rng.choice(["u", "v"], count),
        }
    )
    for name in X:
        X.loc[rng.random(count) < 0.05, name] = None if X[name].dtype == object else np.nan
    return X, ((X["a"] > 0) ^ (rng.random(count) < 0.3)).astype(int)


def findings(model_of, samples, training, new, seed):
    """Number of samples with any finding at the level."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(samples):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = model_of(*rows(rng, training))
        found += model.drift(rows(rng, new)[0], LEVEL).found
    return found


def tree(X, y):
    settings = {"max_leaf_nodes": 6, "certificate": "split", "n_splits": 3}
    return TreeClassifier(**settings).fit(X, y).model_


def deep_tree(X, y):
    """Leaves that fit a few training rows each."""
    return TreeClassifier(pruning="none", certificate="compression").fit(X, y).model_


def machine(X, y):
    return SetCoveringMachine(max_rules=3).fit(X, y).model_


MODELS = [tree, deep_tree, machine]


@pytest.mark.slow
@pytest.mark.parametrize("model_of", MODELS)
def test_the_level_is_kept(model_of):
    samples = 25
    found = findings(model_of, samples, training=120, new=80, seed=1)
    assert found <= stats.binom.isf(1e-4, samples, LEVEL)


@pytest.mark.simulations
@pytest.mark.parametrize("model_of", MODELS)
@pytest.mark.parametrize(("training", "new"), [(60, 300), (300, 60), (300, 2000)])
def test_the_level_is_kept_in_many_samples(model_of, training, new):
    samples = 100
    found = findings(model_of, samples, training, new, seed=training + new)
    assert found <= stats.binom.isf(1e-4, samples, LEVEL)
