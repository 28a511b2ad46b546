"""A table of patients with a concept to be found."""

import numpy as np
import pandas


def patients(rows=200, seed=0):
    """Numbers, categories and missing values; ill where glucose and weight are high, or by gene."""
    rng = np.random.default_rng(seed)
    glucose, bmi = rng.normal(120, 30, rows).round(), rng.normal(28, 6, rows).round(1)
    gene = rng.choice(["aa", "ab", "bb"], rows)
    ill = ((glucose > 127) & (bmi > 27)) | (gene == "bb") & (rng.random(rows) < 0.8)
    ill ^= rng.random(rows) < 0.05
    glucose[rng.random(rows) < 0.1] = np.nan
    frame = pandas.DataFrame({"glucose": glucose, "bmi": bmi, "gene": gene})
    return frame, np.where(ill, "positive", "negative")
