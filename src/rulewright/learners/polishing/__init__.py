"""Polishing: better parts for a model that a learner has found, at the same size or a smaller one.

A polisher of each kind of arrangement replaces, drops, swaps and merges its parts as long as that
lowers the loss on the training rows plus a price for each literal.
To polish another kind of arrangement: subclass ``Polisher`` and decorate it with
``register_polisher(kind)``. Its module must be imported here.
"""

__all__ = [
    "LITERAL_PRICE",
    "POLISHERS",
    "LiteralSite",
    "Polisher",
    "PolishingTask",
    "best_cuts",
    "polish",
    "polished_members",
    "polished_path",
    "register_polisher",
]

from rulewright.learners.polishing import junctions, lists, trees, votes  # noqa: F401
from rulewright.learners.polishing.applying import polished_members, polished_path
from rulewright.learners.polishing.cut_pairs import best_cuts
from rulewright.learners.polishing.objective import LITERAL_PRICE, PolishingTask
from rulewright.learners.polishing.polisher import (
    POLISHERS,
    LiteralSite,
    Polisher,
    polish,
    register_polisher,
)
