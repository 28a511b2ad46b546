"""Model files whose numbers are wrong do no worse than a clear error."""

import json
import subprocess
import sys

import hostile_files
import pytest
from hostile_files import TABLE, changed, models

from rulewright import load_model
from rulewright.errors import ModelFileError
from rulewright.models import to_json
from rulewright.rules.serialization import MAX_DEPTH

MODELS = {name: to_json(model) for name, model in models()}
STEP = len(hostile_files.VALUES) - 1
"""Every STEP-th change is tried. So every number is changed, and to every value somewhere."""


@pytest.mark.slow
@pytest.mark.cross_section(1)
@pytest.mark.parametrize("part", range(hostile_files.PARTS))
def test_no_number_in_a_file_exhausts_memory_or_time(part):
    command = [sys.executable, hostile_files.__file__, str(STEP), str(part)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr[-500:]) == (0, "", "")


@pytest.fixture
def read(tmp_path):
    def write_and_read(data):
        path = tmp_path / "model.json"
        path.write_text(json.dumps(data))
        return load_model(path)

    return write_and_read


@pytest.mark.parametrize("categories", [2**31, 2**53, 10**30])
def test_more_categories_than_a_table_can_number_are_refused(read, categories):
    data = changed(MODELS["grown"], ("columns", 3, "categories"), categories)
    with pytest.raises(ModelFileError, match=f"'c' cannot have {categories} categories"):
        read(data)


@pytest.mark.parametrize("name", ["categories", "subsets", "grown"])
def test_simplifying_makes_no_list_of_all_categories_that_a_file_claims(read, name):
    model = read(changed(MODELS[name], ("columns", 3, "categories"), 2**31 - 1))
    simple = model.simplified()
    assert (simple.predict(TABLE) == model.predict(TABLE)).all()
    same = read(MODELS[name]).simplified()
    assert (simple.certificate is None) == (same.certificate is None)


def test_true_is_no_number_of_categories(read):
    with pytest.raises(ModelFileError, match="name, kind and categories"):
        read(changed(MODELS["list"], ("columns", 3, "categories"), True))


@pytest.mark.parametrize("name", ["not", "all_of", "any_of", "at_least"])
def test_conditions_that_are_nested_too_deep_are_refused(read, name):
    def nested(depth):
        condition = {"node": "missing", "column": "x"}
        for _ in range(depth):
            more = {"count": 1} if name == "at_least" else {}
            part = {"part": condition} if name == "not" else {"parts": [condition]}
            condition = {"node": name, **more, **part}
        return changed(MODELS["disjunction"], ("body", "parts"), [condition] * 3)

    model = read(nested(MAX_DEPTH - 2))
    assert model.simplified().predict(TABLE).size == len(TABLE)
    assert str(model)
    for depth in (MAX_DEPTH + 1, 300):
        with pytest.raises(ModelFileError, match="deep"):
            read(nested(depth))
