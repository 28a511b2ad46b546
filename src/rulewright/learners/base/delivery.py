"""Which candidates of a split certificate may be delivered.

The bounds of all candidates of all splits hold at once, so any rule may choose among them. One rule
is to deliver only models that the learner also finds in all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rulewright.certificates import PoolMember

if TYPE_CHECKING:
    from rulewright.learners.base.split_search import CheckedCandidate

DELIVERIES = ("best", "all")
"""Deliver the best candidate, or one that is also learnt from all rows."""
NOT_FOUND_AGAIN = (
    "No model learnt from all rows occurs among the candidates, so the model is the best candidate "
    "learnt from a part of the rows. Raise n_splits, or set deliver='best'."
)


def found_again(
    candidates: Sequence[CheckedCandidate], learnt: Iterable[PoolMember]
) -> list[CheckedCandidate]:
    """Return the candidates that were also learnt from all rows, in their order.

    One answer for all rows occurs in nearly every pool. So it counts only where nothing else was
    learnt from all rows.
    """
    learnt = list(learnt)
    models = [member for member in learnt if member.body.literals] or learnt
    known = {member.identity for member in models}
    return [candidate for candidate in candidates if candidate.member.identity in known]
