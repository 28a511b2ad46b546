"""Recipes of split certificates, run again."""

from __future__ import annotations

from typing import Any

from rulewright.certificates import DesignRows, RecipeResult
from rulewright.learners import SETTINGS, Settings, run_settings, settings_of
from rulewright.selection.auto import AutoSettings
from rulewright.selection.grid_settings import GridSettings

LEARNERS: dict[str, type[Settings]] = {AutoSettings.learner: AutoSettings, **SETTINGS}
"""Settings of every learner by its name on the command line."""
RECIPES: dict[str, type[Settings]] = {GridSettings.learner: GridSettings, **LEARNERS}
"""Settings by their names in recipes."""


def run_recipe(recipe: dict[str, Any], design: DesignRows) -> RecipeResult:
    """Learn the candidates of a recipe from the design rows."""
    settings, categorical = settings_of(recipe, RECIPES)
    return run_settings(settings, design, categorical)
