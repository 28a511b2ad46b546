"""Error against the number of literals: our learners and their peers on the same folds.

    RULEWRIGHT_DATA=folder python benchmarks/small_models.py
    RULEWRIGHT_DATA=folder python benchmarks/small_models.py --by-table --plot models.png
    RULEWRIGHT_DATA=folder python benchmarks/small_models.py --peers JRip FIGS --store
    RULEWRIGHT_DATA=folder python benchmarks/small_models.py --learners --rows a.csv b.csv
    RULEWRIGHT_DATA=folder python benchmarks/small_models.py --small --shuffles 4

The tables are the twelve of the papers, in ten stratified folds, and five large ones, of which 30 %
are tested and at most 12,000 other rows train. Our learners are run each time: with their defaults,
and limited to 3, 6 and 12 literals where they have an option for it. Peers take most of an hour, so
their results are stored in ``small_models_peers.json`` under a hash of the table and its folds,
with the versions of the packages. They are read from there. ``--peers`` runs those that are named
again, all if none is; ``--store`` writes their results to the file. What is not installed, not run
or fails is listed.

Literals are counted in one way for all: the single tests of the model. They are the conditions of
rules, a condition counted as often as it occurs; the inner nodes of trees; the nonzero lines of a
scorecard or risk score; the nonzero coefficients of a linear model; the steps of the functions of
an additive model. Peers that need numbers get one encoding, learnt on training rows: medians for
missing numbers, a 0/1 column for each category, a missing category being one. Weka, wittgenstein,
c50py, LightGBM and EBM get the columns as they are.

GOSDT and FasterRisk need older packages than we do. They run in an environment of their own
(``--peers GOSDT FasterRisk --python PATH``): numpy<2.3, scikit-learn<1.8, pandas<3, gosdt, and
fasterrisk with its requirement requests, installed by ``--no-deps``. The other peers are in the
extra ``bench``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import accuracy
import entrants
import small_entrants
import small_report
import tasks
import weka
from accuracy import Row
from small_entrants import Failure, Ours, Store
from tasks import Task

LARGE = ("adult", "bank_marketing", "taiwan_credit", "mushroom", "phishing")
TESTED = 0.3
MAX_TRAINING = 12_000
FOLDS = 10
STORE = Path(__file__).parent / "small_models_peers.json"


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = whole.add_argument
    add("--tables", nargs="+", choices=(*tasks.TABLES, *LARGE), metavar="TABLE")
    add("--small", action="store_true", help="the twelve tables only")
    add("--shuffles", type=int, default=1, help="times that small tables are divided into folds")
    add(
        "--learners",
        nargs="*",
        metavar="NAME",
        help="ours to run: all by default, none if none is named",
    )
    add("--peers", nargs="*", metavar="NAME", help="run these again, all if none is named")
    add("--store", action="store_true", help="write the results of peers that were run")
    add("--stored", type=Path, default=STORE, metavar="FILE", help="where peers' results are")
    add("--limit", type=float, default=600, help="CPU seconds of a peer on a table")
    add("--weka", default=weka.JAR, metavar="JAR", help="Weka's jar")
    add("--python", default=sys.executable, help="the Python that has the packages")
    add("--by-table", action="store_true", help="print the errors on each table too")
    add("--out", type=Path, metavar="FILE", help="all rows, as CSV or JSON")
    add(
        "--rows",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="rows of ours from earlier runs, in CSV files of --out, which are not run again",
    )
    add("--plot", type=Path, metavar="FILE", help="a picture of errors against literals")
    return whole


def task(name: str, shuffles: int = 1) -> Task:
    """Read a table with its folds, or with the part of a large one that is tested."""
    if name not in LARGE:
        return tasks.task(name, FOLDS, shuffles)
    table, labels = weka.read(name)
    return tasks.held_out(table, labels, name, round(TESTED * table.rows), MAX_TRAINING)


def present(wanted: Sequence[str]) -> list[str]:
    """Keep the tables that are in the folder RULEWRIGHT_DATA, and print the others."""
    absent = [name for name in wanted if not tasks.here(name)]
    if absent:
        print(f"Left out, since the folder RULEWRIGHT_DATA has no such sets: {', '.join(absent)}.")
    return [name for name in wanted if name not in absent]


def earlier_rows(paths: Sequence[Path]) -> dict[tuple[str, str], Row]:
    """Read the rows of ours by table and learner."""
    found = {}
    for path in paths:
        with path.open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                table, learner = line["set"], line["learner"]
                figures = [float(line[name]) for name in ("error", "rules", "literals", "seconds")]
                if learner not in small_entrants.PEERS:
                    found[table, learner] = Row(table, learner, *figures, (figures[0],))
    return found


def our_row(entrant: Ours, task: Task) -> Row | Failure:
    """Run a learner of ours on a table, or return why there is no result."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folds = entrant.folds(task)
    except Exception as error:  # the others must still be compared
        return Failure(entrant.name, task.name, f"failed: {type(error).__name__}: {error}")
    return accuracy.row(entrant.name, task, folds)


def peer_row(peer: str, task: Task, store: Store, options: argparse.Namespace) -> Row | Failure:
    """Run a peer on a table if that was asked for, otherwise read its result."""
    if peer in options.rerun and (task.name not in LARGE or small_entrants.large(peer)):
        version = small_entrants.versions(peer, options.means)
        if version is None:
            return Failure(peer, task.name, "not installed here")
        found = small_entrants.run(peer, task, options.means)
        if options.store:
            store.enter(peer, task, found, version)
        return found if isinstance(found, Failure) else accuracy.row(peer, task, found)
    known = store.recall(peer, task)
    complete = len(known) == len(task.folds)
    return accuracy.row(peer, task, known) if complete else store.failure(peer, task)


def results(options: argparse.Namespace, store: Store) -> list[Row | Failure]:
    """Run or read all entrants on all tables, and write the rows after each table."""
    ours = small_entrants.ours()
    names = small_entrants.chosen(options.learners or [], [entrant.name for entrant in ours])
    chosen = [one for one in ours if one.name in names and options.learners != []]
    earlier = earlier_rows(options.rows)
    found: list[Row | Failure] = []
    for name in options.tables:
        print(f"{name} ...", file=sys.stderr, flush=True)
        whole = task(name, options.shuffles)
        found += [peer_row(peer, whole, store, options) for peer in small_entrants.PEERS]
        found += [row for (table, _), row in earlier.items() if table == name]
        found += [our_row(one, whole) for one in chosen if (name, one.name) not in earlier]
        if options.out:
            accuracy.write([one for one in found if isinstance(one, Row)], options.out)
    return found


def print_remarks(failures: Sequence[Failure], store: Store, small: Sequence[str]) -> None:
    """Print what has no result and why, the peers' versions, and notes on peers."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        reasons.setdefault((failure.peer, failure.reason), []).append(failure.table)
    if reasons:
        print("\nWithout a result:")
    for (name, reason), where in reasons.items():
        print(f"  {name} on {', '.join(where)}: {reason}")
    print("\nVersions of the peers whose results are stored:")
    by_version: dict[str, list[str]] = {}
    for peer, version in store.versions.items():
        by_version.setdefault(version, []).append(peer)
    for version, peers in sorted(by_version.items()):
        print(f"  {version}: {', '.join(peers)}")
    for peer in small_entrants.PEERS:
        if small_entrants.note(peer):
            print(f"  {peer}: {small_entrants.note(peer)}.")
    print(f"  No option limits the literals of: {', '.join(small_entrants.unlimited())}.")


def main() -> None:
    options = parser().parse_args()
    peers = small_entrants.PEERS
    options.rerun = [] if options.peers is None else small_entrants.chosen(options.peers, peers)
    options.means = entrants.Means(options.weka, options.python, options.limit)
    wanted = options.tables or (tasks.TABLES if options.small else (*tasks.TABLES, *LARGE))
    options.tables = present(wanted)
    small = [name for name in options.tables if name not in LARGE]
    large = [name for name in options.tables if name in LARGE]
    store = Store(options.stored)
    found = results(options, store)
    rows = [one for one in found if isinstance(one, Row)]
    if options.by_table:
        small_report.print_tables(rows, options.tables, peers)
    small_report.print_means(rows, small, large, peers)
    print_remarks([one for one in found if isinstance(one, Failure)], store, small)
    if small:
        small_report.print_bars(rows, small, peers)
    if options.plot:
        small_report.plot(small_report.complete(rows, small, peers), options.plot, len(small))


if __name__ == "__main__":
    main()
