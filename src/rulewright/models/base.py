"""Base of all models: the columns of training with their kinds, and rules on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field, Kind, Table, fit_table, frame
from rulewright.errors import InputError, UnrenderableError
from rulewright.models.drift import DRIFT_LEVEL, DriftCounter, DriftReport
from rulewright.models.profile import ProfileMaker, TrainingProfile
from rulewright.models.training_conditions import training_condition
from rulewright.render import (
    MAX_DEPTH,
    MAX_LEAVES,
    ExportedAnswers,
    NodeLabels,
    brief_text,
    count_text,
    headline_text,
    pieces_of,
    predicate_text,
    render,
    summary_text,
    tree_figure,
)
from rulewright.rules import (
    AllOf,
    Arrangement,
    Predicate,
    Rule,
    Tree,
    WeightedRule,
    bound_to,
    merge_conditions,
    narrowed_by_columns,
    rounded,
    spaces_of,
    with_fields,
)

ALWAYS = "otherwise"
MONITOR = ("rulewright.evaluation", "monitor")
"""Evaluation is above this package, so the function is looked up by its name when needed."""
MAX_HTML_RULES = 50
"""Maximum number of rules, or lines of a tree, shown in a notebook."""

SomeModel = TypeVar("SomeModel", bound="BaseModel")


class BaseModel(ABC):
    """A body, bound to the columns of training; a subclass is a dataclass that has these fields."""

    columns: tuple[Field, ...]
    body: Arrangement
    named: bool
    certificate: Any
    profile: TrainingProfile | None
    class_costs: tuple[float, ...] | None = None

    def _check_columns(self) -> None:
        known = {column.name for column in self.columns}
        absent = [name for name in self.body.columns if name not in known]
        if absent:
            raise ValueError(f"the rules use column {absent[0]!r}, which the model does not list")
        if len(known) < len(self.columns):
            raise ValueError("a column is listed twice")
        if any(column.moment or column.order for column in self.columns):
            object.__setattr__(self, "body", with_fields(self.body, self.columns))

    @property
    @abstractmethod
    def answer_texts(self) -> Sequence[str]:
        """Text of each answer, in the order of the numbers that the rules answer with."""

    @property
    def unanswered_text(self) -> str:
        """Text that follows "no answer" where the model abstains."""
        return ""

    @property
    def rule_support(self) -> Sequence[tuple[float, float]]:
        """For each rule, the training weight that it answers and how much of it has its class."""
        return ()

    @property
    @abstractmethod
    def exported_answers(self) -> ExportedAnswers:
        """What the model answers, for exports."""

    def export(self, form: str, **options: Any) -> Any:
        """Return the model as a program or document that gives the same answers.

        It is a string; "excel" and "onnx" are the bytes of a file, and "sklearn" is an object.

        Parameters
        ----------
        form : str
            Name of a form, such as "python"; ``rulewright.render.RENDERERS`` has all.
        **options
            Options of that form.
        """
        return render(self, form, **options)

    def to_sql(self, dialect: str = "duckdb", **options: Any) -> str:
        """Return the model as SQL; ``export("sql", ...)`` with the dialect first.

        Parameters
        ----------
        dialect : str, default="duckdb"
            duckdb, sqlite, postgres, mysql, spark, snowflake, bigquery, tsql or clickhouse.
        **options
            ``shape`` ("select", "view", "table", "expression" or "function"), ``table``,
            ``schema``, ``view``, ``what``, ``keep``, ``probabilities`` and ``reasons``; see
            ``rulewright.render``.
        """
        query: str = render(self, "sql", dialect=dialect, **options)
        return query

    def __str__(self) -> str:
        text: str = render(self, "text")
        return text

    def _repr_html_(self) -> str:
        page: str = render(self, "html", max_rules=MAX_HTML_RULES)
        return page if self.certificate is None else page + self.certificate._repr_html_()

    def __repr__(self) -> str:
        used = len(self.body.columns)
        return (
            f"{type(self).__name__}({summary_text(self.body)}, {used} of "
            f"{count_text(len(self.columns), 'column')}{self._answers_text})"
        )

    @property
    def _answers_text(self) -> str:
        """Text about the answers in ``repr``."""
        return ""

    def __getstate__(self) -> dict[str, Any]:
        # Cached values are not part of the model.
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def kinds(self) -> dict[str, Kind]:
        """The columns that the rules use, each with its kind."""
        used = set(self.body.columns)
        return {c.name: c.kind for c in self.columns if c.name in used}

    def table(self, X: Any, *, every: bool = False) -> Table:
        """Return a table of the columns that the rules use, or of all, with training's kinds."""
        only = [c.name for c in self.columns] if every else self.body.columns
        table = fit_table(X, self.columns, only, named=self.named)
        for name in self._spaces:
            if table.missing(name).any():
                raise InputError(
                    f"Input X contains NaN: column {name!r} has {int(table.missing(name).sum())} "
                    "missing values, and a rule compares rows by it. Fill them in as in training, "
                    "or leave these rows out."
                )
        return table

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Answer each row."""

    def bound_to(self: SomeModel, functions: Mapping[str, Callable[..., Any]]) -> SomeModel:
        """Return the model with the user's functions that it calls, by name."""
        if not functions:
            return self
        return replace(self, body=bound_to(self.body, functions))  # type: ignore[type-var]

    @cached_property
    def _spaces(self) -> tuple[str, ...]:
        """The columns that must be known to compare rows."""
        return spaces_of(self.body)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the body, computed once."""
        return self.body.rules

    def rule_text(self, answer: int) -> str:
        """Return the text of a rule's condition."""
        rule = self.rules[answer]
        return predicate_text(rule.condition) if rule.literals else self._unconditional(answer)

    def rule_headline(
        self, answer: int, max_characters: int | None = None, *, in_training: bool = False
    ) -> str:
        """Return the text of a rule's condition without the examples that it compares with.

        Tests on the way to a leaf that follow from others are left out. Long conditions are cut to
        ``max_characters`` characters. With ``in_training`` the text is about the training rows: it
        leaves out missing values and unseen categories, where these rows have none.
        """
        condition = self._headline_condition(answer)
        if in_training:
            condition = training_condition(condition, self.profile)
        if not condition.literals:
            return self._unconditional(answer)
        return (
            headline_text(condition)
            if max_characters is None
            else brief_text(condition, max_characters)
        )

    def rule_pieces(self, answer: int) -> list[str]:
        """Return the headline of a rule on the training rows, in pieces that lines keep whole."""
        condition = training_condition(self._headline_condition(answer), self.profile)
        return pieces_of(condition) if condition.literals else [self._unconditional(answer)]

    def _headline_condition(self, answer: int) -> Predicate:
        """Return a rule's condition, without tests of a tree that follow from others."""
        if not isinstance(self.body, Tree):
            return self.rules[answer].condition
        grounds = narrowed_by_columns(merge_conditions(self.body.grounds(answer)))
        return grounds[0] if len(grounds) == 1 else AllOf(grounds)

    def shortened_in_training(self, answers: Sequence[int]) -> bool:
        """Whether the condition of one of these rules is shorter ``in_training``."""
        conditions = map(self._headline_condition, answers)
        return any(training_condition(each, self.profile) != each for each in conditions)

    def _unconditional(self, answer: int) -> str:
        """Return the text of a rule without a condition: it votes always, or answers last."""
        voter = isinstance(self.rules[answer], WeightedRule)
        return predicate_text(AllOf()) if voter else ALWAYS

    def _listed(
        self,
        answers: Mapping[str, Sequence[Any]],
        support: Sequence[float],
        measured: Mapping[str, Sequence[float]],
        library: str | None,
    ) -> Any:
        """Return the rules as a dataframe with their answers, weights and measures."""
        weight = np.array(support, np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            coverage = weight / weight.sum()
        columns = {
            "number": list(range(1, len(self.rules) + 1)),
            "rule": [self.rule_text(i) for i in range(len(self.rules))],
            **answers,
            "support": weight.tolist(),
            "coverage": coverage.tolist(),
            **measured,
            "literals": [rule.literals for rule in self.rules],
        }
        return frame(columns, library)

    @abstractmethod
    def node_labels(self, tree: Tree) -> NodeLabels:
        """Labels of the nodes of the model's tree: the training rows that reach each."""

    def plot(
        self,
        ax: Any = None,
        *,
        missing: Collection[str] | None = None,
        max_depth: int | None = MAX_DEPTH,
        max_leaves: int | None = MAX_LEAVES,
    ) -> Any:
        """Draw a tree with its training data, by matplotlib; other models are not drawn.

        Parameters
        ----------
        ax : matplotlib's Axes, optional
            Where to draw; without it, a figure is made that is as large as the tree needs.
        missing : collection of str, optional
            Names of the columns in which values can be missing: the branches they take are marked.
        max_depth, max_leaves : int or None
            A tree that is deeper or has more leaves is drawn to the depth that keeps to both.

        Returns
        -------
        matplotlib's Axes
        """
        if not isinstance(self.body, Tree):
            raise UnrenderableError(
                f"Only a tree can be drawn; this model is a {type(self.body).__name__}. Print it "
                "to read it; a report plots its tests."
            )
        return tree_figure(
            self.body,
            self.node_labels(self.body),
            ax=ax,
            missing=missing,
            max_depth=max_depth,
            max_leaves=max_leaves,
        )

    def rounded(self: SomeModel, decimals: int, X: Any) -> Rounded[SomeModel]:
        """Return the model with conditions rounded to ``decimals``, and its changed answers on X.

        A rounded model is another model: it has no certificate.
        """
        if type(decimals) is not int or not 0 <= decimals <= 17:
            raise InputError(f"decimals must be a whole number from 0 to 17; found {decimals!r}.")
        other = self._reworded(rounded(self.body, decimals))
        table = self.table(X)
        changed = int((other.predict(table) != self.predict(table)).sum())
        return Rounded(other, decimals, changed, table.rows)

    def _reworded(self: SomeModel, body: Arrangement) -> SomeModel:
        """Return the model with another body, without a certificate."""
        return replace(self, body=body)  # type: ignore[type-var]

    @property
    def columns_profile(self) -> TrainingProfile | None:
        """The training profile for a model with other rules."""
        return None if self.profile is None else self.profile.without_rules()

    def profiled(
        self: SomeModel, training: Table | ProfileMaker, rules: Sequence[int] | None = None
    ) -> SomeModel:
        """Return the model with a profile of its training rows.

        ``rules`` are the rows that each rule answers, among those that the certificate counts; by
        default the numbers of the earlier profile.
        """
        maker = ProfileMaker(training) if isinstance(training, Table) else training
        if rules is None and self.profile is not None:
            rules = self.profile.rules
        profile = maker.profile(self.body.columns, rules)
        return replace(self, profile=profile)  # type: ignore[type-var]

    def drift(self, X: Any, level: float = DRIFT_LEVEL) -> DriftReport:
        """Compare new rows with the training rows, by exact tests.

        Unseen categories, missing values, values outside the range of training, and the share of
        rows that each rule answers. From an unchanged source of independent rows, there is any
        finding with probability at most ``level``. See docs/testing-and-monitoring.md.
        """
        table, counter = self.table(X), DriftCounter(self)
        counter.update(table, self.body.answer(table))
        return counter.report(level)

    def monitor(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        period: str = "month",
        level: float = DRIFT_LEVEL,
    ) -> Any:
        """Compare batches of rows with the training rows, and their errors with the certificate.

        Parameters
        ----------
        X : rows as for ``predict``, or a dict of names to such rows
        y : array, optional
            The classes of the rows where they are known; a dict of arrays if X is one.
        times : str or array, optional
            The column of X, or the values, that divide the rows into batches.
        period : {"day", "week", "month", "year"}, default="month"
            Length of a batch, if the times are dates. Each other value is a batch.
        level : float, default=0.01
            Maximum probability of any finding if nothing has changed since training.

        Returns
        -------
        rulewright.evaluation.Monitoring
        """
        module, name = MONITOR
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found(self, X, y, times=times, period=period, level=level)


def most_used(support: Sequence[float], max_rules: int) -> list[int]:
    """Return the numbers of the rules that answer the most training weight, in order.

    Examples
    --------
    >>> most_used([3.0, 9.0, 0.0, 3.0], 2)
    [0, 1]
    """
    return sorted(sorted(range(len(support)), key=lambda number: -support[number])[:max_rules])


@dataclass(frozen=True)
class Rounded(Generic[SomeModel]):
    """A rounded model, and the number of answers that the rounding changed."""

    model: SomeModel
    decimals: int
    changed: int
    rows: int

    def __str__(self) -> str:
        places = f"{self.decimals} decimal{'' if self.decimals == 1 else 's'}"
        return f"{self.model}\n(rounded to {places}: {self.changed} of {self.rows} answers change)"
