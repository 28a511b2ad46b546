"""The certificate on the page: sentences, bounds, what was done, and assumptions."""

from __future__ import annotations

import json
import math
from typing import Any

from rulewright.certificates import Certificate, PathEntry, SplitCertificate
from rulewright.errors import RulewrightError
from rulewright.learners import recipe_of
from rulewright.models import Model
from rulewright.render import (
    class_text,
    confidence_text,
    cost_text,
    error_interval_text,
    percent_text,
)
from rulewright.selection import LEARNERS, cost_sentence, error_sentence, model_costs

MAX_CLASSES = 6
"""Maximum number of classes for which the page shows a bound each."""

KEY_DIGITS = 16
"""Number of digits of a key that are shown."""


def certificate_facts(entry: PathEntry) -> dict[str, Any]:
    """Return what the page says of a certificate."""
    certificate, model = entry.certificate, entry.model
    split = certificate if isinstance(certificate, SplitCertificate) else None
    return {
        "form": getattr(certificate, "form", "compression"),
        "sentence": error_sentence(model),
        "cautions": list(certificate.cautions),
        "bound": percent_text(certificate.bound),
        "confidence": confidence_text(certificate.delta),
        "message": [(what, _bits(nats)) for what, nats in certificate.message],
        "printed": certificate.printed_bound and percent_text(certificate.printed_bound),
        "bits": _bits(certificate.message_nats),
        "others": certificate.others,
        "aside": sum(certificate.aside),
        "errors": certificate.errors,
        "by_class": _by_class(model, certificate),
        "interval": split and error_interval_text(*split.interval, split.delta),
        "details": split and split.details,
        "done": _done(split) if split else [],
        "cost": _cost_facts(model),
        "assumptions": _assumptions(certificate, model),
    }


def _bits(nats: float) -> str:
    return f"{nats / math.log(2):.1f}"


def _by_class(model: Model, certificate: Certificate) -> list[dict[str, str]]:
    """Return bounds on the errors among each class; of two, the positive one comes first."""
    if len(model.classes) > MAX_CLASSES:
        return []
    bounds = zip(model.classes, certificate.class_bounds, strict=True)
    parts = [{"label": class_text(label), "bound": percent_text(bound)} for label, bound in bounds]
    return parts[::-1] if len(parts) == 2 else parts


def _cost_facts(model: Model) -> dict[str, str] | None:
    """Return the certified cost of a new case, where the certificate names the costs."""
    sentence, costs = cost_sentence(model), model_costs(model)
    if sentence is None or costs is None or model.certificate is None:
        return None
    return {"bound": cost_text(model.certificate.cost_bound(costs)), "sentence": sentence}


def _assumptions(certificate: Certificate, model: Model) -> list[str]:
    return certificate.assumptions(model) if isinstance(certificate, Certificate) else []


def _done(certificate: SplitCertificate) -> list[tuple[str, str]]:
    """Return how the certificate was made, line by line."""
    recipe = certificate.recipe
    drawn = "by a hash of data and recipe"
    if certificate.seed is not None:
        drawn = f"by the seed {certificate.seed}"
    tail = certificate.tail
    return [
        ("rows", f"{certificate.design + certificate.m:,}"),
        ("design rows, from which candidates were learnt", f"{certificate.design:,}"),
        ("check rows, on which errors were counted", f"{certificate.m:,}"),
        ("errors on the check rows", f"{certificate.errors:,}"),
        ("split of the rows", f"{certificate.split} of {certificate.n_splits}, drawn {drawn}"),
        ("place among the candidates", f"{certificate.place} of {certificate.pool_size}"),
        ("price of the choice", f"{_bits(certificate.message_nats)} bits"),
        *([] if tail is None else [("compression form alone", percent_text(tail.bound))]),
        ("recipe", _recipe_text(recipe)),
        ("version of rulewright", recipe["version"]),
        ("key of the splits", f"{certificate.key[:KEY_DIGITS]}..."),
    ]


def _recipe_text(recipe: dict[str, Any]) -> str:
    """Return the learner, and the parameters that differ from the defaults."""
    try:
        usual = recipe_of(LEARNERS[recipe["learner"]]())["parameters"]
    except (KeyError, RulewrightError):
        usual = {}
    changed = [
        f"{name} {json.dumps(value, ensure_ascii=False)}"
        for name, value in recipe["parameters"].items()
        if name not in usual or usual[name] != value
    ]
    return ", ".join([f"learner {recipe['learner']}", *changed])
