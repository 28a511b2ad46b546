"""
Rules that an expert wrote
==========================

A guideline settles the clear cases. Rules that you write come first and stay as they are, and
the learner finds rules for the rest. The certificate covers the whole list.
"""

import numpy as np
import pandas as pd

from rulewright import RuleListClassifier

rng = np.random.default_rng(0)
rows = 1200
patients = pd.DataFrame(
    {
        "age": rng.integers(18, 90, rows),
        "fever": rng.normal(37.4, 0.9, rows).round(1),
        "pulse": rng.integers(50, 130, rows),
        "cough": rng.choice(["none", "dry", "wet"], rows),
    }
)
ill = (patients["fever"] > 38.5) | (patients["cough"] == "wet") & (patients["pulse"] > 95)
diagnosis = np.where(ill ^ (rng.random(rows) < 0.05), "admit", "home")

# %%
# The guideline's rule comes first. It must have been written before anyone looked at these rows.
guided = RuleListClassifier(
    criterion="entropy", rules=["fever > 39 -> admit"], max_rules=2, certificate="split"
).fit(patients, diagnosis)
print(guided.model_)
print()
print(guided.certificate_.sentence)

# %%
# Does the guideline help or hurt? Here is the same learner without it:
free = RuleListClassifier(criterion="entropy", max_rules=3, certificate="split").fit(
    patients, diagnosis
)
print(free.model_)
print()
print(
    f"bound with the guideline {guided.certificate_.bound:.1%}, without {free.certificate_.bound:.1%}"
)

# %%
# Each answer names the rule that gave it, and the rule that would have decided without it.
print(
    guided.explain(patients[patients["fever"] > 39][:3])[["rule", "why", "runner_up"]].to_string()
)
