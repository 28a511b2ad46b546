"""rulewright fit: a table in, rules and their certificate out."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.cli.options import Data, DataTable, Json, Quiet
from rulewright.cli.screen import busy, out, print_json, warn
from rulewright.cli.show import certificate_json, print_model, rules_json
from rulewright.cli.trees import PresetChoice, PruningChoice, search_trees
from rulewright.data import Table, labels_of, open_data
from rulewright.errors import InputError, preview
from rulewright.families import SpaceOptions, as_families
from rulewright.learners.covering import covering_stages
from rulewright.learners.listing import listing_stages
from rulewright.learners.parameters import (
    read_class_costs,
    read_delta,
    read_kinds,
    read_max_candidates,
    read_max_rules,
    read_penalty,
)
from rulewright.learners.progress import listen
from rulewright.learners.sample import Sample
from rulewright.learners.task import Task, best_path
from rulewright.models import PathEntry, cautions, save_model
from rulewright.render import class_text, cost_text
from rulewright.selection import (
    PENALTIES,
    best_by_certificate,
    choices,
    make_runs,
    standard_runs,
)

STANDARD_TREES = (PresetChoice.CART, PresetChoice.C45)
"""The trees that auto tries, pruned by bound."""


class Learner(str, Enum):
    """What can be learnt."""

    AUTO = "auto"
    SCM = "scm"
    DLM = "dlm"
    TREE = "tree"


class KindChoice(str, Enum):
    """Kinds of set covering machine."""

    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    BEST = "best"


def fit(
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", help="The column that holds the class.")],
    learner: Annotated[
        Learner,
        typer.Option(help="auto tries several and keeps the best certificate."),
    ] = Learner.AUTO,
    out_path: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the model here.")
    ] = None,
    report_path: Annotated[
        Path | None,
        typer.Option("--report", "-r", metavar="FILE", help="Write an HTML report here."),
    ] = None,
    kind: Annotated[
        KindChoice | None, typer.Option(help="scm: which machine; conjunction unless said.")
    ] = None,
    p: Annotated[
        float | None,
        typer.Option("--penalty", "-p", help="Price of losing an example; 1 unless said."),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Where rules come from: auto, thresholds, intervals, midpoints, categories, "
            "subsets, missing, given, balls, half_spaces, half_planes; tree: multiway too; "
            "repeatable.",
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help="balls: l1, l2, linf or kernel.")] = "l2",
    kernel: Annotated[str, typer.Option(help="half_spaces: linear, rbf or polynomial.")] = "linear",
    gamma: Annotated[float, typer.Option(help="Of the rbf and polynomial kernels.")] = 1.0,
    degree: Annotated[int, typer.Option(help="Of the polynomial kernel.")] = 3,
    coef0: Annotated[float, typer.Option(help="Of the polynomial kernel.")] = 0.0,
    scale: Annotated[
        str, typer.Option(help="Columns of balls and half_spaces: none, standard or rank.")
    ] = "none",
    types: Annotated[str, typer.Option(help="dlm: simple or complex balls.")] = "simple",
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Classify the rows that rebuild the rules rightly.")
    ] = False,
    max_candidates: Annotated[
        int | None, typer.Option(help="Try at most so many centres or pairs, drawn at random.")
    ] = None,
    max_rules: Annotated[int, typer.Option(help="At most so many rules.")] = 10,
    preset: Annotated[
        PresetChoice, typer.Option(help="tree: what its parts are, where --family does not say.")
    ] = PresetChoice.CART,
    pruning: Annotated[
        PruningChoice, typer.Option(help="tree: what is cut off; bound keeps the best certificate.")
    ] = PruningChoice.BOUND,
    max_leaves: Annotated[int | None, typer.Option(help="tree: at most so many leaves.")] = None,
    delta: Annotated[
        float, typer.Option(help="The certificate fails with at most this probability.")
    ] = 0.05,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS=NUMBER",
            help="What misjudging a case of this class costs, 1 unless said; repeatable.",
        ),
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A numeric column that holds categories; repeatable."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column to leave out, such as a key; repeatable."),
    ] = None,
    drop_unlabelled: Annotated[
        bool, typer.Option("--drop-unlabelled", help="Leave out rows whose class is missing.")
    ] = False,
    table: DataTable = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; 0 for all cores.")] = 0,
    seed: Annotated[
        int, typer.Option(help="For the random choice of candidates, where there is one.")
    ] = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn rules from a table, and say how far they can be trusted.

    Example: rulewright fit patients.csv --target diagnosis --out model.json --report report.html
    """
    if learner is Learner.AUTO and (kind is not None or p is not None):
        raise typer.BadParameter(
            "--kind and --penalty are chosen by auto; use --learner scm or dlm."
        )
    if learner is Learner.TREE and (kind is not None or p is not None):
        raise typer.BadParameter(
            "--kind and --penalty are for --learner scm or dlm, not for trees."
        )
    space = SpaceOptions(metric, kernel, gamma, degree, coef0, scale, _types(learner, types))
    with busy(quiet or json) as tell:
        tell(f"reading {data.name}", 0, None)
        with open_data(data, table) as file:
            file.need([target])
            whole = file.read(drop or (), categorical or ())
        features, y, classes, rows = _labelled(whole, target, drop_unlabelled)
        task = Task(
            Sample.of(features, y, classes, rows=rows, target=target),
            () if learner is Learner.TREE else as_families(family or "auto", space),
            read_delta(delta),
            consistent,
            jobs if jobs > 0 else os.cpu_count() or 1,
            read_max_candidates("auto" if max_candidates is None else max_candidates),
            seed,
            costs=_costs(cost or (), classes),
        )
        start = time.perf_counter()
        with listen(tell):
            if learner is Learner.TREE:
                found = search_trees(task, space, family, preset, pruning, max_leaves)
                entry, path, how = found[0], found[1], _best_of(found[2], len(found[1]))
            elif learner is Learner.AUTO:
                trees = STANDARD_TREES if family is None and not consistent else ()
                entry, path, how = _search_all(task, space, trees, max_rules)
            else:
                entry, path, how = _search(task, learner, kind, p, max_rules)
        seconds = time.perf_counter() - start
    entry = entry.cautioned(cautions(entry.model, task.sample.table, task.sample.y))
    if report_path is not None:
        _report(report_path, entry, path, task, rows, data, out_path, table)
    entry = entry.renumbered(rows)
    told = [*task.notices(), *entry.certificate.cautions]
    if out_path is not None:
        save_model(entry.model, out_path)
    written = [
        (what, path) for what, path in (("model", out_path), ("report", report_path)) if path
    ]
    if json:
        print_json(
            {
                "learner": how,
                "rules": rules_json(entry.model),
                "certificate": certificate_json(entry.certificate),
                "cost_bound": None if task.costs is None else task.worth(entry.certificate),
                "cautions": told,
                "training_errors": entry.errors,
                "rows": features.rows,
                "columns": len(features.columns),
                "seconds": round(seconds, 4),
                **{what: str(path) for what, path in written},
            }
        )
        return
    _print(entry, features, how, seconds, written, task)
    warn(told)


def _labelled(
    whole: Table, target: str, drop_unlabelled: bool
) -> tuple[Table, NDArray[np.int32], tuple[Any, ...], NDArray[np.intp]]:
    """Split the class off the table, and number it; say which rows have one."""
    labels, known = labels_of(whole, target)
    features = whole.without([target])
    missing = int((~known).sum())
    if missing and not drop_unlabelled:
        raise InputError(
            f"Column {target!r}, the class, is missing in {missing} of {whole.rows} rows (first in "
            f"row {int(np.argmin(known))}). Leave these rows out with --drop-unlabelled."
        )
    if missing:
        features, labels = features.take(known), labels[known]
    if not features.columns:
        raise InputError(f"There is no column besides the class {target!r} to learn from.")
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise InputError(
            f"There is nothing to tell apart: column {target!r}, the class, has the one value "
            f"{preview(classes.tolist())}. Choose another column."
        )
    if classes.size > max(2, labels.size // 2):
        raise InputError(
            f"Column {target!r}, the class, has {classes.size} different values in {labels.size} "
            f"rows: {preview(classes.tolist())}. Merge classes, or choose another column."
        )
    return features, codes.astype(np.int32), tuple(classes.tolist()), np.flatnonzero(known)


def _costs(said: Sequence[str], classes: Sequence[Any]) -> tuple[Fraction, ...] | None:
    """Read costs as they were typed; classes are named as they are printed."""
    names = {str(label): label for label in classes}
    costs = {}
    for text in said:
        name, _, number = text.rpartition("=")
        try:
            label = names[name]
            if label in costs:
                raise typer.BadParameter(f"--cost {text}: class {name} has a cost already.")
            costs[label] = float(number)
            read_class_costs(costs, classes)
        except (KeyError, ValueError) as error:
            raise typer.BadParameter(
                f"--cost {text}: say CLASS=NUMBER, the class one of {preview(list(names))}, the "
                "number above 0."
            ) from error
    return read_class_costs(costs, classes) if costs else None


def _types(learner: Learner, types: str) -> str:
    return types if learner is Learner.DLM else "complex"


def _best_of(how: str, count: int) -> str:
    return f"{how}, the best certificate of {count}" if count > 1 else how


def _search_all(
    task: Task, space: SpaceOptions, trees: Sequence[PresetChoice], max_rules: int
) -> tuple[PathEntry, list[PathEntry], str]:
    """Try machines over penalties, and trees; keep the best certificate, then the smallest."""
    tried = make_runs(standard_runs(task, read_max_rules(max_rules), len(trees)), prune=False)
    best = best_by_certificate(tried)
    run = best.tried.run
    machine = "dlm" if run.arrangement == "list" else f"scm, {run.arrangement}"
    how = f"{machine}, p = {float(PENALTIES[run.point]):g}"
    found = [(best.entry, best.tried.path, how)]
    count = len(choices(tried))
    for preset in trees:
        grown = search_trees(
            task, space, None, preset, PruningChoice.BOUND, settings=run.task.settings
        )
        found.append(grown)
        count += len(grown[1])
    entry, path, how = min(found, key=lambda one: (task.worth(one[0].certificate), one[0].size))
    return entry, path, _best_of(how, count)


def _search(
    task: Task, learner: Learner, kind: KindChoice | None, p: float | None, max_rules: int
) -> tuple[PathEntry, list[PathEntry], str]:
    most = read_max_rules(max_rules)
    penalty = read_penalty(1.0 if p is None else p, "--penalty")
    if learner is Learner.DLM:
        stages = listing_stages(task, [penalty] * task.classes, most)
        path = [stage.entry for stage in stages]
        return path[-1], path, f"dlm, p = {float(penalty):g}"
    if task.classes > 2:
        raise InputError(
            f"A set covering machine tells two classes apart; column {task.sample.target!r} has "
            f"{task.classes}: {preview(task.sample.classes)}. Use --learner dlm, or merge classes."
        )
    kinds = read_kinds((kind or KindChoice.CONJUNCTION).value)
    task = replace(task, settings=len(kinds))
    runs = [[s.entry for s in covering_stages(task, k, penalty, most)] for k in kinds]
    path = best_path(task, runs)
    return path[-1], path, f"scm, {(kind or KindChoice.CONJUNCTION).value}, p = {float(penalty):g}"


def _report(
    path: Path,
    entry: PathEntry,
    sizes: list[PathEntry],
    task: Task,
    rows: NDArray[np.intp],
    data: Path,
    model: Path | None,
    table: str | None,
) -> None:
    from rulewright.report import facts, write_report  # noqa: PLC0415  (only needed here)

    database = f" --table {shlex.quote(table)}" if table else ""
    check = f"rulewright certify {shlex.quote(str(model))} {shlex.quote(str(data))}{database}"
    title = f"{data.name}: rules for {task.sample.target}"
    content = facts(
        entry,
        sizes,
        task.sample.table,
        task.sample.y,
        title=title,
        row_numbers=rows,
        checks=[check] if model else [],
    )
    write_report(path, content)


def _print(
    entry: PathEntry,
    features: Table,
    how: str,
    seconds: float,
    written: list[tuple[str, Path]],
    task: Task,
) -> None:
    console = out()
    console.print(
        f"{features.rows} rows, {len(features.columns)} columns; {how}; {seconds:.2f} s\n"
    )
    print_model(entry.model, console)
    if task.costs is not None:
        priced = zip(entry.model.classes, task.costs, strict=True)
        listed = ", ".join(f"{class_text(label)} {float(cost):g}" for label, cost in priced)
        most = cost_text(task.worth(entry.certificate))
        console.print(
            f"A new case costs at most {most} on the average, with the same confidence "
            f"(misjudged: {listed}).\n"
        )
    for what, path in written:
        console.print(f"{what}: {path}")
