"""Report: one HTML page about one model.

``facts`` gathers everything into a dict of plain values, ``page`` turns that dict into one file
that needs nothing from the network, and ``report_model`` does both. Every name and value is
escaped. The folder ``scripts`` has the modules with which a reader works in the page: they evaluate
models by the text of the JavaScript export. May import: all packages except cli.
"""

__all__ = [
    "SCRIPTS",
    "data_text",
    "facts",
    "group_facts",
    "is_report",
    "model_card",
    "page",
    "page_style",
    "plot_calibration",
    "plot_coverage_space",
    "plot_front",
    "plot_overlap",
    "plot_regions",
    "plot_sc_graph",
    "report_model",
    "script_facts",
    "write_report",
]

from rulewright.report.group_tables import group_facts
from rulewright.report.model_cards import model_card
from rulewright.report.model_figures import (
    plot_calibration,
    plot_coverage_space,
    plot_front,
    plot_overlap,
    plot_regions,
    plot_sc_graph,
)
from rulewright.report.models import report_model
from rulewright.report.page import is_report, page, page_style, write_report
from rulewright.report.page_model import script_facts
from rulewright.report.page_script import SCRIPTS, data_text
from rulewright.report.report_facts import facts
