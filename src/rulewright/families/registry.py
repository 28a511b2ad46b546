"""Families by name, and searches over several families."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rulewright.data import Table
from rulewright.errors import InputError, ModelFileError
from rulewright.families.balls import Balls
from rulewright.families.categories import Categories
from rulewright.families.coarse import CoarseThresholds
from rulewright.families.expert import ExpertTests
from rulewright.families.family import Family, Found, Question, Search, Training
from rulewright.families.given import GivenPredicates
from rulewright.families.half_planes import HalfPlanes, read_sum_columns
from rulewright.families.half_spaces import HalfSpaces
from rulewright.families.intervals import Intervals
from rulewright.families.measures import as_kernel, as_metric
from rulewright.families.midpoints import Midpoints
from rulewright.families.missing_values import MissingValues
from rulewright.families.rounded import RoundedThresholds
from rulewright.families.subsets import Subsets
from rulewright.families.thresholds import Thresholds
from rulewright.rules import Node, decode

FAMILIES: dict[str, type[Family]] = {
    family.name: family
    for family in (
        Thresholds,
        Intervals,
        Midpoints,
        RoundedThresholds,
        CoarseThresholds,
        Categories,
        Subsets,
        MissingValues,
        GivenPredicates,
        ExpertTests,
        Balls,
        HalfSpaces,
        HalfPlanes,
    )
}
AUTO = ("thresholds", "categories", "missing")


@dataclass(frozen=True)
class SpaceOptions:
    """Options of families that are named: how they compare rows."""

    metric: Any = "l2"
    kernel: Any = "linear"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    scale: str = "none"
    impute: str = "none"
    types: str = "complex"
    max_sum_columns: int = 2

    def make(self, name: str) -> tuple[Family, ...]:
        """Families of that name with these options."""
        kernel = as_kernel(self.kernel, self.gamma, self.degree, self.coef0)
        if name == Balls.name:
            metric = as_metric(self.metric, kernel)
            return (Balls(metric=metric, scale=self.scale, impute=self.impute, types=self.types),)
        if name == HalfSpaces.name:
            return (HalfSpaces(kernel=kernel, scale=self.scale, impute=self.impute),)
        if name == HalfPlanes.name:
            most = read_sum_columns(self.max_sum_columns, "max_sum_columns")
            return tuple(HalfPlanes(columns) for columns in range(2, most + 1))
        return (FAMILIES[name](),)


DEFAULT_OPTIONS = SpaceOptions()


def as_families(spec: Any, options: SpaceOptions = DEFAULT_OPTIONS) -> tuple[Family, ...]:
    """Families of the parameter ``family``: a name, a Family, a list of these, or "auto" for all.

    Examples
    --------
    >>> as_families(["thresholds", Categories()])
    (Thresholds(cuts='all'), Categories(negation=True))
    """
    if isinstance(spec, str) and spec == "auto":
        return tuple(FAMILIES[name]() for name in AUTO)
    if isinstance(spec, list | tuple):
        families = tuple(family for part in spec for family in as_families(part, options))
        if not families:
            raise InputError(f"family is an empty list. Name at least one of {_known()}.")
        check_functions(families)
        _refuse_two_pairs(families)
        return tuple(dict.fromkeys(families))
    if isinstance(spec, Family):
        return (spec,)
    if isinstance(spec, str) and spec in FAMILIES:
        return options.make(spec)
    raise InputError(
        f"There is no family {spec!r}. Choose among {_known()}, or 'auto' for "
        f"{', '.join(AUTO)} together."
    )


def check_functions(families: Iterable[Family]) -> None:
    """Refuse two functions of one name: families, models and files identify them by name only."""
    known: dict[str, Callable[..., Any]] = {}
    for family in families:
        for name, function in family.named_functions.items():
            if known.setdefault(name, function) != function:
                raise InputError(
                    f"Two different functions have the name {name!r}. Rename one of them: models "
                    "identify functions by name."
                )


def _refuse_two_pairs(families: Iterable[Family]) -> None:
    """Refuse midpoints together with rounded cuts: both take a cut from two rows."""
    if {Midpoints.name, RoundedThresholds.name} <= {family.name for family in families}:
        raise InputError(
            "family may have 'midpoints' or 'rounded', not both: a model does not tell which of "
            "them made a cut."
        )


def _known() -> str:
    return ", ".join(repr(name) for name in FAMILIES)


def family_from_json(data: Any, functions: Mapping[str, Callable[..., Any]]) -> Family:
    """Family from the output of ``Family.to_json``; raise an error if it is not valid."""
    said = {"name": data} if isinstance(data, str) else data
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise ModelFileError("the certificate cannot be read: a family must have a name.")
    if said["name"] not in FAMILIES:
        raise ModelFileError(
            f"the certificate uses the family {said['name']!r}, which is not known here. Enter it "
            "in rulewright.families.FAMILIES to read it."
        )
    kind = FAMILIES[said["name"]]
    known = {f.name: f for f in fields(kind) if f.metadata.get("serialized", True)}
    options = {key: value for key, value in said.items() if key != "name"}
    if not set(options) <= set(known):
        raise ModelFileError(f"the certificate cannot be read: {kind.name} has no such options.")
    try:
        family = kind(**{key: _read(value, known[key].default) for key, value in options.items()})
    except (InputError, TypeError) as error:
        raise ModelFileError(f"the certificate cannot be read: {error}") from error
    return family.bound_to(functions)


def _read(value: Any, usual: Any) -> Any:
    if isinstance(usual, Node):
        return decode(value, type(usual))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if not isinstance(value, str | bool) and not (type(value) is type(usual) is int):
        raise InputError(
            "an option must be text, a whole number, true or false, a list of texts, or a node."
        )
    return value


def prepare(families: Sequence[Family], training: Training) -> Search:
    """Several families as one search: the heaviest of their heaviest, the first on ties."""
    table = training.table
    of_family = {f: training if f.directed else training.undirected() for f in families}
    usable = [family for family in families if _finds_something(family, of_family[family].table)]
    if not usable:
        raise InputError(
            f"The data has no columns for family {', '.join(f.name for f in families)}: it has "
            f"{len(table.numeric)} numeric and {len(table.categorical)} categorical columns. Use "
            "family='auto', which uses every column."
        )
    return _CombinedSearch([family.prepare(of_family[family]) for family in usable])


def _finds_something(family: Family, table: Table) -> bool:
    # A family with named columns reports itself which of them are missing.
    named = isinstance(family, GivenPredicates) and family.columns is not None
    return named or family.all_options(table.fields) > 0


class _CombinedSearch(Search):
    def __init__(self, searches: list[Search]) -> None:
        self._searches = searches

    def heaviest(self, question: Question) -> Found | None:
        best: Found | None = None
        for search in self._searches:
            found = search.heaviest(question)
            if found is not None and (best is None or found[1:] > best[1:]):
                best = found
        return best
