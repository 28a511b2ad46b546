"""Texts, docstrings and comments are plain English: phrases that readers stumbled over stay out."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# The phrases, each with what to write instead.
PHRASES = {
    r"so many": "the number itself, or 'the given number of'",
    r"unless said( otherwise)?": "'default: ...'",
    r"where not said": "'default: ...'",
    r"of such": "a noun",
    r"rightly": "'correctly'",
    r"(is|are) told": "'is given', 'is known'",
    r"to be had": "'available'",
    r"a hair": "the number",
    r"by lot": "'at random'",
    r"speaks?|spoke|voices?": "'votes', 'weight'",
}
FIRST_WORDS = ("Say", "Says", "Tell", "Tells", "Let", "Lets", "Give", "Gives")
CONSTANT = re.compile(r"\b(MOST|LEAST)_[A-Z0-9_]+\b")

# The parts that are clean. To add one, add a line: a folder or a file from the project's root.
CLEAN = (
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "THINGS_THAT_BITE.md",
    "cpp",
    "docs/any-classifier.md",
    "docs/benchmarks.md",
    "docs/card.md",
    "docs/certificates.md",
    "docs/coming-from.md",
    "docs/commands.md",
    "docs/compare.md",
    "docs/constraints.md",
    "docs/costs.md",
    "docs/editing.md",
    "docs/examples",
    "docs/exports.md",
    "docs/extending.md",
    "docs/groups.md",
    "docs/install.md",
    "docs/learners.md",
    "docs/lectures.md",
    "docs/machines.md",
    "docs/missing-values.md",
    "docs/monitoring.md",
    "docs/papers.md",
    "docs/pictures",
    "docs/polishing.md",
    "docs/prediction.md",
    "docs/promise-statistics.md",
    "docs/promise.md",
    "docs/python.md",
    "docs/report.md",
    "docs/ripper.md",
    "docs/rules.md",
    "docs/sc-bound.md",
    "docs/scale.md",
    "docs/scorecards.md",
    "docs/site",
    "docs/slipper.md",
    "docs/small-models.md",
    "docs/start.md",
    "docs/testing-and-monitoring.md",
    "docs/tree-rules.md",
    "docs/trees.md",
    "docs/walkthrough.md",
    "docs/words.md",
    "docs/workbench.md",
    "src/rulewright/bounds",
    "src/rulewright/certificates",
    "src/rulewright/cli",
    "src/rulewright/criteria",
    "src/rulewright/data",
    "src/rulewright/datasets",
    "src/rulewright/errors",
    "src/rulewright/experiments",
    "src/rulewright/exports",
    "src/rulewright/families",
    "src/rulewright/kernels",
    "src/rulewright/learners",
    "src/rulewright/models",
    "src/rulewright/render",
    "src/rulewright/report",
    "src/rulewright/rules",
    "src/rulewright/selection",
    "src/rulewright/workbench",
)
SUFFIXES = (".py", ".cpp", ".hpp", ".md")

PATTERN = re.compile(r"\b(" + "|".join(PHRASES) + r")\b", re.IGNORECASE)
CPP_TEXT = re.compile(r'//[^\n]*(?:\n\s*//[^\n]*)*|"(?:\\.|[^"\\\n])*"')


def files() -> list[Path]:
    """All texts of the clean parts."""
    found = []
    for part in CLEAN:
        path = ROOT / part
        inside = [path] if path.is_file() else sorted(path.rglob("*"))
        found += [file for file in inside if file.suffix in SUFFIXES]
    return found


def texts_of_python(source: str) -> Iterator[str]:
    """Strings and comments; lines of comments and parts of strings that follow are one text."""
    run: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name == "COMMENT":
            run.append(token.string.lstrip("# "))
        elif name in ("STRING", "FSTRING_MIDDLE"):
            run.append(token.string.strip("rbfRBF\"'"))
        elif name not in ("NL", "FSTRING_START", "FSTRING_END"):
            yield " ".join(run)
            run = []
    yield " ".join(run)


def texts_of(path: Path) -> Iterator[str]:
    source = path.read_text()
    if path.suffix == ".py":
        texts: Iterator[str] = texts_of_python(source)
    elif path.suffix == ".md":
        texts = iter([source])
    else:
        texts = (re.sub(r"\n\s*//", " ", text) for text in CPP_TEXT.findall(source))
    for text in texts:
        yield " ".join(text.split())


def docstrings_of(source: str) -> Iterator[str]:
    """Docstrings, those of attributes and constants too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.value.value


def faults(path: Path) -> list[str]:
    found = [
        f"{match[0]!r} in {text[max(match.start() - 40, 0) : match.end() + 40]!r}"
        for text in texts_of(path)
        for match in PATTERN.finditer(text)
    ]
    source = path.read_text()
    if path.suffix == ".py":
        found += [
            f"docstring begins with {text.split()[0]!r}: {text[:60]!r}"
            for text in docstrings_of(source)
            if text.split() and text.split()[0] in FIRST_WORDS
        ]
    if path.suffix != ".md":
        found += [f"{match[0]}: name it MAX_ or MIN_" for match in CONSTANT.finditer(source)]
    return found


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_are_plain_english(path: Path) -> None:
    assert faults(path) == []


def test_all_clean_parts_exist() -> None:
    assert [part for part in CLEAN if not (ROOT / part).exists()] == []


@pytest.mark.parametrize(
    ("name", "source", "fault"),
    [
        ("a.py", '"""Rules of a list.\n\nAt most so\nmany rules.\n"""\n', "'so many'"),
        ("a.py", "# Answers that are\n# told by others.\nx = 1\n", "'are told'"),
        ("a.py", 'x = f"{1} rules " "of such kinds"\n', "'of such'"),
        ("a.py", 'def f():\n    """Give the rules."""\n', "docstring begins with 'Give'"),
        ("a.py", 'X = 1\n"""Says how many."""\n', "docstring begins with 'Says'"),
        ("a.py", "x = 1  # no rule speaks\n", "'speaks'"),
        ("a.py", "MOST_RULES = 10\n", "MOST_RULES"),
        ("a.cpp", "// Drawn by\n// lot.\nint x;\n", "'by lot'"),
        ("a.cpp", 'need(x, "answers rightly");\n', "'rightly'"),
        ("a.md", "Ten rules\nunless said.\n", "'unless said'"),
    ],
)
def test_faults_are_found(tmp_path: Path, name: str, source: str, fault: str) -> None:
    (tmp_path / name).write_text(source)
    (found,) = faults(tmp_path / name)
    assert fault in found


def test_plain_texts_have_no_faults(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        '"""Number of rules, at most ``MAX_RULES``."""\nMAX_RULES = 10\n'
    )
    assert faults(tmp_path / "a.py") == []
