"""Preparation of a sample for a search, and its results in the user's order again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import category_cautions, cautions
from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.families import Family, Spatial
from rulewright.learners.base.notices import warn
from rulewright.learners.base.parameters import known_columns
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Parameters, Path
from rulewright.models import ProfileMaker


def in_search_order(sample: Sample, families: tuple[Family, ...]) -> Sample:
    """Sample in canonical order, except for precomputed columns, which stand for its rows."""
    precomputed = any(isinstance(f, Spatial) and f.precomputed for f in families)
    return sample if precomputed else sample.canonical()


def restored(
    path: Path, sample: Sample, ordered: Sample, further_cautions: tuple[str, ...] = ()
) -> Path:
    """Path of an ordered sample in the order of the sample, with cautions about the model."""
    place_of = np.empty(sample.rows[-1] + 1, np.intp)
    place_of[sample.rows] = np.arange(sample.rows.size)
    places = place_of[ordered.rows]
    path = add_cautions(path, sample, places, further_cautions)
    entries, alternatives = (
        [entry.restored(places, ordered.names) for entry in found]
        for found in (path.entries, path.alternatives)
    )
    return replace(path, entries=entries, alternatives=alternatives)


def profiled(path: Path, table: Table) -> Path:
    """Path whose models have a profile of the training rows, and the costs of the choice."""
    maker = ProfileMaker(table)
    costs = None if path.costs is None else tuple(map(float, path.costs))
    entries, alternatives = (
        [
            replace(entry, model=replace(entry.model.profiled(maker), class_costs=costs))
            for entry in found
        ]
        for found in (path.entries, path.alternatives)
    )
    return replace(path, entries=entries, alternatives=alternatives)


def add_cautions(
    path: Path, sample: Sample, order: NDArray[np.intp], further_cautions: tuple[str, ...] = ()
) -> Path:
    """Path whose chosen model has its cautions; ``order`` is the order of the search."""
    for caution in category_cautions(path.entry.model, sample.table):
        warn(caution)
    found = cautions(path.entry.model, sample.table, sample.y, order=order)
    entries = list(path.entries)
    entries[path.chosen] = path.entry.cautioned((*found, *further_cautions))
    return replace(path, entries=entries)


def restricted(sample: Sample, settings: Parameters) -> Sample:
    """Sample in which the columns that rules may not test are left out."""
    names = sample.table.names
    keep, forbid = settings.value("keep"), settings.value("forbid")
    if keep is None and forbid is None:
        return sample
    if any(isinstance(family, Spatial) for family in settings.families()):
        raise InputError(
            "keep and forbid do not apply to balls and half-spaces, which compare rows by all "
            "numeric columns. Leave the columns out of the data instead."
        )
    kept = names if keep is None else [names[i] for i in known_columns(keep, "keep", names)]
    known_columns(forbid or (), "forbid", names)
    out = {name for name in names if name not in kept or name in (forbid or ())}
    # A column that the user names is kept, even if it looks like a key of the rows.
    keys = [name for name in sample.left_out if name not in (keep or ())]
    left_out = [name for name in names if name in out or name in keys]
    if len(left_out) == len(names):
        raise InputError("keep and forbid leave no column to learn from.")
    return replace(sample, left_out=tuple(left_out))
