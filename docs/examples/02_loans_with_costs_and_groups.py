"""
Credit: costs, and groups of customers
======================================

A lost loan costs five times as much as turning away a good customer. Clerks have to follow the rules, and customers may ask for
the reason, so the model is a short rule list.
"""

# %%
# The loans are made up, so that anyone can run this page. The risk falls with income and years of employment, and rises
# with a second loan.
import numpy as np
import pandas as pd

from rulewright import RuleListClassifier


def loans(rows, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "employed": rng.integers(0, 30, rows),
            "income": rng.integers(10, 120, rows),
            "other_loan": rng.choice(["no", "yes"], rows, p=[0.7, 0.3]),
            "region": rng.choice(["north", "south"], rows),
        }
    )
    odds = (
        0.06 * (table["income"] - 50)
        + 0.1 * (table["employed"] - 8)
        - (table["other_loan"] == "yes")
    )
    return table, np.where(rng.random(rows) < 1 / (1 + np.exp(odds)), "lost", "repaid")


X, y = loans(2000, seed=0)
costs = {"lost": 5}

# %%
# The same learner, without and with costs. No rule may use the region.
plain = RuleListClassifier(max_rules=4, forbid=["region"], certificate="split").fit(X, y)
careful = RuleListClassifier(
    max_rules=4, forbid=["region"], class_costs=costs, certificate="split"
).fit(X, y)
print(plain.model_)
print()
print(careful.model_)

# %%
# The certificate limits the average cost of a new loan, counting 1 for a good customer turned away.
prices = [costs.get(name, 1) for name in careful.classes_]
for name, model in (("without costs", plain), ("with costs", careful)):
    print(
        f"{name:<14} at most {model.certificate_.cost_bound(prices):.2f} a loan (95 % confidence)"
    )

# %%
# Later loans: are the two regions treated alike? The intervals hold for all groups at once.
later, outcome = loans(1000, seed=1)
result = careful.model_.test(later, outcome, by="region", class_costs=costs)
print(result.by["region"])

# %%
# With costs, the rules turn away more customers and lose fewer loans.
for name, model in (("without costs", plain), ("with costs", careful)):
    answers = model.predict(later)
    missed = ((answers == "repaid") & (outcome == "lost")).sum()
    refused = ((answers == "lost") & (outcome == "repaid")).sum()
    print(
        f"{name:<14} {missed} loans lost, {refused} good customers turned away, cost {5 * missed + refused}"
    )
