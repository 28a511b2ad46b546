"""Certificates: bounds on a model's error on new cases, which anyone can check.

A certificate has a form: compression or hold-out (``certificates.forms``). The compression form
needs message codes (``certificates.codes``). Here are also verification, cautions and assumptions,
and model files with their certificates. May import: models, families, render, and below. To add a
form: write its class in a new module of ``certificates.forms``, and enter it in ``FORMS``.
"""

__all__ = [
    "FORMS",
    "SPLITS",
    "CandidatePool",
    "Certificate",
    "Code",
    "CompressionCertificate",
    "DesignRows",
    "HoldoutCertificate",
    "PathEntry",
    "PoolMember",
    "RecipeResult",
    "RowSplitter",
    "SplitCertificate",
    "Verification",
    "aside_and_tested_rows",
    "category_cautions",
    "cautions",
    "certificate_from_json",
    "certified_front",
    "certify",
    "certify_held_out",
    "certify_split",
    "counted_evidence",
    "from_json",
    "held_rows",
    "load_model",
    "make_splitter",
    "model_schema",
    "save_model",
    "scored_pool",
    "split_message",
    "table_assumptions",
    "to_json",
    "unlabelled_caution",
]

from rulewright.certificates.assumptions import table_assumptions
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import aside_and_tested_rows
from rulewright.certificates.codes import Code
from rulewright.certificates.evidence import counted_evidence
from rulewright.certificates.forms import (
    FORMS,
    CompressionCertificate,
    HoldoutCertificate,
    SplitCertificate,
    certificate_from_json,
    certify,
    certify_held_out,
    certify_split,
    held_rows,
    scored_pool,
    split_message,
)
from rulewright.certificates.model_cautions import category_cautions, cautions, unlabelled_caution
from rulewright.certificates.model_files import from_json, load_model, model_schema
from rulewright.certificates.path import PathEntry, certified_front
from rulewright.certificates.pools import CandidatePool, PoolMember
from rulewright.certificates.recipes import DesignRows, RecipeResult
from rulewright.certificates.splits import SPLITS, RowSplitter, make_splitter
from rulewright.certificates.verification import Verification
from rulewright.models import save_model, to_json
