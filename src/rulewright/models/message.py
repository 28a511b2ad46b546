"""What a message says of a model, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message, Pool, Sort, rules_message
from rulewright.data import Field
from rulewright.errors import CertificateError, InputError
from rulewright.families import Family
from rulewright.models.rebuilding import Compressed, Word


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
    by_family = [
        [word for word in said.words if word.family == number] for number in range(len(families))
    ]
    anchored = [number for number, family in enumerate(families) if family.anchored]
    free = [number for number, family in enumerate(families) if not family.anchored]
    sorts = []
    if said.places:
        sorts += [_sort(families, n, by_family[n], said, labels, columns) for n in anchored]
    elif any(by_family[number] for number in anchored):
        raise CertificateError("A rule needs an example that the certificate does not name.")
    if any(_options(families[number], columns) for number in free):
        words = [word for number in free for word in by_family[number]]
        sorts.append(Sort(tuple(_prices(words, [families[n] for n in free], columns)), 0))
    try:
        return rules_message(
            sorts,
            _pools(said, families, labels),
            ordered=said.kind == "list",
            settings=settings,
            outputs=_outputs(said, families, classes),
            classes=classes,
            label=_label(families),
        )
    except InputError as error:
        raise CertificateError(f"The message has no words for this model: {error}") from error


def _label(families: Sequence[Family]) -> str:
    if not any(family.prototypes for family in families):
        return "which columns and tests"
    if all(family.prototypes for family in families):
        return "which examples go together"
    return "which examples, columns and tests"


def _options(family: Family, columns: Sequence[Field]) -> int:
    return sum(family.options(column) for column in columns) + family.extra_options()


def _prices(
    words: Sequence[Word], families: Sequence[Family], columns: Sequence[Field]
) -> list[float]:
    """Price in nats of what each word says: which column, and which of its options.

    A space has no column to name. What belongs to no column counts as one column more.
    """
    if all(not family.lone for family in families):
        return [0.0] * len(words)
    options: dict[str | None, int] = {
        column.name: sum(family.options(column) for family in families) for column in columns
    }
    options[None] = sum(family.extra_options() for family in families)
    possible = {name: count for name, count in options.items() if count}
    try:
        return [math.log(len(possible)) + math.log(possible[w.site.column]) for w in words]
    except KeyError as error:
        raise CertificateError(f"No family named could test column {error}.") from error


def _sort(
    families: Sequence[Family],
    number: int,
    words: Sequence[Word],
    said: Compressed,
    labels: NDArray[np.int32],
    columns: Sequence[Field],
) -> Sort:
    """Price the literals of an anchored family; of several families, each tells how many."""
    family = families[number]
    prices = tuple(_prices(words, [family], columns))
    if sum(f.anchored for f in families) > 1:
        return Sort(prices, 0)
    if not _once(family, said):
        return Sort(prices, _least(family, said, labels))
    if len(words) != len(said.roles[family.role]):
        raise CertificateError("An example is the centre of two rules.")
    return Sort(prices, None)


def _once(family: Family, said: Compressed) -> bool:
    """Whether every centre serves exactly one rule, so that their number is known."""
    if family.prototypes != 1:
        return False
    return said.implied if said.kind != "list" else family.list_options() == 1


def _least(family: Family, said: Compressed, labels: NDArray[np.int32]) -> int:
    """Count the fewest rules that could make use of all the examples."""
    prototypes = [said.places.index(row) for row in said.roles.get(family.role, ())]
    if family.prototypes < 2:
        least = len(prototypes)
    elif said.kind == "list":
        least = -(-len(prototypes) // 2)
    else:  # the class tells which of a pair an example is
        least = int(max(np.bincount(labels[prototypes], minlength=2)))
    borders = len(said.roles["borders" if family.role else "anchors"])
    return max(least, -(-borders // family.borders))


def _pools(said: Compressed, families: Sequence[Family], labels: NDArray[np.int32]) -> list[Pool]:
    """Say from how many examples the places in the rules are filled."""
    role_of = {row: role for role, rows in said.roles.items() for row in rows}
    roles = [role_of[row] for row in said.places]
    pools = []
    for role in [role for role in said.roles if role not in ("borders", "anchors")]:
        family = next(f for f in families if f.role == role)
        words = [word for word in said.words if families[word.family].role == role]
        earlier = list(said.roles)[: list(said.roles).index(role) + 1]
        groups = _groups(said, family, labels)
        for members in groups:
            places = sum(len(w.prototypes) if len(groups) == 1 else 1 for w in words)
            pool = [i for i in members if roles[i] in earlier]
            if family.prototypes == 1:
                pool = [i for i in pool if roles[i] == role]
            must = sum(roles[i] == role for i in pool)
            pools.append(Pool(places, len(pool), must))
    named = sum(len(word.borders) for word in said.words)
    if named:
        must = sum(role in ("borders", "anchors") for role in roles)
        if said.implied:
            must = 0  # some of them are there because they are implied
        pools.append(Pool(named, len(roles), must))
    return pools


def _groups(said: Compressed, family: Family, labels: NDArray[np.int32]) -> list[list[int]]:
    """Split the examples into those that can stand in the same places of a pair.

    In a conjunction or disjunction the class tells which of a pair an example is.
    """
    everything = list(range(len(said.places)))
    if family.prototypes != 2 or said.kind == "list":
        return [everything]
    output = 0 if said.kind == "conjunction" else 1
    return [[i for i in everything if (labels[i] == output) == own] for own in (True, False)]


def _outputs(said: Compressed, families: Sequence[Family], classes: int) -> float:
    """Price what rules of a list answer, and the default where it is not the other class."""
    if said.kind != "list":
        return 0.0
    if classes == 2 and said.words and said.default == said.words[-1].output:
        raise CertificateError("A list of rules for two classes ends in the other class.")
    price = math.log(classes) if classes > 2 and said.words else 0.0
    for word in said.words:
        family = families[word.family]
        price += math.log(family.list_options()) + math.log(family.list_outputs(classes))
    return price
