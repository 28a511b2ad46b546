"""One name for one thing: no two classes have the same name."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "rulewright"


def places_of_classes(root: Path) -> dict[str, list[str]]:
    """Modules that define a class of each name; a leading underscore makes no difference."""
    found = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name.lstrip("_")].append(str(path.relative_to(root)))
    return found


def repeated(root: Path) -> dict[str, list[str]]:
    return {name: places for name, places in places_of_classes(root).items() if len(places) > 1}


def test_no_two_classes_have_the_same_name() -> None:
    assert len(places_of_classes(SOURCE)) > 200
    assert repeated(SOURCE) == {}


def test_classes_of_the_same_name_are_found(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.py").write_text("class Step:\n    pass\n\n\nclass Other:\n    pass\n")
    (tmp_path / "inner" / "b.py").write_text("def f():\n    class _Step:\n        pass\n")
    assert repeated(tmp_path) == {"Step": ["a.py", "inner/b.py"]}
