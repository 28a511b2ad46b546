"""Certificates: bounds on a model's error on new cases, which anyone can check.

A certificate has a form: compression, hold-out, split or written (``certificates.forms``). The
compression form needs message codes (``certificates.codes``). Here are also verification, cautions
and assumptions, rules that a person edited, and model files with their certificates. May import:
models, families, render, and below. To add a form: write its class in a new module of
``certificates.forms``, and enter it in ``FORMS``.
"""

__all__ = [
    "FORMS",
    "LOSS_WEIGHT",
    "ORDER_OF_ROWS",
    "TAIL_PARTS",
    "UNVERIFIED",
    "AbstentionStatement",
    "CandidatePool",
    "Certificate",
    "Code",
    "CompressionCertificate",
    "DesignRows",
    "GroupDifference",
    "GroupRates",
    "GroupStatements",
    "HoldoutCertificate",
    "KeySplitter",
    "OtherModelBound",
    "PathEntry",
    "PoolMember",
    "RateInterval",
    "RecipeResult",
    "RegressionCandidates",
    "RegressionCertificate",
    "RegressionMember",
    "RegressionPool",
    "RegressionRows",
    "RowSplitter",
    "RuleStatement",
    "RuleStatements",
    "ScoredMember",
    "SplitCertificate",
    "SplitCounts",
    "Verification",
    "WrittenCertificate",
    "aside_and_tested_rows",
    "asked_by",
    "category_cautions",
    "cautions",
    "certificate_from_json",
    "certified_front",
    "certified_rules",
    "certify",
    "certify_held_out",
    "certify_regression",
    "certify_split",
    "certify_written",
    "check_order",
    "chosen_among",
    "class_counts",
    "combinations_in",
    "counted_category_cautions",
    "counted_condition",
    "counted_evidence",
    "counted_order_cautions",
    "design_table",
    "edited_model",
    "family_text",
    "from_json",
    "group_losses",
    "held_rows",
    "identity",
    "key_splitter",
    "load_front",
    "load_model",
    "loss_scale_of",
    "make_pool",
    "make_regression_pool",
    "make_splitter",
    "mean_group_loss",
    "mean_loss",
    "model_of_rules",
    "model_schema",
    "not_examined",
    "parse_costs",
    "prior_shares",
    "rates_by_group",
    "regression_cautions",
    "regression_evidence",
    "regression_splitter",
    "row_cautions",
    "row_values",
    "save_model",
    "scored_pool",
    "source_assumptions",
    "split_message",
    "table_assumptions",
    "tests_of",
    "to_json",
    "unlabelled_caution",
    "usual_splits",
]

from rulewright.certificates.assumptions import family_text, source_assumptions, table_assumptions
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import aside_and_tested_rows, class_counts
from rulewright.certificates.choices import chosen_among
from rulewright.certificates.codes import Code, combinations_in
from rulewright.certificates.cost_matrix import parse_costs
from rulewright.certificates.counted_cautions import (
    ORDER_OF_ROWS,
    counted_category_cautions,
    counted_order_cautions,
    not_examined,
)
from rulewright.certificates.counted_order import check_order
from rulewright.certificates.counted_rows import (
    SplitCounts,
    design_table,
    key_splitter,
)
from rulewright.certificates.counted_tests import asked_by, counted_condition, tests_of
from rulewright.certificates.edited_models import certified_rules, edited_model, model_of_rules
from rulewright.certificates.evidence import counted_evidence
from rulewright.certificates.forms import (
    FORMS,
    TAIL_PARTS,
    CompressionCertificate,
    HoldoutCertificate,
    SplitCertificate,
    WrittenCertificate,
    certificate_from_json,
    certify,
    certify_held_out,
    certify_split,
    certify_written,
    group_losses,
    held_rows,
    mean_group_loss,
    scored_pool,
    split_message,
)
from rulewright.certificates.group_statements import (
    GroupDifference,
    GroupRates,
    GroupStatements,
    RateInterval,
)
from rulewright.certificates.model_cautions import (
    category_cautions,
    cautions,
    row_cautions,
    unlabelled_caution,
)
from rulewright.certificates.model_files import from_json, load_front, load_model, model_schema
from rulewright.certificates.path import PathEntry, certified_front
from rulewright.certificates.pools import (
    LOSS_WEIGHT,
    CandidatePool,
    PoolMember,
    ScoredMember,
    identity,
    make_pool,
    prior_shares,
)
from rulewright.certificates.printing import UNVERIFIED
from rulewright.certificates.recipes import DesignRows, RecipeResult
from rulewright.certificates.regression_certificate import (
    RegressionCertificate,
    certify_regression,
    mean_loss,
    regression_cautions,
    regression_splitter,
)
from rulewright.certificates.regression_pool import (
    RegressionCandidates,
    RegressionMember,
    RegressionPool,
    RegressionRows,
    loss_scale_of,
    make_regression_pool,
    regression_evidence,
)
from rulewright.certificates.rule_statements import (
    AbstentionStatement,
    OtherModelBound,
    RuleStatement,
    RuleStatements,
)
from rulewright.certificates.split_statements import rates_by_group
from rulewright.certificates.splits import KeySplitter, RowSplitter, make_splitter, usual_splits
from rulewright.certificates.training_data import row_values
from rulewright.certificates.verification import Verification
from rulewright.models import save_model, to_json
