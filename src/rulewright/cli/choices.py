"""Which learners there are, and which options go with each."""

from __future__ import annotations

from enum import Enum

import typer


class Learner(str, Enum):
    """What can be learnt."""

    AUTO = "auto"
    SCM = "scm"
    DLM = "dlm"
    TREE = "tree"
    RULE_LIST = "rule-list"
    RULE_VOTE = "rule-vote"
    RIPPER = "ripper"
    SLIPPER = "slipper"
    TREE_RULES = "tree-rules"


MACHINES = (Learner.SCM, Learner.DLM)
INDUCERS = (Learner.RULE_LIST, Learner.RULE_VOTE)
CLASSICS = (Learner.RIPPER, Learner.SLIPPER, Learner.TREE_RULES)
"""Learners of systems that are known by their names; they decide for themselves what to test."""
NOT_CLASSICS = tuple(learner for learner in Learner if learner not in CLASSICS)

ONLY_FOR: dict[str, tuple[Learner, ...]] = {
    "kind": (Learner.SCM,),
    "p": MACHINES,
    "types": (Learner.DLM,),
    "consistent": (Learner.AUTO, *MACHINES, Learner.TREE),  # of trees the search itself refuses it
    "max_rules": (Learner.AUTO, *MACHINES, *INDUCERS),
    "covering": (Learner.RULE_LIST,),
    "family": NOT_CLASSICS,
    **dict.fromkeys(("optimisations", "prune", "algorithm", "min_covered"), (Learner.RIPPER,)),
    "time_budget": CLASSICS,
    "rounds": (Learner.SLIPPER,),
    **dict.fromkeys(("trials", "base", "winnow", "confidence"), (Learner.TREE_RULES,)),
    **dict.fromkeys(("preset", "pruning", "max_leaves"), (Learner.TREE,)),
    **dict.fromkeys(
        ("metric", "kernel", "gamma", "degree", "coef0", "scale", "max_candidates"),
        (Learner.AUTO, *MACHINES, Learner.TREE),
    ),
    **dict.fromkeys(
        (
            *("criterion", "correction", "size", "max_terms", "width", "default", "conditions"),
            *("rule", "keep", "forbid", "force"),
            *("min_precision", "min_support", "max_p_value", "min_gain", "min_rise"),
        ),
        INDUCERS,
    ),
}
"""Options that are not for every learner, by the names of their parameters."""


def refuse_strange(context: typer.Context, learner: Learner) -> None:
    """Refuse what was typed and is not for this learner, rather than ignore it."""
    for option in context.command.params:
        name = option.name or ""
        known = ONLY_FOR.get(name, (learner,))
        source = context.get_parameter_source(name)
        typed = source is not None and source.name == "COMMANDLINE"
        if typed and learner not in known:
            raise typer.BadParameter(
                f"{option.opts[0]} is for --learner {_listed(known)}, not for {learner.value}."
            )


def _listed(learners: tuple[Learner, ...]) -> str:
    *first, last = (learner.value for learner in learners)
    return f"{', '.join(first)} or {last}" if first else last


def best_of(how: str, count: int) -> str:
    """Say how a model was found, and of how many it is the best."""
    return f"{how}, the best certificate of {count}" if count > 1 else how
