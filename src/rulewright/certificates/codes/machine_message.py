"""Message of a machine of single literals, with its length."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import (
    LiteralGroup,
    Message,
    Pool,
    covering_sets,
    log_covering_maps,
    rules_message,
)
from rulewright.certificates.codes.machine_code import CodedRule, CompressedMachine
from rulewright.data import Field
from rulewright.errors import CertificateError, InputError
from rulewright.families import Family, Spatial

MAX_TERMS = 1_000
"""Maximum number of terms of an exact count; beyond it an upper limit is used."""


def machine_message(
    machine: CompressedMachine,
    labels: NDArray[np.int32],
    columns: Sequence[Field],
    families: Sequence[Family],
    *,
    settings: int,
    classes: int,
) -> Message:
    """Return the parts of the message, each with its length in nats.

    ``labels`` are the classes of the examples, in the order of their places.
    """
    offered = [family for family in families if family.all_options(columns)]
    try:
        if len(offered) == 1 and isinstance(offered[0], Spatial):
            return _space_message(machine, labels, offered[0], settings, classes)
        return _mixed_message(machine, columns, families, settings, classes)
    except InputError as error:
        raise CertificateError(f"No message describes this model: {error}") from error


def _space_message(
    machine: CompressedMachine,
    labels: NDArray[np.int32],
    family: Spatial,
    settings: int,
    classes: int,
) -> Message:
    """Return the message of a machine of balls only, or of half-spaces only.

    The classes of the examples leave few choices: a border has another class than the rule's
    output, and so has one of a pair. The message selects among the rules that the examples make.
    """
    counts = np.bincount(labels, minlength=classes).tolist()
    output = {"conjunction": 0, "disjunction": 1}.get(machine.kind)
    min_rules = family.min_rules(counts, output)
    _check_default(machine, classes)
    return rules_message(
        [LiteralGroup((0.0,) * len(machine.rules), min_rules)] if machine.places else [],
        [],
        settings=settings,
        which=_log_choices(machine, family, counts, output),
        outputs=_default(machine, classes),
        classes=classes,
        label="which examples go together",
    )


def _log_choices(
    machine: CompressedMachine, family: Spatial, counts: Sequence[int], output: int | None
) -> float:
    """Return the log of the number of rule sets, or lists, that use the whole compression set."""
    size = len(machine.rules)
    if math.prod(count + 1 for count in counts) > MAX_TERMS:
        return _log_more_choices(machine, family, len(counts))

    def choices(left: Sequence[int]) -> int:
        possible = family.makes(left, output, named=not machine.implied)
        return math.comb(possible, size) if output is not None else possible**size

    every = range(len(counts))
    if not machine.implied:
        ways = covering_sets(choices, counts, every)
    elif output is None:
        ways = choices(counts)
    else:
        # Examples of the other class that are no prototypes are borders, at most one per rule.
        others = counts[1 - output]
        ways = 0
        for used in range(max(others - size, 0), others + 1):
            some = [used if c != output else counts[c] for c in every]
            ways += math.comb(others, used) * covering_sets(choices, some, every)
    if ways < 1:
        raise CertificateError(f"{size} rules cannot use all of {list(counts)} examples.")
    return math.log(ways)


def _log_more_choices(machine: CompressedMachine, family: Family, classes: int) -> float:
    """Return an upper limit that ignores the classes, and is quick to compute."""
    (pool,) = _pools(machine)
    choices = log_covering_maps(pool.places, pool.examples, pool.must)
    if machine.kind != "list":
        return max(choices - math.lgamma(len(machine.rules) + 1), 0.0)
    kinds = family.list_options() * family.list_outputs(classes)
    return choices + len(machine.rules) * math.log(kinds)


def _mixed_message(
    machine: CompressedMachine,
    columns: Sequence[Field],
    families: Sequence[Family],
    settings: int,
    classes: int,
) -> Message:
    """Return the message of a machine of any families: its sites, and the examples in them."""
    by_family = [
        [rule for rule in machine.rules if rule.family == number] for number in range(len(families))
    ]
    anchored = [number for number, family in enumerate(families) if family.anchored]
    free = [number for number, family in enumerate(families) if not family.anchored]
    sorts = []
    if machine.places:
        for number in anchored:
            min_rules = (
                -(-len(machine.places) // _places(families[number])) if len(anchored) == 1 else 0
            )
            lengths = _site_lengths(by_family[number], [families[number]], columns)
            sorts.append(LiteralGroup(tuple(lengths), min_rules))
    elif any(by_family[number] for number in anchored):
        raise CertificateError("A rule needs an example that is not in the compression set.")
    if any(families[number].all_options(columns) for number in free):
        rules = [rule for number in free for rule in by_family[number]]
        sorts.append(
            LiteralGroup(tuple(_site_lengths(rules, [families[n] for n in free], columns)))
        )
    _check_default(machine, classes)
    return rules_message(
        sorts,
        _pools(machine),
        ordered=machine.kind == "list",
        settings=settings,
        outputs=_outputs(machine, families, classes) + _default(machine, classes),
        classes=classes,
        label=_label(families),
    )


def _places(family: Family) -> int:
    return family.prototypes + family.borders


def _pools(machine: CompressedMachine) -> list[Pool]:
    """Return the number of places in the rules and of the examples that fill them."""
    named = sum(len(rule.prototypes) + len(rule.borders) for rule in machine.rules)
    examples = len(machine.places)
    must = 0 if machine.implied else examples  # implied borders need no place
    return [Pool(named, examples, must)] if named else []


def _label(families: Sequence[Family]) -> str:
    if not any(family.prototypes for family in families):
        return "which columns and tests"
    return "which examples, columns and tests"


def _site_lengths(
    rules: Sequence[CodedRule], families: Sequence[Family], columns: Sequence[Field]
) -> list[float]:
    """Return the length in nats of each rule's site: its column, and its option there.

    A space has no column. Options without a column count as one more column.
    """
    if not rules:
        return []
    if all(not family.lone for family in families):
        possible_sites = sum(family.all_options(columns) for family in families)
        if not possible_sites:
            raise CertificateError("A rule tests a space, but no columns span it.")
        return [math.log(possible_sites)] * len(rules)
    options: dict[str | None, int] = {
        column.name: sum(family.options(column) for family in families) for column in columns
    }
    options[None] = sum(family.extra_options() for family in families)
    possible = {name: count for name, count in options.items() if count}
    try:
        return [math.log(len(possible)) + math.log(possible[rule.site.column]) for rule in rules]
    except KeyError as error:
        raise CertificateError(f"None of the families tests column {error}.") from error


def _outputs(machine: CompressedMachine, families: Sequence[Family], classes: int) -> float:
    """Return the length in nats of the outputs of a list's rules."""
    if machine.kind != "list":
        return 0.0
    chosen = [families[rule.family] for rule in machine.rules]
    return sum(math.log(f.list_options()) + math.log(f.list_outputs(classes)) for f in chosen)


def _check_default(machine: CompressedMachine, classes: int) -> None:
    ends_alike = machine.rules and machine.default == machine.rules[-1].output
    if machine.kind == "list" and classes == 2 and ends_alike:
        raise CertificateError(
            "The default of a list for two classes must differ from its last rule."
        )


def _default(machine: CompressedMachine, classes: int) -> float:
    """Return the length in nats of the default; of two classes it is the other one."""
    return math.log(classes) if machine.kind == "list" and classes > 2 and machine.rules else 0.0
