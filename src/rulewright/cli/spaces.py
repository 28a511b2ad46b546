"""Options of rulewright fit for balls and half-spaces."""

from __future__ import annotations

from typing import Annotated

import typer

PANEL = "balls and half_spaces (not rule-list, rule-vote)"

Metric = Annotated[str, typer.Option(rich_help_panel=PANEL, help="balls: l1, l2, linf or kernel.")]
Kernel = Annotated[
    str, typer.Option(rich_help_panel=PANEL, help="half_spaces: linear, rbf or polynomial.")
]
Gamma = Annotated[
    float, typer.Option(rich_help_panel=PANEL, help="Of the rbf and polynomial kernels.")
]
Degree = Annotated[int, typer.Option(rich_help_panel=PANEL, help="Of the polynomial kernel.")]
Coef0 = Annotated[float, typer.Option(rich_help_panel=PANEL, help="Of the polynomial kernel.")]
Scale = Annotated[
    str, typer.Option(rich_help_panel=PANEL, help="Of the columns: none, standard or rank.")
]
MaxCandidates = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=PANEL, help="Try at most so many centres or pairs, drawn at random."
    ),
]
