"""Render: a model or a node as a string, for a person or a machine.

``render(model, name)`` looks up a renderer by name; ``register_renderer`` adds one. Each kind of
node has one renderer object with its text, reasons, label and plot data; ``register_predicate`` and
``register_arrangement`` add one. Numbers are printed as they are. A rounded number stands after
"about". May import: rules, criteria, bounds, datasets, kernels, data.
To add an export: write ``render/<name>.py`` with a function of a model, and register it in
``render/renderers.py``.
"""

__all__ = [
    "CLASS_COLOURS",
    "DARK_CLASS_COLOURS",
    "DATE_OFFSET",
    "DIALECTS",
    "HTML_GENERATOR",
    "LARGE",
    "MAX_DEPTH",
    "MAX_LEAVES",
    "MAX_NAME_LENGTHS",
    "NO_ANSWER",
    "PREDICATES",
    "PREDICTED_PROBABILITY",
    "RENDERERS",
    "AndForm",
    "ArgmaxForm",
    "ArithmeticForm",
    "ArrangementRenderer",
    "AtLeastForm",
    "BallRenderer",
    "BandCases",
    "Border",
    "BranchForm",
    "CategoryPlot",
    "ChartAxis",
    "ChartBox",
    "ChartSeries",
    "ColumnWeight",
    "ComparisonForm",
    "ConstantForm",
    "ExportOption",
    "ExportedAnswers",
    "ExportedModel",
    "FirstTrueForm",
    "Inputs",
    "Layout",
    "LinearForm",
    "MemberForm",
    "NodeLabel",
    "NodeLabels",
    "NotForm",
    "NumericPlot",
    "OrForm",
    "PicturedRule",
    "PlotData",
    "PredicateRenderer",
    "RenderedModel",
    "ScaleMark",
    "TreeForm",
    "TruthForm",
    "UndefinedForm",
    "UnknownForm",
    "ValueForm",
    "arrangement_html",
    "arrangement_text",
    "band_texts",
    "brief_text",
    "c_members",
    "certificate_text",
    "class_colour",
    "class_node_labels",
    "class_text",
    "column_text",
    "confidence_text",
    "console_text",
    "cost_sentence_text",
    "cost_text",
    "count_text",
    "cut_text",
    "detail_lines",
    "error_interval_text",
    "error_text",
    "example_text",
    "export_options",
    "file_content",
    "headline_text",
    "holdout_text",
    "hue",
    "if_text",
    "interval_text",
    "isolines",
    "json_text",
    "junction_text",
    "kernel_text",
    "linear_form",
    "lines",
    "lower_amount_text",
    "lower_percent_text",
    "lowered_condition",
    "mean_cost",
    "model_workbook",
    "name_text",
    "number_text",
    "page_environment",
    "page_model_script",
    "pair_bounds",
    "path_figure",
    "percent_text",
    "pieces_of",
    "points_text",
    "predicate_details",
    "predicate_renderer",
    "predicate_text",
    "prototype_texts",
    "put_cell",
    "pyplot",
    "reason_text",
    "reason_texts",
    "rectangles",
    "register_arrangement",
    "register_lowering",
    "register_predicate",
    "register_renderer",
    "regression_text",
    "render",
    "risk_text",
    "rounded_text",
    "rule_figure",
    "rule_text",
    "rules_file_text",
    "sc_figure",
    "scale_svg",
    "scaling_notes",
    "scatter",
    "share_ticks",
    "split_details_text",
    "split_text",
    "summary_text",
    "table_html",
    "table_text",
    "tree_figure",
    "tree_layout",
    "value_node_labels",
    "value_text",
    "weight_text",
    "weighted_sum",
    "written_text",
]

from rulewright.render.arrangements import (
    if_text,
    junction_text,
)
from rulewright.render.balls import BallRenderer
from rulewright.render.c_export import (
    c_members,
)
from rulewright.render.certificates import (
    certificate_text,
    cost_sentence_text,
    error_interval_text,
    error_text,
    holdout_text,
    mean_cost,
    regression_text,
    split_details_text,
    split_text,
    written_text,
)
from rulewright.render.charts import (
    ChartAxis,
    ChartBox,
    ChartSeries,
    isolines,
    lines,
    rectangles,
    scatter,
)
from rulewright.render.colours import CLASS_COLOURS, DARK_CLASS_COLOURS, class_colour, hue
from rulewright.render.combinations import (
    pair_bounds,
)
from rulewright.render.export_programs import (
    ExportedModel,
)
from rulewright.render.figures import path_figure, pyplot
from rulewright.render.formatting import (
    class_text,
    column_text,
    confidence_text,
    console_text,
    cost_text,
    count_text,
    cut_text,
    interval_text,
    json_text,
    lower_amount_text,
    lower_percent_text,
    name_text,
    number_text,
    percent_text,
    rounded_text,
    value_text,
    weight_text,
)
from rulewright.render.half_spaces import (
    LinearForm,
    linear_form,
    prototype_texts,
    weighted_sum,
)
from rulewright.render.html import (
    HTML_GENERATOR,
    arrangement_html,
)
from rulewright.render.javascript_page import page_model_script
from rulewright.render.lowering import (
    Inputs,
    lowered_condition,
    register_lowering,
)
from rulewright.render.node_labels import (
    NodeLabel,
    NodeLabels,
    class_node_labels,
    value_node_labels,
)
from rulewright.render.page_templates import page_environment
from rulewright.render.plot_data import (
    Border,
    CategoryPlot,
    ColumnWeight,
    NumericPlot,
    PlotData,
)
from rulewright.render.points import (
    example_text,
    kernel_text,
    scaling_notes,
)
from rulewright.render.predicates import (
    brief_text,
    detail_lines,
    headline_text,
    pieces_of,
    predicate_details,
    predicate_text,
)
from rulewright.render.programs import (
    AndForm,
    ArgmaxForm,
    ArithmeticForm,
    AtLeastForm,
    BranchForm,
    ComparisonForm,
    ConstantForm,
    ExportedAnswers,
    FirstTrueForm,
    MemberForm,
    NotForm,
    OrForm,
    TreeForm,
    TruthForm,
    UndefinedForm,
    UnknownForm,
    ValueForm,
)
from rulewright.render.python_export import PREDICTED_PROBABILITY
from rulewright.render.reasons import (
    reason_text,
    reason_texts,
)
from rulewright.render.registry import (
    PREDICATES,
    ArrangementRenderer,
    PredicateRenderer,
    predicate_renderer,
    register_arrangement,
    register_predicate,
)
from rulewright.render.renderer_models import RenderedModel
from rulewright.render.renderer_options import ExportOption, export_options
from rulewright.render.renderers import (
    RENDERERS,
    file_content,
    register_renderer,
    render,
)
from rulewright.render.rule_drawing import PicturedRule, rule_figure
from rulewright.render.rules_files import rules_file_text
from rulewright.render.sc_graph_figure import (
    sc_figure,
)
from rulewright.render.scale_chart import ScaleMark, scale_svg, share_ticks
from rulewright.render.scorecards import (
    BandCases,
    band_texts,
    points_text,
    risk_text,
)
from rulewright.render.sql_form import (
    DIALECTS,
    MAX_NAME_LENGTHS,
)
from rulewright.render.tables import (
    table_html,
    table_text,
)
from rulewright.render.text import (
    NO_ANSWER,
    arrangement_text,
    rule_text,
    summary_text,
)
from rulewright.render.tree_drawing import (
    tree_figure,
)
from rulewright.render.tree_geometry import (
    LARGE,
    MAX_DEPTH,
    MAX_LEAVES,
    Layout,
    tree_layout,
)
from rulewright.render.workbooks import DATE_OFFSET, model_workbook, put_cell
