"""The regression model: a tree, and a value for each of its leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field, Table, frame_like
from rulewright.models.base import BaseModel
from rulewright.models.explaining import reasons_of
from rulewright.models.profile import TrainingProfile
from rulewright.render import (
    ExportedAnswers,
    NodeLabels,
    number_text,
    value_node_labels,
)
from rulewright.rules import Arrangement, Split, Tree


@dataclass(frozen=True, repr=False)
class RegressionModel(BaseModel):
    """A regression tree that can be run on any data with its columns.

    Attributes
    ----------
    columns : tuple of Field
        All columns of the training data, in their order.
    body : Tree
        Its leaves are numbered 0, 1, 2, ... in the order of the nodes.
    values : tuple of float
        Answer of each leaf.
    evidence : tuple of (float, float)
        For each leaf, the training weight that it answers, and the spread of the target there: the
        standard deviation or the mean absolute deviation, whichever the tree was grown by.
    target : str or None
        Name of the column that held the values, where there was one.
    named : bool
        Whether the columns had names of their own.
    certificate : rulewright.certificates.RegressionCertificate or None
        ``models`` does not import ``certificates``: it uses what ``to_json`` returns.
    profile : TrainingProfile or None
        Summary of the training rows, which ``drift`` compares new rows with.
    """

    columns: tuple[Field, ...]
    body: Tree
    values: tuple[float, ...]
    evidence: tuple[tuple[float, float], ...]
    target: str | None = field(default=None, compare=False)
    named: bool = field(default=True, compare=False)
    certificate: Any = field(default=None, compare=False, repr=False)
    profile: TrainingProfile | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_columns()
        if self.body.outputs != tuple(range(len(self.values))):
            raise ValueError("the leaves must be numbered 0, 1, 2, ..., and have one value each")
        if any(node.shares for node in self.body.nodes if isinstance(node, Split)):
            raise ValueError("a regression tree sends missing values down one branch, not several")
        if not all(map(math.isfinite, self.values)):
            raise ValueError("the value of a leaf must be a finite number")
        if len(self.evidence) != len(self.values) or any(len(row) != 2 for row in self.evidence):
            raise ValueError("the evidence needs a weight and a spread for each leaf")
        if not all(0 <= number < math.inf for row in self.evidence for number in row):
            raise ValueError("weights and spreads must be finite numbers of 0 or more")
        # -0.0 is printed as 0, which reads back as 0.0
        object.__setattr__(self, "values", tuple(float(value) + 0.0 for value in self.values))

    @property
    def support(self) -> list[float]:
        """For each leaf, the training weight that it answers."""
        return [weight for weight, _ in self.evidence]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the value of each row.

        A dataframe needs only the columns that the tree uses, in any order; an array needs all
        columns of training in their order.
        """
        return self.body.labelled(self.table(X), self.numbers)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The values as an array."""
        return np.array(self.values, np.float64)

    def get_rules(self, library: str | None = None) -> Any:
        """Return the rules as a dataframe, one row per leaf, in the order of the nodes.

        Columns: ``number`` (from 1), ``rule`` (its condition), ``value`` (its answer), ``support``
        (training weight that it answers), ``coverage`` (that as a share of all), ``spread`` (how
        far the target is from the value there; see ``evidence``), ``literals``.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow", "records"}, optional
            Kind of the result; "records" is a list of dicts. Without it, the first of these that is
            installed.
        """
        spread = [spread for _, spread in self.evidence]
        return self._listed({"value": list(self.values)}, self.support, {"spread": spread}, library)

    def explain(self, X: Any) -> Any:
        """Explain each row's prediction, in a dataframe of the kind of ``X``.

        Its rows are those of ``X`` in their order, with the index of ``X`` if that is a pandas
        dataframe. Without a dataframe library it is a list of dicts (``rulewright.data.Records``).
        Columns: ``prediction``, ``rule`` (its number in ``get_rules``), ``why`` (the row's own
        values against the rule).
        """
        return frame_like(X, self.explained(self.table(X)))

    def explained(self, table: Table) -> dict[str, list[Any]]:
        """Return the columns of ``explain`` for the rows of a table."""
        answers = self.body.answer(table)
        return {
            "prediction": self.numbers[answers].tolist(),
            "rule": (answers + 1).tolist(),
            "why": reasons_of(self.body, table, answers),
        }

    def node_labels(self, tree: Tree) -> NodeLabels:
        return value_node_labels(tree, self.values, self.evidence)

    def _reworded(self, body: Arrangement) -> RegressionModel:
        assert isinstance(body, Tree)
        return replace(self, body=body, certificate=None, profile=self.columns_profile)

    @property
    def exported_answers(self) -> ExportedAnswers:
        return ExportedAnswers(self.values)

    @property
    def answer_texts(self) -> list[str]:
        return list(map(number_text, self.values))
