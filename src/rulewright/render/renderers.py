"""The registry of renderers: forms in which a whole model can be written, by name.

To add one, write a function of a model that returns a string, the bytes of a file, or an object,
and register it here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulewright.errors import InputError
from rulewright.render.c_export import c_export
from rulewright.render.documents import english_export, latex_export, markdown_export
from rulewright.render.html import arrangement_html
from rulewright.render.java_export import java_export
from rulewright.render.javascript_export import javascript_export
from rulewright.render.onnx_export import onnx_export
from rulewright.render.pmml_export import pmml_export
from rulewright.render.python_export import python_export
from rulewright.render.renderer_models import RenderedModel
from rulewright.render.sklearn_export import object_file, sklearn_export
from rulewright.render.sql_form import sql_export
from rulewright.render.text import arrangement_text
from rulewright.render.workbooks import excel_export

Renderer = Callable[..., Any]
"""A function of a model, and of options by keyword.

It returns a string, the bytes of a file, or an object that joblib writes.
"""

RENDERERS: dict[str, Renderer] = {}


def register_renderer(name: str, renderer: Renderer) -> None:
    """Register a renderer under a new name."""
    if name in RENDERERS:
        raise ValueError(f"a renderer {name!r} is already registered")
    RENDERERS[name] = renderer


def render(model: RenderedModel, name: str, **options: Any) -> Any:
    """Write a model in a form, "text" or "html" among others.

    The result is a string; "excel" and "onnx" give the bytes of a file, and "sklearn" an object.

    Parameters
    ----------
    model : RenderedModel
    name : str
        Name of a registered renderer.
    **options
        Options of that renderer.
    """
    renderer = RENDERERS.get(name)
    if renderer is None:
        raise InputError(f"There is no renderer {name!r}. Known are: {', '.join(RENDERERS)}.")
    return renderer(model, **options)


def file_content(exported: Any) -> bytes:
    """Return an exported model as the content of a file."""
    if isinstance(exported, str):
        return exported.encode()
    return exported if isinstance(exported, bytes) else object_file(exported)


def _model_text(model: RenderedModel) -> str:
    return arrangement_text(
        model.body,
        model.answer_texts,
        unanswered=model.unanswered_text,
        support=model.rule_support,
    )


def _model_html(model: RenderedModel, *, max_rules: int | None = None) -> str:
    return arrangement_html(
        model.body,
        model.answer_texts,
        unanswered=model.unanswered_text,
        support=model.rule_support,
        max_rules=max_rules,
    )


register_renderer("text", _model_text)
register_renderer("html", _model_html)
register_renderer("python", python_export)
register_renderer("javascript", javascript_export)
register_renderer("c", c_export)
register_renderer("java", java_export)
register_renderer("sql", sql_export)
register_renderer("excel", excel_export)
register_renderer("onnx", onnx_export)
register_renderer("sklearn", sklearn_export)
register_renderer("pmml", pmml_export)
register_renderer("markdown", markdown_export)
register_renderer("latex", latex_export)
register_renderer("english", english_export)
