"""rulewright reproduce: the tables and figures of the sources, computed again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from rulewright.cli.console import busy_cells, out, page_width, print_json
from rulewright.cli.options import Json, Overwrite, Quiet
from rulewright.cli.result_files import (
    PageOut,
    Quick,
    Store,
    check_page_file,
    open_store,
    write_page,
)
from rulewright.errors import InputError
from rulewright.experiments import EXPERIMENTS, Experiment, Result, ResultPage, run_cells
from rulewright.render import count_text

Name = Annotated[
    str | None,
    typer.Argument(help="Name of an experiment; lists all if omitted.", show_default=False),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Number of processes; 0 for all cores.")]


def reproduce(
    name: Name = None,
    quick: Quick = False,
    jobs: Jobs = 0,
    store: Store = None,
    out_path: PageOut = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compute a table or figure of the papers again, beside the published numbers.

    Finished parts are kept: a run that was stopped goes on where it was.

    Example: rulewright reproduce dlm-table1 --quick --out table.html
    """
    if name is None:
        _list(json)
        return
    run_experiment(
        chosen(name),
        quick=quick,
        jobs=jobs,
        store=store,
        out_path=out_path,
        overwrite=overwrite,
        quiet=quiet,
        json=json,
    )


def run_experiment(
    experiment: Experiment,
    *,
    quick: bool,
    jobs: int,
    store: Path | None,
    out_path: Path | None,
    overwrite: bool,
    quiet: bool,
    json: bool,
) -> None:
    """Run an experiment with the options of a command, print its page and write it."""
    name = experiment.name
    check_page_file({"--out": out_path}, {"store": store}, overwrite=overwrite)
    cells = experiment.cells(quick)
    with open_store(store, f"reproduce-{name}") as results:
        kept = len(results.get(cell.key() for cell in cells))
        processes = jobs if jobs > 0 else os.cpu_count() or 1
        with busy_cells(quiet or json, name) as progress:
            found = run_cells(cells, store=results, jobs=processes, progress=progress)
        place = results.path
    page = experiment.page(found, quick)
    if out_path is not None:
        write_page(page, out_path)
    if json:
        print_json(_json(experiment, page, found, quick))
        return
    console = out(out_path)
    console.print(page.text(page_width()))
    console.print(f"{count_text(len(cells), 'cell')}, {kept} of them from earlier runs: {place}")
    if out_path is not None:
        console.print(f"page: {out_path}")


def chosen(name: str) -> Experiment:
    """The experiment of a name."""
    if name not in EXPERIMENTS:
        raise InputError(
            f"There is no experiment {name!r}. Choose one of: {', '.join(EXPERIMENTS)}."
        )
    return EXPERIMENTS[name]


def _list(json: bool) -> None:
    if json:
        print_json([{"name": one.name, "title": one.title} for one in EXPERIMENTS.values()])
        return
    width = max(map(len, EXPERIMENTS), default=0)
    for one in EXPERIMENTS.values():
        out().print(f"{one.name:<{width}}  {one.title}")


def _json(
    experiment: Experiment, page: ResultPage, results: list[Result], quick: bool
) -> dict[str, object]:
    return {
        "name": experiment.name,
        "title": page.title,
        "quick": quick,
        "tables": [
            {
                "title": table.title,
                "columns": table.names,
                "rows": [list(row) for row in table.rows],
                "note": table.note,
            }
            for table in page.tables
        ],
        "cells": [
            {
                "function": result.cell.function,
                "parameters": dict(result.cell.parameters),
                "result": result.values,
                "seconds": round(result.seconds, 4),
            }
            for result in results
        ],
    }
