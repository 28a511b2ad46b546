"""
A form that was changed in spring
=================================

Since April, a column has had a value that was not there in training. Monitoring compares each month with the training rows, and
its errors with the certificate.
"""

import datetime

import numpy as np
import pandas as pd

from rulewright import TreeClassifier


def loans(rows, seed):
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 120, rows)
    table = pd.DataFrame(
        {
            "employed": rng.integers(0, 30, rows),
            "other_loan": rng.choice(["no", "yes"], rows, p=[0.7, 0.3]),
            "opened": [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in days],
        }
    )
    good = (table["employed"] > 4) & (table["other_loan"] == "no")
    return table, np.where(good ^ (rng.random(rows) < 0.1), "repaid", "default")


X, y = loans(1000, seed=0)
model = (
    TreeClassifier(max_leaf_nodes=3, certificate="split")
    .fit(X[["employed", "other_loan"]], y)
    .model_
)
print(model)

# %%
later, classes = loans(2000, seed=2)
later.loc[later["opened"] >= datetime.date(2024, 4, 1), "other_loan"] = "unknown"
watched = model.monitor(later, classes, times="opened")
print(watched.summary)
print()
print(
    watched.to_frame("pandas")[["batch", "rows", "error", "findings"]]
    .round(3)
    .to_string(index=False)
)

# %%
# What was found in the last month:
for finding in watched.batches[-1].drift.findings:
    print("-", finding)
