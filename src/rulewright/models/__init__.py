"""Models: what a fit leaves behind.

A model binds a tree of nodes to the columns it was trained on, and to the classes or values that it
answers with; a certificate says how far to trust a classifier; a path has one of each for every
size. They are saved together in one JSON file, and loading one runs no code of its own. May import:
families, render, and below.
"""

__all__ = [
    "Certificate",
    "Code",
    "Model",
    "PathEntry",
    "RegressionModel",
    "Rounded",
    "Verification",
    "category_cautions",
    "cautions",
    "certify",
    "load_model",
    "model_schema",
    "most_used",
    "save_model",
]

from rulewright.models.base import Rounded, most_used
from rulewright.models.cautions import category_cautions, cautions
from rulewright.models.certificate import Certificate, certify
from rulewright.models.files import load_model, save_model
from rulewright.models.model import Model
from rulewright.models.model_code import Code
from rulewright.models.path import PathEntry
from rulewright.models.regression import RegressionModel
from rulewright.models.schema import model_schema
from rulewright.models.verification import Verification
