"""
A list of reasons
=================

An insurer pays most claims at once and looks at the others. There are three reasons to look, and each has two parts. A rule list
is the right choice if a few separate reasons lead to the same answer: it states each of them once. A tree has to repeat them in
several branches.
"""

import numpy as np
import pandas as pd

from rulewright import RuleListClassifier, TreeClassifier


def claims(rows, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "amount": rng.integers(100, 10_000, rows),
            "days": rng.integers(0, 60, rows),
            "claims": rng.integers(0, 8, rows),
            "kind": rng.choice(["theft", "water", "fire", "glass"], rows),
            "police": rng.choice(["yes", "no"], rows, p=[0.7, 0.3]),
            "years": rng.integers(0, 15, rows),
        }
    )
    reasons = (
        (table["kind"] == "theft") & (table["police"] == "no"),
        (table["amount"] > 7500) & (table["days"] > 30),
        (table["claims"] >= 5) & (table["years"] < 2),
    )
    look = np.any(reasons, axis=0) ^ (rng.random(rows) < 0.03)
    return table, np.where(look, "look", "pay")


X, y = claims(1500, seed=0)
rules = RuleListClassifier(max_rules=3, certificate="split").fit(X, y)
print(rules.model_)
print()
print(rules.certificate_.sentence)

# %%
# Now for new claims. Three in a hundred were decided the other way, so no model can be wrong less often than 3 %.
new, decided = claims(10_000, seed=1)
errors = {}
for name, learner in (
    ("list, 3 rules", RuleListClassifier(max_rules=3)),
    ("tree, 7 leaves", TreeClassifier(max_leaf_nodes=7)),
    ("tree of any size", TreeClassifier()),
):
    learner.fit(X, y)
    errors[name] = (learner.predict(new) != decided).mean()
    print(f"{name:<17} {len(learner.get_rules()):>3} lines, {errors[name]:.1%} of new claims wrong")
assert min(errors, key=errors.__getitem__) == "list, 3 rules"

# %%
# A list answers with one rule, so it can give the reason in a few words:
print(rules.explain(new[:4])[["prediction", "why"]].to_string(index=False))
