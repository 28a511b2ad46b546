"""Remarks on a choice: what a user should know of the models that were not chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from rulewright.certificates import HoldoutCertificate, PathEntry
from rulewright.errors import InputError
from rulewright.families import Spatial
from rulewright.learners.base.certifier import entry_worth
from rulewright.learners.base.recipes import recipe_of
from rulewright.learners.base.settings import Path, Settings
from rulewright.render import cost_text, count_text, percent_text

WEAK_FACTOR, WEAK_SHARE = 1.5, 0.05
"""A compression bound above this multiple of the training error plus this share is weak."""

MIN_ROWS = 100
"""Minimum number of rows for which a split certificate is suggested."""

OptionText = Callable[[str, object], str]
"""Text that sets a parameter to a value, as the user would write it."""


def python_option(name: str, value: object) -> str:
    """Return a parameter with its value as an argument in Python."""
    return f"{name}={value!r}"


def has_rules(entry: PathEntry) -> bool:
    """Whether a model has rules that give different answers."""
    body = entry.model.body
    against = any(getattr(rule, "weight", 1.0) < 0 for rule in body.children)
    return bool(body.columns) and (against or len(set(body.outputs)) > 1)


def best_with_rules(
    chosen: PathEntry, entries: Sequence[PathEntry], costs: Sequence[Fraction] | None = None
) -> PathEntry | None:
    """Return the best entry with rules where the chosen one has none; None if there is none.

    Hold-out bounds do not hold all at once, so there is no best one.
    """
    if has_rules(chosen) or isinstance(chosen.certificate, HoldoutCertificate):
        return None
    others = [entry for entry in entries if has_rules(entry)]
    return min(others, key=partial(entry_worth, costs=costs), default=None)


def remarks(
    path: Path, settings: Settings, option_text: OptionText = python_option
) -> tuple[str, ...]:
    """Return remarks on the chosen model, one sentence or two each."""
    if path.entry.model.certificate is None:
        return path.statements
    return (
        *_on_no_rules(path),
        *path.statements,
        *_on_limits(path, settings, option_text),
        *_on_weak_bound(path.entry, settings, option_text),
    )


def _on_no_rules(path: Path) -> list[str]:
    entry = path.entry
    if has_rules(entry):
        return []
    answer = repr(entry.model.label_of(entry.model.body.outputs[-1]))
    best = best_with_rules(entry, path.entries, path.costs)
    if best is None:
        return [f"No rule beat always {answer}."]
    chosen, other = (entry_worth(one, path.costs) for one in (entry, best))
    said = f"No rule beat always {answer}."
    if other < chosen:
        said = f"The model has no rules: it always answers {answer}."
    return [f"{said} The best rules found have {_worth_text(path, other, chosen)}."]


def _on_limits(path: Path, settings: Settings, option_text: OptionText) -> list[str]:
    """Name the best model that a limit on the size excluded, if it is better."""
    excluded = [entry for entry in path.entries if settings.way_to(entry)]
    if not excluded:
        return []
    worth = partial(entry_worth, costs=path.costs)
    best = min(excluded, key=worth)
    shown = _worth_text(path, worth(best), worth(path.entry))
    margin = getattr(settings, "tolerance", 0.0) * _standard_error(path.entry, worth(path.entry))
    if worth(best) >= worth(path.entry) - margin or settings.way_to(path.entry):
        return []
    way_out = " ".join(option_text(*setting) for setting in settings.way_to(best).items())
    return [f"A model with {count_text(best.size, 'rule')} would have {shown}: {way_out}."]


def _standard_error(entry: PathEntry, worth: float) -> float:
    share = min(worth, 1.0)
    return math.sqrt(share * (1 - share) / max(entry.certificate.m, 1))


def _worth_text(path: Path, worth: float, chosen: float) -> str:
    if path.costs is None:
        return f"the bound {percent_text(worth)} instead of {percent_text(chosen)}"
    return f"the certified cost {cost_text(worth)} instead of {cost_text(chosen)}"


def _on_weak_bound(entry: PathEntry, settings: Settings, option_text: OptionText) -> list[str]:
    certificate = entry.certificate
    if certificate.form != "compression" or certificate.m < MIN_ROWS:
        return []
    weak = certificate.bound > WEAK_FACTOR * entry.errors / certificate.m + WEAK_SHARE
    if not (weak and _can_split(settings)):
        return []
    return [f"A split certificate is usually much tighter: {option_text('certificate', 'split')}."]


def _can_split(settings: Settings) -> bool:
    """Whether the same settings can have a split certificate."""
    if getattr(settings, "time_budget", None) is not None:
        return False
    if any(isinstance(family, Spatial) and family.precomputed for family in settings.families()):
        return False
    try:
        recipe_of(settings)
    except InputError:
        return False
    return True
