"""Errors of ensembles by the number of their members, all from one fit of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from rulewright.datasets import Dataset, load
from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import Fold, make_folds
from rulewright.experiments.table_encoder import TableEncoder
from rulewright.learners import RuleVoteClassifier, TreeClassifier, TreeRulesClassifier

Floats = NDArray[np.float64]
SEED = 0


@cell_function
def ensemble_errors(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Share of wrong answers over the folds for each number of members, and CPU seconds."""
    dataset = load(parameters["table"])
    start = time.process_time()
    wrong: dict[str, Floats] = {}
    folds = make_folds(dataset.y, folds=parameters["folds"], seed=SEED)
    for fold in folds:
        found = ENSEMBLES[parameters["method"]](dataset, fold, parameters["sizes"])
        for name, counts in found.items():
            wrong[name] = wrong.get(name, 0.0) + np.array(counts, float)
    return {
        "errors": {name: (counts / dataset.y.size).tolist() for name, counts in wrong.items()},
        "seconds": (time.process_time() - start) / len(folds),
    }


def _encoded(dataset: Dataset, fold: Fold) -> tuple[Floats, Floats]:
    encoder = TableEncoder("plain").fit(dataset.table.take(fold.train))
    train, test = (encoder.transform(dataset.table.take(r)) for r in (fold.train, fold.test))
    return train, test


def _count(answers: Any, dataset: Dataset, fold: Fold) -> int:
    return int((np.asarray(answers) != dataset.y[fold.test]).sum())


def _forest(
    make: Callable[[int], Any],
) -> Callable[[Dataset, Fold, Sequence[int]], dict[str, list[int]]]:
    """Trees that are averaged: by simple votes, and by the shares of classes in their leaves."""

    def run(dataset: Dataset, fold: Fold, sizes: Sequence[int]) -> dict[str, list[int]]:
        X, X_test = _encoded(dataset, fold)
        forest = make(max(sizes)).fit(X, dataset.y[fold.train])
        shares = np.zeros((len(X_test), len(forest.classes_)))
        votes = np.zeros(shares.shape)
        found: dict[str, list[int]] = {"votes": [], "probabilities": []}
        for number, tree in enumerate(forest.estimators_, 1):
            given = tree.predict_proba(X_test)
            shares += given
            votes[np.arange(len(votes)), given.argmax(axis=1)] += 1
            if number in sizes:
                for name, sums in (("votes", votes), ("probabilities", shares)):
                    answers = forest.classes_[sums.argmax(axis=1)]
                    found[name].append(_count(answers, dataset, fold))
        return found

    return run


def _single(dataset: Dataset, fold: Fold, sizes: Sequence[int]) -> dict[str, list[int]]:
    X, X_test = _encoded(dataset, fold)
    y = dataset.y[fold.train]
    grown = DecisionTreeClassifier(random_state=SEED).fit(X, y).predict(X_test)
    ours = TreeClassifier(preset="c4.5", certificate=None).fit(dataset.table.take(fold.train), y)
    pruned = ours.predict(dataset.table.take(fold.test))
    return {
        "grown out": [_count(grown, dataset, fold)],
        "pruned (C4.5)": [_count(pruned, dataset, fold)],
    }


def _adaboost(dataset: Dataset, fold: Fold, sizes: Sequence[int]) -> dict[str, list[int]]:
    X, X_test = _encoded(dataset, fold)
    base = DecisionTreeClassifier(max_depth=3, random_state=SEED)
    boosted = AdaBoostClassifier(base, n_estimators=max(sizes), random_state=SEED)
    boosted.fit(X, dataset.y[fold.train])
    counts = [_count(given, dataset, fold) for given in boosted.staged_predict(X_test)]
    return {"boosted": [counts[min(size, len(counts)) - 1] for size in sizes]}


def _trials(dataset: Dataset, fold: Fold, sizes: Sequence[int]) -> dict[str, list[int]]:
    def fitted() -> Iterator[int]:
        for rounds in sizes:
            model = TreeRulesClassifier(n_rounds=rounds, base="trees", certificate=None)
            model.fit(dataset.table.take(fold.train), dataset.y[fold.train])
            yield _count(model.predict(dataset.table.take(fold.test)), dataset, fold)

    return {"trials": list(fitted())}


def _votes(dataset: Dataset, fold: Fold, sizes: Sequence[int]) -> dict[str, list[int]]:
    model = RuleVoteClassifier(max_rules=max(sizes), certificate=None)
    model.fit(dataset.table.take(fold.train), dataset.y[fold.train])
    test = dataset.table.take(fold.test)
    path = {entry.size: entry.model for entry in model.path_}
    found = []
    for size in sizes:
        reached = max((s for s in path if s <= size), default=min(path))
        found.append(_count(path[reached].predict(test), dataset, fold))
    return {"rules": found}


ENSEMBLES: dict[str, Callable[[Dataset, Fold, Sequence[int]], dict[str, list[int]]]] = {
    "single tree": _single,
    "bagging": _forest(lambda size: BaggingClassifier(n_estimators=size, random_state=SEED)),
    "random forest": _forest(
        lambda size: RandomForestClassifier(n_estimators=size, random_state=SEED)
    ),
    "random forest, leaves of 5": _forest(
        lambda size: RandomForestClassifier(
            n_estimators=size, min_samples_leaf=5, random_state=SEED
        )
    ),
    "extremely randomised trees": _forest(
        lambda size: ExtraTreesClassifier(n_estimators=size, random_state=SEED)
    ),
    "boosting": _adaboost,
    "boosted trials": _trials,
    "rule vote": _votes,
}
