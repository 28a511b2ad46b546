"""Rulewright: classifiers that people can read, each with a certificate of its error.

>>> from rulewright import SetCoveringMachine
"""

from typing import TYPE_CHECKING, Any

from rulewright.learners import LEARNERS
from rulewright.models import load_model, save_model

if TYPE_CHECKING:
    from rulewright.learners import DecisionListMachine, SetCoveringMachine

__version__ = "0.1.0"
__all__ = [
    "DecisionListMachine",
    "SetCoveringMachine",
    "__version__",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    if name not in LEARNERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rulewright import learners  # noqa: PLC0415

    return getattr(learners, name)


def __dir__() -> list[str]:
    return sorted(__all__)
