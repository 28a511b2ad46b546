"""Bounds: how far a classifier can be trusted, from counts alone.

Plain functions of m, the sizes of the roles, k, a message's length and delta; no data, no models,
no labels. Everything is computed in logs, so that nothing under- or overflows. May import: errors.
To add one: write the function, cite its source, and show by simulation that it is true.
"""

__all__ = [
    "Message",
    "Pool",
    "Sort",
    "class_tail",
    "compression_tail",
    "log_choose",
    "log_covering_maps",
    "log_multinomial",
    "log_size_prior",
    "rules_message",
    "tail_inverse",
]

from rulewright.bounds.compression import class_tail, compression_tail, log_size_prior
from rulewright.bounds.counting import log_choose, log_multinomial
from rulewright.bounds.messages import Message, Pool, Sort, log_covering_maps, rules_message
from rulewright.bounds.tails import tail_inverse
