"""The architecture: every room states its law."""

import importlib
import importlib.resources
import pkgutil
import re

import pytest

import rulewright
from rulewright.kernels import _core

ROOMS = [m.name for m in pkgutil.iter_modules(rulewright.__path__) if m.ispkg]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_opens_with_its_law(room):
    law = importlib.import_module(f"rulewright.{room}").__doc__
    assert room in law.splitlines()[0].lower()
    assert "import:" in law.replace("\n", " ")


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_lists_is_there(room):
    module = importlib.import_module(f"rulewright.{room}")
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_stub_names_what_the_core_has():
    path = importlib.resources.files("rulewright.kernels") / "_core.pyi"
    named = set(re.findall(r"^(?:def )?(\w+)[(:] ?", path.read_text(), flags=re.M))
    assert named == {name for name in dir(_core) if not name.startswith("_")}
