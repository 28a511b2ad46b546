"""Settings of the documentation site; ``make docs`` builds it from ``build/docs/source``."""

import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib
from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx_gallery.sorting import FileNameSortKey

import rulewright

sys.path.insert(0, str(Path(__file__).parents[3] / "docs" / "site"))  # from build/docs/source
from thumbnails import draw_thumbnails

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # Spark opens no port to other machines
matplotlib.use("agg")
warnings.filterwarnings("ignore", category=UserWarning, module="rulewright")
warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")  # about pandas 3

project = "Rulewright"
author = "The Rulewright developers"
version = release = rulewright.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["**/sg_execution_times.rst"]
smartquotes = False  # "--target" stays as it is
suppress_warnings = ["config.cache", "misc.highlighting_failure"]

nitpicky = True
nitpick_ignore_regex = [("py:class", r"rulewright\..*Settings")]  # estimators list the options
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
toc_object_entries_show_parents = "hide"  # fit(), not TreeClassifier.fit()
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

examples = Path(__file__).parents[3] / "docs" / "examples"  # from build/docs/source
sphinx_gallery_conf = {
    "examples_dirs": str(examples),
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": FileNameSortKey,
    "default_thumb_file": str(examples.parent / "pictures" / "report.png"),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
}

html_math_renderer = "mathml"  # browsers draw it without a script from another site
html_theme = "pydata_sphinx_theme"
html_title = "Rulewright"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/icon.svg"
html_search_scorer = str(Path(__file__).parents[3] / "docs" / "site" / "search_order.js")
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
project_copyright = "the Rulewright developers, BSD-3-Clause"
templates_path = ["templates"]


def named(sources: dict[str, str], number: str) -> str:
    """Authors and year of a source."""
    return sources.get(number, number).replace(" (", " ")


def cite(app: Any, what: str, name: str, it: Any, options: Any, lines: list[str]) -> None:
    """Replace ``[1]_`` by authors and year, where the module has the list of references."""
    module = sys.modules.get(getattr(it, "__module__", ""))
    sources = dict(
        re.findall(r"\.\. \[(\d)\] (.*? \(\d{4})\)", getattr(module, "__doc__", None) or "")
    )
    if what == "function" and not any("References" in line for line in lines):
        lines[:] = [
            re.sub(r"\[(\d)\]_", lambda found: f"({named(sources, found[1])})", line)
            for line in lines
        ]


def inline_formula(writer: Any, node: Any) -> None:
    """Write a formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block_formula(writer: Any, node: Any) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(tex2mathml(node.astext(), as_block=True))
    raise SkipNode


def setup(app: Any) -> None:
    """Cite before numpydoc reads the docstrings, draw pictures, and write formulas as MathML."""
    app.connect("autodoc-process-docstring", cite, priority=100)
    app.connect("builder-inited", draw_thumbnails, priority=900)  # after the gallery
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
