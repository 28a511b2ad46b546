"""The architecture: every package says what it is for, and nothing slow is imported in vain."""

import importlib
import importlib.resources
import pkgutil
import re
import subprocess
import sys

import pytest

import rulewright
from rulewright.cli.commands import COMMANDS, load_command
from rulewright.kernels import _core

PACKAGES = [m.name for m in pkgutil.iter_modules(rulewright.__path__) if m.ispkg]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_what_it_is_for_and_may_import(package):
    purpose = importlib.import_module(f"rulewright.{package}").__doc__
    assert package in purpose.splitlines()[0].lower()
    assert "import:" in purpose.replace("\n", " ")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_lists_is_there(package):
    module = importlib.import_module(f"rulewright.{package}")
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_stub_names_what_the_core_has():
    path = importlib.resources.files("rulewright.kernels") / "_core.pyi"
    named = set(re.findall(r"^(?:def |class )?(\w+)[(:] ?", path.read_text(), flags=re.M))
    assert named == {name for name in dir(_core) if not name.startswith("_")}


def imported_by(statement):
    program = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())


def test_importing_the_package_does_not_import_scikit_learn():
    """It takes longer than many a whole fit, and the command line does without it."""
    assert "sklearn" not in imported_by("import rulewright")
    assert "sklearn" not in imported_by("import rulewright.cli.main")
    assert "sklearn" in imported_by("from rulewright import SetCoveringMachine")


def test_importing_the_package_imports_nothing_that_takes_long():
    slow = {"numpy", "duckdb", "narwhals", "jinja2", "typer", "rulewright.learners"}
    assert not slow & imported_by("import rulewright")
    assert not {"numpy", "duckdb", "sklearn"} & imported_by("import rulewright.cli.main")
    assert "duckdb" not in imported_by("from rulewright import load_model")


@pytest.mark.parametrize("name", rulewright.__all__)
def test_every_name_of_the_package_is_found(name):
    assert getattr(rulewright, name) is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_a_command_is_the_first_line_of_its_help(name):
    assert load_command(name).help.splitlines()[0] == COMMANDS[name][1]


def test_the_package_says_what_it_has():
    assert set(dir(rulewright)) >= {"SetCoveringMachine", "load_model"}
    with pytest.raises(AttributeError, match="no attribute 'Perceptron'"):
        rulewright.Perceptron  # noqa: B018
