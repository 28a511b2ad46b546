"""Costs of the classes that a model was chosen by, and what its certificate says of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rulewright.certificates import Certificate, SplitCertificate
from rulewright.data import Table
from rulewright.errors import RulewrightError
from rulewright.learners import Sample, settings_of
from rulewright.models import Model
from rulewright.render import certified_cost_text, class_text, guess_remark
from rulewright.selection.recipes import LEARNERS

COUNTED = {
    "compression": ("training", "training cases"),
    "holdout": ("held-out", "held-out cases"),
    "split": ("check", "rows that were not used to learn it"),
    "written": ("given", "given cases"),
}
"""What the errors of each form of certificate are counted on: as an adjective, and as a noun."""


def model_costs(model: Model) -> tuple[float, ...] | None:
    """Return the costs of the classes that a model was chosen by; None where there are none.

    A split certificate names them in its recipe, which ``verify`` checks. Otherwise the model does.
    """
    costs = _recipe_costs(model)
    return model.class_costs if costs is None else costs


def _recipe_costs(model: Model) -> tuple[float, ...] | None:
    """Return the costs of the classes that a model was chosen by, from its split certificate.

    None where there are no costs, where the certificate has another form, and where this version
    cannot read the recipe.
    """
    certificate = model.certificate
    if not isinstance(certificate, SplitCertificate):
        return None
    weight = np.array(model.evidence, np.float64).sum(axis=0)
    y = np.flatnonzero(weight > 0).astype(np.int32)
    sample = Sample.of(Table([], y.size), y, model.classes, weight=weight[y])
    try:
        settings, _ = settings_of(certificate.recipe, LEARNERS)
        costs = settings.costs(sample)
    except RulewrightError:
        return None
    return None if costs is None else tuple(map(float, costs))


def mean_cost(certificate: Certificate, costs: Sequence[float]) -> float:
    """Return the mean cost of a row that the errors were counted on."""
    lost = math.fsum(n * cost for n, cost in zip(certificate.wrong, costs, strict=True))
    return lost / certificate.others if certificate.others else 0.0


def error_sentence(model: Model) -> str:
    """Return the certified error in words.

    Where classes have costs, it is not compared with a guess: a model that avoids dear errors may
    make more of the others than the most frequent class would.
    """
    certificate = model.certificate
    assert certificate is not None
    sentence: str = certificate.sentence
    if model_costs(model) is None:
        return sentence
    kind, _ = COUNTED[certificate.form]
    return sentence.removesuffix(guess_remark(certificate.bound, certificate.majority_error, kind))


def cost_sentence(model: Model) -> str | None:
    """Return the certified cost of a new case in words; None where ``model_costs`` is None."""
    certificate, costs = model.certificate, model_costs(model)
    if costs is None or certificate is None:
        return None
    labels = [class_text(label) for label in model.classes]
    _, counted = COUNTED[certificate.form]
    return certified_cost_text(
        bound=certificate.cost_bound(costs),
        delta=certificate.delta,
        mean=mean_cost(certificate, costs),
        counted=f"{certificate.others:,} {counted}",
        costs=list(zip(labels, costs, strict=True)),
    )
