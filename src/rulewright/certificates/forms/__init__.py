"""Forms of certificates, by name.

To add a form: write its class in a new module here, and enter it in ``FORMS``.
"""

__all__ = [
    "FORMS",
    "TAIL_PARTS",
    "CompressionCertificate",
    "HoldoutCertificate",
    "SplitCertificate",
    "WrittenCertificate",
    "certificate_from_json",
    "certificate_schema",
    "certify",
    "certify_held_out",
    "certify_split",
    "certify_written",
    "group_losses",
    "held_rows",
    "holdout_message",
    "mean_group_loss",
    "measured_families",
    "scored_pool",
    "split_message",
]

from rulewright.certificates.forms.compression import CompressionCertificate, certify
from rulewright.certificates.forms.compression_checks import measured_families
from rulewright.certificates.forms.holdout import (
    HoldoutCertificate,
    certify_held_out,
    held_rows,
    holdout_message,
)
from rulewright.certificates.forms.registry import FORMS, certificate_from_json, certificate_schema
from rulewright.certificates.forms.split import (
    TAIL_PARTS,
    SplitCertificate,
    certify_split,
    group_losses,
    mean_group_loss,
    scored_pool,
    split_message,
)
from rulewright.certificates.forms.written import WrittenCertificate, certify_written
