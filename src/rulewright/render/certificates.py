"""Certificates as sentences: the errors and the bound first, what they rest on after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rulewright.render.formatting import (
    confidence_text,
    cost_text,
    count_text,
    lower_amount_text,
    number_text,
    percent_text,
)


def certificate_text(
    *,
    bound: float,
    delta: float,
    examples: int,
    bits: float,
    others: int,
    errors: int,
    guess: float,
    abstains: bool = False,
) -> str:
    """Sentences about a certificate from the training data.

    Parameters
    ----------
    bound, delta : float
        Bound on the error, and the probability that it fails.
    examples : int
        Size of the compression set.
    bits : float
        Length of the message.
    others, errors : int
        Training cases outside the compression set, and the errors among them.
    guess : float
        Error of always answering the most frequent class.
    abstains : bool
        Whether cases without an answer count as errors.
    """
    return (
        f"{_result(errors, others, 'training', abstains)} {_promise(bound, delta)} "
        f"The model is rebuilt from {count_text(examples, 'other training case')} (the "
        f"compression set) and a message of {bits:.1f} bits."
        f"{guess_remark(bound, guess, 'training')}"
    )


def holdout_text(
    *,
    bound: float,
    delta: float,
    held: int,
    errors: int,
    models: int,
    guess: float,
    abstains: bool = False,
) -> str:
    """Sentences about a certificate from rows that were held out of training.

    ``models`` is the number of models that these rows chose among.
    """
    chosen = f" The held-out cases chose among {models:,} models." if models > 1 else ""
    return (
        f"{_result(errors, held, 'held-out', abstains)} {_promise(bound, delta)}{chosen}"
        f"{guess_remark(bound, guess, 'held-out')}"
    )


def split_text(
    *,
    bound: float,
    delta: float,
    errors: int,
    check: int,
    guess: float,
    abstains: bool = False,
    groups: int | None = None,
    later: bool = False,
) -> str:
    """Sentences about a certificate from check rows, which were not used to learn the model.

    ``groups`` is the number of groups that the check rows form; ``later`` says that they are the
    latest rows.
    """
    kind = "later rows" if later else "rows"
    formed = "" if groups is None else f" in {groups:,} groups"
    outcome = "misclassified or left unanswered" if abstains else "misclassified"
    wrong = "Wrong or unanswered" if abstains else "Wrong"
    return (
        f"At most {percent_text(bound)} of new cases will be {outcome} ({confidence_text(delta)} "
        f"confidence). {wrong} on {errors:,} of {check:,} {kind}{formed} that were not "
        "used to learn it."
        f"{guess_remark(bound, guess, 'check')}"
    )


def written_text(
    *,
    bound: float,
    delta: float,
    rows: int,
    errors: int,
    guess: float,
    bits: float | None,
    abstains: bool = False,
) -> str:
    """Sentences about a certificate of rules that a person wrote or edited.

    ``bits`` is the length of the message that describes the rules; None where they were settled
    before the rows were seen.
    """
    grounds = (
        "The rules count as settled before these cases were seen: you say so, and nobody can check "
        "it."
        if bits is None
        else f"The rules may have been chosen with these cases: the bound pays for that with their "
        f"description, {bits:.1f} bits."
    )
    return (
        f"{_result(errors, rows, 'given', abstains)} {_promise(bound, delta)} {grounds}"
        f"{guess_remark(bound, guess, 'given')}"
    )


def regression_text(*, bound: float, delta: float, mean: float, scale: float, check: int) -> str:
    r"""Sentences about a bound on the mean error of a regression model.

    The bound is rounded up. Errors above ``scale`` count as this; it is rounded down, for which the
    bound holds as well.

    Examples
    --------
    >>> text = regression_text(bound=3.012, delta=0.05, mean=2.2, scale=20.0, check=142)
    >>> print(*text.split(". "), sep="\n")
    On average a new case is off by at most 3.02 (95 % confidence; errors above 20 count as 20)
    Mean error 2.2 on the 142 rows that were not used to learn it.
    """
    limit = lower_amount_text(scale)
    rows = "1 row that was" if check == 1 else f"{check:,} rows that were"
    return (
        f"On average a new case is off by at most {cost_text(bound)} ({confidence_text(delta)} "
        f"confidence; errors above {limit} count as {limit}). Mean error {mean:.3g} on the {rows} "
        "not used to learn it."
    )


def split_details_text(
    *, design: int, check: int, split: int, n_splits: int, place: int, pool_size: int, bits: float
) -> str:
    """Sentence about the split and the pool that a model is from."""
    return (
        f"Learnt from {design:,} of {design + check:,} rows and chosen with the help of all: "
        f"split {split} of {n_splits}, place {place} of {pool_size} candidates "
        f"({bits + 0.0:.1f} bits)."  # -0.0 becomes 0.0
    )


def certified_cost_text(
    *, bound: float, delta: float, mean: float, counted: str, costs: Sequence[tuple[str, float]]
) -> str:
    """Sentences about a bound on the cost of a new case.

    ``mean`` is the mean cost of the cases that were ``counted``, ``costs`` the cost of each class
    by its text.
    """
    listed = ", ".join(f"{label} {number_text(cost)}" for label, cost in costs)
    return (
        f"A new case costs at most {cost_text(bound)} on average ({confidence_text(delta)} "
        f"confidence). The {counted} cost {mean:.3g} on average. Cost of a misclassified case: "
        f"{listed}."
    )


COUNTED = {
    "compression": ("training", "training cases"),
    "holdout": ("held-out", "held-out cases"),
    "split": ("check", "rows that were not used to learn it"),
    "written": ("given", "given cases"),
}
"""What the errors of each form of certificate are counted on: as an adjective, and as a noun."""


def error_text(certificate: Any, costs: Sequence[float] | None) -> str:
    """Return the certified error in words.

    Where classes have costs, it is not compared with a guess: a model that avoids dear errors may
    make more of the others than the most frequent class would.
    """
    sentence: str = certificate.sentence
    if costs is None:
        return sentence
    kind, _ = COUNTED[certificate.form]
    return sentence.removesuffix(guess_remark(certificate.bound, certificate.majority_error, kind))


def mean_cost(certificate: Any, costs: Sequence[float]) -> float:
    """Return the mean cost of a row that the errors were counted on."""
    lost = math.fsum(n * cost for n, cost in zip(certificate.wrong, costs, strict=True))
    return lost / certificate.others if certificate.others else 0.0


def cost_sentence_text(certificate: Any, costs: Sequence[float], labels: Sequence[str]) -> str:
    """Return the certified cost of a new case in words, with the costs of the labelled classes."""
    _, counted = COUNTED[certificate.form]
    return certified_cost_text(
        bound=certificate.cost_bound(costs),
        delta=certificate.delta,
        mean=mean_cost(certificate, costs),
        counted=f"{certificate.others:,} {counted}",
        costs=list(zip(labels, costs, strict=True)),
    )


def error_interval_text(low: float, high: float, delta: float) -> str:
    """Sentence about a lower and an upper bound, rounded outwards."""
    floor = math.floor(low * 1000 + 1e-9) / 10
    return (
        f"The error rate is between {floor:.1f} % and {percent_text(high)} "
        f"({confidence_text(delta)} confidence for both ends at once)."
    )


def _result(errors: int, cases: int, kind: str, abstains: bool) -> str:
    outcome = "Wrong or unanswered" if abstains else "Wrong"
    share = f" ({100 * errors / cases:.1f} %)" if cases else ""
    return f"{outcome} on {errors:,} of {cases:,} {kind} case{'' if cases == 1 else 's'}{share}."


def _promise(bound: float, delta: float) -> str:
    return f"On new cases: at most {percent_text(bound)} ({confidence_text(delta)} confidence)."


def guess_remark(bound: float, guess: float, kind: str) -> str:
    """Remark on a bound that is no better than a guess, with a space before it; or nothing."""
    if bound >= 0.5 >= guess:
        return " This bound is no better than the toss of a coin."
    if bound < guess:
        return ""
    return (
        " This bound is weak: always answering the most frequent class is wrong on "
        f"{100 * guess:.1f} % of the {kind} cases."
    )
