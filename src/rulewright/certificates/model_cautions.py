"""Cautions: signs in the data that a certificate may not hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import compression_tail
from rulewright.certificates.checks import aside_and_tested_rows
from rulewright.certificates.exchangeability import order_cautions
from rulewright.certificates.repetition import repetition_cautions
from rulewright.data import CategoricalColumn, Table
from rulewright.families import ExpertTests, Family
from rulewright.models import Model
from rulewright.render import percent_text
from rulewright.rules import Arrangement, Interval, literals_of

if TYPE_CHECKING:
    from rulewright.certificates.certificate import Certificate

MAX_UNSEEN = 0.02
"""Maximum share of new cases with an unseen category that gets no caution."""
RARE = 0.001
"""Probability below which a distribution of errors gets a caution."""

Mask = NDArray[np.bool_]


def cautions(
    model: Model,
    training: Table,
    y: NDArray[np.int32],
    *,
    order: NDArray[np.intp] | None = None,
    places: NDArray[np.intp] | None = None,
) -> tuple[str, ...]:
    """Return the cautions about a model's certificate from these rows.

    They are about categories that training can hardly have shown all, rows that look ordered in
    time or by class, repeated rows, and errors among the rows that do not count.

    Parameters
    ----------
    model : Model
    training, y : the training rows in the user's order, and their class numbers
    order : array of int, optional
        These rows in the order of the search; by default the user's.
    places : array of int, optional
        Positions of the compression set in that order; by default the certificate's row numbers.
    """
    wrong = model.body.classify(training) != y
    certificate: Certificate | None = model.certificate
    return (
        *category_cautions(model, training),
        *row_cautions(training, y, wrong, model.classes),
        *_aside_cautions(certificate, wrong if order is None else wrong[order], places),
    )


def row_cautions(
    training: Table, y: NDArray[np.int32], wrong: Mask, classes: Sequence[object]
) -> tuple[str, ...]:
    """Return the cautions about rows that look ordered in time or by class, and repeated rows."""
    return (*order_cautions(training, y, wrong, classes), *repetition_cautions(training, y))


def _aside_cautions(
    c: Certificate | None, wrong: Mask, places: NDArray[np.intp] | None
) -> list[str]:
    """Return a caution about many errors among the rows set aside, which do not count."""
    if c is None or c.m != wrong.size or not any(c.aside):
        return []
    rebuilding = np.array(c.examples if places is None else places, np.intp)
    aside, tested = aside_and_tested_rows(c.families, rebuilding, wrong.size)
    found, others = int(wrong[aside].sum()), int(wrong[tested].sum())
    rows, rest = int(aside.sum()), int(tested.sum())
    if chance_of_more(found, rows, others, rest) >= RARE:
        return []
    return [
        f"The model misjudges {found} of the {rows} rows set aside to measure columns "
        f"({_share(found, rows)}), but {others} of the {rest} rows that it was tested on "
        f"({_share(others, rest)}). Fewer than 1 in {round(1 / RARE)} random orders of the rows do "
        "that, and the bound counts only the latter: check the model on new rows."
    ]


def held_out_caution(learnt: Mask, held: Mask, models: int) -> list[str]:
    """Return a caution about a model with fewer errors on rows held out than on the others.

    ``learnt`` and ``held`` are masks of errors; ``models`` is the number of models compared on the
    rows held out.
    """
    found, others = int(learnt.sum()), int(held.sum())
    if models * chance_of_more(found, learnt.size, others, held.size) >= RARE:
        return []
    return [
        f"The model misjudges {found} of the {learnt.size} training rows that were not held out "
        f"({_share(found, learnt.size)}), but only {others} of the {held.size} rows held out "
        f"({_share(others, held.size)}). Learning without these rows hardly ever does that: the "
        "model, the seed or the rows were probably chosen to fit them."
    ]


def expert_caution(c: Certificate, body: Arrangement) -> list[str]:
    """Return a caution with the bound that holds if experts chose their numbers from the data."""
    used = [part for part in literals_of(body) if _is_written(part, c.families)]
    numbers = sum(2 if isinstance(part, Interval) else hasattr(part, "cut") for part in used)
    guess = c.majority_error
    free = c.m - len(c.examples) - sum(c.aside)
    if not numbers or c.bound >= guess:
        return []
    bound = 1.0
    if numbers < free:
        bound = compression_tail(
            m=c.m,
            roles=[len(c.examples) + numbers],
            k=min(c.errors, free - numbers),
            log_message=c.message_nats,
            delta=c.delta,
            aside=sum(c.aside),
        )
    if bound < guess:
        return []
    return [
        f"The model uses {len(used)} tests that a person wrote, with {numbers} numbers. If these "
        f"were chosen by looking at the data, the bound would be {percent_text(bound)} and not "
        f"{percent_text(c.bound)}, and always answering the most frequent class misjudges "
        f"{percent_text(guess)}."
    ]


def _is_written(part: object, families: Sequence[Family]) -> bool:
    return any(
        family.site(part) is not None  # type: ignore[arg-type]
        for family in families
        if isinstance(family, ExpertTests)
    )


def unlabelled_caution(absent: int, rows: int) -> list[str]:
    """Return a caution about rows without a class."""
    if not absent:
        return []
    return [
        f"{absent} of the {rows} rows have no class and do not count. The certificate is about new "
        "cases like the others: it is not true if the class is missing more often where the model "
        "is wrong."
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def chance_of_more(found: int, rows: int, others: int, rest: int) -> float:
    """Return the probability that some rows have this many errors or more, in a random order.

    Fisher's exact test, one-sided: ``found`` errors among ``rows``, ``others`` among the ``rest``.

    Examples
    --------
    >>> round(chance_of_more(3, 4, 1, 4), 4)
    0.2429
    """
    errors = found + others
    everything = _log_choose(rows + rest, errors)
    chances = (
        math.exp(_log_choose(rows, k) + _log_choose(rest, errors - k) - everything)
        for k in range(found, min(rows, errors) + 1)
    )
    return min(1.0, math.fsum(chances))


def _log_choose(n: int, k: int) -> float:
    if not 0 <= k <= n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def category_cautions(model: Model, training: Table) -> list[str]:
    """Return cautions about columns whose categories training can hardly have shown all.

    A certificate counts the categories of a column as known beforehand. The more of them are seen
    only once, the more there must be that were not seen.
    """
    found = []
    for name in model.body.columns:
        column = training.column(name)
        if isinstance(column, CategoricalColumn):
            categories, unseen = int((column.counts > 0).sum()), column.unseen_share()
            found.append(unseen_category_caution(name, categories, training.rows, unseen))
    return [caution for caution in found if caution]


def unseen_category_caution(name: str, categories: int, rows: int, unseen: float) -> str:
    """Return a caution about a column in which many new cases will have an unseen category.

    ``unseen`` is the estimated share of these. Where it is small, the text is empty.
    """
    if unseen <= MAX_UNSEEN:
        return ""
    return (
        f"Column {name!r} has {categories} categories in {rows} rows, so about "
        f"{100 * unseen:.0f} % of new cases will show one that training did not. The certificate "
        "counts all categories as known beforehand: do not rely on it here, but leave the column "
        "out or merge its rare categories."
    )
