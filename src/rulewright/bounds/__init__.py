"""Generalization bounds from counts.

Plain functions of m, the sizes of the roles, k, the length of a message and delta; no models. Only
the probability of overfitting uses data: the objects that threshold rules can cover. All
computations use logarithms, so nothing underflows or overflows. May import: kernels, errors.
To add one, write the function, cite its source, and show by simulation that it holds. Bounds that
were printed elsewhere but do not hold have names that start with ``printed_``.
"""

__all__ = [
    "SETTINGS",
    "Corrections",
    "Estimate",
    "Layer",
    "LiteralGroup",
    "Message",
    "Pool",
    "SCEdge",
    "SCGraph",
    "SCRule",
    "bounded_loss_bound",
    "class_tail",
    "class_tails",
    "compression_closed",
    "compression_tail",
    "cost_bound",
    "cost_tail",
    "covering_sets",
    "excess_test",
    "fixed_rule",
    "holdout_tail",
    "hypergeometric_mass",
    "hypergeometric_tail",
    "log_arrangements",
    "log_binomial_mass",
    "log_binomial_tail",
    "log_binomial_tails",
    "log_choose",
    "log_chooses",
    "log_covering_maps",
    "log_multinomial",
    "log_size_prior",
    "overfitting_n",
    "overfitting_p",
    "printed_dlm_complex",
    "printed_dlm_simple",
    "printed_scm_balls",
    "printed_scm_half_spaces",
    "range_test",
    "rules_message",
    "sc_bound",
    "sc_bound_conjunctions",
    "sc_corrections",
    "sc_estimate",
    "sc_graph",
    "share_tests",
    "split_bound",
    "split_interval",
    "tail_inverse",
    "unseen_test",
    "vc_bound",
]

from rulewright.bounds.classes import class_tail, class_tails
from rulewright.bounds.comparisons import excess_test, range_test, share_tests, unseen_test
from rulewright.bounds.compression import (
    compression_closed,
    compression_tail,
    holdout_tail,
    log_size_prior,
)
from rulewright.bounds.conjunction_overfitting import (
    Corrections,
    Estimate,
    Layer,
    overfitting_n,
    overfitting_p,
    sc_bound_conjunctions,
    sc_corrections,
    sc_estimate,
)
from rulewright.bounds.cost_bounds import cost_bound, cost_tail
from rulewright.bounds.counting import log_arrangements, log_choose, log_chooses, log_multinomial
from rulewright.bounds.graph import SCEdge, SCGraph, SCRule, sc_graph
from rulewright.bounds.hypergeometric import hypergeometric_mass, hypergeometric_tail
from rulewright.bounds.messages import (
    SETTINGS,
    LiteralGroup,
    Message,
    Pool,
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
from rulewright.bounds.sc import fixed_rule, sc_bound, vc_bound
from rulewright.bounds.split import bounded_loss_bound, split_bound, split_interval
from rulewright.bounds.tails import (
    log_binomial_mass,
    log_binomial_tail,
    log_binomial_tails,
    tail_inverse,
)
