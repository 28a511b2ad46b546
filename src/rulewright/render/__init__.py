"""Render: a node as a string, for a person or a machine.

One function a language, each a single ``match`` over the nodes that refuses what it cannot say. The
node tree is the truth: numbers are printed as they are, never rounded on the way. May import:
rules, criteria, bounds, datasets, kernels, data.
"""

__all__: list[str] = []
