"""Small JSON files of a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rulewright.data import write_atomically


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one where it is absent or not complete."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write an object; a reader finds the old file or the whole new one."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1), encoding="utf-8")
