"""Automatic choice among all learners: one pool of candidates, the choice paid for once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rulewright.certificates import PathEntry
from rulewright.data import Counts, LazyTable
from rulewright.errors import InputError
from rulewright.families import Family, as_families
from rulewright.learners import (
    SETTINGS,
    CheckedCandidate,
    ConstraintSettings,
    Deadline,
    GreedySettings,
    Path,
    Sample,
    Settings,
    SpaceSettings,
    TreeSettings,
    certificate_option,
    certified_cost,
    constraints_of,
    fraction_option,
    option,
    options_of,
    read_amount,
    read_count,
    read_switch,
    read_whole,
    refuse_consistent,
    warn,
)
from rulewright.rules import Arrangement
from rulewright.selection.machine_grid import MachineGrid

LITERAL_PRICE = 0.5
"""Errors that a test must save to be worth reading, in the choice among models."""
LEARNER_TOLERANCE = 3.0
"""Learners may have a bound above the best by this many times the tolerance for models."""
PRESETS = ("cart", "c4.5")
"""Trees to try."""
OTHERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tree", {"preset": "cart"}),
    ("tree", {"preset": "c4.5", "missing_tests": False}),
    ("ripper", {"missing_tests": False}),
    ("tree-rules", {"missing_tests": False}),
    ("rule-list", {}),
    ("rule-vote", {"max_terms": 1, "max_rules": 20}),
    ("slipper", {"n_rounds": 8, "missing_tests": False}),
    ("scorecard", {}),
)
"""Learners besides the machines, with their settings."""
MACHINES = "machines"
AMONG = tuple(dict.fromkeys([MACHINES, *(name for name, _ in OTHERS)]))
"""Names of all learners to choose from."""
COUNTED = (MACHINES, "tree", "ripper", "tree-rules", "rule-list")
"""Learners that learn from counts of rows."""
COUNTED_LEAF_SHARE = 0.001
"""Smallest share of the rows in a leaf of a tree that is learnt from counts."""
NEEDS_KEY = (
    "auto chooses among learners by a split certificate, and rows that stay where they are need a "
    "key for it. Name a column of whole numbers that identify the rows (key, on the command line "
    "--key), with certificate='split'; or use one of the learners."
)


def _read_among(value: object, name: str) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    known = (*AMONG, *PRESETS)
    if isinstance(given, list | tuple) and given and all(one in known for one in given):
        return tuple(given)
    raise InputError(f"{name} must be some of {', '.join(map(repr, known))}, got {value!r}.")


def _read_size(value: object, name: str) -> int | None:
    return None if value is None else read_whole(0)(value, name)


@dataclass(frozen=True, kw_only=True)
class AutoSettings(ConstraintSettings, SpaceSettings, Settings):
    """Settings of the choice among all learners."""

    learner: ClassVar[str] = "auto"
    summary: ClassVar[str] = "The best of all learners, small enough to read."
    first: ClassVar[str] = "max_rules"
    # Fewer than 20 check rows certify nothing of use.
    min_split_rows: ClassVar[int] = 40
    absent_parameters: ClassVar[Mapping[str, Any]] = {"among": AMONG[:-1]}
    needs_rows: ClassVar[tuple[str, ...]] = GreedySettings.needs_rows

    max_rules: int | None = option(
        15,
        "Maximum number of rules, or of leaves but one.",
        "int or None",
        read=read_count,
        parse=int,
        in_recipe=False,
    )
    max_literals: int | None = option(
        None,
        "Maximum number of tests in the model.",
        "int or None",
        read=read_count,
        parse=int,
        in_recipe=False,
    )
    tolerance: float = option(
        0.5,
        "Choose among models of the chosen learner whose bound exceeds the best of them by at most "
        "this many standard errors.",
        "float",
        read=read_amount,
        parse=float,
        in_recipe=False,
        details="Of these the model with the fewest errors on all rows is chosen, where each test "
        "counts as half an error. The learner is chosen first: of those whose best bound exceeds "
        "the best of all by at most three times as much, the one with the fewest errors on check "
        "rows in the mean over all splits. The standard error is that of the error on the check "
        "rows. 0 takes the smallest bound, as the other forms of the certificate do.",
    )
    size: int | None = option(
        None,
        "Exact number of rules: the model of this size with the smallest bound.",
        "int or None",
        read=_read_size,
        parse=int,
        in_recipe=False,
    )
    family: Any = option(
        "auto",
        "Family of predicates, or several; with one, only machines are tried.",
        "str, Family, or list of these",
        repeatable=True,
    )
    among: Any = option(
        AMONG,
        "Learner to choose from: machines, tree, ripper, tree-rules, rule-list, rule-vote, "
        "slipper or scorecard; all by default.",
        "tuple of str",
        read=_read_among,
        repeatable=True,
        details="For split certificates. Machines are set covering and decision list machines. "
        '"cart" and "c4.5" are the two trees one by one. Of a lazy table, machines, trees, '
        "RIPPER, rules from trees and rule lists are learnt by default (docs/scale.md).",
    )
    min_weight_fraction_leaf: float = fraction_option(
        omit_default=True,
        details="In trees, and in the trees that rules are made of. Of a lazy table it is at least "
        "0.001, so that a query can hold their tests.",
    )
    consistent: bool = option(
        False,
        "Require machines to classify their compression sets correctly; nothing else is tried.",
        "bool",
        read=read_switch,
    )
    certificate: str | None = certificate_option("split")

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_consistent(self.polish, self.consistent)
        if self.size is not None and self.certificate != "split":
            raise InputError(
                "size needs certificate='split', which makes models of many sizes. Drop size, or "
                "set certificate='split'."
            )

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(self.family, self.space_options()))

    @property
    def _only_machines(self) -> bool:
        return self.family != "auto" or self.consistent

    def learners(self) -> tuple[Settings, ...]:
        if self._only_machines:
            return (self._machines(),)
        among, constraints = self.value("among"), constraints_of(self)
        machines = (self._machines(),) if MACHINES in among else ()
        others = (
            SETTINGS[name](**given, **self._growth(name), **self._shared())
            for name, given in OTHERS
            if (name in among or given.get("preset") in among)
            and constraints.keys() <= options_of(SETTINGS[name]).keys()
        )
        return (*machines, *others)

    def _growth(self, name: str) -> dict[str, Any]:
        """Limits of the trees that a learner grows."""
        limit = "min_weight_fraction_leaf"
        return {limit: getattr(self, limit)} if limit in options_of(SETTINGS[name]) else {}

    def _machines(self) -> MachineGrid:
        names = ("family", "consistent", *_names(SpaceSettings))
        return MachineGrid(**{name: getattr(self, name) for name in names}, **self._shared())

    def _shared(self) -> dict[str, Any]:
        """Settings that all learners have, and the constraints that are set."""
        names = ("keep", "forbid", "class_costs", "delta", "random_state", "polish")
        return {name: getattr(self, name) for name in names} | constraints_of(self)

    def choose(self, choices: Sequence[CheckedCandidate]) -> CheckedCandidate:
        """Choose a learner by all splits, then the best of its models on all rows.

        The smallest of many bounds is small by luck, too. The mean over the splits of a learner's
        errors on check rows is less so.
        """
        small = [choice for choice in choices if self._is_small(choice)]
        if not small and self.size is not None:
            raise InputError(
                f"No model has the size {self.size}. Models have these numbers of rules: "
                f"{_ranges(choice.lines for choice in choices)}. Choose one of them."
            )
        if self.size is not None:
            return small[0]
        small = small or list(choices)
        learner = self._best_learner(small, choices)
        own = [choice for choice in small if choice.member.learner == learner]
        return min(self._near(own, self.tolerance), key=_rank)

    def _best_learner(
        self, small: Sequence[CheckedCandidate], choices: Sequence[CheckedCandidate]
    ) -> int:
        """Number of the learner with the smallest mean loss on the check rows of all splits.

        In each split its best model on all rows counts; the constant answer if it has none.
        """
        constants = [choice for choice in choices if choice.lines == 0]
        near = self._near(small, LEARNER_TOLERANCE * self.tolerance)

        def mean_loss(learner: int) -> float:
            own = [choice for choice in small if choice.member.learner == learner]
            found = {choice.checked.number: choice for choice in constants}
            found |= {
                choice.checked.number: choice for choice in sorted(own, key=_rank, reverse=True)
            }
            return math.fsum(choice.check_loss for choice in found.values()) / len(found)

        learners = sorted({choice.member.learner for choice in near})
        return min(learners, key=mean_loss)

    @staticmethod
    def _near(choices: Sequence[CheckedCandidate], tolerance: float) -> list[CheckedCandidate]:
        """Choices whose bound exceeds the first, the best, by at most some standard errors."""
        limit = choices[0].worth + tolerance * choices[0].standard_error
        return [choice for choice in choices if choice.worth <= limit]

    def _is_small(self, choice: CheckedCandidate) -> bool:
        if self.size is not None:
            return choice.lines == self.size
        return self._is_within(choice.lines, choice.body)

    def _is_within(self, lines: int, body: Arrangement) -> bool:
        few = lines <= self.value("max_rules")
        return bool(few and body.literals <= self.value("max_literals"))

    def way_to(self, entry: PathEntry) -> dict[str, int]:
        free = self.size is not None or self.certificate != "split"
        # Higher limits might change the learner; a size gives its best model.
        inside = self._is_within(entry.size, entry.model.body)
        return {} if free or inside else {"size": entry.size}

    def counted(self, table: LazyTable) -> AutoSettings:
        """Settings of the learners that learn from counts.

        Which these are must not depend on the rows, as the candidates of a recipe do not.
        """
        if self._only_machines:
            return self
        share = max(self.min_weight_fraction_leaf, COUNTED_LEAF_SHARE)
        chosen = replace(self, min_weight_fraction_leaf=share)
        if self.value("among") == AMONG:
            warn(
                f"The learners are {', '.join(COUNTED)}: the others need the rows in memory, or a "
                "sample of them (sample_rows)."
            )
            chosen = replace(chosen, among=COUNTED)
        among = chosen.value("among")
        others = [name for name in among if name not in (*COUNTED, *PRESETS)]
        if others:
            raise InputError(
                f"{others[0]} in among needs the rows in memory. Leave it out, or learn from a "
                "sample: set sample_rows, for example to 100000."
            )
        return chosen

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        raise InputError(NEEDS_KEY)

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        """Models of the machines and of trees, chosen by their compression certificates."""
        presets = () if self._only_machines else PRESETS
        machines = self._machines()
        limit = min(machines.value("max_rules"), self.value("max_rules"))
        machines = replace(machines, max_rules=limit)
        best, count = machines.find_among(sample, deadline, threads, len(presets))
        found = [best]
        for preset in presets:
            tree = TreeSettings(
                preset=preset,
                pruning="bound",
                missing_tests=False,
                **self._growth("tree"),
                **self._shared(),
            )
            settings = best.entry.certificate.settings
            path = tree.find_among(sample, deadline, threads, settings)
            how = f"tree, {preset}, bound pruning"
            found.append(Path(path.entries, path.chosen, how, best.costs))
            count += len(path.entries)
        path = self._best_within_limits(found)
        return replace(path, description=f"{path.description}, the best certificate of {count}")

    def _best_within_limits(self, paths: Sequence[Path]) -> Path:
        """Path with the chosen model: the best bound of all models that are small enough."""
        some = [replace(path, chosen=place) for path in paths for place in range(len(path.entries))]
        small = [path for path in some if self._is_within(path.entry.size, path.entry.model.body)]
        return min(small or some, key=lambda path: (_worth(path), path.entry.size))


def _rank(choice: CheckedCandidate) -> tuple[Any, ...]:
    """Loss on all rows with a price for each test, which makes up for the fit to the rows."""
    return choice.total_loss + LITERAL_PRICE * choice.body.literals, choice.order


def _worth(path: Path) -> float:
    return certified_cost(path.entry.certificate, path.costs)


def _ranges(numbers: Iterable[int]) -> str:
    """Return numbers as text, each run of numbers as its ends: ``0 to 4, 7, 9``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def _names(settings: type[SpaceSettings]) -> list[str]:
    """Names of the options that a class of settings declares itself."""
    return [name for name in settings.__annotations__ if name in settings.__dataclass_fields__]
