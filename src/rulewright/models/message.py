"""What a message says of a machine of single literals, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import (
    Message,
    Pool,
    Sort,
    covering_sets,
    log_covering_maps,
    rules_message,
)
from rulewright.data import Field
from rulewright.errors import CertificateError, InputError
from rulewright.families import Family
from rulewright.families.spaces import Spatial
from rulewright.models.rebuilding import Compressed, Word

MAX_TERMS = 1_000
"""Up to so many terms are added up to count exactly."""


def message_of(
    said: Compressed,
    labels: NDArray[np.int32],
    columns: Sequence[Field],
    families: Sequence[Family],
    *,
    settings: int,
    classes: int,
) -> Message:
    """Write down what the message says and what it costs.

    ``labels`` are the classes of the examples, in the order of their places.
    """
    offered = [family for family in families if family.all_options(columns)]
    try:
        if len(offered) == 1 and isinstance(offered[0], Spatial):
            return _space_message(said, labels, offered[0], settings, classes)
        return _mixed_message(said, columns, families, settings, classes)
    except InputError as error:
        raise CertificateError(f"The message has no words for this model: {error}") from error


def _space_message(
    said: Compressed, labels: NDArray[np.int32], family: Spatial, settings: int, classes: int
) -> Message:
    """Tell machines of balls, or of half-spaces, only.

    The classes of the examples tell much: a border is of another class than the rule speaks for,
    and so is one of a pair. What is left is which of the rules that the examples make these are.
    """
    counts = np.bincount(labels, minlength=classes).tolist()
    output = {"conjunction": 0, "disjunction": 1}.get(said.kind)
    least = family.fewest(counts, output)
    _check_default(said, classes)
    return rules_message(
        [Sort((0.0,) * len(said.words), least)] if said.places else [],
        [],
        settings=settings,
        which=_log_choices(said, family, counts, output),
        outputs=_default(said, classes),
        classes=classes,
        label="which examples go together",
    )


def _log_choices(
    said: Compressed, family: Spatial, counts: Sequence[int], output: int | None
) -> float:
    """Count the sets, or lists, of as many rules that use every example there is to use."""
    rules = len(said.words)
    if math.prod(count + 1 for count in counts) > MAX_TERMS:
        return _log_more_choices(said, family, len(counts))

    def choices(left: Sequence[int]) -> int:
        possible = family.makes(left, output, named=not said.implied)
        return math.comb(possible, rules) if output is not None else possible**rules

    every = range(len(counts))
    if not said.implied:
        ways = covering_sets(choices, counts, every)
    elif output is None:
        ways = choices(counts)
    else:
        # Of the other class, those that no rule is built around are borders, one a rule at most.
        others = counts[1 - output]
        ways = 0
        for used in range(max(others - rules, 0), others + 1):
            some = [used if c != output else counts[c] for c in every]
            ways += math.comb(others, used) * covering_sets(choices, some, every)
    if ways < 1:
        raise CertificateError(f"No {rules} rules use all of {list(counts)} examples.")
    return math.log(ways)


def _log_more_choices(said: Compressed, family: Family, classes: int) -> float:
    """Count them as if their classes told nothing: more than there are, and quickly."""
    (pool,) = _pools(said)
    choices = log_covering_maps(pool.places, pool.examples, pool.must)
    if said.kind != "list":
        return max(choices - math.lgamma(len(said.words) + 1), 0.0)
    kinds = family.list_options() * family.list_outputs(classes)
    return choices + len(said.words) * math.log(kinds)


def _mixed_message(
    said: Compressed,
    columns: Sequence[Field],
    families: Sequence[Family],
    settings: int,
    classes: int,
) -> Message:
    """Tell machines of any families: what each rule says, and which examples fill its places."""
    by_family = [[w for w in said.words if w.family == number] for number in range(len(families))]
    anchored = [number for number, family in enumerate(families) if family.anchored]
    free = [number for number, family in enumerate(families) if not family.anchored]
    sorts = []
    if said.places:
        for number in anchored:
            least = -(-len(said.places) // _places(families[number])) if len(anchored) == 1 else 0
            prices = _prices(by_family[number], [families[number]], columns)
            sorts.append(Sort(tuple(prices), least))
    elif any(by_family[number] for number in anchored):
        raise CertificateError("A rule needs an example that the certificate does not name.")
    if any(families[number].all_options(columns) for number in free):
        words = [word for number in free for word in by_family[number]]
        sorts.append(Sort(tuple(_prices(words, [families[n] for n in free], columns))))
    _check_default(said, classes)
    return rules_message(
        sorts,
        _pools(said),
        ordered=said.kind == "list",
        settings=settings,
        outputs=_outputs(said, families, classes) + _default(said, classes),
        classes=classes,
        label=_label(families),
    )


def _places(family: Family) -> int:
    return family.prototypes + family.borders


def _pools(said: Compressed) -> list[Pool]:
    """Say from how many examples the places in the rules are filled."""
    named = sum(len(word.prototypes) + len(word.borders) for word in said.words)
    examples = len(said.places)
    must = 0 if said.implied else examples  # some are there because they are implied
    return [Pool(named, examples, must)] if named else []


def _label(families: Sequence[Family]) -> str:
    if not any(family.prototypes for family in families):
        return "which columns and tests"
    return "which examples, columns and tests"


def _prices(
    words: Sequence[Word], families: Sequence[Family], columns: Sequence[Field]
) -> list[float]:
    """Price in nats of what each word says: which column, and which of its options.

    A space has no column to name. What belongs to no column counts as one column more.
    """
    if not words:
        return []
    if all(not family.lone for family in families):
        possible_words = sum(family.all_options(columns) for family in families)
        if not possible_words:
            raise CertificateError("A rule tests a space that no columns span.")
        return [math.log(possible_words)] * len(words)
    options: dict[str | None, int] = {
        column.name: sum(family.options(column) for family in families) for column in columns
    }
    options[None] = sum(family.extra_options() for family in families)
    possible = {name: count for name, count in options.items() if count}
    try:
        return [math.log(len(possible)) + math.log(possible[w.site.column]) for w in words]
    except KeyError as error:
        raise CertificateError(f"No family named could test column {error}.") from error


def _outputs(said: Compressed, families: Sequence[Family], classes: int) -> float:
    """Price what rules of a list answer, where that does not follow."""
    if said.kind != "list":
        return 0.0
    chosen = [families[word.family] for word in said.words]
    return sum(math.log(f.list_options()) + math.log(f.list_outputs(classes)) for f in chosen)


def _check_default(said: Compressed, classes: int) -> None:
    ends_alike = said.words and said.default == said.words[-1].output
    if said.kind == "list" and classes == 2 and ends_alike:
        raise CertificateError("A list of rules for two classes ends in the other class.")


def _default(said: Compressed, classes: int) -> float:
    """Price what is answered where no rule fires; of two classes it is the other one."""
    return math.log(classes) if said.kind == "list" and classes > 2 and said.words else 0.0
