"""Bounds: how far a classifier can be trusted, from counts alone.

Plain functions of m, the sizes of the roles, k, a message's length and delta; no data, no models,
no labels. Everything is computed in logs, so that nothing under- or overflows. May import: errors.
To add one: write the function, cite its source, and show by simulation that it is true. What is
printed elsewhere but not true has a name that starts with ``printed_``.
"""

__all__ = [
    "SETTINGS",
    "Message",
    "Pool",
    "Sort",
    "class_tail",
    "class_tails",
    "compression_closed",
    "compression_tail",
    "cost_bound",
    "cost_tail",
    "covering_sets",
    "holdout_tail",
    "log_choose",
    "log_covering_maps",
    "log_multinomial",
    "log_size_prior",
    "printed_dlm_complex",
    "printed_dlm_simple",
    "printed_scm_balls",
    "printed_scm_half_spaces",
    "rules_message",
    "tail_inverse",
]

from rulewright.bounds.classes import class_tail, class_tails
from rulewright.bounds.compression import (
    compression_closed,
    compression_tail,
    holdout_tail,
    log_size_prior,
)
from rulewright.bounds.costs import cost_bound, cost_tail
from rulewright.bounds.counting import log_choose, log_multinomial
from rulewright.bounds.messages import (
    SETTINGS,
    Message,
    Pool,
    Sort,
    covering_sets,
    log_covering_maps,
    rules_message,
)
from rulewright.bounds.printed import (
    printed_dlm_complex,
    printed_dlm_simple,
    printed_scm_balls,
    printed_scm_half_spaces,
)
from rulewright.bounds.tails import tail_inverse
