"""Report: one HTML page about one model.

``facts`` gathers everything into a dict of plain values, ``page`` turns that dict into one file
that needs nothing from the network, and ``report_model`` does both. Every name and value is
escaped. May import: all packages except cli.
"""

__all__ = ["facts", "is_report", "page", "report_model", "write_report"]

from rulewright.report.models import report_model
from rulewright.report.page import is_report, page, write_report
from rulewright.report.report_facts import facts
