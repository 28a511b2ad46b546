"""
A tree as a short list of rules
===============================

A tree repeats the same tests in several branches. C4.5's rules shorten each path and keep few of them. They are the right choice for who
knows C4.5 or C5.0, or wants the tree's accuracy in fewer words.
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
# Boosted rounds are C5.0's way to fewer errors, at the price of many more rules.
for name, learner in (
    ("C4.5's tree", TreeClassifier(preset="c4.5")),
    ("C4.5's rules", TreeRulesClassifier()),
    ("5 boosted rounds", TreeRulesClassifier(n_rounds=5)),
):
    error = 1 - cross_val_score(learner, X, y, cv=5).mean()
    print(
        f"{name:<18} {len(learner.fit(X, y).model_.get_rules()):>3} rules, {error:.1%} wrong in cross-validation"
    )
