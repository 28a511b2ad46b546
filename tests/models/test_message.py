"""The message is a prefix code: all models of the same examples together weigh at most one."""

import itertools
import math

import numpy as np
import pytest

from rulewright.data import Field
from rulewright.errors import CertificateError
from rulewright.families import Balls, Categories, HalfSpaces, Missings, Site, Thresholds
from rulewright.models.message import message_of
from rulewright.models.rebuilding import Compressed, Word

COLUMNS = (Field("a", "numeric"), Field("b", "numeric"), Field("c", "text", 2))
FAMILIES = {
    "thresholds": [Thresholds()],
    "auto": [Thresholds(), Categories(), Missings()],
    "balls": [Balls()],
    "simple balls": [Balls(types="simple")],
    "half-spaces": [HalfSpaces()],
    "balls and thresholds": [Balls(), Thresholds()],
    "half-spaces and balls": [HalfSpaces(), Balls(types="simple")],
}


def sites(family, side):
    match family.name:
        case "thresholds":
            return [Site(c, (above, False)) for c in ("a", "b") for above in (False, True)]
        case "categories":
            return [Site("c", (value, among)) for value in "xy" for among in (False, True)]
        case "missing":
            return [Site(c, (missing,)) for c in "abc" for missing in (False, True)]
        case "balls":
            inside = [True] if family.types == "simple" else [True, False]
            return [Site(None, (side, fires_inside)) for fires_inside in inside]
        case "half_spaces":
            return [Site(None, (side,))]


def words(families, labels, kind, classes, implied):
    """All that can be said of one rule."""
    side = kind != "conjunction"
    outputs = range(classes) if kind == "list" else [0 if kind == "conjunction" else 1]
    places = range(len(labels))
    for number, family in enumerate(families):
        named = 0 if implied else family.borders
        for site in sites(family, side):
            for prototypes in itertools.product(places, repeat=family.prototypes):
                for borders in itertools.product(places, repeat=named):
                    for output in outputs:
                        classes_of = [labels[place] for place in prototypes]
                        if family.fits(site, classes_of, output):
                            yield Word(number, site, prototypes, borders, output)


def uses(listed, roles, families, implied):
    """Whether these rules use the examples in just these roles."""
    used = {}
    for role in roles:
        used[role] = {
            place
            for word in listed
            if families[word.family].role == role
            for place in word.prototypes
        }
    last = list(roles)[-1]
    used[last] = {place for word in listed for place in word.borders}
    taken = set()
    for role, rows in roles.items():
        if role == last and implied:
            continue  # which examples are borders follows from more than the words
        if used[role] - taken != set(rows):
            return False
        taken |= used[role]
    return True


def roles_of(families, sizes):
    names = [f.role for f in sorted(families, key=lambda f: f.prototypes) if f.role]
    names.append("borders" if names else "anchors")
    places = iter(range(sum(sizes)))
    return {
        name: tuple(next(places) for _ in range(size))
        for name, size in zip(names, sizes, strict=True)
    }


@pytest.mark.parametrize("kind", ["conjunction", "list"])
@pytest.mark.parametrize("implied", [False, True])
@pytest.mark.parametrize("labels", [(0, 1), (1, 0), (0, 1, 1), (0, 2, 1)])
@pytest.mark.parametrize("name", FAMILIES)
def test_kraft_holds_over_all_models_of_the_same_examples(name, labels, implied, kind):
    families = FAMILIES[name]
    classes = 1 + max(labels)
    if classes > 2 and kind != "list":
        return
    last = 1 + sum(bool(f.role) for f in families)
    longest = 2 if len(labels) > 2 or last > 2 or len(families) > 1 else 3
    single = list(words(families, labels, kind, classes, implied))
    for sizes in itertools.product(range(len(labels) + 1), repeat=last):
        if sum(sizes) != len(labels):
            continue
        roles = roles_of(families, sizes)
        total = 0.0
        choose = itertools.product if kind == "list" else itertools.combinations
        for r in range(longest + 1):
            every = choose(single, repeat=r) if kind == "list" else choose(single, r)
            for listed in every:
                if uses(listed, roles, families, implied):
                    total += weight_of(
                        Compressed(kind, roles, listed, 0, implied), labels, families
                    )
        assert total <= 1 + 1e-9, (roles, total)


def weight_of(said, labels, families):
    """Probability that the code gives a model, over all answers that it may end in."""
    classes = 1 + max(labels)
    total = 0.0
    defaults = range(classes) if said.kind == "list" or not said.words else [0]
    for default in defaults:
        said = Compressed(said.kind, said.roles, said.words, default, said.implied)
        try:
            message = message_of(
                said, np.array(labels), COLUMNS, families, settings=1, classes=classes
            )
        except CertificateError:
            continue  # the code has no words for it
        total += math.exp(-sum(nats for _, nats in message))
    return total
