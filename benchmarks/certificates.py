"""How tight certificates are: compression, hold-out and split, beside the error on other rows.

    python benchmarks/certificates.py forms     every learner: each form, J and share varied
    python benchmarks/certificates.py auto      auto beside every single learner
    python benchmarks/certificates.py shares    auto with other numbers of splits and design rows
    python benchmarks/certificates.py verify    seconds of a fit and of its verification

Needs the data sets in the folder RULEWRIGHT_DATA. Tables up to 2,000 rows have outer folds of ten,
larger ones one split of 70 and 30 %. All forms see the same training rows; errors are on the rows
left out. Results are means over tables, each table being the mean of its folds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Pool

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from tasks import TABLES

from rulewright.datasets import load
from rulewright.learners import SETTINGS, Sample, Settings, code_labels, learn
from rulewright.selection import AutoClassifier, AutoSettings, MachineGrid

LARGE = ("adult", "bank_marketing", "taiwan_credit", "mushroom", "phishing")
SEPARABLE = ("mushroom", "car", "tic_tac_toe")
LEARNERS: dict[str, Callable[..., Settings]] = {
    "machines": MachineGrid,
    "ripper": SETTINGS["ripper"],
    "c4.5": partial(SETTINGS["tree"], preset="c4.5"),
    "cart": SETTINGS["tree"],
    "tree-rules": SETTINGS["tree-rules"],
    "rule-list": SETTINGS["rule-list"],
    "rule-vote": partial(SETTINGS["rule-vote"], max_terms=1),
    "slipper": SETTINGS["slipper"],
    "scorecard": SETTINGS["scorecard"],
}
FORMS: dict[str, dict[str, object]] = {
    "compression": {"certificate": "compression"},
    "holdout 20 %": {"certificate": "holdout", "check_share": 0.2},
    "holdout 30 %": {"certificate": "holdout", "check_share": 0.3},
    "holdout 50 %": {"certificate": "holdout", "check_share": 0.5},
    "split": {"certificate": "split"},
    "split 1 x 1/2": {"certificate": "split", "n_splits": 1, "check_share": 0.5},
    "split 10 x 2/3": {"certificate": "split", "n_splits": 10, "check_share": 1 / 3},
}


SHARES = ((5, 1 / 2, "1/2"), (1, 1 / 2, "1/2"), (5, 1 / 3, "2/3"), (10, 1 / 3, "2/3"))
"""Numbers of splits, shares of check rows, and the shares of design rows in words."""


@dataclass(frozen=True)
class Task:
    """A table, the rows of a fold, and the settings to try on it by name."""

    name: str
    fold: int
    settings: tuple[tuple[tuple[str, str], Settings], ...]


@dataclass(frozen=True)
class Result:
    """Bound and error of a model on the rows left out, its size, and the seconds of the fit."""

    bound: float
    error: float
    literals: int
    seconds: float


def run(task: Task) -> list[tuple[str, tuple[str, str], Result]]:
    warnings.simplefilter("ignore")
    data = load(task.name)
    classes, codes = code_labels(np.asarray(data.y))
    train, test = list(folds(codes))[task.fold]
    sample = Sample.of(data.table.take(train), codes[train], tuple(classes.tolist()))
    new, y = data.table.take(test), codes[test]
    found = []
    for key, settings in task.settings:
        start = time.process_time()
        try:
            entry = learn(settings, sample).entry
        except ValueError as error:
            print(f"{task.name}, {' '.join(key)}: {error}")
            continue
        seconds = time.process_time() - start
        wrong = float((entry.model.body.classify(new) != y).mean())
        result = Result(entry.certificate.bound, wrong, entry.model.body.literals, seconds)
        found.append((task.name, key, result))
    return found


def folds(codes: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rows = np.zeros((codes.size, 1))
    if codes.size <= 2_000:
        return StratifiedKFold(10, shuffle=True, random_state=0).split(rows, codes)
    return ShuffleSplit(1, test_size=0.3, random_state=0).split(rows)


def measured(
    names: tuple[str, ...], most: int, settings: tuple[tuple[tuple[str, str], Settings], ...]
) -> dict[tuple[str, str], dict[str, list[Result]]]:
    """Results by learner and form, then by table."""
    tasks = [
        Task(name, fold, settings)
        for name in names
        for fold in range(
            min(most, sum(1 for _ in folds(code_labels(np.asarray(load(name).y))[1])))
        )
    ]
    found: dict[tuple[str, str], dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    with Pool() as pool:
        for results in pool.imap_unordered(run, tasks):
            for name, key, result in results:
                found[key][name].append(result)
    return found


def mean_of(by_table: dict[str, list[Result]], what: str) -> float:
    return float(np.mean([np.mean([getattr(r, what) for r in some]) for some in by_table.values()]))


def row(title: str, by_table: dict[str, list[Result]]) -> str:
    bound, error = (100 * mean_of(by_table, what) for what in ("bound", "error"))
    literals, seconds = (mean_of(by_table, what) for what in ("literals", "seconds"))
    ratio = bound / error if error else float("inf")
    return f"{title:34s} {bound:6.1f} {error:6.1f} {ratio:6.2f} {literals:8.1f} {seconds:8.2f}"


HEAD = f"{'':34s} {'bound':>6s} {'error':>6s} {'ratio':>6s} {'literals':>8s} {'seconds':>8s}"


def forms(names: tuple[str, ...], most: int) -> None:
    settings = tuple(
        ((learner, form), make(**options))
        for learner, make in LEARNERS.items()
        for form, options in FORMS.items()
    )
    found = measured(names, most, settings)
    print(HEAD)
    for form in FORMS:
        for learner in LEARNERS:
            print(row(f"{form}, {learner}", found[learner, form]))
        joined = {
            f"{learner} {name}": results
            for learner in LEARNERS
            for name, results in found[learner, form].items()
        }
        print(row(f"{form}, mean", joined), end="\n\n")
    compare(found)


def compare(found: dict[tuple[str, str], dict[str, list[Result]]]) -> None:
    """In how many cells, learners by tables, the split form has the smaller bound."""
    for form in FORMS:
        smaller = cells = 0
        for learner in LEARNERS:
            for name, results in found[learner, "split"].items():
                other = found[learner, form].get(name)
                if other:
                    cells += 1
                    split = np.mean([result.bound for result in results])
                    smaller += bool(split < np.mean([result.bound for result in other]))
        print(f"split has the smaller bound than {form} in {smaller} of {cells} cells")


def auto(names: tuple[str, ...], most: int) -> None:
    auto_settings = AutoSettings()
    settings: list[tuple[tuple[str, str], Settings]] = [
        (("auto", "split"), auto_settings),
        (("auto", "split, smallest bound"), replace(auto_settings, tolerance=0.0)),
        (
            ("auto", "compression, smallest bound"),
            AutoSettings(certificate="compression", max_rules=10, tolerance=0.0),
        ),
    ]
    settings += [((name, "compression"), make()) for name, make in LEARNERS.items()]
    found = measured(names, most, tuple(settings))
    print(HEAD)
    for key, _ in settings:
        print(row(", ".join(key), found[key]))
    print("\nErrors by table")
    for name in names:
        errors = {key: 100 * np.mean([r.error for r in found[key][name]]) for key, _ in settings}
        shown = "  ".join(
            f"{key[0]}{'*' * (key[1] != 'compression')} {e:.1f}" for key, e in errors.items()
        )
        print(f"{name:16s} {shown}")


def shares(names: tuple[str, ...], most: int) -> None:
    """``auto`` with other numbers of splits and shares of design rows."""
    settings: list[tuple[tuple[str, str], Settings]] = [
        (("auto", f"{splits} splits, {title}"), AutoSettings(n_splits=splits, check_share=share))
        for splits, share, title in SHARES
    ]
    found = measured(names, most, tuple(settings))
    print(HEAD)
    for key, _ in settings:
        print(row(", ".join(key), found[key]))


def verify(names: tuple[str, ...], most: int) -> None:
    """Seconds of ``auto`` on all rows of each table, and of verifying its certificate."""
    del most
    for name in names:
        data = load(name)
        start = time.process_time()
        fitted = AutoClassifier().fit(data.table, np.asarray(data.y))
        middle = time.process_time()
        fitted.certificate_.verify(fitted.model_, data.table, np.asarray(data.y))
        end = time.process_time()
        splits = fitted.certificate_.n_splits
        print(
            f"{name:16s} fit {middle - start:6.2f} s, of which one of {splits} splits takes "
            f"{(middle - start) / splits:5.2f} s; verification {end - middle:5.2f} s"
        )


COMMANDS = {"forms": forms, "auto": auto, "shares": shares, "verify": verify}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=tuple(COMMANDS))
    parser.add_argument("--tables", nargs="+", default=[*TABLES, *LARGE])
    parser.add_argument("--folds", type=int, default=3, help="folds of the small tables")
    options = parser.parse_args()
    COMMANDS[options.what](tuple(options.tables), options.folds)


if __name__ == "__main__":
    main()
