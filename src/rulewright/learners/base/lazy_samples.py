"""Learning from a sample of the rows of a lazy table, for searches that need rows in memory.

The sample has the rows with the smallest hashes of their keys. So every engine draws the same one,
and a sample of design rows depends on nothing but these and the seed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rulewright.certificates import DesignRows, PoolMember, RecipeResult
from rulewright.data import KeyHash, LazyTable, key_columns, key_notice
from rulewright.errors import InputError
from rulewright.learners.base.learning import learn
from rulewright.learners.base.notices import warn
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.learners.base.split_search import run_settings
from rulewright.models import feature_importances
from rulewright.rules import without_anchors

SECRET = b"sample of rows,"
NO_KEY = (
    "sample_rows draws rows by a hash of their keys, so that every engine draws the same rows. "
    "Name a column of keys, or collect the rows first."
)
IMPORTANCES = "feature_importances_"
"""Attribute of an estimator that may need rows, of votes and scorecards."""


def sample_of(settings: Settings, table: LazyTable) -> Sample:
    """Fetch the sample of a table that the settings ask for."""
    assert settings.sample_rows is not None
    if table.key is None:
        raise InputError(NO_KEY)
    rows, labels = table.sampled(KeyHash.of(SECRET, settings.seed), settings.sample_rows)
    absent = np.setdiff1d(np.arange(len(table.classes)), labels)
    if absent.size:
        raise InputError(
            f"The sample of {labels.size:,} rows has none of the class "
            f"{table.classes[absent[0]]!r}. Set sample_rows higher, or leave the class out."
        )
    left_out = key_columns(rows)
    for name, reason in left_out.items():
        warn(key_notice(name, reason))
    return Sample.of(rows, labels, table.classes, target=table.target, left_out=tuple(left_out))


def learn_from_sample(settings: Settings, table: LazyTable) -> Path:
    """Learn from a sample as from rows in memory, without a certificate."""
    sample = sample_of(settings, table)
    warn(
        f"The model was learnt from {sample.y.size:,} of {table.rows:,} rows, those with the "
        f"smallest hashes of the key {table.key!r}. The numbers of cases in it are of these rows."
    )
    path = learn(replace(settings, certificate=None, sample_rows=None), sample)
    importances = feature_importances(path.entry.model, sample.table, sample.weight)
    return replace(path, attributes={**path.attributes, IMPORTANCES: importances})


def sampled_candidates(settings: Settings, design: LazyTable) -> RecipeResult:
    """Candidates of all learners of the settings, learnt from a sample of the design rows."""
    if settings.class_costs is not None or getattr(settings, "class_weight", None) is not None:
        raise InputError(
            "Costs of classes and a split certificate need all rows in memory. Drop the costs, or "
            "set certificate=None."
        )
    sample = sample_of(settings, design)
    rows = DesignRows(sample.table, sample.y, sample.weight, sample.classes, sample.rows)
    found = run_settings(replace(settings, sample_rows=None), rows, ())
    return RecipeResult(
        [
            [PoolMember(without_anchors(m.body), m.origin, m.learner) for m in members]
            for members in found.learners
        ]
    )
