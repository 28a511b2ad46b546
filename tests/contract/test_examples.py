"""The gallery: ``make docs`` runs its examples; each is a page with a title and a text."""

import ast
import re
from pathlib import Path

import pytest

import rulewright

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_a_page(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, line, *rest = text.splitlines()
    assert line == "=" * len(title)
    assert any(rest)
    assert re.fullmatch(r"\d\d_[a-z_]+", path.stem)


def test_every_learner_has_an_example():
    whole = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES)
    learners = {name for name in rulewright.__all__ if name.endswith(("Machine", "fier", "ssor"))}
    learners -= {"CertifiedClassifier"}  # certify makes it
    assert learners
    assert {name for name in learners if name not in whole} == set()
    header = (EXAMPLES[0].parent / "GALLERY_HEADER.rst").read_text(encoding="utf-8")
    assert {name for name in learners if f"``{name}``" not in header} == set()
