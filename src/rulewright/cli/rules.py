"""What rulewright fit does for --learner rule-list and rule-vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any

import typer

from rulewright.cli.choices import Learner
from rulewright.cli.parameters import parameters
from rulewright.criteria import CRITERIA
from rulewright.learners.base.greedy_task import Task
from rulewright.learners.conjunctive.settings import ListSettings, VoteSettings
from rulewright.models import PathEntry

PANEL = "rule-list and rule-vote"
MOST = 255
"""Limits on terms and on unfinished rules are at most this."""


class CorrectionChoice(str, Enum):
    """Ways to correct what a rule is seen to cover."""

    SC = "sc"


class CoveringChoice(str, Enum):
    """What becomes of rows that a rule covers."""

    REMOVAL = "removal"
    WEIGHTING = "weighting"


class DefaultChoice(str, Enum):
    """What is answered where no rule holds."""

    MAJORITY = "majority"
    ABSTAIN = "abstain"


class ConditionsChoice(str, Enum):
    """How the terms of a rule go together."""

    CONJUNCTIONS = "conjunctions"
    SYNDROMES = "syndromes"


class SizeChoice(str, Enum):
    """How many of the rules are kept."""

    BOUND = "bound"
    ALL = "all"


CriterionName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=PANEL,
        help="What makes a rule good: boosting_normalised unless said; "
        f"one of {', '.join(CRITERIA)}.",
    ),
]
Correction = Annotated[
    CorrectionChoice | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Correct what rules cover for the choice of their cuts: fewer and shorter rules.",
    ),
]
MaxTerms = Annotated[
    int | None,
    typer.Option(
        min=1, max=MOST, rich_help_panel=PANEL, help="At most so many terms a rule; 7 unless said."
    ),
]
Width = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=MOST,
        rich_help_panel=PANEL,
        help="Unfinished rules kept after each term, 5 unless said; 0 tries all rules, which is "
        "exact and slow.",
    ),
]
Default = Annotated[
    DefaultChoice | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Where no rule holds: the majority class (unless said), or no answer.",
    ),
]
Coverings = Annotated[
    CoveringChoice | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="rule-list: rows that a rule covers are left out (unless said), or count half.",
    ),
]
Conditions = Annotated[
    ConditionsChoice | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="All terms of a rule must hold (unless said), or at least so many of them.",
    ),
]
Size = Annotated[
    SizeChoice,
    typer.Option(
        rich_help_panel=PANEL,
        help="How many rules are kept: those with the best certificate, or all that were learnt.",
    ),
]
RuleTexts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        rich_help_panel=PANEL,
        help="A rule to begin with, written before looking at the data: "
        "'glucose > 127 and bmi > 29.9 -> positive'; repeatable.",
    ),
]
Kept = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL", rich_help_panel=PANEL, help="Rules test this column only; repeatable."
    ),
]
Forbidden = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL", rich_help_panel=PANEL, help="No rule tests this column; repeatable."
    ),
]
Forced = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL", rich_help_panel=PANEL, help="Every rule tests this column; repeatable."
    ),
]
MinPrecision = Annotated[
    float | None,
    typer.Option(rich_help_panel=PANEL, help="The least share of its class in what a rule covers."),
]
MinSupport = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Rows that a rule must cover rightly: a share of all below 1, else their number.",
    ),
]
MaxPValue = Annotated[
    float | None,
    typer.Option(rich_help_panel=PANEL, help="A rule's largest p-value by Fisher's exact test."),
]
MinGain = Annotated[
    float | None,
    typer.Option(rich_help_panel=PANEL, help="A rule's least information gain, in bits."),
]
MinRise = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="By which share of the score a longer rule must be better; 0.02 unless said.",
    ),
]


def search_rules(
    task: Task,
    learner: Learner,
    families: Sequence[str] | None,
    max_rules: int | None,
    options: Mapping[str, Any],
) -> tuple[PathEntry, list[PathEntry], str]:
    """Learn rules of several terms; choose among all sizes unless they are all to be kept.

    ``options`` are parameters of the estimators by name, None for what was not said.
    """
    said = parameters(task, {**options, "max_rules": max_rules})
    if "width" in said:
        said["width"] = said["width"] or None
    kind = ListSettings if learner is Learner.RULE_LIST else VoteSettings
    settings = kind(family=list(families or ["auto"]), **said)
    path = settings.path(task.sample)
    corrected = f", corrected by {settings.correction}" if settings.correction else ""
    how = f"{learner.value} by {settings.criterion}{corrected}"
    return path[settings.chosen(path)], path, how


def notices(entry: PathEntry, path: Sequence[PathEntry]) -> list[str]:
    """Explain a model without rules."""
    if entry.size:
        return []
    if any(other.size for other in path):
        return [
            "The model has no rules: one answer for all rows has a better certificate than the "
            f"{sum(other.size > 0 for other in path)} models with rules, or makes fewer errors. "
            "--size all keeps all rules that make fewer errors."
        ]
    return [
        "No rule was learnt: none that passes what is asked of rules (--min-precision and the "
        "like) covers more of its class than of the others and changes an answer."
    ]
