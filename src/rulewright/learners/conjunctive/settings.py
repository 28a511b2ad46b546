"""Settings of rule lists and rule votes, whose rules have several terms."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, PoolMember, combinations_in, tests_of
from rulewright.criteria import CRITERIA, Filters, optimistic
from rulewright.data import Counts, Patterns
from rulewright.errors import InputError
from rulewright.families import (
    Conjunctions,
    ConjunctionSearch,
    Criterion,
    Family,
    Intervals,
    Thresholds,
    Training,
    as_families,
)
from rulewright.kernels import MAX_OPTIMAL_RULES, MAX_OPTIMAL_TERMS
from rulewright.learners.base.baseline import admissible
from rulewright.learners.base.certifier import Certifier, certified_cost
from rulewright.learners.base.column_constraints import read_force
from rulewright.learners.base.constraint_settings import ConstraintSettings, monotonic_option
from rulewright.learners.base.counted_models import counted_entry
from rulewright.learners.base.counted_search import COUNTED_FAMILIES, refuse_families
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.monotonicity import allowed_terms, read_monotonic_cst
from rulewright.learners.base.optimality import OptimalSettings
from rulewright.learners.base.parameters import (
    is_whole,
    read_amount,
    read_columns,
    read_count,
    read_share,
)
from rulewright.learners.base.rule_weights import MIN_WEIGHT
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import COLUMNS, Path, TimedSettings, option
from rulewright.learners.base.space_settings import SpaceSettings, warn_of_left_out
from rulewright.learners.conjunctive.constraints import (
    check_directions,
    expert_tests,
    read_rules,
    rule_of,
    rule_text,
    rules_in,
)
from rulewright.learners.conjunctive.lazy_search import CountedListSearch, counted_terms
from rulewright.learners.conjunctive.list_search import RuleListSearch, shortened_lists
from rulewright.learners.conjunctive.optimal_list_search import (
    ListChoice,
    OptimalListSearch,
    optimal_list_path,
)
from rulewright.learners.conjunctive.rule_search import Corrector, RuleSearch
from rulewright.learners.conjunctive.sc_correction import SCCorrector
from rulewright.learners.conjunctive.vote_search import Boosting
from rulewright.models import read_penalty
from rulewright.rules import Arrangement, Rule, RuleList

CONDITIONS = {"conjunctions": ("all",), "syndromes": ("all", "at least")}
"""Kinds of condition, and the combinations that a certificate then allows for."""
MAX_LIMIT = 255
NOT_KEPT_BY_POLISHING = (
    "min_precision",
    "min_support",
    "max_p_value",
    "min_gain",
    "min_fisher",
    "force",
    "monotonic_cst",
)
FILTERS = "Filters of rules"
OPTIMAL_RULES, OPTIMAL_TERMS = 3, 2
"""Maximum numbers of rules and of terms of an optimal list if none is given."""
SMALL_VOTE = {"max_rules": 12, "max_terms": 1}


def _read_limit(value: object, name: str) -> int | None:
    if value is None or (is_whole(value) and 1 <= value <= MAX_LIMIT):
        return None if value is None else int(value)
    raise InputError(
        f"{name} must be a whole number from 1 to {MAX_LIMIT}, or None, got {value!r}."
    )


def _parse_width(text: str) -> int | None:
    """Beam width as the command line has it; 0 stands for an exhaustive search."""
    return int(text) or None


def read_criterion(criterion: object, name: str = "criterion") -> tuple[Criterion, bool]:
    """Criterion by name or as a function, and whether it rises with p and falls with n."""
    if isinstance(criterion, str) and criterion in CRITERIA:
        criterion = CRITERIA[criterion]
    if callable(criterion):
        return criterion, optimistic(criterion) is not None
    raise InputError(
        f"{name} must be a function of p, n, P, N or one of {', '.join(map(repr, CRITERIA))}, got "
        f"{criterion!r}."
    )


def _read_correction(correction: object, name: str) -> str | None:
    if correction is None or (isinstance(correction, str) and correction == "sc"):
        return correction
    raise InputError(f"{name} must be None or 'sc', got {correction!r}.")


@dataclass(frozen=True, kw_only=True)
class ConjunctiveSettings(ConstraintSettings, SpaceSettings, TimedSettings):
    """Settings that lists and votes share."""

    first: ClassVar[str] = "criterion"
    newer_parameters: ClassVar[Collection[str]] = tuple(SpaceSettings.__annotations__)
    cautious: ClassVar[bool] = False
    """Whether corrected counts decide which rules are accepted; boosting has no counts."""

    criterion: Any = option(
        "boosting_normalised",
        "Criterion that makes a rule good, by its name in rulewright.criteria.",
        "str or function",
        read=read_criterion,
        details="A function ``f(p, n, P, N)`` scores what a rule covers of its class and of the "
        "others; higher is better.",
    )
    correction: Any = option(
        None,
        "Correct counts for the choice of cuts (sc): fewer and shorter rules.",
        '{None, "sc"}',
        choices=("sc",),
        read=_read_correction,
        details="The splitting-and-connectivity bound (docs/sc-bound.md) helps where examples are "
        "few.",
    )
    eta: float = option(
        0.5,
        "Probability that corrected counts still mislead.",
        "float",
        read=read_share,
        parse=float,
    )
    default: str = option(
        "majority",
        "Answer where no rule holds: the majority class, or abstain.",
        choices=("majority", "abstain"),
        details='``predict`` then returns "abstain", or -1 where classes are numbers. The '
        "certificate counts a missing answer as wrong.",
    )
    max_rules: int | None = option(
        20, "Maximum number of rules.", "int or None", read=read_count, parse=int
    )
    max_terms: int | None = option(
        7, "Maximum number of terms of a rule.", "int or None", read=_read_limit, parse=int
    )
    beam_width: int | None = option(
        5,
        "Number of unfinished rules kept after each term; 0 searches all rules, which is slow.",
        "int or None",
        read=_read_limit,
        parse=_parse_width,
        details="In Python, None searches all rules.",
    )
    conditions: str = option(
        "conjunctions",
        "Conditions: conjunctions, or syndromes (at least some number of terms hold).",
        choices=tuple(CONDITIONS),
    )
    family: Any = option(
        "auto",
        "Family of terms, or several: auto, thresholds, intervals, categories, missing, given, "
        "balls, half_spaces or half_planes.",
        "str, Family, or list of these",
        repeatable=True,
        details='"auto" is thresholds, categories and missing. Two bounds of a column are one term '
        "with intervals. A Family has options of its own, for example "
        '``rulewright.families.GivenPredicates(functions={"name": function})``.',
    )
    size: str = option(
        "all",
        "Number of rules kept: all, or those with the best certificate (bound).",
        choices=("all", "bound"),
        details="``path_`` has the models of all sizes.",
    )
    min_precision: float = option(
        0.0,
        "Minimum share of its class among the cases that a rule covers.",
        "float",
        parse=float,
        group=FILTERS,
    )
    min_support: float = option(
        0.0,
        "Minimum number of cases that a rule covers correctly; below 1, a share of all.",
        "float",
        parse=float,
        group=FILTERS,
    )
    max_p_value: float | None = option(
        None,
        "Maximum p-value of a rule by Fisher's exact test.",
        "float or None",
        parse=float,
        group=FILTERS,
    )
    min_gain: float | None = option(
        None,
        "Minimum information gain of a rule, in bits.",
        "float or None",
        parse=float,
        group=FILTERS,
    )
    min_fisher: float | None = option(
        None,
        "Minimum of Fisher's criterion of a rule, in nats.",
        "float or None",
        parse=float,
        group=FILTERS,
        omit_default=True,
        details="The papers' statistical rules: minus the logarithm of the chance of the rule's "
        "counts in a random sample of the same size.",
    )
    min_rise: float = option(
        0.02,
        "Minimum relative improvement of the score by a further term.",
        "float",
        read=read_amount,
        parse=float,
        group=FILTERS,
    )
    rules: Any = option(
        None,
        "Rule to begin with, such as 'glucose > 127 and bmi > 29.9 -> positive'.",
        "list of str or None",
        repeatable=True,
        details="These rules are kept. The certificate charges nothing for their numbers: write "
        "them before looking at the data.",
    )
    force: Any = option(
        None,
        "Column that every rule tests.",
        "list of column names or None",
        read=read_columns,
        repeatable=True,
        group=COLUMNS,
    )
    monotonic_cst: Any = monotonic_option(omit_default=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        changed = [one.name for one in fields(self) if getattr(self, one.name) != one.default]
        unkept = [name for name in NOT_KEPT_BY_POLISHING if name in changed]
        if self.polish and unkept:
            verb = "is" if len(unkept) == 1 else "are"
            raise InputError(
                f"polish=True does not keep to {', '.join(unkept)}, which {verb} for the rules of "
                "the search. Set polish=False, or leave them at their defaults."
            )

    def polishing_options(self, sample: Sample) -> dict[str, Any]:
        written = len(self.expert_rules(sample))
        return {**super().polishing_options(sample), "frozen": written}

    def keeps(self, body: Arrangement, sample: Sample) -> bool:
        written = self.expert_rules(sample)
        return not written or {*written} <= {*rules_in(body)}

    def model_notices(self, body: Arrangement, sample: Sample) -> tuple[str, ...]:
        left_out = [r for r in self.expert_rules(sample) if r not in rules_in(body)]
        texts = [repr(rule_text(rule, sample.classes)) for rule in left_out]
        return tuple(
            f"The rule {text} is left out: it changes no answer of any candidate." for text in texts
        )

    @abstractmethod
    def bodies(self, sample: Sample, deadline: Deadline, threads: int) -> CandidateModels:
        """Models of growing size, and the search that found them."""

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        found = self.bodies(sample, Deadline(None), threads)
        return [PoolMember(body, self.learner) for body, _ in found.bodies]

    def codes(self) -> tuple[Any, ...]:
        return ((self.families(), self.conditions, self.rules),)

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        found = self.bodies(sample, deadline, threads)
        return self._path_of(self._certified(sample, found), sample, deadline)

    def _path_of(self, entries: list[PathEntry], sample: Sample, deadline: Deadline) -> Path:
        """Path of models, the chosen one marked."""
        chosen = self._chosen(entries, sample)
        deadline.warn(f"the model has {entries[chosen].size} rules.")
        corrected = f", corrected by {self.correction}" if self.correction else ""
        criterion = self.criterion if isinstance(self.criterion, str) else "a function"
        best = f", the best certificate of {len(entries)}" if self._by_bound(entries) else ""
        how = f"{self.learner} by {criterion}{corrected}{best}"
        costs = self.costs(sample)
        return Path(entries, chosen, how, costs, _notices(entries))

    def _by_bound(self, entries: Sequence[PathEntry]) -> bool:
        return self.size == "bound" and len(entries) > 1

    def _chosen(self, entries: Sequence[PathEntry], sample: Sample) -> int:
        """Place of the last model, or of the best certificate and of these the smallest.

        Models that lose more on the training rows than a constant answer are left out, except
        where rules were given or the model may abstain.
        """
        costs = self.costs(sample)
        places = self._admissible(entries, sample)
        if self.size == "all":
            return places[-1]
        return min(places, key=lambda place: certified_cost(entries[place].certificate, costs))

    def _admissible(self, entries: Sequence[PathEntry], sample: Sample) -> list[int]:
        """Places of models that lose no more than a constant answer."""
        if self.rules is not None or self.default == "abstain" or not entries:
            return list(range(len(entries)))
        return admissible(entries, self.costs(sample))

    def _certified(self, sample: Sample, found: CandidateModels) -> list[PathEntry]:
        """Certify models of growing size; the one without rules only if there is no other."""
        certifier = Certifier(
            sample,
            (*self.polishing_families(sample), *expert_tests(found.first)),
            self.delta,
            combinations=self._combinations(found.first),
        )
        path = [certifier.entry(body, len(body.children), score) for body, score in found.bodies]
        found.search.warn_if_cut_short()
        return path[1:] if not found.first and self._admissible(path[1:], sample) else path

    def _combinations(self, first: Sequence[Rule]) -> tuple[str, ...]:
        """Combinations that conditions may be: the search's own, and those of the user's rules."""
        own = CONDITIONS[self.conditions]
        return (*own, *(name for name in combinations_in(first) if name not in own))

    def worth(self, sample: Sample) -> NDArray[np.float64]:
        """Value of each example: its weight times the cost of misjudging it."""
        return sample.priced(self.costs(sample))

    def expert_rules(self, sample: Sample) -> tuple[Rule, ...]:
        """Rules to begin with."""
        rules = read_rules(self.rules, sample.table, sample.classes)
        check_directions(rules, read_monotonic_cst(self.monotonic_cst, sample))
        return rules

    def rule_search(self, sample: Sample, threads: int) -> RuleSearch:
        """Search for the best rule of a class."""
        criterion, rising = read_criterion(self.criterion)
        directions = read_monotonic_cst(self.monotonic_cst, sample)
        allowed = allowed_terms(
            sample.table, len(sample.classes), left_out=sample.left_out, directions=directions
        )
        search = self._prepared_search(sample, threads, directions)
        return RuleSearch(
            search,
            criterion,
            rising,
            Filters(
                self.min_precision,
                self.min_support,
                self.max_p_value,
                self.min_gain,
                self.min_fisher,
            ),
            self._corrector(search, sample),
            allowed,
            read_force(self.force, sample.table, np.logical_or.reduce(allowed)),
            self.cautious,
            self.column_constraints(sample.table.names, sample.table.names),
            threads,
        )

    def _prepared_search(
        self, sample: Sample, threads: int, directions: dict[str, int]
    ) -> ConjunctionSearch:
        families = self.polishing_families(sample)
        self.warn_of_unused(families, self.family)
        training = Training(
            sample.table,
            sample.y,
            sample.rows,
            threads,
            self.max_candidates,
            self.seed,
            directions=directions,
        )
        search = self._conjunctions(families).prepare(training, sample.left_out)
        warn_of_left_out(search.untried, len(search.terms.axes), sample.table.rows)
        return search

    def _conjunctions(self, families: tuple[Family, ...]) -> Conjunctions:
        return Conjunctions(
            families,
            self.max_terms or MAX_LIMIT,
            self.beam_width,
            self.conditions == "syndromes",
            self.min_rise,
        )

    def families(self) -> tuple[Family, ...]:
        families = as_families(self.family, self.space_options())
        if "intervals" in {family.name for family in families}:  # a single bound is no interval
            families = tuple(dict.fromkeys((Thresholds(), *families)))
        return self.constrained(families)

    def _corrector(self, search: ConjunctionSearch, sample: Sample) -> Corrector | None:
        if self.correction is None:
            return None
        return SCCorrector(search.terms, sample.copies, float(self.eta), self.seed)


@dataclass(frozen=True, eq=False)
class CandidateModels:
    """Models of growing size with the score of their last rule, and the search that found them."""

    bodies: Iterable[tuple[Arrangement, float]]
    first: Sequence[Rule]
    search: RuleSearch


@dataclass(frozen=True, kw_only=True)
class RuleListSettings(OptimalSettings, ConjunctiveSettings):
    """Settings of a list of rules."""

    learner: ClassVar[str] = "rule-list"
    summary: ClassVar[str] = "List of rules with several terms; the first that holds answers."
    cautious: ClassVar[bool] = True
    needs_rows: ClassVar[tuple[str, ...]] = (
        "class_costs",
        "polish",
        "search",
        "correction",
        "conditions",
        "rules",
        "covering",
        "round_cuts",
        "cuts",
    )
    rounds: ClassVar[tuple[str, str]] = ("rule", "max_rules")
    not_optimal: ClassVar[tuple[str, ...]] = (
        "criterion",
        "correction",
        "eta",
        "default",
        "beam_width",
        "conditions",
        "min_precision",
        "min_support",
        "max_p_value",
        "min_gain",
        "min_fisher",
        "min_rise",
        "rules",
        "force",
        "monotonic_cst",
        "covering",
        "shrink",
    )

    covering: str = option(
        "removal",
        "What happens to cases that a rule covers: removal, or weighting, which counts them less.",
        choices=("removal", "weighting"),
    )
    shrink: float = option(
        0.5,
        "Factor of the weight of a covered case with covering=weighting.",
        "float",
        read=read_share,
        parse=float,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_optimal()
        if self.optimal:
            self._optimal_size()
            self.check_optimal_families((one.name for one in self.families()), self.family)

    def _optimal_size(self) -> tuple[int, int]:
        """Maximum numbers of rules and of terms of an optimal list."""
        found = []
        for name, usual, most in (
            ("max_rules", OPTIMAL_RULES, MAX_OPTIMAL_RULES),
            ("max_terms", OPTIMAL_TERMS, MAX_OPTIMAL_TERMS),
        ):
            value = getattr(self, name)
            if value == getattr(RuleListSettings, name):
                value = usual
            if value is None or value > most:
                raise InputError(
                    f"{name} must be at most {most} with search='optimal', got {value}. It is "
                    f"{usual} if it is left at its default."
                )
            found.append(int(value))
        return found[0], found[1]

    def _optimal_search(self, sample: Sample, deadline: Deadline) -> OptimalListSearch:
        max_rules, max_terms = self._optimal_size()
        return OptimalListSearch(
            sample,
            self.worth(sample),
            self.max_cuts,
            self.limits(deadline),
            sample.searched(self.families()),
            max_rules,
            max_terms,
        )

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        if not self.optimal:
            return super().candidates(sample, threads)
        lists = self._optimal_search(sample, Deadline(None)).lists()
        return [PoolMember(body, "optimal list") for body in lists]

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        if not self.optimal:
            return super().find(sample, deadline, threads)
        costs = self.costs(sample)
        search = self._optimal_search(sample, deadline)
        combinations = CONDITIONS["conjunctions"]
        certifier = Certifier(sample, self.families(), self.delta, combinations=combinations)
        choice = ListChoice(
            self.size == "bound",
            lambda entry: certified_cost(entry.certificate, costs),
            self.n_alternatives,
            Fraction(read_penalty(self.max_excess)),
        )
        path = optimal_list_path(search, certifier, choice, costs, deadline)
        deadline.warn(f"the model has {path.entry.size} rules.")
        return path

    def bodies(self, sample: Sample, deadline: Deadline, threads: int) -> CandidateModels:
        search = self.search_for_lists(sample, deadline, threads)
        return CandidateModels(search.shortened(), search.first, search.rule_search)

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        if self.size == "bound":
            raise InputError(
                "size='bound' compares certificates, which a lazy table does not have without a "
                "key. Set size='all', or collect the rows first."
            )
        lists, patterns = self._lists_lazily(counts, sample, deadline)
        path = [
            counted_entry(body, patterns, sample, counts.fields, len(body.children), score)
            for body, score in lists
        ]
        entries = path[1:] if self._admissible(path[1:], sample) else path
        return self._path_of(entries, sample, deadline)

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        lists, _ = self._lists_lazily(counts, sample, deadline)
        return [PoolMember(body, self.learner) for body, _ in lists]

    def _lists_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> tuple[list[tuple[RuleList, float]], Patterns]:
        """Lists of all sizes from counts, and the rows that their tests tell apart."""
        if self.beam_width is None:
            raise InputError(
                "A search of all rules needs the rows in memory. Set beam_width to a number, or "
                "collect the rows first."
            )
        families = self.families()
        refuse_families(families, (*COUNTED_FAMILIES, Intervals))
        rules = self.rule_search(sample, 1)
        search = CountedListSearch(
            counts,
            sample.table,
            counted_terms(counts, sample.table, families, sample.searched().names),
            rules.search.kind,
            rules,
            self.value("max_rules"),
            self.default == "abstain",
            deadline,
        )
        lists = list(search.lists())
        categorical = [column.name for column in sample.table.categorical]
        patterns = counts.patterns(*tests_of([lists[-1][0]], categorical))
        return shortened_lists(lists, patterns.table), patterns

    def search_for_lists(
        self, sample: Sample, deadline: Deadline, threads: int = 1
    ) -> RuleListSearch:
        """Prepare the search for lists of all sizes."""
        return RuleListSearch(
            sample,
            self.worth(sample),
            self.rule_search(sample, threads),
            self.shrink if self.covering == "weighting" else 0.0,
            self.value("max_rules"),
            self.default == "abstain",
            self.expert_rules(sample),
            deadline,
        )


@dataclass(frozen=True, kw_only=True)
class RuleVoteSettings(ConjunctiveSettings):
    """Settings of a weighted vote of rules."""

    learner: ClassVar[str] = "rule-vote"
    summary: ClassVar[str] = "Boosted vote of rules with several terms."

    preset: str = option(
        "usual",
        "Sizes: usual, or small for at most 12 rules of one term.",
        choices=("usual", "small"),
        omit_default=True,
        details="A limit of rules or terms that is not at its default stays.",
    )

    def __post_init__(self) -> None:
        for name, value in SMALL_VOTE.items() if self.preset == "small" else ():
            if getattr(self, name) == getattr(RuleVoteSettings, name):
                object.__setattr__(self, name, value)
        super().__post_init__()

    def bodies(self, sample: Sample, deadline: Deadline, threads: int) -> CandidateModels:
        search = self.search_for_votes(sample, deadline, threads)
        return CandidateModels(search.deciding(), search.first, search.rule_search)

    def polishing_options(self, sample: Sample) -> dict[str, Any]:
        written = len({*self.expert_rules(sample)})  # equal rules are one voter
        return {**super().polishing_options(sample), "frozen": written}

    def model_notices(self, body: Arrangement, sample: Sample) -> tuple[str, ...]:
        weights = {rule_of(voter): voter.weight for voter in getattr(body, "voters", ())}
        written = dict.fromkeys(self.expert_rules(sample))
        weak = [rule for rule in written if weights.get(rule) == MIN_WEIGHT]
        return (
            *super().model_notices(body, sample),
            *(
                f"The training rows do not support the rule "
                f"{rule_text(rule, sample.classes)!r}: it votes with the smallest weight, "
                f"{MIN_WEIGHT}."
                for rule in weak
            ),
        )

    def search_for_votes(self, sample: Sample, deadline: Deadline, threads: int = 1) -> Boosting:
        """Prepare the search for votes of all sizes."""
        return Boosting(
            sample,
            self.worth(sample),
            self.rule_search(sample, threads),
            self.value("max_rules"),
            self.default == "abstain",
            self.expert_rules(sample),
            deadline,
        )


def _notices(entries: Sequence[PathEntry]) -> tuple[str, ...]:
    """Explain that no model with rules was found."""
    if any(entry.size for entry in entries):
        return ()
    return (
        "No rule was learnt: no rule that passes the filters covers more of its class than of the "
        "others and changes an answer.",
    )
