"""What polishing gains: errors on other rows, sizes and bounds, without it and with it.

    python benchmarks/polishing.py                     every learner, prices of a literal varied
    python benchmarks/polishing.py --form split        with certificates from splits
    python benchmarks/polishing.py --learners ripper scm --folds 3 --tables pima bupa

Needs the data sets in the folder RULEWRIGHT_DATA. Folds are the first of
StratifiedKFold(10, shuffle=True, random_state=0). Results are means over tables, each table being
the mean of its folds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from unittest.mock import patch

import numpy as np
from sklearn.model_selection import StratifiedKFold
from tasks import TABLES

from rulewright.data import Table
from rulewright.datasets import load
from rulewright.learners import SETTINGS, Sample, Settings, code_labels, learn
from rulewright.learners.polishing import LITERAL_PRICE, PolishingTask, applying

LEARNERS: dict[str, Callable[..., Settings]] = {
    "scm": partial(SETTINGS["scm"], kind="best"),
    "dlm": SETTINGS["dlm"],
    "rule-list": SETTINGS["rule-list"],
    "rule-vote": SETTINGS["rule-vote"],
    "ripper": SETTINGS["ripper"],
    "slipper": SETTINGS["slipper"],
    "cart": SETTINGS["tree"],
    "c4.5": partial(SETTINGS["tree"], preset="c4.5"),
    "tree-rules": SETTINGS["tree-rules"],
}


@dataclass(frozen=True)
class Result:
    """Errors of a model on its own rows and on the rows left out, its size, bound and seconds."""

    training: float
    error: float
    literals: float
    bound: float
    seconds: float

    @property
    def numbers(self) -> tuple[float, ...]:
        return (self.training, self.error, self.literals, self.bound, self.seconds)


def folds(name: str, count: int) -> Iterator[tuple[Sample, Table, np.ndarray]]:
    """Yield training samples with the rows that are left out."""
    data = load(name)
    classes, codes = code_labels(np.asarray(data.y))
    parts = StratifiedKFold(10, shuffle=True, random_state=0).split(codes, codes)
    for (train, test), _ in zip(parts, range(count), strict=False):
        sample = Sample.of(data.table.take(train), codes[train], tuple(classes.tolist()))
        yield sample, data.table.take(test), codes[test]


def result(settings: Settings, sample: Sample, new: Table, y: np.ndarray) -> Result:
    start = time.perf_counter()
    entry = learn(settings, sample).entry
    seconds = time.perf_counter() - start
    body = entry.model.body
    return Result(
        float((body.classify(sample.table) != sample.y).mean()),
        float((body.classify(new) != y).mean()),
        body.literals,
        entry.certificate.bound,
        seconds,
    )


def measured(
    make: Callable[..., Settings], tables: list[str], count: int, price: float | None, form: str
) -> np.ndarray:
    """Means over tables; no polishing where the price is None."""
    settings = make(polish=price is not None, certificate=form)
    task = partial(PolishingTask, price=LITERAL_PRICE if price is None else price)
    found = []
    with patch.object(applying, "PolishingTask", task):
        for name in tables:
            results = [result(settings, *fold).numbers for fold in folds(name, count)]
            found.append(np.mean(results, axis=0))
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--prices", nargs="*", type=float, default=[0.0, 0.5, 1.0, 2.0])
    parser.add_argument("--form", default="compression", choices=["compression", "split"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        f"{'learner':<12}{'price':>6} {'training':>9}{'error':>8}{'change':>8}{'s.e.':>7}"
        f"{'tests':>7}{'bound':>7}{'seconds':>9}  better / worse / same tables"
    )
    for name in given.learners:
        plain = measured(LEARNERS[name], given.tables, given.folds, None, given.form)
        print_row(name, None, plain, plain)
        for price in given.prices:
            found = measured(LEARNERS[name], given.tables, given.folds, price, given.form)
            print_row(name, price, found, plain)


def print_row(name: str, price: float | None, found: np.ndarray, plain: np.ndarray) -> None:
    """Print means over tables, and the mean change of the error with its standard error."""
    training, error, literals, bound, seconds = found.mean(axis=0)
    start = f"{name:<12}{'-' if price is None else price:>6} {training:>9.2%}{error:>8.2%}"
    end = f"{literals:>7.1f}{bound:>7.3f}{seconds:>9.2f}"
    if price is None:
        print(f"{start}{'':>15}{end}", flush=True)
        return
    change = found[:, 1] - plain[:, 1]
    deviation = change.std(ddof=1) / np.sqrt(change.size) if change.size > 1 else np.nan
    signs = np.sign(np.round(change, 9)).astype(int).tolist()
    counts = " / ".join(str(signs.count(sign)) for sign in (-1, 1, 0))
    print(f"{start}{change.mean():>+8.2%}{deviation:>7.2%}{end}  {counts}", flush=True)


if __name__ == "__main__":
    main()
