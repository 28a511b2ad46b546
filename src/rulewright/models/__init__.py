"""Models: a tree of nodes, bound to columns and to classes or values.

A model predicts, explains and prints itself, and is saved as JSON; loading one runs no code. The
certificate of a model comes from ``rulewright.certificates``, which this package does not know. May
import: families, render, and below.
"""

__all__ = [
    "DRIFT_KINDS",
    "DRIFT_LEVEL",
    "NO_PROFILE",
    "REGRESSION",
    "ColumnProfile",
    "Costs",
    "DriftCounter",
    "DriftFinding",
    "DriftReport",
    "Label",
    "Model",
    "ProfileMaker",
    "RegressionModel",
    "Rounded",
    "TrainingProfile",
    "answer_profile",
    "feature_importances",
    "is_model_file",
    "kept_rows",
    "model_from_json",
    "most_used",
    "normalised_weight",
    "p_text",
    "read_class_costs",
    "read_costs",
    "read_model",
    "read_penalty",
    "save_model",
    "schema_with",
    "to_json",
    "unit_of",
    "with_abstention",
]

from rulewright.models.base import Rounded, most_used
from rulewright.models.costs import Costs, read_class_costs, read_costs, read_penalty
from rulewright.models.drift import (
    DRIFT_KINDS,
    DRIFT_LEVEL,
    NO_PROFILE,
    DriftCounter,
    DriftFinding,
    DriftReport,
    p_text,
)
from rulewright.models.files import (
    REGRESSION,
    is_model_file,
    model_from_json,
    read_model,
    save_model,
    to_json,
)
from rulewright.models.importance import feature_importances
from rulewright.models.model import Label, Model, with_abstention
from rulewright.models.profile import ColumnProfile, ProfileMaker, TrainingProfile, answer_profile
from rulewright.models.regression import RegressionModel
from rulewright.models.sample_weight import kept_rows, normalised_weight, unit_of
from rulewright.models.schema import schema_with
