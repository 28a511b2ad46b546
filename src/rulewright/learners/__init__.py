"""Learners: how predicates are chosen and arranged.

A learner is two things: a search, a plain function that reads like its paper and knows nothing of
scikit-learn, and an estimator, which validates, codes labels once, searches, and decodes once.
May import: models, families, render and below.
To add one: write the search, subclass ``RuleClassifier`` with a ``_search``, and enter the class in
``LEARNERS``; the shared tests find it there.
"""

__all__: list[str] = []
