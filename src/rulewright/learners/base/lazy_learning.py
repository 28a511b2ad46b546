"""Learning from a table that stays in its engine and answers with counts."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from rulewright.data import LazyTable, canonical_table, key_notice
from rulewright.errors import InputError
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.notices import warn
from rulewright.learners.base.preparation import restricted
from rulewright.learners.base.progress import Listener, listen
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings, is_default
from rulewright.models import ColumnProfile, ProfileMaker

NO_CERTIFICATE = (
    "The model has no certificate: a certificate in the {form} form names training rows by their "
    "numbers, and a lazy table has none. Test the model on rows that it was not learnt from, or "
    "collect the rows first."
)


def learn_lazily(settings: Settings, table: LazyTable, *, progress: Listener | None = None) -> Path:
    """Learn from counts; the same model as from the rows in memory without a certificate."""
    _refuse_parameters(settings)
    for name, reason in table.keys.items():
        warn(key_notice(name, reason))
    if settings.certificate is not None:
        warn(NO_CERTIFICATE.format(form=settings.certificate))
    deadline = Deadline(getattr(settings, "time_budget", None))
    with listen(progress):
        path = settings.find_lazily(table, restricted(_sample(table), settings), deadline)
    maker = ProfileMaker.of_columns(table.rows, _profiles(table))
    entries = [replace(entry, model=entry.model.profiled(maker)) for entry in path.entries]
    return replace(path, entries=entries)


def _sample(table: LazyTable) -> Sample:
    """The columns and classes of a table in canonical order, without rows."""
    return Sample(
        canonical_table(table.table),
        np.empty(0, np.int32),
        np.empty(0),
        table.classes,
        np.empty(0, np.intp),
        table.target,
        tuple(table.table.names),
        tuple(table.keys),
    )


def _refuse_parameters(settings: Settings) -> None:
    changed = [
        one.name
        for one in fields(settings)
        if one.name in settings.needs_rows and not is_default(settings, one)
    ]
    if changed:
        raise InputError(
            f"{changed[0]} needs the rows in memory. Leave it at its default, or collect the rows "
            "first."
        )


def _profiles(table: LazyTable) -> list[ColumnProfile]:
    """Profiles of the columns that rules may use."""
    found = []
    for column in table.fields:
        missing = table.missing[column.name]
        if column.is_numeric:
            found.append(ColumnProfile(column.name, missing, *table.ranges.get(column.name, ())))
        elif column.name in table.category_counts:
            counts = list(table.category_counts[column.name].items())
            found.append(ColumnProfile.of_categories(column.name, missing, counts))
    return found
