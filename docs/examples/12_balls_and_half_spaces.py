"""
Balls and half-spaces, drawn
============================

Single columns cannot describe every class. A ball asks whether a row is close to one training example; another
example sets the distance. A half-space asks which of two examples the row is more like. The machines here choose among all of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from rulewright import SetCoveringMachine, TreeClassifier

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(300, 2))
inside = (X**2).sum(axis=1) < 1.5
beside = X[:, 0] + X[:, 1] > 0.4
grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 120)] * 2), axis=-1)

# %%
# There are two targets: a disc and an oblique half. Each of the three families learns both, with at most three tests. The
# errors are counted on a fine grid of new points.
truth = {"disc": (grid**2).sum(axis=-1) < 1.5, "half": grid.sum(axis=-1) > 0.4}
families = ("thresholds", "balls", "half_spaces")
figure, axes = plt.subplots(2, 3, figsize=(9, 6), sharex=True, sharey=True)
errors = {}
for line, (name, target) in zip(axes, {"disc": inside, "half": beside}.items(), strict=True):
    for axis, family in zip(line, families, strict=True):
        machine = SetCoveringMachine(family=family, max_rules=3).fit(X, target)
        answers = machine.predict(grid.reshape(-1, 2)).reshape(120, 120)
        errors[name, family] = (answers != truth[name]).mean()
        axis.contourf(grid[..., 0], grid[..., 1], answers.astype(float), levels=1, alpha=0.3)
        axis.scatter(*X.T, c=target, s=6)
        axis.set_title(f"{family}: {errors[name, family]:.1%} wrong", fontsize=9)
plt.show()

# %%
# Balls are the right choice for the disc, and half-spaces for the oblique half. A tree needs many cuts for either. Here are a tree with four
# leaves, which is about the size of a machine with three tests, and a tree with as many leaves as it likes.
for name, target in {"disc": inside, "half": beside}.items():
    for leaves in (4, None):
        tree = TreeClassifier(max_leaf_nodes=leaves).fit(X, target)
        wrong = (tree.predict(grid.reshape(-1, 2)).reshape(120, 120) != truth[name]).mean()
        best = min(errors[name, family] for family in families)
        print(
            f"{name}: tree of {len(tree.get_rules())} leaves {wrong:.1%} wrong, machine {best:.1%}"
        )
        assert best < wrong
assert min(families, key=lambda family: errors["disc", family]) == "balls"
assert min(families, key=lambda family: errors["half", family]) == "half_spaces"
print(SetCoveringMachine(family="half_spaces", max_rules=1).fit(X, beside).model_)
