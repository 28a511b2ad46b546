"""Render: a node as a string, for a person or a machine.

One function a language, each a single ``match`` over the nodes that refuses what it cannot say. The
node tree is the truth: numbers are printed as they are, never rounded on the way; what follows from
them only nearly is marked "about". May import: rules, criteria, bounds, datasets, kernels, data.
"""

__all__ = [
    "MAX_DEPTH",
    "MAX_LEAVES",
    "NO_ANSWER",
    "Layout",
    "LinearForm",
    "NodeLabel",
    "NodeLabels",
    "about_text",
    "arrangement_html",
    "arrangement_text",
    "brief_text",
    "certificate_text",
    "class_faces",
    "class_text",
    "condition_text",
    "confidence_text",
    "console_text",
    "cost_text",
    "count_text",
    "detail_lines",
    "example_text",
    "headline_text",
    "holdout_text",
    "if_text",
    "json_text",
    "kernel_text",
    "linear_form",
    "name_text",
    "number_text",
    "paired",
    "path_figure",
    "percent_text",
    "pieces_of",
    "predicate_details",
    "predicate_text",
    "prototypes",
    "reason_text",
    "reason_texts",
    "rule_text",
    "sc_figure",
    "scaling_notes",
    "tree_figure",
    "tree_layout",
    "value_faces",
    "weight_text",
    "weighted_sum",
    "written",
]

from rulewright.render.figures import path_figure
from rulewright.render.formatting import (
    about_text,
    class_text,
    confidence_text,
    console_text,
    cost_text,
    count_text,
    json_text,
    name_text,
    number_text,
    percent_text,
    weight_text,
    written,
)
from rulewright.render.html import arrangement_html
from rulewright.render.node_labels import NodeLabel, NodeLabels, class_faces, value_faces
from rulewright.render.predicates import (
    brief_text,
    detail_lines,
    headline_text,
    paired,
    pieces_of,
    predicate_details,
    predicate_text,
)
from rulewright.render.reasons import reason_text, reason_texts
from rulewright.render.sc_figure import sc_figure
from rulewright.render.spaces import (
    LinearForm,
    example_text,
    kernel_text,
    linear_form,
    prototypes,
    scaling_notes,
    weighted_sum,
)
from rulewright.render.text import (
    NO_ANSWER,
    arrangement_text,
    certificate_text,
    condition_text,
    holdout_text,
    if_text,
    rule_text,
)
from rulewright.render.tree_figure import tree_figure
from rulewright.render.tree_layout import MAX_DEPTH, MAX_LEAVES, Layout, tree_layout
