"""The documents are true: the README's session is run, the published schema is the one in use."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rulewright
from rulewright.certificates import model_schema
from rulewright.evaluation import result_schema

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def sessions(page):
    """Commands of a page with what it says they print."""
    text = page.read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", text, flags=re.S)
    for part in block.split("$ ")[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def timeless(text):
    return re.sub(r"\d+\.\d\d s\b", "N s", text)


@pytest.mark.slow
@pytest.mark.parametrize("page", [README, ROOT / "docs" / "start.md"], ids=["README", "start"])
def test_a_session_is_what_the_program_prints(page, tmp_path):
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    env.pop("RULEWRIGHT_DATA", None)
    for command, said in sessions(page):
        run = subprocess.run(
            command, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert timeless(run.stdout + run.stderr) == timeless(said), command
    assert (tmp_path / "report.html").exists()


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) < 140


LEARNER_PAGES = ("machines", "ripper", "rules", "scorecards", "slipper", "tree-rules", "trees")


@pytest.mark.parametrize("name", LEARNER_PAGES)
def test_the_page_of_a_learner_begins_with_its_idea_formula_use_and_example(name):
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    idea, formula, use, example = re.findall(r"^## (.*)$", text, flags=re.M)[:4]
    assert (idea, formula, example) == ("The idea", "The formula", "An example")
    assert use.startswith("When to use ")
    assert re.search(r"\(examples/\w+\.py\)", text), "a case with numbers"
    assert "](pictures/learners/" in text


def test_every_learner_has_a_page():
    pages = [ROOT / "docs" / f"{name}.md" for name in LEARNER_PAGES]
    whole = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    learners = {name for name in rulewright.__all__ if name.endswith(("Machine", "fier", "ssor"))}
    learners -= {"AutoClassifier", "CertifiedClassifier"}  # pages on certificates describe them
    assert learners
    assert {name for name in learners if f"`{name}`" not in whole} == set()


def test_the_published_schema_is_the_one_in_use():
    published = json.loads((ROOT / "docs" / "model.schema.json").read_text(encoding="utf-8"))
    assert published == model_schema(), "run `make schema`"


def test_the_published_schema_of_results_is_the_one_in_use():
    published = json.loads((ROOT / "docs" / "results.schema.json").read_text(encoding="utf-8"))
    assert published == result_schema(), "run `make schema`"


def test_every_link_between_documents_leads_somewhere():
    # Pages of the site link to pages that are made; Sphinx checks those links.
    pages = [page for page in ROOT.glob("docs/**/*.md") if page.parent.name != "site"]
    for document in [*ROOT.glob("*.md"), *pages]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_one_version_is_named_everywhere():
    version = rulewright.__version__
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (named, *_) = re.findall(r"^## (.*)$", changes, flags=re.M)
    assert named == "Unreleased" or named.startswith(version)


def test_the_lowest_versions_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| ([a-z-]+[0-9]?) \| ([0-9.]+) \|$", page, flags=re.M)
    assert table == [tuple(wanted.split(">=")) for wanted in project["dependencies"]]


def test_make_lists_its_targets():
    run = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in ("help", "demo", "check", "test", "estimators", "simulations", "golden", "bench"):
        assert f"make {target} " in run.stdout


def test_the_long_suites_have_targets():
    """A marker that ``make test`` leaves out has a target of its name."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (left_out,) = re.findall(r'"-m", "not (.*)"\]', settings)
    for name in left_out.split(" and not "):
        assert re.search(rf"^{name}: .*## ", makefile, re.M), name
        assert f"-m {name} " in makefile
