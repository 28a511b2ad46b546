"""Defaults of learners against other values of their options, on tables of the papers and others.

    RULEWRIGHT_DATA=folder python benchmarks/defaults.py
    RULEWRIGHT_DATA=folder python benchmarks/defaults.py --learners ripper --folds 10

A line has the mean error and literals over the twelve tables of the papers and over ten others,
in stratified folds, and the difference of the error to that of the default, with its standard
error over tables. A default deserves a change where another value errs less on both groups of
tables. Models have no certificates, which change no answer here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import small_models
import small_report
import tasks
from accuracy import Row
from small_entrants import Ours

OTHERS = (
    "banknote",
    "german",
    "heart_cleveland",
    "heart_statlog",
    "ionosphere",
    "sonar",
    "tic_tac_toe",
    "titanic_passengers",
    "wdbc",
    "wine",
)
RULES: dict[str, Sequence[Any]] = {
    "max_terms": (1, 2, 3),
    "max_rules": (5, 10),
    "criterion": ("entropy", "laplace"),
}
OPTIMAL: dict[str, Any] = {"search": "optimal"}
IMPURITY: dict[str, Sequence[Any]] = {"impurity_weight": (0.5, 1.0, 2.0, 4.0)}
OPTIONS: dict[str, tuple[str, dict[str, Any], dict[str, Sequence[Any]]]] = {
    "rule-list": ("RuleListClassifier", {}, RULES),
    "rule-vote": ("RuleVoteClassifier", {}, RULES),
    "ripper": ("RipperClassifier", {}, {"k": (0, 1, 4), "min_covered": (2.0,)}),
    "scorecard": ("ScorecardClassifier", {}, {"ridge": (0.5, 1.0), "max_bins": (4, 6)}),
    "tree optimal depth 2": ("TreeClassifier", {**OPTIMAL, "max_depth": 2}, IMPURITY),
    "tree optimal 2": ("TreeClassifier", {**OPTIMAL, "max_leaf_nodes": 3}, IMPURITY),
}
"""Estimators, parameters that all variants have, and values of options."""
GROUPS = {"papers": tasks.TABLES, "others": OTHERS}
NAME, FIGURES = "{:<40}", " {:>8} {:>9} {:>14}"


def variants(learner: str) -> Iterator[Ours]:
    """A learner with its defaults, and with each other value of an option."""
    estimator, given, options = OPTIONS[learner]
    given = {"certificate": None, **given}
    yield Ours(learner, estimator, given)
    for name, values in options.items():
        for value in values:
            text = f"{learner} {name}={value}"
            yield Ours(text, estimator, {**given, name: value})


def cells(rows: Sequence[Row], name: str, default: str, tables: Sequence[str]) -> list[str]:
    """Mean error, mean literals, and the difference to the default over some tables."""
    (mean,) = small_report.means([row for row in rows if row.learner == name], tables, ())
    gap, spread = small_report.paired(rows, name, default, tables)
    change = "" if name == default else f"{gap:+.2f} ± {spread:.2f}"
    return [f"{mean.error:.2f}", f"{mean.literals:.1f}", change]


def review(
    learner: str, groups: Sequence[Sequence[str]], folds: int, shuffles: int, by_table: bool
) -> None:
    """Run a learner with all its values on all tables, and print their lines."""
    rows: list[Row] = []
    for name in (name for group in groups for name in group):
        print(f"{learner} on {name} ...", file=sys.stderr, flush=True)
        task = tasks.task(name, folds, shuffles)
        found = [small_models.our_row(one, task) for one in variants(learner)]
        rows += [row for row in found if isinstance(row, Row)]
        if by_table:
            print(f"{name}: {', '.join(f'{row.learner} {row.error:.2f}' for row in found)}")
    for one in variants(learner):
        parts = [cells(rows, one.name, learner, group) for group in groups]
        figures = (FIGURES.format(*part) for part in parts)
        print(NAME.format(one.name), *figures, sep="", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--learners", nargs="+", choices=OPTIONS, default=list(OPTIONS))
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--shuffles", type=int, default=1, help="times that tables are divided")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--by-table", action="store_true", help="print the errors on each table")
    options = parser.parse_args()
    groups = [small_models.present(GROUPS[name]) for name in options.groups]
    heads = ("error %", "literals", "difference")
    sizes = (f"{len(tables)} {name}" for name, tables in zip(options.groups, groups, strict=True))
    print(f"Means over tables: {', '.join(sizes)}.")
    print(NAME.format("") + FIGURES.format(*heads) * len(groups))
    for learner in options.learners:
        review(learner, groups, options.folds, options.shuffles, options.by_table)


if __name__ == "__main__":
    main()
