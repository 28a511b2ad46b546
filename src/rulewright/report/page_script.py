"""The scripts of the page in one text: modules of ECMAScript without dependencies, joined."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

MODULES = (
    "elements",
    "coding",
    "conditions",
    "programs",
    "edits",
    "texts",
    "measures",
    "store",
    "case_list",
    "try_case",
    "explore",
    "what_if_rules",
    "what_if_tree",
    "what_if",
    "start",
)
"""Modules in the order in which they need each other."""

SCRIPTS = files("rulewright.report").joinpath("scripts")
"""The folder of the modules."""

IMPORT = re.compile(r'^import \{[^}]*\} from "\./[a-z_]+\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(async )?(function|const|class)\b)", re.MULTILINE)


@cache
def module_text(name: str) -> str:
    """Return a module as it is in its file."""
    return SCRIPTS.joinpath(f"{name}.js").read_text("utf-8")


@cache
def joined_modules() -> str:
    """Return all modules in one scope, without their imports and exports."""
    return "\n".join(EXPORT.sub("", IMPORT.sub("", module_text(name))) for name in MODULES)


def page_program(model_script: str) -> str:
    """Return the script of a page, from the script of its model."""
    return f"{model_script}\n{joined_modules()}\nstartPage(exported, deciderOf);\n"


def data_text(data: Any) -> str:
    r"""Return plain values as JSON that cannot end a script element.

    Examples
    --------
    >>> print(data_text({"name": "</script>"}))
    {"name": "\u003c/script\u003e"}
    """
    text = json.dumps(data, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def script_hash(script: str) -> str:
    """Return the hash by which a content security policy allows a script."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
