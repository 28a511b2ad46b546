"""
Choosing a model by its certificate
===================================

A grid search by cross-validation learns every point of the grid many times, and its error says nothing about the
winner. A certificate holds for all models at once, so that the best may be chosen by looking at them.
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
# All sizes at all points of the grid came from one greedy run for each point.
print(f"{len(search.results_)} models were compared")

# %%
# Training error falls with the size of the model. The bound falls, and then rises.
search.plot_path()
plt.show()
