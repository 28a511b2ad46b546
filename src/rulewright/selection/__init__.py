"""Selection: choosing among fitted models.

By certificate: a compression bound holds for all classifiers at once, so penalties and sizes may be
chosen by it at no cost, and what the reconstruction depends on is paid for in the message. May
import: learners and below.
"""

__all__ = ["PENALTIES", "Candidate", "Selection", "select_by_certificate"]

from rulewright.selection.by_certificate import (
    PENALTIES,
    Candidate,
    Selection,
    select_by_certificate,
)
