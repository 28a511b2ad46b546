"""Templates of HTML pages: one set-up for all pages of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright.render.colours import CLASS_COLOURS, DARK_CLASS_COLOURS
from rulewright.render.html import HTML_GENERATOR

if TYPE_CHECKING:
    import jinja2


def page_environment(package: str) -> jinja2.Environment:
    """Environment of the templates in a package; values are escaped, absent ones are errors."""
    import jinja2  # noqa: PLC0415  # not needed at start-up
    from markupsafe import Markup  # noqa: PLC0415

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package, "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        generator=Markup(HTML_GENERATOR),
        colours=CLASS_COLOURS,
        dark_colours=DARK_CLASS_COLOURS,
    )
    return environment
