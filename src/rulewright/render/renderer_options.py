"""Options of the forms of exports, read from the signatures and docstrings of their functions."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

from rulewright.errors import InputError
from rulewright.render.renderers import RENDERERS
from rulewright.render.sql_form import DIALECTS


@dataclass(frozen=True)
class ExportOption:
    """An option of a form.

    Attributes
    ----------
    name, help : str
    default : object
        Its kind is that of the values.
    choices : tuple of str
        All values, where there are only a few.
    several : bool
        Whether it is a list of values.
    """

    name: str
    help: str
    default: Any
    choices: tuple[str, ...]
    several: bool

    def value(self, text: str) -> Any:
        """Return the value of a text, of the kind of the default."""
        if isinstance(self.default, bool):
            if text not in ("true", "false"):
                raise InputError("write true or false.")
            return text == "true"
        if self.default is None or isinstance(self.default, int):
            if not text.isdecimal():
                raise InputError("write a whole number.")
            return int(text)
        return text


def export_options(form: str) -> dict[str, ExportOption]:
    """Return the options of a form by name.

    Examples
    --------
    >>> export_options("c")["part"].choices
    ('source', 'header')
    """
    renderer = RENDERERS.get(form)
    if renderer is None:
        raise InputError(f"There is no form {form!r}. Known are: {', '.join(RENDERERS)}.")
    document = inspect.getdoc(renderer) or ""
    return {
        name: _option(name, parameter, document)
        for name, parameter in inspect.signature(renderer).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def _option(name: str, parameter: inspect.Parameter, document: str) -> ExportOption:
    pattern = rf"^(?:\w+, )*{name}(?:, \w+)* : (?P<kind>.*)\n(?P<help>(?:    .*\n?)+)"
    found = re.search(pattern, document, flags=re.MULTILINE)
    kind, text = ("", "") if found is None else (found["kind"], " ".join(found["help"].split()))
    listed = re.match(r"\{(.*?)\}", kind)
    choices = tuple(re.findall('"(.*?)"', listed[1])) if listed else ()
    if name == "dialect":
        choices = tuple(DIALECTS)
    several = "Sequence" in str(parameter.annotation)
    return ExportOption(name, text, parameter.default, choices, several)
