"""Settings of a learner: the one place where a parameter has its name, default, check and help.

A learner is a frozen dataclass of options with a search. The scikit-learn estimator and the command
line are made from its fields, so that the same settings give the same model in both.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rulewright.certificates import PathEntry, PoolMember
from rulewright.data import Counts, LazyTable
from rulewright.errors import InputError
from rulewright.families import Family
from rulewright.kernels import code_sums
from rulewright.learners.base.deadline import Deadline, read_time_budget
from rulewright.learners.base.delivery import DELIVERIES
from rulewright.learners.base.parameters import (
    read_class_weight,
    read_columns,
    read_delta,
    read_seed,
    read_share,
    read_switch,
    read_whole,
)
from rulewright.learners.base.progress import Listener, listen
from rulewright.learners.base.sample import Sample
from rulewright.learners.polishing.applying import polished_path
from rulewright.models import read_class_costs
from rulewright.rules import Arrangement

if TYPE_CHECKING:
    from rulewright.learners.base.split_search import CheckedCandidate

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
    in_recipe : bool
        Whether candidates depend on it. Where it only chooses among them, a split certificate does
        not, and its splits stay the same.
    omit_default : bool
        Whether a recipe leaves it out where it has its default, so that recipes and splits stay as
        they were before there was the option.
    """

    help: str
    type: str
    read: Reader | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = str
    repeatable: bool = False
    details: str = ""
    group: str = ""
    in_recipe: bool = True
    omit_default: bool = False


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
CONSTRAINTS = "Constraints"
CERTIFICATE = "Certificate"
FORMS = ("compression", "split", "holdout")


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of an estimator, which check themselves."""

    first: ClassVar[str]
    """The parameter that an estimator takes by position."""
    learner: ClassVar[str]
    """Name in recipes; of learners of classes also on the command line."""
    absent_parameters: ClassVar[Mapping[str, Any]] = {}
    """Values of parameters that recipes of earlier versions do not have, where not the default."""
    newer_parameters: ClassVar[Collection[str]] = ()
    """Parameters that the learner had not at first: recipes leave them out at their defaults, so
    that the split of the rows, which depends on the recipe, stays the same.
    """

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
        "Seed of random choices, 0 by default; splits are drawn by a hash of the data.",
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

    @classmethod
    def absent_values(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Values of parameters that a recipe with these parameters may not have."""
        return cls.absent_parameters

    @property
    def seed(self) -> int:
        """Seed of random choices; drawn anew each time from a generator."""
        return read_seed(self.random_state)

    @property
    def split_seed(self) -> int | None:
        """Seed of the splits that was settled beforehand; None to draw by a hash of the data."""
        return None if self.random_state is None else self.seed

    def families(self) -> tuple[Family, ...]:
        """Families of predicates that the search may use."""
        return ()


def _read_form(value: object, name: str) -> str | None:
    if value is None or (isinstance(value, str) and value in FORMS):
        return value
    raise InputError(
        f"{name} must be {', '.join(map(repr, FORMS))} or None for no certificate, got {value!r}."
    )


def _parse_form(text: str) -> str | None:
    return None if text == "none" else text


def certificate_option(default: str) -> Any:
    """Option for the form of the certificate."""
    return option(
        default,
        "Form of the certificate: compression, split, holdout, or none.",
        '{"compression", "split", "holdout"} or None',
        read=_read_form,
        parse=_parse_form,
        group=CERTIFICATE,
        details='"compression" learns from all rows; its bound is weak for all but small models. '
        '"split" learns candidates from random parts of the rows, checks them on the others, and '
        'gives the smallest bounds. "holdout" learns from some of the rows, and checks the model '
        "on the others.",
    )


def _read_sample_rows(value: object, name: str) -> int | None:
    return None if value is None else read_whole(1)(value, name)


def _read_splits(value: object, name: str) -> int | None:
    return None if value is None else read_whole(1)(value, name)


def _read_check_share(value: object, name: str) -> float | None:
    return None if value is None else read_share(value, name)


def delta_option() -> Any:
    """Option for the probability with which a certificate may fail."""
    return option(
        0.05,
        "Probability with which the certificate may fail.",
        "float",
        read=read_delta,
        parse=float,
        group=COMMON,
    )


def n_splits_option() -> Any:
    """Option for the number of splits."""
    return option(
        None,
        "Number of splits of a split certificate; by default 5, and fewer of large tables.",
        "int or None",
        read=_read_splits,
        parse=int,
        group=CERTIFICATE,
    )


def check_share_option(help: str, details: str) -> Any:
    """Option for the share of check rows; ``details`` has the usual share."""
    return option(
        None,
        help,
        "float or None",
        read=_read_check_share,
        parse=float,
        group=CERTIFICATE,
        details=details,
    )


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

    summary: ClassVar[str]
    """One line for the list of learners."""
    max_classes: ClassVar[int | None] = None
    needs_rows: ClassVar[tuple[str, ...]] = ()
    """Parameters that must have their defaults where the rows are not in memory."""
    rounds: ClassVar[tuple[str, str]] = ("round", "")
    """What rows are counted for once each, and the parameter with the maximum number of these."""
    draws_by_key: ClassVar[bool] = False
    """Whether random choices among rows are by their keys, where rows have keys."""
    min_split_rows: ClassVar[int] = 0
    """Number of rows below which the compression form takes the place of the split form."""

    class_costs: Any = option(
        None,
        "Cost of misclassifying a case of a class; 1 for other classes.",
        'dict of label to number, "balanced" or None',
        group=COMMON,
        repeatable=True,
        details='"balanced" gives all classes the same weight. Costs are relative.',
    )
    delta: float = delta_option()
    polish: bool = option(
        False,
        "Polish the model: choose its parts anew, drop and merge rules, while the loss falls.",
        "bool",
        read=read_switch,
        group=COMMON,
        omit_default=True,
        details="The number of tests never grows. The loss is that of the training rows, by their "
        "weights and costs, plus one row for each test (docs/polishing.md).",
    )

    certificate: str | None = certificate_option("compression")
    n_splits: int | None = n_splits_option()
    check_share: float | None = check_share_option(
        "Share of the rows that a split or holdout certificate checks the model on.",
        "By default, splits use half of up to 2,000 rows, 1,000 of up to 5,000, and a fifth of "
        "more. Hold-outs use a fifth.",
    )
    keep_pool: bool = option(
        False,
        "Keep all candidates in the model file, for checks by later versions.",
        "bool",
        read=read_switch,
        group=CERTIFICATE,
        in_recipe=False,
        details="A later version of a learner may find other candidates, and then cannot repeat "
        "the recipe.",
    )
    deliver: str = option(
        "best",
        "Model to deliver with a split certificate: the best candidate, or one that the learner "
        "also finds in all rows.",
        choices=DELIVERIES,
        group=CERTIFICATE,
        in_recipe=False,
        details='"all" learns once more, from all rows. If none of these models is a candidate, it '
        "delivers the best candidate.",
    )

    sample_rows: int | None = option(
        None,
        "Learn from about this number of rows of a lazy table, drawn by key, instead of counting "
        "all rows.",
        "int or None",
        read=_read_sample_rows,
        parse=int,
        group=COMMON,
        omit_default=True,
        details="For learners and settings that need the rows in memory (docs/scale.md). The rows "
        "with the smallest hashes of their keys are taken, the same on every engine. A split "
        "certificate is from all check rows.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.certificate == "split" and getattr(self, "time_budget", None) is not None:
            raise InputError(
                "time_budget and certificate='split' exclude each other: the certificate is "
                "checked by running the search again, which must find the same models. Set "
                "certificate='compression' or 'holdout', or drop time_budget."
            )

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        """Return candidate models of the sample for a split certificate; no choice is made."""
        path = self.find(sample, Deadline(None), threads)
        return [PoolMember(entry.model.body, path.description) for entry in path.entries]

    def learners(self) -> tuple[Settings, ...]:
        """Return the learners whose candidates make the pool, each with the same prior weight."""
        return (self,)

    def codes(self) -> tuple[Any, ...]:
        """Return what the code of a compression certificate depends on, one value for each code.

        A search over several settings pays for the number of different ones. By default each
        setting has a code of its own. A learner that knows better names what its models are rebuilt
        with: families of predicates, combinations of literals, and the arrangement of rules.
        """
        return (tuple(getattr(self, one.name) for one in fields(self)),)

    def keeps(self, body: Arrangement, sample: Sample) -> bool:
        """Whether a model has all that the user asked every model to have."""
        return True

    def sees_row_order(self, sample: Sample) -> bool:
        """Whether a search may depend on the order of the rows, which must then be canonical.

        A search that does not must name the first of several rows by their content.
        """
        return True

    def model_notices(self, body: Arrangement, sample: Sample) -> tuple[str, ...]:
        """Return what a user should know of the chosen model."""
        return ()

    def choose(self, choices: Sequence[CheckedCandidate]) -> CheckedCandidate:
        """Choose among the candidates of a split certificate, the best certificate first."""
        return choices[0]

    def polishing_families(self, sample: Sample) -> tuple[Family, ...]:
        """Return the families that polishing may use, with the scales that they measured."""
        table = sample.table
        return tuple(f.measured(table, f.scaling_rows(table.rows)) for f in self.families())

    def polishing_options(self, sample: Sample) -> dict[str, Any]:
        """Return what else polishing must know of the settings; see ``PolishingTask``."""
        if not hasattr(self, "max_candidates"):
            return {}
        return {"max_candidates": self.max_candidates, "seed": self.seed}

    def way_to(self, entry: PathEntry) -> dict[str, int]:
        """Return settings that give a model which limits kept out; empty if none did."""
        return {}

    @abstractmethod
    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        """Search for models of the sample."""

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        """Candidates of a split certificate from a table that answers with counts only."""
        raise self._needs_rows()

    def counted(self, table: LazyTable) -> Settings:
        """Return the settings for a table that answers with counts, or refuse the table."""
        if type(self).find_lazily is Settings.find_lazily:
            raise self._needs_rows()
        return self

    def scans_per_round(self, table: LazyTable) -> int:
        """Estimate the scans of a table for each of ``rounds``; a scan reads one column."""
        return table.estimated_scans(1) - table.estimated_scans(0)

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        """Search for models of a table that answers with counts only.

        ``sample`` has its columns and classes, without rows.
        """
        raise self._needs_rows()

    def _needs_rows(self) -> InputError:
        return InputError(
            f"The learner {self.learner!r} needs the rows in memory. Collect them first, use the "
            "learner 'tree', 'tree-rules', 'rule-list', 'ripper', 'dlm', 'scm' or 'auto', or learn "
            "from a sample: set sample_rows, for example to 100000, and name a key."
        )

    def find_path(
        self,
        sample: Sample,
        *,
        progress: Listener | None = None,
        deadline: Deadline | None = None,
        threads: int = 1,
    ) -> Path:
        """Find candidate models, each with its certificate, choose one, and polish it if asked to.

        The sample is used as it is; ``learn`` puts it in canonical order first.
        """
        deadline = deadline or Deadline(getattr(self, "time_budget", None))
        with listen(progress):
            path = self.find(sample, deadline, threads)
            return polished_path(self, path, sample, deadline, threads) if self.polish else path

    def costs(self, sample: Sample) -> tuple[Fraction, ...] | None:
        """Cost of misjudging a case of each class; None where there are no costs."""
        return read_class_costs(self.given_costs(sample), sample.classes)

    def given_costs(self, sample: Sample) -> Any:
        """The user's costs, with "balanced" turned into numbers."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None and not isinstance(self.class_costs, str):
            return self.class_costs
        weights = code_sums(sample.y, sample.weight, len(sample.classes))
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


def is_default(settings: Parameters, one: Any) -> bool:
    """Whether a field of settings has its default."""
    value = getattr(settings, one.name)
    return value is None if one.default is None else bool(value == one.default)


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
    statements : tuple of str
        What the search proved about the chosen model.
    alternatives : list of PathEntry
        Other models that are almost as good, where they were asked for.
    """

    entries: list[PathEntry]
    chosen: int
    description: str
    costs: tuple[Fraction, ...] | None = None
    notices: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    alternatives: list[PathEntry] = field(default_factory=list)

    @property
    def entry(self) -> PathEntry:
        """The chosen model with its certificate."""
        return self.entries[self.chosen]
