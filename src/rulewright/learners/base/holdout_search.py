"""Learning with a hold-out certificate: from some of the rows, checked on the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rulewright.certificates import PathEntry, certify_held_out, held_rows
from rulewright.errors import InputError
from rulewright.families import ExpertTests
from rulewright.learners.base.preparation import add_cautions, in_search_order, restricted
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.models import answer_profile

SHARE = 0.2
"""Usual share of the rows held out."""


def learn_with_holdout(
    settings: Settings, sample: Sample, threads: int, further_cautions: tuple[str, ...] = ()
) -> Path:
    """Learn from most of the rows; the others, drawn beforehand, give the certificate."""
    prepared = restricted(sample, settings)
    ordered = in_search_order(prepared, settings.families())
    count = round((settings.check_share or SHARE) * ordered.y.size)
    if not 0 < count < ordered.y.size:
        raise InputError(
            f"check_share must leave rows to learn from and rows to check on, but of "
            f"{ordered.y.size} rows {count} would be held out."
        )
    seed = settings.seed
    held = held_rows(ordered.y.size, count, seed)
    kept = np.setdiff1d(np.arange(ordered.y.size), held)
    learnt = ordered.take(kept)
    if ordered.names is not None:  # verification orders these rows alone
        kept = kept[learnt.canonical_places()]
        learnt = ordered.take(kept)
    path = settings.find_path(learnt, threads=threads)
    places = np.searchsorted(sample.rows, ordered.rows)
    names = ordered.names
    entries, alternatives = (
        [
            _checked(settings, entry.renumbered(kept), ordered, held, seed).restored(places, names)
            for entry in learnt_models
        ]
        for learnt_models in (path.entries, path.alternatives)
    )
    found = replace(path, entries=entries, alternatives=alternatives)
    return add_cautions(found, sample, places, further_cautions)


def _checked(
    settings: Settings, entry: PathEntry, ordered: Sample, held: np.ndarray, seed: int
) -> PathEntry:
    """Entry with the certificate from the rows held out, and the cases of all other rows."""
    new = ordered.take(held)
    body = entry.model.body
    answers = body.answer(new.table)
    wrong = np.array(body.outputs, np.int32)[answers] != new.y
    certificate = certify_held_out(
        wrong,
        new.y,
        held,
        seed=seed,
        classes=len(ordered.classes),
        delta=settings.delta,
        abstains=body.abstains,
        written=[f for f in entry.certificate.families if isinstance(f, ExpertTests)],
    )
    profile = answer_profile(answers, len(body.outputs))
    model = replace(entry.model, certificate=certificate, profile=profile)
    return replace(entry, model=model, certificate=certificate)
