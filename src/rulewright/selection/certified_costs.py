"""Costs of the classes that a model was chosen by, and what its certificate says of them."""

from __future__ import annotations

import numpy as np

from rulewright.certificates import SplitCertificate
from rulewright.data import Table
from rulewright.errors import RulewrightError
from rulewright.learners import Sample, settings_of
from rulewright.models import Model
from rulewright.render import class_text, cost_sentence_text, error_text
from rulewright.selection.recipes import LEARNERS


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


def error_sentence(model: Model) -> str:
    """Return the certified error in words, compared with a guess only where there are no costs."""
    assert model.certificate is not None
    return error_text(model.certificate, model_costs(model))


def cost_sentence(model: Model) -> str | None:
    """Return the certified cost of a new case in words; None where ``model_costs`` is None."""
    costs = model_costs(model)
    if costs is None or model.certificate is None:
        return None
    return cost_sentence_text(model.certificate, costs, list(map(class_text, model.classes)))
