"""Families by name, and several of them as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.families.categories import Categories
from rulewright.families.family import Family, Found, Search, Weights
from rulewright.families.missings import Missings
from rulewright.families.thresholds import Thresholds

FAMILIES: dict[str, type[Family]] = {
    family.name: family for family in (Thresholds, Categories, Missings)
}
AUTO = ("thresholds", "categories", "missing")


def as_families(spec: Any) -> tuple[Family, ...]:
    """Read the parameter ``family``: a name, a Family, or a list of these; "auto" for all kinds.

    Examples
    --------
    >>> as_families(["thresholds", Categories()])
    (Thresholds(), Categories())
    """
    if isinstance(spec, str) and spec == "auto":
        return tuple(FAMILIES[name]() for name in AUTO)
    if isinstance(spec, list | tuple):
        families = tuple(family for part in spec for family in as_families(part))
        if not families:
            raise InputError(f"family is an empty list; name at least one of {_known()}.")
        return tuple(dict.fromkeys(families))
    if isinstance(spec, Family):
        return (spec,)
    if isinstance(spec, str) and spec in FAMILIES:
        return (FAMILIES[spec](),)
    raise InputError(f"There is no family {spec!r}. Known are {_known()} and 'auto' (all of them).")


def _known() -> str:
    return ", ".join(repr(name) for name in FAMILIES)


def prepare(families: Sequence[Family], table: Table, threads: int = 1) -> Search:
    """Prepare several families as one search: the heaviest of their heaviest, the first on ties."""
    if not any(family.options(field) for family in families for field in table.fields):
        raise InputError(
            f"The data has no columns for family {', '.join(f.name for f in families)}: "
            f"{len(table.numeric)} numeric, {len(table.categorical)} categorical. "
            "Use family='auto', which takes every column."
        )
    return _Mixture([family.prepare(table, threads) for family in families])


class _Mixture(Search):
    def __init__(self, searches: list[Search]) -> None:
        self._searches = searches

    def heaviest(self, weight: Weights, *, side: bool = True) -> Found | None:
        best: Found | None = None
        for search in self._searches:
            found = search.heaviest(weight, side=side)
            if found is not None and (best is None or found[1:] > best[1:]):
                best = found
        return best
