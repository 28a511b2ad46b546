"""Recipes: a learner with all its parameters, as JSON, which anyone can run again.

A certificate from splits is checked by running its recipe on the design rows. Learners are above
this package, so the function that runs a recipe is looked up by its name when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.pools import PoolMember
from rulewright.data import Table
from rulewright.errors import CertificateError, ModelFileError
from rulewright.rules import decode, encode

RUNNER = ("rulewright.selection", "run_recipe")


@dataclass(frozen=True, eq=False)
class DesignRows:
    """The rows that a recipe learns from, in the order of the user's table.

    ``weight`` are the weights as given; ``rows`` are the row numbers in the user's table. ``keys``
    identify the rows, if the split is by key.
    """

    table: Table
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    classes: tuple[Any, ...]
    rows: NDArray[np.intp]
    keys: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class RecipeResult:
    """The candidates of each learner of a recipe, and the costs of the classes, if there are any.

    Both depend on the design rows only.
    """

    learners: Sequence[Sequence[PoolMember]]
    costs: Sequence[float] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the candidates without the rows that they are anchored on, as a JSON object."""
        learners = [[encode(m.body, anchors=False) for m in group] for group in self.learners]
        return {"learners": learners, "costs": list(self.costs)}

    @classmethod
    def from_json(cls, data: Any) -> RecipeResult:
        """Return the candidates of a JSON object; each part of it is checked."""
        match data:
            case {"learners": list(learners), "costs": list(costs), **more} if not more:
                numbers = [float(cost) for cost in costs if isinstance(cost, int | float)]
                if len(numbers) == len(costs) and all(isinstance(g, list) for g in learners):
                    found = [[PoolMember(decode(body), "file") for body in g] for g in learners]
                    return cls(found, numbers)
        raise ModelFileError("the certificate cannot be read: a pool has learners and costs.")


def run_recipe(recipe: dict[str, Any], design: DesignRows) -> RecipeResult:
    """Run a recipe on the design rows."""
    module, name = RUNNER
    run: Callable[..., RecipeResult] = getattr(import_module(module), name)
    return run(recipe, design)


def check_recipe(recipe: Any) -> None:
    """Refuse a recipe of a file that is not an object with a learner, parameters and a version."""
    fine = (
        isinstance(recipe, dict)
        and set(recipe) == {"learner", "parameters", "version"}
        and isinstance(recipe["learner"], str)
        and isinstance(recipe["parameters"], dict)
        and isinstance(recipe["version"], str)
    )
    if not fine:
        raise CertificateError("The recipe must have a learner, parameters and a version.")


def check_agreement(recipe: dict[str, Any], **members: Any) -> None:
    """Refuse a certificate whose members differ from the parameters of the same names.

    Parameters are a part of the key of the splits, so they were settled before the rows were drawn.
    """
    for name, value in members.items():
        settled = recipe["parameters"].get(name, value)
        if settled != value:
            raise CertificateError(
                f"The certificate says {name} = {value}; its recipe says {name} = {settled}."
            )
