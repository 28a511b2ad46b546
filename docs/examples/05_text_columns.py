"""
Columns of text, and a rare class
=================================

Help desk tickets have codes and names, but no numbers. One in eight is urgent. RIPPER is the right
choice for a few rules about a rare class: it starts with the rarest class, and takes text as it is.
"""

import time

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score

from rulewright import RipperClassifier, TreeClassifier


def tickets(rows, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "product": rng.choice(["mail", "web", "phone", "billing", "storage"], rows),
            "plan": rng.choice(["free", "team", "business"], rows, p=[0.6, 0.3, 0.1]),
            "channel": rng.choice(["form", "chat", "call"], rows),
            "country": rng.choice(["CH", "DE", "FR", "IT", "AT"], rows),
        }
    )
    urgent = (table["product"] == "phone") & (table["channel"] == "call") | (
        table["plan"] == "business"
    ) & table["product"].isin(["mail", "web"])
    return table, np.where(urgent ^ (rng.random(rows) < 0.02), "urgent", "usual")


X, y = tickets(4000, seed=0)
start = time.process_time()
ripper = RipperClassifier(certificate="split").fit(X, y)
print(ripper.model_)
print(
    f"\n{(y == 'urgent').mean():.1%} of the tickets are urgent; learned in {time.process_time() - start:.1f} s of CPU time"
)

# %%
# The certificate limits the overall error, and also the share of urgent tickets that are missed.
print(ripper.certificate_.sentence)
for name, bound in zip(ripper.classes_, ripper.certificate_.class_bounds, strict=True):
    print(f"among new tickets that are {name}: at most {bound:.1%} wrong")

# %%
# Here are both on new tickets: RIPPER, and a C4.5 tree for comparison. F1 is high if few urgent tickets are missed and few others are called urgent.
new, classes = tickets(4000, seed=1)
sizes = {}
for name, learner in (
    ("RIPPER", ripper),
    ("C4.5's tree", TreeClassifier(preset="c4.5").fit(X, y)),
):
    sizes[name] = len(learner.get_rules())
    score = f1_score(classes, learner.predict(new), pos_label="urgent")
    print(f"{name:<12} {sizes[name]:>3} rules or leaves, F1 {score:.3f}")
assert sizes["RIPPER"] < sizes["C4.5's tree"]
