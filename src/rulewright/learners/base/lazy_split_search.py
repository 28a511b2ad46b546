"""Learning with a split certificate from rows that stay in an engine.

A hash of keys divides the rows, so that every engine and every check finds the same design rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from rulewright.certificates import (
    PathEntry,
    PoolMember,
    RecipeResult,
    SplitCounts,
    design_table,
    key_splitter,
)
from rulewright.data import LazyTable, canonical_table
from rulewright.errors import InputError
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.lazy_samples import IMPORTANCES, sampled_candidates
from rulewright.learners.base.notices import warn
from rulewright.learners.base.preparation import restricted
from rulewright.learners.base.progress import report
from rulewright.learners.base.recipes import recipe_of
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.learners.base.split_search import (
    CheckedCandidate,
    CheckedPool,
    SplitSearch,
    Units,
    pooled,
)
from rulewright.models import Model, counted_profile, feature_importances
from rulewright.rules import RuleList

NOT_ENOUGH = (
    "A split certificate needs rows of every class among the design rows, but a class is too rare. "
    "Leave the class out, or set certificate=None."
)


@dataclass(frozen=True, eq=False)
class LazySplitSearch(SplitSearch):
    """All candidates of all splits of a table; ``counts`` are the rows of each split."""

    table: LazyTable
    counts: Mapping[int, SplitCounts]

    def entry(self, candidate: CheckedCandidate) -> PathEntry:
        counts, body = self.counts[candidate.checked.number], candidate.body
        certificate = self.certificate(candidate, counts.check_counts)
        model = Model(
            columns=self.table.fields,
            classes=self.sample.classes,
            body=body,
            evidence=tuple(map(tuple, counts.evidence(body).tolist())),
            target=self.table.target,
            named=True,
            certificate=certificate,
            profile=counted_profile(counts.check_answers(body)),
        )
        errors = int(counts.wrong(body)[0].sum())
        return PathEntry(candidate.lines, model, errors, certificate, 0.0)


def rowless_sample(table: LazyTable) -> Sample:
    """Return the columns and classes of a table in canonical order, without rows."""
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


def run_settings_lazily(settings: Settings, design: LazyTable) -> RecipeResult:
    """Candidates of all learners of the settings, from counts or a sample of the design rows."""
    if settings.sample_rows is not None:
        return sampled_candidates(settings, design)
    constant = PoolMember(RuleList((), int(design.class_counts.argmax())), "constant")
    found = []
    learners = settings.learners()
    for number, learner in enumerate(learners):
        if len(learners) > 1:
            report(f"learners: {learner.learner}", number, len(learners))
        sample = restricted(rowless_sample(design), learner)
        members = learner.candidates_lazily(design, sample, Deadline(None))
        found.append([pooled(member, sample.rows, number) for member in (*members, constant)])
    return RecipeResult(found)


def learn_with_keys(settings: Settings, table: LazyTable) -> Path:
    """Learn from the design rows of several splits, and choose with the help of all rows."""
    if settings.deliver != "best":
        raise InputError("deliver='all' needs the rows in memory: set deliver='best'.")
    recipe = recipe_of(settings)
    splitter = key_splitter(table, recipe, settings.split_seed, settings.check_share)
    units = Units(keys=np.empty(0, np.intp), column=table.key)
    pools, counts = [], {}
    numbers = range(1, splitter.n_splits(settings.n_splits) + 1)
    for number in numbers:
        report("splits", number - 1, len(numbers))
        with design_table(table, splitter, number) as design:
            if design.classes != table.classes:
                continue
            candidates = run_settings_lazily(settings, design)
            counts[number] = SplitCounts.of(table, design, candidates)
        pools.append(_checked_pool(settings, number, design.rows, candidates, counts[number]))
    if not pools:
        raise InputError(NOT_ENOUGH)
    if settings.sample_rows is not None:
        warn(
            f"The candidates were learnt from samples of about {settings.sample_rows:,} of the "
            "design rows, those with the smallest hashes of their keys. Their errors were counted "
            "on all check rows."
        )
    sample = rowless_sample(table)
    search = LazySplitSearch(
        settings, sample, units, splitter, recipe, None, pools, table=table, counts=counts
    )
    found = search.candidates()
    path = search.path(found, search.kept(found))
    model = path.entry.model
    rows = counts[model.certificate.split].rows(model.body).whole
    importances = feature_importances(model, rows.table, rows.rows)
    return replace(path, attributes={IMPORTANCES: importances})


def _checked_pool(
    settings: Settings,
    number: int,
    design: int,
    candidates: RecipeResult,
    counts: SplitCounts,
) -> CheckedPool:
    """Pool of a split with the errors of its candidates."""
    pool = counts.pool(candidates)
    errors = [counts.wrong(member.body) for member in pool.candidates]
    return CheckedPool(
        number,
        pool,
        design,
        sum(counts.check_counts),
        np.array([in_check for _, in_check in errors]).astype(np.intp),
        [float(everywhere.sum()) for everywhere, _ in errors],
        [float(in_check.sum()) for _, in_check in errors],
        stored=candidates.to_json() if settings.keep_pool else None,
    )
