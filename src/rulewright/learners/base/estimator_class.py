"""scikit-learn estimators made from the settings of a learner."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from rulewright.learners.base.settings import Option, Parameters, options_of

AnyClass = TypeVar("AnyClass", bound=type)

SHELL: dict[str, tuple[Any, Option]] = {
    "categorical_features": (
        None,
        Option(
            "Numeric columns that hold categories, by name or position.",
            "list or None",
            details="Text columns that are named here are kept although they look like keys of the "
            "rows. Text and Booleans are categories anyway.",
        ),
    ),
    "n_jobs": (
        None,
        Option(
            "Number of threads; -1 for all.",
            "int or None",
            details="The model is the same for any number.",
        ),
    ),
}
"""Parameters that an estimator has besides those of its settings."""

ATTRIBUTES = """
model_ : Model
    The model: it prints, predicts, explains and saves itself.
certificate_ : Certificate
    Bound on the error of the model on new cases.
path_ : list of PathEntry
    {path}
{own}notices_ : list of str
    What to know of the models that were not chosen.
feature_importances_ : array
    Contribution of each column to the answers on the training rows, with a sum of 1; see
    ``rulewright.models.importance``.
classes_, n_features_in_, feature_names_in_
    As in scikit-learn.
"""
PATH = "The candidate models; ``model_`` is one of them."
WIDTH = 96


def estimator_of(settings: type[Parameters]) -> Callable[[AnyClass], AnyClass]:
    """Class decorator that adds the parameters of settings to ``__init__`` and the documentation.

    In the docstring, ``{parameters}`` stands for the parameters and ``{attributes}`` for those
    attributes that all classifiers have.
    """

    def decorate(cls: AnyClass) -> AnyClass:
        parameters = options_of(settings) | SHELL
        cls.settings_class = settings  # type: ignore[attr-defined]
        cls.__init__ = _constructor(cls.__qualname__, parameters)  # type: ignore[misc]
        cls.__doc__ = _documented(cls, parameters)
        return cls

    return decorate


def _constructor(owner: str, parameters: dict[str, tuple[Any, Option]]) -> Callable[..., None]:
    """Make a constructor that stores its parameters; all but the first are keyword-only."""
    first, kinds = True, inspect.Parameter
    signature = [kinds("self", kinds.POSITIONAL_OR_KEYWORD)]
    for name, (default, _) in parameters.items():
        kind = kinds.POSITIONAL_OR_KEYWORD if first else kinds.KEYWORD_ONLY
        signature.append(kinds(name, kind, default=default))
        first = False

    def construct(self: Any, *args: Any, **given: Any) -> None:
        try:
            bound = made.bind(self, *args, **given)
        except TypeError as error:
            raise TypeError(f"{owner}.__init__() {error}") from None
        bound.apply_defaults()
        for name in parameters:
            setattr(self, name, bound.arguments[name])

    made = inspect.Signature(signature)
    construct.__signature__ = made  # type: ignore[attr-defined]
    construct.__name__, construct.__qualname__ = "__init__", f"{owner}.__init__"
    return construct


def _documented(cls: type, parameters: dict[str, tuple[Any, Option]]) -> str:
    text = inspect.cleandoc(cls.__doc__ or "")
    listed = "\n".join(_entry(name, *known) for name, known in parameters.items())
    shown = f"Parameters\n----------\n{listed}"
    own = textwrap.dedent(getattr(cls, "_attributes_text", "")).strip()
    attributes = ATTRIBUTES.strip().format(
        path=textwrap.fill(getattr(cls, "_path_text", PATH), WIDTH - 4, subsequent_indent="    "),
        own=f"{own}\n" if own else "",
    )
    return text.replace("{parameters}", shown).replace(
        "{attributes}", f"Attributes\n----------\n{attributes}"
    )


def _entry(name: str, default: Any, option: Option) -> str:
    text = f"{option.help} {option.details}".strip()
    body = textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"{name} : {option.type}, default={default!r}\n{body}"
