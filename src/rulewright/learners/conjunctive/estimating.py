"""What rule lists and rule votes share as estimators."""

from __future__ import annotations

from typing import ClassVar

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.sample import Sample
from rulewright.learners.conjunctive.settings import Settings
from rulewright.models import PathEntry


class RuleInducer(RuleClassifier):
    """Base of the learners whose rules have several terms."""

    _many_classes = True
    _settings: ClassVar[type[Settings]]

    def _made(self) -> Settings:
        return self._settings(**self._said())

    def _search(self, sample: Sample) -> list[PathEntry]:
        return self._made().path(sample)

    def _chosen(self, path: list[PathEntry]) -> int:
        return self._made().chosen(path)
