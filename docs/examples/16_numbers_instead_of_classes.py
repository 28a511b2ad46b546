"""
A regression tree with a bound
==============================

The answer is a number: the progress of diabetes after a year. The certificate bounds the mean distance of a prediction from it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from rulewright import TreeRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
tree = TreeRegressor(certificate="split").fit(X, y)
print(tree.model_)
print()
print(tree.certificate_.sentence)

# %%
# For comparison, the mean distance from the median, without any model:
print(f"{(y - y.median()).abs().mean():.1f}")

# %%
tree.model_.plot()
plt.show()
