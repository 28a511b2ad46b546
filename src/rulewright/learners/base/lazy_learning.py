"""Learning from a table that stays in its engine and answers with counts."""

from __future__ import annotations

from dataclasses import fields, replace

from rulewright.certificates import (
    check_order,
    counted_category_cautions,
    counted_order_cautions,
    not_examined,
)
from rulewright.data import LazyTable, key_notice
from rulewright.errors import InputError
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.lazy_samples import learn_from_sample
from rulewright.learners.base.lazy_split_search import learn_with_keys, rowless_sample
from rulewright.learners.base.notices import warn
from rulewright.learners.base.preparation import restricted
from rulewright.learners.base.progress import Listener, listen
from rulewright.learners.base.settings import Path, Settings, is_default
from rulewright.models import ColumnProfile, ProfileMaker

NO_CERTIFICATE = (
    "The model has no certificate: a certificate in the {form} form names training rows by their "
    "numbers, and a lazy table has none. {way}, test the model on rows that it was not learnt "
    "from, or collect the rows first."
)
ORDER_WITHOUT_CERTIFICATE = (
    "order_by is for the cautions of a certificate, and there is none without certificate='split' "
    "and a key. Leave order_by out, or give both."
)


def learn_lazily(
    settings: Settings,
    table: LazyTable,
    *,
    order_by: str | None = None,
    progress: Listener | None = None,
) -> Path:
    """Learn from counts; the same model as from the rows in memory without a certificate.

    A certificate has cautions about what changes along the column ``order_by``.
    """
    settings = settings_for_counts(settings, table)
    if order_by is not None:
        check_order(table, order_by)
        if settings.certificate != "split" or table.key is None:
            raise InputError(ORDER_WITHOUT_CERTIFICATE)
    if settings.sample_rows is None:
        for name, reason in table.keys.items():
            warn(key_notice(name, reason))
    with listen(progress):
        path = _path(settings, table)
        path = _cautioned(path, table, order_by)
    if settings.sample_rows is not None and path.entry.model.certificate is None:
        return path  # its profile is that of the sample
    maker = ProfileMaker.of_columns(table.rows, _profiles(table))
    entries = [replace(entry, model=entry.model.profiled(maker)) for entry in path.entries]
    return replace(path, entries=entries)


def _cautioned(path: Path, table: LazyTable, order_by: str | None) -> Path:
    """Path whose chosen model has cautions about its certificate, if it has one."""
    model = path.entry.model
    if model.certificate is None:
        return path
    categories = counted_category_cautions(model, table)
    for caution in categories:
        warn(caution)
    along = counted_order_cautions(model, table, order_by)
    entries = list(path.entries)
    entries[path.chosen] = path.entry.cautioned((*categories, *along))
    return replace(path, entries=entries, notices=(*path.notices, not_examined(order_by)))


def settings_for_counts(settings: Settings, table: LazyTable) -> Settings:
    """Return the settings with which a table is counted; refuse those that need its rows."""
    if settings.sample_rows is not None:
        return settings
    _refuse_parameters(settings)
    return settings.counted(table)


def _path(settings: Settings, table: LazyTable) -> Path:
    """Learn as the form of the certificate needs it."""
    if settings.certificate == "split" and table.key is not None:
        return learn_with_keys(settings, table)
    if settings.certificate is not None and settings.sample_rows is not None:
        warn(_no_certificate(settings, table))
    if settings.sample_rows is not None:
        return learn_from_sample(settings, table)
    if table.key is not None and not settings.draws_by_key:
        raise InputError(
            f"A key needs certificate='split', which draws rows by it, got "
            f"certificate={settings.certificate!r}."
        )
    if settings.certificate is not None:
        warn(_no_certificate(settings, table))
    deadline = Deadline(getattr(settings, "time_budget", None))
    return settings.find_lazily(table, restricted(rowless_sample(table), settings), deadline)


def _no_certificate(settings: Settings, table: LazyTable) -> str:
    """Reason why a model has no certificate, and the ways to get one."""
    way = "Name a column of keys and use" if table.key is None else "Use"
    return NO_CERTIFICATE.format(form=settings.certificate, way=f"{way} the split form")


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
