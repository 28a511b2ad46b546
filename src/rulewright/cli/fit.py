"""rulewright fit: a table in, rules and their certificate out."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.cli import machines, ripper, rules, slipper, spaces, tree_rules, trees
from rulewright.cli.choices import CLASSICS, INDUCERS, Learner, best_of, refuse_strange
from rulewright.cli.console import busy, gathered, out, print_json, warn
from rulewright.cli.options import Data, DataTable, Json, Overwrite, Quiet, TimeBudget
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.cli.show import certificate_json, print_model, rules_json
from rulewright.data import Table, key_columns, key_notice, labels_of, open_data
from rulewright.errors import InputError, preview
from rulewright.families import SpaceOptions, as_families
from rulewright.learners.base.greedy_task import Task
from rulewright.learners.base.parameters import read_class_costs, read_delta, read_max_candidates
from rulewright.learners.base.progress import listen
from rulewright.learners.base.sample import Sample
from rulewright.models import PathEntry, cautions, save_model
from rulewright.models.cautions import unlabelled_caution
from rulewright.models.files import is_model_file
from rulewright.render import class_text, cost_text, number_text

FREE = (Learner.TREE, *INDUCERS, *CLASSICS)
"""Learners that read --family for themselves, or have no use for it."""


def fit(
    context: typer.Context,
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", help="The column that holds the class.")],
    learner: Annotated[
        Learner,
        typer.Option(
            metavar="NAME",
            help="auto, scm, dlm, tree, rule-list, rule-vote, ripper, slipper or tree-rules. auto "
            "tries scm, dlm and tree, and keeps the best certificate; from rule-list on, rules "
            "have several terms.",
        ),
    ] = Learner.AUTO,
    out_path: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the model here.")
    ] = None,
    report_path: Annotated[
        Path | None,
        typer.Option("--report", "-r", metavar="FILE", help="Write an HTML report here."),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Where rules come from: auto, thresholds, intervals, midpoints, categories, "
            "subsets, missing, given, balls, half_spaces, half_planes; tree: multiway too; "
            "rule-list, rule-vote: thresholds, intervals, categories, missing; repeatable.",
        ),
    ] = None,
    max_rules: Annotated[
        int | None,
        typer.Option(help="At most so many rules: 10 unless said, of rule-list and rule-vote 20."),
    ] = None,
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
        typer.Option(
            metavar="COL",
            help="A column that holds categories: numbers that are codes, or text that would be "
            "left out as a key; repeatable.",
        ),
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
    time_budget: TimeBudget = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
    kind: machines.Kind = None,
    p: machines.Penalty = None,
    types: machines.Types = "simple",
    consistent: machines.Consistent = False,
    criterion: rules.CriterionName = None,
    correction: rules.Correction = None,
    size: rules.Size = rules.SizeChoice.BOUND,
    max_terms: rules.MaxTerms = None,
    width: rules.Width = None,
    default: rules.Default = None,
    covering: rules.Coverings = None,
    conditions: rules.Conditions = None,
    rule: rules.RuleTexts = None,
    keep: rules.Kept = None,
    forbid: rules.Forbidden = None,
    force: rules.Forced = None,
    min_precision: rules.MinPrecision = None,
    min_support: rules.MinSupport = None,
    max_p_value: rules.MaxPValue = None,
    min_gain: rules.MinGain = None,
    min_rise: rules.MinRise = None,
    optimisations: ripper.Optimisations = None,
    prune: ripper.Pruning = True,
    algorithm: ripper.Algorithm = None,
    min_covered: ripper.MinCovered = None,
    preset: trees.Preset = trees.PresetChoice.CART,
    pruning: trees.Pruned = trees.PruningChoice.BOUND,
    max_leaves: trees.MaxLeaves = None,
    rounds: slipper.Rounds = None,
    trials: tree_rules.Trials = None,
    base: tree_rules.Base = None,
    winnow: tree_rules.Winnow = False,
    confidence: tree_rules.Confidence = None,
    metric: spaces.Metric = "l2",
    kernel: spaces.Kernel = "linear",
    gamma: spaces.Gamma = 1.0,
    degree: spaces.Degree = 3,
    coef0: spaces.Coef0 = 0.0,
    scale: spaces.Scale = "none",
    max_candidates: spaces.MaxCandidates = None,
) -> None:
    """Learn rules from a table, and say how far they can be trusted.

    Example: rulewright fit patients.csv --target diagnosis --out model.json --report report.html
    """
    refuse_strange(context, learner)
    _check_outputs(out_path, report_path, data, overwrite)
    most = machines.MAX_RULES if max_rules is None else max_rules
    space = SpaceOptions(metric, kernel, gamma, degree, coef0, scale, _types(learner, types))
    with busy(quiet or json) as tell:
        tell(f"reading {data.name}", 0, None)
        with open_data(data, table) as file:
            file.need([target])
            whole = file.read(drop or (), categorical or ())
        features, y, classes, rows = _labelled(whole, target, drop_unlabelled)
        keys = key_columns(features, keep=categorical or ())
        given = Sample.of(features, y, classes, rows=rows, target=target, left_out=tuple(keys))
        # Precomputed columns stand for the rows, in the order of these.
        sample = given if "precomputed" in (metric, kernel) else given.canonical()
        task = Task(
            sample,
            () if learner in FREE else as_families(family or "auto", space),
            read_delta(delta),
            consistent,
            jobs if jobs > 0 else os.cpu_count() or 1,
            read_max_candidates("auto" if max_candidates is None else max_candidates),
            seed,
            costs=_costs(cost or (), classes),
        )
        start = time.perf_counter()
        tell(f"learning from {features.rows:,} rows", 0, None)
        with listen(tell), gathered(UserWarning) as heard:
            if learner is Learner.TREE:
                found = trees.search_trees(task, space, family, preset, pruning, max_leaves)
                entry, path, how = found[0], found[1], best_of(found[2], len(found[1]))
            elif learner is Learner.TREE_RULES:
                entry, path, how = tree_rules.search_tree_rules(
                    task,
                    {
                        "trials": trials,
                        "base": base,
                        "winnow": winnow,
                        "confidence": confidence,
                        "time_budget": time_budget,
                    },
                )
            elif learner in INDUCERS:
                entry, path, how = rules.search_rules(
                    task,
                    learner,
                    family,
                    max_rules,
                    {
                        "criterion": criterion,
                        "correction": correction,
                        "size": size,
                        "max_terms": max_terms,
                        "width": width,
                        "default": default,
                        "covering": covering,
                        "conditions": conditions,
                        "rules": rule,
                        "keep": keep,
                        "forbid": forbid,
                        "force": force,
                        "min_precision": min_precision,
                        "min_support": min_support,
                        "max_p_value": max_p_value,
                        "min_gain": min_gain,
                        "min_rise": min_rise,
                    },
                )
                how = best_of(how, len(path) if size is rules.SizeChoice.BOUND else 1)
            elif learner is Learner.RIPPER:
                entry, path, how = ripper.search_ripper(
                    task,
                    {
                        "k": optimisations,
                        "prune": prune,
                        "algorithm": algorithm,
                        "min_covered": min_covered,
                        "time_budget": time_budget,
                    },
                )
            elif learner is Learner.SLIPPER:
                entry, path, how = slipper.search_slipper(
                    task, {"rounds": rounds, "time_budget": time_budget}
                )
            elif learner is Learner.AUTO:
                beside = machines.STANDARD_TREES if family is None and not consistent else ()
                entry, path, how = machines.search_all(task, space, beside, most)
            else:
                entry, path, how = machines.search(task, learner, kind, p, most)
        seconds = time.perf_counter() - start
    absent = unlabelled_caution(whole.rows - features.rows, whole.rows)
    places = np.searchsorted(rows, sample.rows)
    doubts = cautions(entry.model, given.table, given.y, order=places)
    entry = entry.cautioned((*doubts, *absent)).restored(places, sample.names)
    if report_path is not None:
        path = [one.restored(places, sample.names) for one in path]
        with exit_on_signals():
            _report(report_path, entry, path, given, data, out_path, table)
    entry = entry.renumbered(rows)
    left_out = [key_notice(name, reason) for name, reason in keys.items()]
    told = [*left_out, *heard, *task.notices(), *entry.certificate.cautions]
    if learner in INDUCERS:
        told += rules.notices(entry, path)
    if out_path is not None:
        with exit_on_signals():
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


def _check_outputs(
    out_path: Path | None, report_path: Path | None, data: Path, overwrite: bool
) -> None:
    """Refuse outputs that cannot be written or would destroy something, before the fit."""
    outputs = []
    if out_path is not None:
        outputs.append(Output("--out", out_path, "a model file of rulewright", is_model_file))
    if report_path is not None:
        from rulewright.report import is_report  # noqa: PLC0415  (only needed here)

        outputs.append(Output("--report", report_path, "a report of rulewright", is_report))
    check_outputs(outputs, {"input": data}, overwrite=overwrite)


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


def _report(
    path: Path,
    entry: PathEntry,
    sizes: list[PathEntry],
    sample: Sample,
    data: Path,
    model: Path | None,
    table: str | None,
) -> None:
    from rulewright.report import facts, write_report  # noqa: PLC0415  (only needed here)

    database = f" --table {shlex.quote(table)}" if table else ""
    check = f"rulewright certify {shlex.quote(str(model))} {shlex.quote(str(data))}{database}"
    title = f"{data.name}: rules for {sample.target}"
    content = facts(
        entry,
        sizes,
        sample.table,
        sample.y,
        title=title,
        row_numbers=sample.rows,
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
    console = out(*(path for _, path in written))
    console.print(
        f"{features.rows:,} rows, {len(features.columns):,} columns; {how}; {seconds:.2f} s\n"
    )
    print_model(entry.model, console)
    if task.costs is not None:
        priced = zip(entry.model.classes, task.costs, strict=True)
        listed = ", ".join(
            f"{class_text(label)} {number_text(float(cost))}" for label, cost in priced
        )
        most = cost_text(task.worth(entry.certificate))
        console.print(
            f"A new case costs at most {most} on the average, with the same confidence "
            f"(misjudged: {listed}).\n"
        )
    for what, path in written:
        console.print(f"{what}: {path}")
