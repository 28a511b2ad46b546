"""
A tree as a short list of rules
===============================

A tree repeats the same tests in several branches. C4.5's rules shorten each path and keep only a few. They are the right choice if you
know C4.5 or C5.0, or want a tree's accuracy in fewer words.
"""

from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

from rulewright import TreeClassifier, TreeRulesClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
tree = TreeClassifier(preset="c4.5").fit(X, y)
rules = TreeRulesClassifier().fit(X, y)
print(tree.model_)
print()
print(rules.model_)

# %%
# The rules are as good as the tree, and shorter. Boosting, as in C5.0, makes fewer errors but needs many more rules.
sizes = {}
for name, learner in (
    ("C4.5's tree", TreeClassifier(preset="c4.5")),
    ("C4.5's rules", TreeRulesClassifier()),
    ("5 boosted rounds", TreeRulesClassifier(n_rounds=5)),
):
    error = 1 - cross_val_score(learner, X, y, cv=5).mean()
    sizes[name] = len(learner.fit(X, y).model_.get_rules())
    print(f"{name:<18} {sizes[name]:>3} rules, {error:.1%} wrong in cross-validation")
assert sizes["C4.5's rules"] < sizes["C4.5's tree"]
