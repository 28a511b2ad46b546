"""
Rules that vote
===============

If several weak signs add up, no single rule can decide. In a vote, all rules that hold count. SLIPPER and ``RuleVoteClassifier`` learn
votes by boosting. We compare them with a list, all with default settings.
"""

import numpy as np
import pandas as pd

from rulewright import RuleListClassifier, RuleVoteClassifier, SlipperClassifier


def customers(rows, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 2, size=(rows, 5)), columns=list("abcde"))
    stays = table.sum(axis=1) >= 3
    return table, np.where(stays ^ (rng.random(rows) < 0.05), "stays", "leaves")


X, y = customers(1000, seed=0)
new, truth = customers(10_000, seed=1)
learners = {
    "list, rules of any length": RuleListClassifier(),
    "vote, rules of any length": RuleVoteClassifier(),
    "SLIPPER": SlipperClassifier(),
}
errors = {}
for name, learner in learners.items():
    model = learner.fit(X, y).model_
    errors[name] = (model.predict(new) != truth).mean()
    print(f"{name:<26} {len(model.get_rules()):>3} lines, {errors[name]:.1%} of new cases wrong")

# %%
# One case in twenty goes the other way, so no model can be wrong less often than 5 %. Here is SLIPPER's vote:
print(learners["SLIPPER"].model_)
assert errors["SLIPPER"] <= errors["list, rules of any length"]

# %%
# ``RuleVoteClassifier`` is no better than the list here. It is better if two reasons overlap: a vote learns each of them from all cases, while a later rule
# of a list is learned from the cases that are left.


def orders(rows, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.uniform(size=(rows, 6)).round(2), columns=list("abcdef"))
    late = (table["a"] > 0.6) & (table["b"] > 0.3) | (table["c"] > 0.8) & (table["d"] <= 0.5)
    return table, np.where(late ^ (rng.random(rows) < 0.05), "yes", "no")


X, y = orders(1000, seed=0)
new, truth = orders(10_000, seed=1)
for name, learner in (("list", RuleListClassifier()), ("vote", RuleVoteClassifier())):
    model = learner.fit(X, y).model_
    errors[name] = (model.predict(new) != truth).mean()
    print(f"{name} {len(model.get_rules()):>3} lines, {errors[name]:.1%} of new cases wrong")
assert errors["vote"] < errors["list"]
