"""HTML page from the facts of a report."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from rulewright.data import write_atomically
from rulewright.render import CLASS_COLOURS, HTML_GENERATOR, LARGE, hue, page_environment
from rulewright.report.page_script import data_text, page_program, script_hash


@cache
def _environment() -> jinja2.Environment:
    environment = page_environment("rulewright.report")
    environment.globals.update(hue=hue, large=LARGE, script_hash=script_hash)
    return environment


def page_style() -> str:
    """Return the style sheet of the page, for other pages with the same components."""
    template = _environment().get_template("page_style.css.jinja")
    return template.render(classes=CLASS_COLOURS, front=None)


def page(facts: dict[str, Any]) -> str:
    """Return the HTML page of the facts."""
    # Both texts are made so that they cannot end a script element.
    program = Markup(page_program(facts["page_script"]))
    data = Markup(data_text(facts["page_data"]))
    template = _environment().get_template("page.html.jinja")
    return template.render(**facts, program=program, data=data)


def write_report(path: str | os.PathLike[str], facts: dict[str, Any]) -> None:
    """Write the page to a file."""
    with write_atomically(path) as temporary:
        temporary.write_text(page(facts), encoding="utf-8")


def is_report(path: str | os.PathLike[str]) -> bool:
    """Whether a file is an HTML page of this library."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            return HTML_GENERATOR in file.read(500)
    except (OSError, UnicodeDecodeError):
        return False
