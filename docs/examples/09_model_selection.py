"""
Choosing a model by its certificate
===================================

A grid search with cross-validation fits every point of the grid many times, and the winner's error is too good to be
true. A certificate covers all models at once, so you can simply pick the best one.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from rulewright import BoundSearch, SetCoveringMachine

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
grid = {
    "penalty": [0.5, 1, 2, 5],
    "kind": ["conjunction", "disjunction"],
    "family": ["thresholds", "intervals"],
}
search = BoundSearch(SetCoveringMachine(), grid).fit(X, y)
print(search.best_params_)
print()
print(search.model_)
print()
print(search.certificate_.sentence)

# %%
# Each point of the grid took one run, which gave the models of all sizes.
print(f"{len(search.results_)} models were compared")

# %%
# Training error falls with the size of the model. The bound falls, and then rises.
search.plot_path()
plt.show()
