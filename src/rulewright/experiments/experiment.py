"""The base of experiments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.pages import ResultPage


class Experiment(ABC):
    """A table or a figure that one command computes: its cells, and the page of their results.

    Attributes
    ----------
    name : str
        Name on the command line.
    title : str
        One line that says what it shows.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def cells(self, quick: bool) -> list[Cell]:
        """What is computed; ``quick`` is a form that takes less than two minutes."""

    @abstractmethod
    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """Page of the results, which are in the order of ``cells(quick)``."""
