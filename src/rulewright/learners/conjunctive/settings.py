"""What rule lists and rule votes can be told, as users write it, and the search that follows.

Without scikit-learn, which the command line does without.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import CRITERIA, Filters, optimistic
from rulewright.errors import InputError
from rulewright.families import Family, Thresholds, Training, as_families
from rulewright.families.conjunctions import Conjunctions, ConjunctionSearch, Criterion
from rulewright.learners.base.baseline import admissible
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.greedy_task import worth_of
from rulewright.learners.base.parameters import (
    is_whole,
    read_class_costs,
    read_delta,
    read_max_rules,
    read_seed,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.conjunctive.constraints import (
    allowed_terms,
    expert_tests,
    read_force,
    read_rules,
)
from rulewright.learners.conjunctive.list_search import Covering
from rulewright.learners.conjunctive.rule_search import Corrector, RuleSearch
from rulewright.learners.conjunctive.sc_correction import SCCorrector
from rulewright.learners.conjunctive.vote_search import Boosting
from rulewright.learners.tree.presets import read_amount, read_monotone
from rulewright.models import PathEntry
from rulewright.rules import Arrangement, Rule

CONDITIONS = {"conjunctions": ("all",), "syndromes": ("all", "at least")}
"""What conditions may be, and the combinations that a certificate then allows for."""
DEFAULTS = ("majority", "abstain")
SIZES = ("all", "bound")


@dataclass(frozen=True)
class Settings(ABC):
    """The parameters of both learners; see ``RuleListClassifier``."""

    criterion: Any = "boosting_normalised"
    correction: Any = None
    default: str = "majority"
    max_rules: int | None = 20
    max_terms: int | None = 7
    width: int | None = 5
    conditions: str = "conjunctions"
    family: Any = "auto"
    min_precision: float = 0.0
    min_support: float = 0.0
    max_p_value: float | None = None
    min_gain: float | None = None
    min_rise: float = 0.02
    size: str = "all"
    eta: float = 0.5
    rules: Any = None
    keep: Any = None
    forbid: Any = None
    force: Any = None
    monotone: Any = None
    class_costs: Any = None
    delta: float = 0.05
    random_state: Any = None
    threads: int = 1

    cautious: ClassVar[bool] = False
    """Whether corrected counts decide which rules are taken; boosting's weights are no counts."""

    @abstractmethod
    def path(self, sample: Sample) -> list[PathEntry]:
        """Learn the models of all sizes."""

    def chosen(self, path: list[PathEntry]) -> int:
        """Choose the last, or the best certificate and of these the smallest.

        Models that lose more on the training rows than a constant answer are left out, unless
        rules were given or there may be no answer.
        """
        costs = read_class_costs(self.class_costs, path[0].model.classes)
        places = self._admissible(path)
        if self.size == "all":
            return places[-1]
        return min(places, key=lambda place: worth_of(path[place].certificate, costs))

    def _admissible(self, path: list[PathEntry]) -> list[int]:
        """Places on a path of models that lose no more than a constant answer."""
        if self.rules is not None or self._abstains() or not path:
            return list(range(len(path)))
        return admissible(path, read_class_costs(self.class_costs, path[0].model.classes))

    def _certified(
        self,
        sample: Sample,
        rule_search: RuleSearch,
        rules: Sequence[Rule],
        bodies: Iterable[tuple[Arrangement, float]],
    ) -> list[PathEntry]:
        """Certify models of growing size; that of no rules only where no other will do."""
        certifier = Certifier(
            sample,
            (*self._families(), *expert_tests(rules)),
            read_delta(self.delta),
            combinations=self._combinations(),
        )
        path = [certifier.entry(body, len(body.children), score) for body, score in bodies]
        rule_search.tell_cut_short()
        return path[1:] if not rules and self._admissible(path[1:]) else path

    def _weighed(self, sample: Sample) -> NDArray[np.float64]:
        return sample.priced(read_class_costs(self.class_costs, sample.classes))

    def _experts(self, sample: Sample) -> tuple[Rule, ...]:
        return read_rules(self.rules, sample.table, sample.classes)

    def _abstains(self) -> bool:
        return self._choice("default", DEFAULTS) == "abstain"

    def _rule_search(self, sample: Sample) -> RuleSearch:
        self._choice("size", SIZES)
        criterion, rising = read_criterion(self.criterion)
        classes = len(sample.classes)
        directions = read_monotone(self.monotone, sample.table)
        allowed = allowed_terms(
            sample.table,
            classes,
            keep=self.keep,
            forbid=self.forbid,
            left_out=sample.left_out,
            directions=directions,
        )
        search = self._conjunctions().prepare(
            Training(sample.table, sample.y, sample.rows, self.threads)
        )
        return RuleSearch(
            search,
            criterion,
            rising,
            Filters(self.min_precision, self.min_support, self.max_p_value, self.min_gain),
            self._corrector(search, sample),
            allowed,
            read_force(self.force, sample.table, np.logical_or.reduce(allowed)),
            self.cautious,
        )

    def _conjunctions(self) -> Conjunctions:
        syndromes = self._choice("conditions", tuple(CONDITIONS)) == "syndromes"
        most = _read_limit(self.max_terms, "max_terms") or 255
        return Conjunctions(
            self._families(),
            most,
            _read_limit(self.width, "width"),
            syndromes,
            read_amount(self.min_rise, "min_rise"),
        )

    def _families(self) -> tuple[Family, ...]:
        families = as_families(self.family)
        if "intervals" in {family.name for family in families}:  # a single bound is no interval
            families = tuple(dict.fromkeys((Thresholds(), *families)))
        return families

    def _combinations(self) -> tuple[str, ...]:
        return CONDITIONS[self._choice("conditions", tuple(CONDITIONS))]

    def _corrector(self, search: ConjunctionSearch, sample: Sample) -> Corrector | None:
        if self.correction is None:
            return None
        if not isinstance(self.correction, str) or self.correction != "sc":
            raise InputError(f"correction must be None or 'sc'; found {self.correction!r}.")
        if not isinstance(self.eta, int | float | np.number) or not 0 < self.eta < 1:
            raise InputError(f"eta must lie between 0 and 1; found {self.eta!r}.")
        seed = read_seed(self.random_state)
        return SCCorrector(search.terms, sample.copies, float(self.eta), seed)

    def _choice(self, name: str, known: tuple[str, ...]) -> str:
        value = getattr(self, name)
        if isinstance(value, str) and value in known:
            return value
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}; found {value!r}.")


@dataclass(frozen=True)
class ListSettings(Settings):
    """The parameters of a list."""

    covering: str = "removal"
    shrink: float = 0.5

    cautious: ClassVar[bool] = True

    def path(self, sample: Sample) -> list[PathEntry]:
        covering = self.search(sample)
        return self._certified(sample, covering.rule_search, covering.first, covering.shortened())

    def search(self, sample: Sample) -> Covering:
        """Prepare the search for lists of all sizes."""
        rules = self._experts(sample)
        return Covering(
            sample,
            self._weighed(sample),
            self._rule_search(sample),
            self._shrinking(),
            read_max_rules(self.max_rules),
            self._abstains(),
            rules,
        )

    def _shrinking(self) -> float:
        """Say what the weight of a covered example is multiplied by."""
        if self._choice("covering", ("removal", "weighting")) == "removal":
            return 0.0
        if isinstance(self.shrink, int | float | np.number) and 0 < self.shrink < 1:
            return float(self.shrink)
        raise InputError(f"shrink must lie between 0 and 1; found {self.shrink!r}.")


@dataclass(frozen=True)
class VoteSettings(Settings):
    """The parameters of a vote."""

    def path(self, sample: Sample) -> list[PathEntry]:
        boosting = self.search(sample)
        return self._certified(sample, boosting.rule_search, boosting.first, boosting.deciding())

    def search(self, sample: Sample) -> Boosting:
        """Prepare the search for votes of all sizes."""
        rules = self._experts(sample)
        return Boosting(
            sample,
            self._weighed(sample),
            self._rule_search(sample),
            read_max_rules(self.max_rules),
            self._abstains(),
            rules,
        )


def read_criterion(criterion: object) -> tuple[Criterion, bool]:
    """Read criterion: a name in ``rulewright.criteria``, or a function of p, n, P, N.

    Also says whether it is known to rise with p and to fall with n.
    """
    if isinstance(criterion, str) and criterion in CRITERIA:
        criterion = CRITERIA[criterion]
    if callable(criterion):
        return criterion, optimistic(criterion) is not None
    raise InputError(
        f"criterion must be a function of p, n, P, N or one of {', '.join(map(repr, CRITERIA))}; "
        f"found {criterion!r}."
    )


def _read_limit(value: object, name: str) -> int | None:
    if value is None:
        return None
    if is_whole(value) and 1 <= value <= 255:
        return int(value)
    raise InputError(f"{name} must be a whole number from 1 to 255, or None; found {value!r}.")
