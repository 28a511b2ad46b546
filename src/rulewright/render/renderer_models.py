"""What renderers read of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rulewright.render.registry import Support
from rulewright.rules import Arrangement


class RenderedModel(Protocol):
    """What a renderer reads of a model."""

    @property
    def body(self) -> Arrangement:
        """The arrangement of rules."""

    @property
    def answer_texts(self) -> Sequence[str]:
        """Text of each answer, in the order of the numbers that the rules answer with."""

    @property
    def unanswered_text(self) -> str:
        """Text that follows "no answer" where the model abstains."""

    @property
    def rule_support(self) -> Sequence[Support]:
        """For each rule, its training weight and how much of it has its class; or nothing."""
