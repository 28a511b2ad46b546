"""Render: a node as a string, for a person or a machine.

One function a language, each a single ``match`` over the nodes that refuses what it cannot say. The
node tree is the truth: numbers are printed as they are, never rounded on the way. May import:
rules, criteria, bounds, datasets, kernels, data.
"""

__all__ = [
    "arrangement_html",
    "arrangement_text",
    "certificate_text",
    "class_text",
    "condition_text",
    "confidence_text",
    "number_text",
    "percent_text",
    "predicate_text",
    "reason_text",
]

from rulewright.render.html import arrangement_html
from rulewright.render.text import (
    arrangement_text,
    certificate_text,
    class_text,
    condition_text,
    confidence_text,
    number_text,
    percent_text,
    predicate_text,
    reason_text,
)
