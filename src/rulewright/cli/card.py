"""rulewright card: nine criteria of learners off the shelf, measured."""

from __future__ import annotations

from typing import Annotated

import typer

from rulewright.cli.options import Json, Overwrite, Quiet
from rulewright.cli.reproduce import Jobs, run_experiment
from rulewright.cli.result_files import PageOut, Quick, Store
from rulewright.errors import InputError
from rulewright.experiments import BASELINES, OffTheShelf
from rulewright.learners import SETTINGS

Learner = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="Learner or baseline to measure; repeatable. All learners and the three linear "
        "classifiers of the lecture by default.",
        show_default=False,
    ),
]


def card(
    learner: Learner = None,
    quick: Quick = False,
    jobs: Jobs = 0,
    store: Store = None,
    out_path: PageOut = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Measure what learners need and withstand, by nine criteria.

    They are the criteria of classifiers off the shelf.

    Example: rulewright card --quick --learner tree --learner ripper --out card.html
    """
    experiment = OffTheShelf(_known(learner)) if learner else OffTheShelf()
    run_experiment(
        experiment,
        quick=quick,
        jobs=jobs,
        store=store,
        out_path=out_path,
        overwrite=overwrite,
        quiet=quiet,
        json=json,
    )


def _known(names: list[str]) -> list[str]:
    unknown = [name for name in names if name not in SETTINGS and name not in BASELINES]
    if unknown:
        raise InputError(
            f"There is no learner or baseline {unknown[0]!r}. Choose among "
            f"{', '.join([*SETTINGS, *BASELINES])}."
        )
    return names
