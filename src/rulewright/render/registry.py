"""The registry of how nodes are shown: one renderer for each kind of predicate and arrangement.

A renderer has the text of a node, the reason why it holds on a row, its label in a tree and the
data of its plot. Functions of this package look it up by the class of the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from rulewright.data import Table
from rulewright.errors import UnrenderableError
from rulewright.render.formatting import count_text
from rulewright.render.plot_data import PlotData
from rulewright.rules import Arrangement, Node, Predicate

Pieces = list[str]
"""Pieces of a line. The line may be broken between them only."""

Support = tuple[float, float]
"""Training weight that a rule answers, and how much of it has the rule's class."""

SomePredicate = TypeVar("SomePredicate", bound=Predicate)
SomeArrangement = TypeVar("SomeArrangement", bound=Arrangement)


class PredicateRenderer(Generic[SomePredicate]):
    """How one kind of predicate is shown; a subclass must define ``text``.

    Attributes
    ----------
    anchor_roles : tuple of str
        What each training row that the predicate is anchored on is to it, in order.
    """

    anchor_roles: tuple[str, ...] = ()

    def text(self, node: SomePredicate, *, headline: bool = False) -> str:
        """One line of text; a headline leaves out what ``details`` has."""
        raise NotImplementedError

    def details(self, node: SomePredicate) -> list[Pieces]:
        """Lines that stand below the headline."""
        return []

    def pieces(self, node: SomePredicate) -> Pieces:
        """Headline in pieces between which a line may be broken."""
        return [self.text(node, headline=True)]

    def short_text(self, node: SomePredicate) -> str:
        """Headline with long lists cut short."""
        return self.text(node, headline=True)

    def brief_text(self, node: SomePredicate, max_characters: int) -> str:
        """Headline in about this number of characters, where that is possible."""
        return self.short_text(node)

    def reasons(self, node: SomePredicate, table: Table) -> list[str]:
        """Reason why the predicate holds, for each row, with the row's own values."""
        return [self.text(node)] * table.rows

    def label(self, node: SomePredicate, width: float, size: float) -> str:
        """Text in the box of a tree, for a few lines of a width at a font size."""
        return self.text(node, headline=True)

    def plot(
        self, node: SomePredicate, table: Table, upper: Predicate | None = None
    ) -> PlotData | None:
        """Return the data of a plot of the values that the predicate tests; None for no plot.

        ``upper`` is the test of the upper end of the same column, where there is one.
        """
        return None


class ArrangementRenderer(Generic[SomeArrangement]):
    """How one kind of arrangement is shown; a subclass must define ``lines``."""

    def lines(self, body: SomeArrangement, names: Sequence[str], unanswered: str) -> list[str]:
        """Lines of text.

        ``names`` has the text of each answer, and last the text of no answer. ``unanswered``
        follows that where the arrangement abstains.
        """
        raise NotImplementedError

    def text(
        self,
        body: SomeArrangement,
        names: Sequence[str],
        unanswered: str,
        support: Sequence[Support],
    ) -> list[str]:
        """Lines of text, with facts of the training cases of each rule where they are shown."""
        return self.lines(body, names, unanswered)

    def html(
        self,
        body: SomeArrangement,
        names: Sequence[str],
        unanswered: str,
        support: Sequence[Support],
        max_rules: int | None,
    ) -> str | None:
        """HTML fragment; None where the lines of text serve."""
        return None

    def summary(self, body: SomeArrangement) -> str:
        """Kind and size in a few words."""
        return f"{type(body).__name__} of {count_text(len(body.outputs), 'rule')}"


PREDICATES: dict[type[Node], PredicateRenderer[Any]] = {}
"""Renderers of predicates by their classes."""

ARRANGEMENTS: dict[type[Node], ArrangementRenderer[Any]] = {}
"""Renderers of arrangements by their classes."""


def register_predicate(
    kind: type[SomePredicate], renderer: PredicateRenderer[SomePredicate]
) -> None:
    """Register the renderer of a kind of predicate."""
    PREDICATES[kind] = renderer


def register_arrangement(
    kind: type[SomeArrangement], renderer: ArrangementRenderer[SomeArrangement]
) -> None:
    """Register the renderer of a kind of arrangement."""
    ARRANGEMENTS[kind] = renderer


def predicate_renderer(node: Predicate) -> PredicateRenderer[Any]:
    """Return the renderer of a predicate, by its class or the nearest registered base class."""
    for kind in type(node).__mro__:
        if kind in PREDICATES:
            return PREDICATES[kind]
    raise UnrenderableError(
        f"{type(node).__name__} has no form as text. Register one with register_predicate."
    )


def arrangement_renderer(body: Arrangement) -> ArrangementRenderer[Any]:
    """Return the renderer of an arrangement, by its class or the nearest registered base class."""
    for kind in type(body).__mro__:
        if kind in ARRANGEMENTS:
            return ARRANGEMENTS[kind]
    raise UnrenderableError(
        f"{type(body).__name__} has no form as text. Register one with register_arrangement."
    )
