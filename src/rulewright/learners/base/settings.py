"""Settings of a learner: the one place where a parameter has its name, default, check and help.

A learner is a frozen dataclass of options with a search. The scikit-learn estimator and the command
line are made from its fields, so that the same settings give the same model in both.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rulewright.certificates import PathEntry
from rulewright.errors import InputError
from rulewright.families import Family
from rulewright.learners.base.deadline import Deadline, read_time_budget
from rulewright.learners.base.parameters import (
    read_class_costs,
    read_class_weight,
    read_columns,
    read_delta,
    read_seed,
)
from rulewright.learners.base.progress import Listener, listen
from rulewright.learners.base.sample import Sample

Reader = Callable[[Any, str], Any]
"""Checks a value; the second argument is the name of the parameter."""


@dataclass(frozen=True)
class Option:
    """A parameter besides its name and default.

    Attributes
    ----------
    help : str
        One line, shown by the command line and in the estimator's documentation.
    type : str
        The values, as documentation shows them: "int or None".
    read : function
        Checks a value and returns it in the form that the search uses.
    choices : tuple of str
        The allowed names, where there are some.
    parse : function or None
        Reads a value of the command line from text; None where only Python can give one.
    repeatable : bool
        Whether the command line takes the option several times, as a list.
    details : str
        Further sentences for the estimator's documentation.
    group : str
        Heading of the option in the help of the command line.
    """

    help: str
    type: str
    read: Reader | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = str
    repeatable: bool = False
    details: str = ""
    group: str = ""


def option(default: Any, help: str, type: str = "", **facts: Any) -> Any:
    """Field of a settings class; see ``Option``."""
    choices = facts.get("choices", ())
    kind = type or "{" + ", ".join(f'"{choice}"' for choice in choices) + "}"
    if choices and "read" not in facts:
        facts["read"] = _reader_of(choices)
    return field(default=default, metadata={"option": Option(help, kind, **facts)})


def _reader_of(choices: tuple[str, ...]) -> Reader:
    def read(value: object, name: str) -> str:
        if isinstance(value, str) and value in choices:
            return value
        known = ", ".join(map(repr, choices))
        raise InputError(f"{name} must be one of {known}, got {value!r}.")

    return read


COMMON = "Common"
COLUMNS = "Columns"


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of an estimator, which check themselves."""

    first: ClassVar[str]
    """The parameter that an estimator takes by position."""

    keep: Any = option(
        None,
        "Column that rules may test; other columns are left out.",
        "list of column names or None",
        read=read_columns,
        repeatable=True,
        group=COLUMNS,
    )
    forbid: Any = option(
        None,
        "Column that no rule tests.",
        "list of column names or None",
        read=read_columns,
        repeatable=True,
        group=COLUMNS,
    )
    random_state: Any = option(
        None,
        "Seed of random choices; None is 0.",
        "int, generator or None",
        read=lambda value, name: value if _is_generator(value) else read_seed(value),
        parse=int,
        group=COMMON,
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            read = option_of(one).read
            if read is not None:
                read(getattr(self, one.name), one.name)

    def value(self, name: str) -> Any:
        """Value of a parameter in the form that the search uses."""
        (one,) = (one for one in fields(self) if one.name == name)
        read = option_of(one).read
        assert read is not None
        return read(getattr(self, name), name)

    @property
    def seed(self) -> int:
        """Seed of random choices; drawn anew each time from a generator."""
        return read_seed(self.random_state)

    def families(self) -> tuple[Family, ...]:
        """Families of predicates that the search may use."""
        return ()


@dataclass(frozen=True, kw_only=True)
class TimedParameters(Parameters):
    """Parameters of a search that can stop early."""

    time_budget: float | None = option(
        None,
        "Maximum number of seconds; the search then keeps the best model found so far.",
        "float or None",
        read=read_time_budget,
        parse=float,
        group=COMMON,
    )


@dataclass(frozen=True, kw_only=True)
class Settings(Parameters, ABC):
    """Parameters of a learner of classes, and its search.

    A subclass adds its own options and writes ``find``.
    """

    learner: ClassVar[str]
    """Name on the command line."""
    summary: ClassVar[str]
    """One line for the list of learners."""
    max_classes: ClassVar[int | None] = None

    class_costs: Any = option(
        None,
        "Cost of misjudging a case of a class; 1 for other classes.",
        'dict of label to number, "balanced" or None',
        group=COMMON,
        repeatable=True,
        details='"balanced" gives all classes the same weight. Costs are relative.',
    )
    delta: float = option(
        0.05,
        "Probability with which the certificate may fail.",
        "float",
        read=read_delta,
        parse=float,
        group=COMMON,
    )

    @abstractmethod
    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        """Search for models of the sample."""

    def search(
        self,
        sample: Sample,
        *,
        progress: Listener | None = None,
        deadline: Deadline | None = None,
        threads: int = 1,
    ) -> Path:
        """Find candidate models, each with its certificate, and choose one of them.

        The sample is used as it is; ``learn`` puts it in canonical order first.
        """
        with listen(progress):
            return self.find(
                sample, deadline or Deadline(getattr(self, "time_budget", None)), threads
            )

    def costs(self, sample: Sample) -> tuple[Fraction, ...] | None:
        """Cost of misjudging a case of each class; None where there are no costs."""
        return read_class_costs(self.given_costs(sample), sample.classes)

    def given_costs(self, sample: Sample) -> Any:
        """The user's costs, with "balanced" turned into numbers."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None and not isinstance(self.class_costs, str):
            return self.class_costs
        weights = np.bincount(sample.y, sample.weight, len(sample.classes))
        name = "class_weight" if self.class_costs is None else "class_costs"
        return read_class_weight(getattr(self, name), sample.classes, weights.tolist(), name)


@dataclass(frozen=True, kw_only=True)
class ClassWeightSettings(Settings):
    """Settings of a learner that scikit-learn's users expect to have class_weight."""

    class_weight: Any = option(
        None,
        "scikit-learn's name for class_costs: set one of the two.",
        'dict of label to number, "balanced" or None',
        parse=None,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.class_weight is not None and self.class_costs is not None:
            raise InputError(
                "class_weight and class_costs mean the same. Set one of them, and leave the other "
                "at None."
            )


@dataclass(frozen=True, kw_only=True)
class TimedSettings(TimedParameters, Settings):
    """Settings of a learner of classes whose search can stop early."""


def _is_generator(value: object) -> bool:
    """Whether a seed is drawn from the value, which must happen once."""
    return isinstance(value, np.random.RandomState | np.random.Generator)


def option_of(one: Any) -> Option:
    """The option that a field of a settings class describes."""
    found: Option = one.metadata["option"]
    return found


def options_of(settings: type[Parameters]) -> dict[str, tuple[Any, Option]]:
    """Default and option of each parameter by name: the learner's own first, then common ones."""
    known = {one.name: one for one in fields(settings)}
    declared = [name for cls in settings.__mro__ for name in inspect.get_annotations(cls)]
    order = dict.fromkeys([settings.first, *(name for name in declared if name in known)])
    return {name: (known[name].default, option_of(known[name])) for name in order}


@dataclass(frozen=True, eq=False)
class Path:
    """Candidate models of a search, and the one that is chosen.

    Attributes
    ----------
    entries : list of PathEntry
    chosen : int
        Place of the model among the entries.
    description : str
        How the model was found, in a few words.
    costs : tuple of Fraction or None
        Costs that the choice followed.
    notices : tuple of str
        What a user should know of the search.
    attributes : dict
        Further attributes of the fitted estimator by name.
    """

    entries: list[PathEntry]
    chosen: int
    description: str
    costs: tuple[Fraction, ...] | None = None
    notices: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entry(self) -> PathEntry:
        """The chosen model with its certificate."""
        return self.entries[self.chosen]
