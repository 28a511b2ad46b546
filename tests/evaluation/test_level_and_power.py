"""How often an unchanged source is called changed, and how often a changed one is noticed.

The numbers in docs/testing-and-monitoring.md are from the simulations here.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rulewright import TreeClassifier
from rulewright.bounds import excess_test


def loans(rng, rows, *, noise=0.1):
    """Loans with missing values; ``noise`` is the share of classes that are wrong by design."""
    X = pd.DataFrame(
        {
            "employed": rng.integers(0, 30, rows).astype(float),
            "other_loan": rng.choice(["no", "yes"], rows, p=[0.7, 0.3]),
        }
    )
    good = (X["employed"] > 4) & (X["other_loan"] == "no")
    X.loc[rng.random(rows) < 0.05, "employed"] = np.nan
    return X, np.where(good ^ (rng.random(rows) < noise), "repaid", "default")


def learnt(rng, rows):
    settings = {"max_leaf_nodes": 3, "certificate": "split", "n_splits": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TreeClassifier(**settings).fit(*loans(rng, rows)).model_


CHANGES = {
    "none": lambda X, rng: X,
    "5 % of the categories are new": lambda X, rng: X.assign(
        other_loan=np.where(rng.random(len(X)) < 0.05, "?", X["other_loan"])
    ),
    "missing values rise from 5 to 20 %": lambda X, rng: X.assign(
        employed=X["employed"].where(rng.random(len(X)) > 0.15 / 0.95)
    ),
    "5 % of the numbers are above the range": lambda X, rng: X.assign(
        employed=X["employed"].where(rng.random(len(X)) > 0.05, 40.0)
    ),
    "a rule answers 20 points more": lambda X, rng: X.assign(
        other_loan=np.where(rng.random(len(X)) < 0.27, "yes", X["other_loan"])
    ),
}
NEW_ROWS = (100, 300, 1000)


def noticed(change, training, new, samples, seed=0, models=10):
    """Share of samples with a notice at the usual level; a model is learnt for each few of them."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(models):
        model = learnt(rng, training)
        for _ in range(samples // models):
            found += model.drift(CHANGES[change](loans(rng, new)[0], rng)).found
    return found / samples


def excesses(training, new, samples, noise, seed=0):
    """Share of samples with more errors than the certificate allows, at the usual level."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(samples):
        model = learnt(rng, training)
        found += not model.test(*loans(rng, new, noise=noise)).certificate.within
    return found / samples


@pytest.mark.parametrize("bound", [0.01, 0.1, 0.37])
def test_the_test_of_an_excess_keeps_its_level_at_the_bound_itself(bound):
    errors = np.arange(201)
    p_values = np.array([excess_test(int(k), 200, bound) for k in errors])
    chances = stats.binom.pmf(errors, 200, bound)
    for level in (0.001, 0.01, 0.05, 0.3):
        assert chances[p_values <= level].sum() <= level + 1e-9


@pytest.mark.slow
def test_changes_are_noticed_and_an_unchanged_source_is_not():
    assert noticed("none", 400, 300, samples=40, models=2) <= 0.1
    assert noticed("5 % of the categories are new", 400, 300, samples=20, models=1) >= 0.9
    assert noticed("missing values rise from 5 to 20 %", 400, 300, samples=20, models=1) >= 0.8


@pytest.mark.slow
def test_a_source_with_more_noise_exceeds_its_certificate():
    assert excesses(400, 400, samples=6, noise=0.1) <= 0.5
    assert excesses(400, 400, samples=4, noise=0.4) == 1.0


@pytest.mark.simulations
@pytest.mark.parametrize("new", NEW_ROWS)
def test_the_level_of_notices_in_many_samples(new):
    samples = 1000
    found = noticed("none", 500, new, samples, models=50)
    assert found * samples <= stats.binom.isf(1e-4, samples, 0.01)


@pytest.mark.simulations
def test_an_excess_is_rare_where_nothing_changed():
    samples = 200
    assert excesses(300, 300, samples, 0.1) * samples <= stats.binom.isf(1e-4, samples, 0.1)


def main():
    """Print the tables of the document."""
    print("| change | " + " | ".join(f"{new} rows" for new in NEW_ROWS) + " |")
    for change in CHANGES:
        shares = [noticed(change, 1000, new, 200, models=5) for new in NEW_ROWS]
        print(f"| {change} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |")
    for noise in (0.1, 0.15, 0.2, 0.25):
        shares = [excesses(1000, new, 20, noise) for new in NEW_ROWS]
        print(f"| {noise} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |")


if __name__ == "__main__":
    main()
