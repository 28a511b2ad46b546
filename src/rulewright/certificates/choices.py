"""The price of a choice among several settings by the data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from rulewright.bounds import SETTINGS, Message
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.forms import (
    CompressionCertificate,
    HoldoutCertificate,
    SplitCertificate,
    holdout_message,
    split_message,
)

AnyCertificate = TypeVar("AnyCertificate", bound=Certificate)


def chosen_among(certificate: AnyCertificate, count: int) -> AnyCertificate:
    """Return the certificate that also pays for a choice among ``count`` settings.

    If each of the settings has an equal part of delta, all their certificates hold at once. So the
    message is longer by the logarithm of ``count``.
    """
    if count == 1:
        return certificate
    settings = certificate.settings * count
    longer = replace(certificate, settings=settings, message=_message(certificate, settings))
    if isinstance(longer, SplitCertificate) and longer.tail is not None:
        longer = replace(longer, tail=chosen_among(longer.tail, count))
    return replace(longer, bound=longer.recomputed_bound())


def _message(certificate: Certificate, settings: int) -> Message:
    match certificate:
        case SplitCertificate() as c:
            return split_message(c.split, c.n_splits, c.place, c.pool_size, c.log_prior, settings)
        case HoldoutCertificate():
            return holdout_message(settings)
        case CompressionCertificate():
            others = [part for part in certificate.message if part[0] != SETTINGS]
            return ((SETTINGS, math.log(settings)), *others)
    raise TypeError(f"There is no message for a certificate of the form {certificate.form!r}.")
