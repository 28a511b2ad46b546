"""Recipes of split certificates, run again."""

from __future__ import annotations

from typing import Any

from rulewright.certificates import (
    DesignRows,
    RecipeResult,
    RegressionCandidates,
    RegressionRows,
)
from rulewright.data import LazyTable
from rulewright.errors import CertificateError
from rulewright.learners import (
    SETTINGS,
    Parameters,
    Settings,
    TreeRegressorSettings,
    regression_candidates,
    run_settings,
    run_settings_lazily,
    settings_of,
)
from rulewright.selection.auto import AutoSettings
from rulewright.selection.grid_settings import GridSettings

LEARNERS: dict[str, type[Settings]] = {AutoSettings.learner: AutoSettings, **SETTINGS}
"""Settings of every learner of classes by its name on the command line."""
RECIPES: dict[str, type[Parameters]] = {
    GridSettings.learner: GridSettings,
    TreeRegressorSettings.learner: TreeRegressorSettings,
    **LEARNERS,
}
"""Settings by their names in recipes."""


def run_recipe(recipe: dict[str, Any], design: DesignRows) -> RecipeResult:
    """Learn the candidates of a recipe of classes from the design rows."""
    settings, categorical = settings_of(recipe, RECIPES)
    if not isinstance(settings, Settings):
        raise CertificateError(f"The learner {settings.learner!r} of the recipe learns no classes.")
    return run_settings(settings, design, categorical)


def run_recipe_lazily(recipe: dict[str, Any], design: LazyTable) -> RecipeResult:
    """Learn the candidates of a recipe of classes from counts of the design rows."""
    settings, _ = settings_of(recipe, RECIPES)
    if not isinstance(settings, Settings):
        raise CertificateError(f"The learner {settings.learner!r} of the recipe learns no classes.")
    return run_settings_lazily(settings, design)


def run_regression_recipe(recipe: dict[str, Any], design: RegressionRows) -> RegressionCandidates:
    """Learn the candidates of a recipe of numbers from the design rows."""
    settings, categorical = settings_of(recipe, RECIPES)
    if not isinstance(settings, TreeRegressorSettings):
        raise CertificateError(
            f"The learner {settings.learner!r} of the recipe predicts no numbers."
        )
    return regression_candidates(settings, design, categorical)
