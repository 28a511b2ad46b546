"""RIPPER, SLIPPER and rules of trees beside the real things, in one run.

    RULEWRIGHT_DATA=folder python benchmarks/classics.py accuracy
    RULEWRIGHT_DATA=folder python benchmarks/classics.py speed

``accuracy`` cross-validates ours, Weka's JRip and PART, wittgenstein's RIPPER and c50py's rulesets
(they follow C5.0, which is itself neither in PyPI nor in Debian) on the same folds of the sets of
the papers' tables and nine others, with the same columns declared the same (three shuffles of ten
folds; the sets of the monks have a part to test on). It prints errors, sizes and CPU seconds of
``fit``, set by set, then the mean difference of every pair that belongs together. It takes more
than an hour, nearly all of it for the peers: ``--peers FILE`` keeps what they did, under a hash of
the very table and folds, and asks them only for what is not there, with ``--limit 0`` not even for
that.

``speed`` compares CPU seconds of ``fit`` on one core, each in a process of its own: made tables of
20 numeric columns and 1,000 to 1,000,000 rows, in which there are either three conjunctions to be
found or clusters that no few rules tell apart, one of 970 columns, Adult, and Covertype's second
class against the rest. A peer that is not done after ``--limit`` CPU seconds is stopped; the ratio
is then at least so much.

``--quick`` is a short form of both. Weka's seconds are those of its building thread alone, without
starting, reading, compiling and collecting garbage. Whatever is not here is said and left out:
Java, Weka's jar, wittgenstein and c50py (the extra ``bench``, or ``--python`` of an environment
with them), sets, and learners that are not written yet.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import accuracy
import entrants
import speed
import tasks
import weka


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = whole.add_subparsers(dest="what", required=True)
    errors = what.add_parser("accuracy", help="errors and sizes, cross-validated")
    times = what.add_parser("speed", help="CPU seconds of fit")
    errors.set_defaults(main=accuracy.main)
    times.set_defaults(main=speed.main)
    for part in (errors, times):
        common(part)
    errors.add_argument("--folds", type=int, default=10)
    errors.add_argument("--shuffles", type=int, default=3)
    errors.add_argument("--sets", nargs="+", choices=tasks.SETS, metavar="SET")
    errors.add_argument("--peers", type=Path, metavar="FILE", help="keeps what peers did (JSON)")
    errors.add_argument("--limit", type=float, help="CPU seconds of a peer on a set")
    times.add_argument("--tables", nargs="+", choices=speed.TABLES, metavar="TABLE")
    times.add_argument("--repeats", type=int, default=3, help="fits, of which the fastest counts")
    times.add_argument("--limit", type=float, help="CPU seconds of a peer's fit, 120 by default")
    return whole


def common(part: argparse.ArgumentParser) -> None:
    part.add_argument("--learners", nargs="+", choices=entrants.LEARNERS, metavar="LEARNER")
    part.add_argument("--quick", action="store_true", help="a few small tables only")
    part.add_argument("--out", type=Path, metavar="FILE", help="all rows, as CSV or JSON")
    part.add_argument("--weka", default=weka.JAR, metavar="JAR", help="Weka's jar")
    part.add_argument("--python", default=sys.executable, help="the Python that has the packages")


def present(names: Sequence[str], means: entrants.Means) -> list[str]:
    """Keep the learners that can be run, and say why the others cannot."""
    reasons = {name: entrants.absent(name, means) for name in names}
    for name, reason in reasons.items():
        if reason:
            print(f"{name} is left out: {reason}.")
    return [name for name in names if reasons[name] is None]


def sets(options: argparse.Namespace) -> list[str]:
    """Choose the sets, or the tables, that can be had."""
    if options.what == "accuracy":
        wanted = options.sets or (tasks.QUICK if options.quick else tasks.SETS)
    else:
        wanted = options.tables or (speed.QUICK if options.quick else tuple(speed.TABLES))
    absent = [
        name for name in wanted if name in (*tasks.SETS, *speed.REAL) and not tasks.here(name)
    ]
    if absent:
        print(f"Left out, since the folder RULEWRIGHT_DATA has no such sets: {', '.join(absent)}.")
    return [name for name in wanted if name not in absent]


def main() -> None:
    options = parser().parse_args()
    if options.quick and options.what == "accuracy":
        options.folds, options.shuffles = 5, 1
    if options.limit is None and options.what == "speed":
        options.limit = 10 if options.quick else 120
    options.means = entrants.Means(options.weka, options.python, options.limit)
    options.learners = present(options.learners or entrants.USUAL, options.means)
    options.sets = sets(options)
    if options.sets:
        options.main(options)


if __name__ == "__main__":
    main()
