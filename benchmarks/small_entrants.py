"""Entrants of ``small_models.py``: our learners with limits on their size, peers, stored results.

Our learners come from the registry, so that one that is added there takes part. ``NAME n`` is
limited to n literals.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import entrants
import numpy as np
import package_peers
import weka
from entrants import Means, Memory
from sklearn.model_selection import StratifiedKFold
from tasks import Task
from weka import Fold

import rulewright
from rulewright.data import Table, write_atomically
from rulewright.learners import ESTIMATORS, SETTINGS, options_of

SIZES = (2, 3, 6, 12)
"""Numbers of literals that our learners are limited to, where they have an option for it."""
MORE_SIZES = {"scorecard": (4, 5)}
"""Further numbers for some of them."""
CONDITIONS = ("max_literals", "max_conditions", "n_conditions")
"""Options that limit the literals of the whole model of a learner that has no line in LIMITS."""


MAX_OPTIMAL_LITERALS = 3
"""Maximum number of literals of the optimal lists that are run; larger ones take much longer."""


def _rules(literals: int) -> dict[str, dict[str, Any]]:
    """Rules of one term, and rules of two."""
    found = {f"{literals}, 1 term": {"max_rules": literals, "max_terms": 1}}
    if literals % 2 == 0:
        found[f"{literals}"] = {"max_rules": literals // 2, "max_terms": 2}
    return found


def _lists(literals: int) -> dict[str, dict[str, Any]]:
    """Lists by greedy search, and small ones by optimal search."""
    found = _rules(literals)
    if literals > MAX_OPTIMAL_LITERALS:
        return found
    optimal = {f"optimal {name}": {"search": "optimal", **limits} for name, limits in found.items()}
    return {**found, **optimal}


def _scorecards(literals: int) -> dict[str, dict[str, Any]]:
    """Scorecards of one term a line, with fewer cuts to choose from, and of up to two terms."""
    found = {f"{literals}": {"max_conditions": literals}}
    if literals >= 6:
        found[f"{literals}, 4 bins"] = {"max_conditions": literals, "max_bins": 4}
        found[f"{literals}, 2 terms"] = {"max_conditions": literals, "max_terms": 2}
    return found


OPTIMAL: dict[str, Any] = {"search": "optimal", "impurity_weight": 0.5}
ALL_CUTS: dict[str, Any] = {**OPTIMAL, "max_cuts": 1000, "missing_sides": "median"}
"""The tests that ConTree chooses from in its encoded columns, and those for missing numbers."""
FEW_CUTS = {**ALL_CUTS, "max_cuts": package_peers.BIN_CUTS}
"""The tests that STreeD chooses from and those for missing numbers."""
ERRORS: dict[str, Any] = {"impurity_weight": 0}
"""The objective of other packages: errors without impurity."""
AS_STREED = {**FEW_CUTS, **ERRORS, "missing_tests": False}
"""The objective of STreeD, and the tests that it chooses from, but for the places of quantiles."""


def _of_depths(parameters: dict[str, Any], *depths: int) -> list[dict[str, Any]]:
    """Parameters of optimal trees of some depths, without certificates."""
    return [{**parameters, "max_depth": depth, "certificate": None} for depth in depths]


LIMITS: dict[str, Callable[[int], dict[str, dict[str, Any]]]] = {
    "scm": lambda n: {f"{n}": {"max_rules": n}},
    "dlm": lambda n: {f"{n}": {"max_rules": n}},
    "tree": lambda n: {
        f"{n}": {"max_leaf_nodes": n + 1},
        **(
            {
                "optimal depth 2": {**OPTIMAL, "max_depth": 2},
                "optimal depth 2, errors": {**OPTIMAL, "max_depth": 2, **ERRORS},
                "optimal depth 2, all cuts": {**ALL_CUTS, "max_depth": 2},
            }
            if n == 3
            else {}
        ),
        f"optimal {n}": {**OPTIMAL, "max_leaf_nodes": n + 1},
    },
    "rule-list": _lists,
    "rule-vote": _rules,
    "ripper": lambda n: {},
    "slipper": lambda n: {} if n % 2 else {f"{n // 2} rounds": {"n_rounds": n // 2}},
    "tree-rules": lambda n: {},
    "scorecard": _scorecards,
    "auto": lambda n: {f"{n}": {"max_literals": n}},
}
"""Parameters for at most n literals. RIPPER and tree-rules have none; SLIPPER limits its rules.

An optimal tree has a depth of at most 3, so that one of at most 12 literals has at most 7.
"""
TUNED: dict[str, dict[str, list[dict[str, Any]]]] = {
    "tree": {
        "optimal tuned": _of_depths(OPTIMAL, 3),
        "optimal tuned, depth 2": _of_depths(OPTIMAL, 2),
        "optimal tuned, errors": _of_depths({**OPTIMAL, **ERRORS}, 3),
        "optimal tuned, all cuts": _of_depths(ALL_CUTS, 2),
        "optimal tuned, 9 cuts": _of_depths(FEW_CUTS, 3),
        "optimal tuned, depths": _of_depths(OPTIMAL, 2, 3),
        "optimal tuned as STreeD": _of_depths(AS_STREED, 2, 3),
    },
    "rule-list": {
        "optimal tuned, 1 term": [
            {"search": "optimal", "max_rules": 3, "max_terms": 1, "certificate": None}
        ]
    },
    "scorecard": {"tuned": [{"certificate": None}]},
}
"""Learners whose size inner folds choose, as those of tuned peers; certificates play no part.

With *depths* they choose between a depth of 2 and of 3 too, as the tuned STreeD does. *As STreeD*
has its tests besides.
"""
INNER_FOLDS = 5
UNPOLISHED = ("scorecard", "auto")
"""Learners that polishing leaves as they are, or that choose it themselves."""


class Ours(NamedTuple):
    """A learner of ours: its name here, its estimator and parameters.

    Where there are several ``tuned`` parameters, or one, inner folds choose from the models of all
    sizes that are learnt with them.
    """

    name: str
    estimator: str
    parameters: dict[str, Any]
    tuned: Sequence[dict[str, Any]] = ()

    def folds(self, task: Task) -> list[Fold]:
        return entrants.our_folds(self._made, task)

    def _made(self, seed: int) -> Any:
        make = partial(entrants.untrained, self.estimator, seed, **self.parameters)
        return (
            TunedSize([partial(make, **one) for one in self.tuned], seed) if self.tuned else make()
        )


class TunedSize:
    """Learners whose paths have models of all sizes, of which five inner folds choose one.

    Of models with equally few errors in the inner folds, the smallest is chosen, of the first of
    the learners.
    """

    def __init__(self, makes: Sequence[Callable[[], Any]], seed: int) -> None:
        self.makes, self.seed = makes, seed

    def fit(self, table: Table, labels: np.ndarray) -> TunedSize:
        paths = self._paths(table, labels)
        choices = sorted(
            {(entry.model.body.literals, i) for i, path in enumerate(paths) for entry in path}
        )
        wrong = np.zeros(len(choices), int)
        folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes with fewer rows than folds
            for training, tested in folds.split(labels, labels):
                inner = self._paths(table.take(training), labels[training])
                models = [_largest(inner[i], size) for size, i in choices]
                part = table.take(tested)
                wrong += [int((model.predict(part) != labels[tested]).sum()) for model in models]
        size, i = choices[int(wrong.argmin())]
        self.model_ = _largest(paths[i], size)
        return self

    def _paths(self, table: Table, labels: np.ndarray) -> list[Any]:
        return [make().fit(table, labels).path_ for make in self.makes]

    def predict(self, table: Table) -> np.ndarray:
        return self.model_.predict(table)


def _largest(path: Sequence[Any], literals: int) -> Any:
    """The model of a path with the most literals up to a limit."""
    models = [entry.model for entry in path if entry.model.body.literals <= literals]
    return max(models, key=lambda model: model.body.literals)


def ours() -> list[Ours]:
    """All learners of the registry and the automatic choice, with defaults and with limits."""
    classes = {getattr(rulewright, name).settings_class: name for name in ESTIMATORS}
    found = [
        entrant
        for learner, settings in SETTINGS.items()
        for entrant in _variants(learner, classes[settings], set(options_of(settings)))
    ]
    auto = rulewright.AutoClassifier.settings_class
    return [*found, *_variants("auto", "AutoClassifier", set(options_of(auto)))]


def _variants(learner: str, estimator: str, options: set[str]) -> Iterator[Ours]:
    limits = LIMITS.get(learner) or partial(_by_option, options)
    if learner != "scorecard":  # its default is that of 12 literals
        yield Ours(learner, estimator, {})
    for name, parameters in TUNED.get(learner, {}).items():
        yield Ours(f"{learner} {name}", estimator, {}, parameters)
    if learner not in UNPOLISHED:
        yield Ours(f"{learner} polished", estimator, {"polish": True})
    for size in (*SIZES, *MORE_SIZES.get(learner, ())):
        for name, parameters in limits(size).items():
            yield Ours(f"{learner} {name}", estimator, parameters)


def _by_option(options: set[str], literals: int) -> dict[str, dict[str, Any]]:
    known = [name for name in CONDITIONS if name in options]
    return {f"{literals}": {known[0]: literals}} if known else {}


def unlimited() -> list[str]:
    """Names of learners of ours that have no option to limit their literals."""
    all_of_ours = ours()
    return [
        one.name
        for one in all_of_ours
        if not one.parameters
        and not one.tuned
        and not any(
            other.name.startswith(f"{one.name} ") and "polish" not in other.parameters
            for other in all_of_ours
        )
    ]


PEERS = (*entrants.PEERS, *package_peers.PEERS)


def large(peer: str) -> bool:
    """Whether a peer is run on large tables."""
    if peer in package_peers.PEERS:
        return package_peers.PEERS[peer].large
    return peer in entrants.WEKA


def note(peer: str) -> str:
    """What to know of a peer's results."""
    return package_peers.PEERS[peer].note if peer in package_peers.PEERS else ""


@cache
def versions(peer: str, means: Means) -> str | None:
    """Versions of the packages of a peer, or None if it cannot be run here."""
    if peer in entrants.WEKA:
        if weka.no_weka(means.jar):
            return None
        command = ["java", "-cp", means.jar, "weka.core.Version"]
        return f"Weka {subprocess.run(command, capture_output=True, text=True).stdout.split()[0]}"
    known = package_peers.PEERS.get(peer)
    packages = dict.fromkeys(
        [known.distribution if known else peer, "scikit-learn", "numpy", "pandas"]
    )
    lookup = (
        "import sys; from importlib.metadata import version; "
        "print(', '.join(f'{name} {version(name)}' for name in sys.argv[1:]))"
    )
    command = [means.python, "-c", lookup, *packages]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True)
class Failure:
    """Why a peer has no result on a table."""

    peer: str
    table: str
    reason: str


class Store(Memory):
    """Results of peers in a file, with the versions that gave them and with what failed."""

    def __init__(self, path: Path) -> None:
        self.versions: dict[str, str] = {}
        self.failures: dict[str, dict[str, str]] = {}
        super().__init__(path)

    def _read(self) -> dict[str, list[list[float]]]:
        if not self.path.exists():
            return {}
        document = json.loads(self.path.read_text())
        self.versions, self.failures = document["versions"], document["failures"]
        return document["folds"]

    def _write(self) -> None:
        """Write a line for each peer and table: errors, size, size, CPU seconds, literals."""
        parts = [
            f'"{name}": {{\n{_lines(getattr(self, name))}\n}}' for name in ("versions", "failures")
        ]
        folds = f'"folds": {{\n{_lines(self.known)}\n}}'
        with write_atomically(self.path) as temporary:
            temporary.write_text("{\n" + ",\n".join([*parts, folds]) + "\n}\n")

    def keep(self, name: str, task: Task, folds: list[Fold], first: int = 0) -> None:
        rounded = [fold._replace(seconds=round(fold.seconds, 4)) for fold in folds]
        super().keep(name, task, rounded, first)

    def enter(self, peer: str, task: Task, found: list[Fold] | Failure, version: str) -> None:
        """Replace what was known of a peer on a table."""
        self.known = self._read()
        self.versions[peer] = version
        reasons = self.failures.setdefault(peer, {})
        reasons.pop(task.name, None)
        self.known.pop(self._key(peer, task, 0), None)
        if isinstance(found, Failure):
            reasons[task.name] = found.reason
        if not reasons:
            del self.failures[peer]
        self._write()
        if not isinstance(found, Failure):
            self.keep(peer, task, found)

    def failure(self, peer: str, task: Task) -> Failure:
        """Return why a peer has no result on a table."""
        reason = self.failures.get(peer, {}).get(task.name)
        if reason is None and len(task.folds) == 1 and not large(peer):
            reason = "not run on large tables"
        return Failure(peer, task.name, reason or "no result is stored; run it with --peers")


def _lines(entries: dict[str, Any]) -> str:
    compact = partial(json.dumps, separators=(",", ":"))
    return ",\n".join(f"{json.dumps(key)}: {compact(entries[key])}" for key in sorted(entries))


def run(peer: str, task: Task, means: Means) -> list[Fold] | Failure:
    """Run a peer on a table, or return why there is no result."""
    reason = entrants.unfit(peer, task)
    if reason:
        return Failure(peer, task.name, reason)
    try:
        folds = entrants.run(peer, task, means)
    except subprocess.CalledProcessError as error:
        return Failure(peer, task.name, f"failed: {entrants.failure(error)[:200]}")
    if len(folds) < len(task.folds):
        done = f"{len(folds)} of {len(task.folds)} folds in {means.limit:g} CPU seconds"
        return Failure(peer, task.name, f"stopped: {done}")
    return folds


def chosen(wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    """Names that begin with one of those wanted; all if none is named."""
    return [
        name
        for name in known
        if not wanted or any(name == word or name.startswith(f"{word} ") for word in wanted)
    ]
