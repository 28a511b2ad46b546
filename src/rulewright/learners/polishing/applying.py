"""Polishing of what a search has found: the chosen model of a path, and the members of a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rulewright.certificates import CompressionCertificate, PathEntry, PoolMember
from rulewright.families import ExpertTests, Family
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.sample import Sample
from rulewright.learners.polishing.objective import PolishingTask
from rulewright.learners.polishing.polisher import POLISHERS, polish
from rulewright.rules import Arrangement, Tree

if TYPE_CHECKING:
    from rulewright.learners.base.settings import Path, Settings


def polished_path(
    settings: Settings, path: Path, sample: Sample, deadline: Deadline, threads: int
) -> Path:
    """Return a path whose chosen model is polished, with a certificate of the same code."""
    entry = path.entry
    if not isinstance(entry.certificate, CompressionCertificate):
        return path
    if type(entry.model.body) not in POLISHERS:
        return path
    task = PolishingTask(
        sample,
        searched_families(entry.certificate.families),
        settings.costs(sample),
        code=entry.certificate.code,
        threads=threads,
        deadline=deadline,
        **settings.polishing_options(sample),
    )
    entries = list(path.entries)
    entries[path.chosen] = polished_entry(entry, task)
    return replace(path, entries=entries, description=f"{path.description}, polished")


def polished_entry(entry: PathEntry, task: PolishingTask) -> PathEntry:
    """Return an entry with its model polished and certified anew, the code being the same."""
    body = polish(entry.model.body, task)
    certificate = entry.certificate
    if body == entry.model.body or not isinstance(certificate, CompressionCertificate):
        return entry
    certifier = Certifier(
        task.sample,
        certificate.families,
        certificate.delta,
        certificate.settings,
        certificate.combinations,
        certificate.implied,
    )
    return certifier.entry(body, size_of(body), entry.usefulness)


def polished_members(
    settings: Settings, members: Sequence[PoolMember], sample: Sample, threads: int = 1
) -> list[PoolMember]:
    """Return the members of a pool, each polished on the rows that it was learnt from."""
    task = PolishingTask(
        sample,
        searched_families(settings.polishing_families(sample)),
        settings.costs(sample),
        threads=threads,
        **settings.polishing_options(sample),
    )
    return [
        replace(m, body=polish(m.body, task), origin=f"{m.origin}, polished")
        if type(m.body) in POLISHERS
        else m
        for m in members
    ]


def searched_families(families: Sequence[Family]) -> tuple[Family, ...]:
    """Return the families that a search may use: tests that an expert wrote are not searched."""
    return tuple(family for family in families if not isinstance(family, ExpertTests))


def size_of(body: Arrangement) -> int:
    """Return the size of a model on a path: leaves of a tree, else rules."""
    return len(body.outputs) if isinstance(body, Tree) else len(body.children)
