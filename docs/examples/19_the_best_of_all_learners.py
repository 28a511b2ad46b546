"""
If you do not know which kind of model fits
===========================================

Points, rules or a tree? ``AutoClassifier`` tries all learners in one search, and its certificate pays for the choice. It is the right choice if
you do not know beforehand which kind of model fits your table. You could also run the learners one by one and quote the best certificate. But that
certificate would not be valid.
"""

# %%
# There are three tables with the same columns. In the first, two rules decide. In the second, five signs add up. In the third, two columns matter
# only together. One label in twenty is wrong.
import numpy as np
import pandas as pd

from rulewright import AutoClassifier, RipperClassifier, ScorecardClassifier, TreeClassifier

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(size=(600, 6)).round(2), columns=list("abcdef"))
targets = {
    "rules": (X["a"] > 0.6) & (X["b"] > 0.3) | (X["c"] > 0.8) & (X["d"] <= 0.5),
    "signs": (X > 0.5)[list("abcde")].sum(axis=1) >= 3,
    "steps": (X["a"] > 0.5) ^ (X["b"] > 0.5),
}
wrong = rng.random(600) < 0.05
learners = {
    "RIPPER": RipperClassifier(certificate="split"),
    "tree": TreeClassifier(certificate="split"),
    "scorecard": ScorecardClassifier(certificate="split"),
    "the best of all": AutoClassifier(),
}

# %%
# Here is the certified error on each table, and the worst of the three. Every single learner has a table that does not suit it.
worst = {}
for name, learner in learners.items():
    bounds = {}
    for table, target in targets.items():
        bounds[table] = learner.fit(X, np.where(target ^ wrong, "yes", "no")).certificate_.bound
    worst[name] = max(bounds.values())
    shown = ", ".join(f"{table} {bound:.1%}" for table, bound in bounds.items())
    print(f"{name:<16} {shown}; worst {worst[name]:.1%}")
assert min(worst, key=worst.__getitem__) == "the best of all"

# %%
# For the last table, the search chose this model:
print(learners["the best of all"].model_)
