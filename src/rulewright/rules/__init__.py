"""Rules: what a model says, as a tree of frozen nodes.

A predicate is true or false on a row, negates exactly (missing values included), and knows its
columns, its size in literals, and the training rows it is anchored on. An arrangement puts
predicates together and answers with a class number. Nothing here knows class labels, estimators or
how a node reads. May import: kernels, data, errors.
To add a node: write the frozen dataclass, enter it in ``NODES``; coding, schema and shared tests
find it there.
"""

__all__: list[str] = []
