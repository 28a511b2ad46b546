"""From a sample to a path of models: what estimators and the command line share."""

from __future__ import annotations

from dataclasses import replace

from rulewright.data import checked_keys
from rulewright.errors import InputError
from rulewright.kernels import code_counts
from rulewright.learners.base.holdout_search import learn_with_holdout
from rulewright.learners.base.preparation import in_search_order, profiled, restored, restricted
from rulewright.learners.base.progress import Listener, listen
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.learners.base.split_search import ROWS, Units, learn_with_splits
from rulewright.models import Model
from rulewright.rules import without_anchors

MIN_CLASS_ROWS = 5
"""Rows of the rarest class from which a split most likely has design rows of every class."""


def learn(
    settings: Settings,
    sample: Sample,
    *,
    progress: Listener | None = None,
    threads: int = 1,
    further_cautions: tuple[str, ...] = (),
    units: Units = ROWS,
) -> Path:
    """Search in canonical order, and return the path in the order of the sample, with cautions.

    Rows are named by their places in the sample. The form of the certificate decides which rows the
    search learns from. ``units`` are the groups or times by which a split certificate divides rows.
    """
    if settings.sample_rows is not None:
        raise InputError(
            "sample_rows is for lazy tables (on the command line, --out-of-core), whose rows are "
            "not in memory. Leave it out."
        )
    by_key = units.kind == "key" and settings.draws_by_key and settings.certificate != "holdout"
    if units.kind != "row" and settings.certificate != "split" and not by_key:
        raise InputError(
            f"{units.kind}s need certificate='split', which keeps the rows of a group together and "
            f"divides rows by time or by key, got certificate={settings.certificate!r}."
        )
    if units.keys is not None:
        sample = replace(sample, keys=checked_keys(units.keys))
    path = _learn_by_form(settings, sample, progress, threads, further_cautions, units)
    further = settings.model_notices(path.entry.model.body, sample)
    return replace(profiled(path, sample.table), notices=(*path.notices, *further))


def _learn_by_form(
    settings: Settings,
    sample: Sample,
    progress: Listener | None,
    threads: int,
    further_cautions: tuple[str, ...],
    units: Units,
) -> Path:
    """Search as the form of the certificate needs it."""
    form = settings.certificate
    if form == "split" and units.kind == "row" and not can_split(settings, sample):
        form = "compression"
        settings = replace(settings, certificate=form)
    with listen(progress):
        match form:
            case "split":
                return learn_with_splits(settings, sample, threads, further_cautions, units)
            case "holdout":
                return learn_with_holdout(settings, sample, threads, further_cautions)
    prepared = restricted(sample, settings)
    if settings.sees_row_order(prepared):
        ordered = in_search_order(prepared, settings.families())
    else:
        ordered = prepared.with_canonical_columns()
    path = settings.find_path(ordered, progress=progress, threads=threads)
    path = restored(path, sample, ordered, further_cautions)
    return path if settings.certificate else without_certificates(path)


def can_split(settings: Settings, sample: Sample) -> bool:
    """Whether there are rows enough for a split certificate, of every class.

    Only settings with a minimum number of rows, as ``auto`` has, do without one.
    """
    if not settings.min_split_rows:
        return True
    rarest = code_counts(sample.y, len(sample.classes)).min()
    return sample.y.size >= settings.min_split_rows and rarest >= MIN_CLASS_ROWS


def without_certificates(path: Path) -> Path:
    """Path whose models carry no certificates, and so no numbers of training rows."""
    entries, alternatives = (
        [replace(entry, model=_without_rows(entry.model)) for entry in found]
        for found in (path.entries, path.alternatives)
    )
    return replace(path, entries=entries, alternatives=alternatives)


def _without_rows(model: Model) -> Model:
    return replace(model, body=without_anchors(model.body), certificate=None)
