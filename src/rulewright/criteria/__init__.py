"""Criteria: how good a predicate is, from what it covers.

A criterion is a function of counts, vectorised, higher is better; it cites its equation. It sees no
data, no model and no learner. May import: errors.
The machines of this version need none: they ask a family for its heaviest predicate, and the
weights are the criterion.
"""

__all__: list[str] = []
