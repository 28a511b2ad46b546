"""Models as rules files, and the certificates of what a person edited."""

import pandas as pd
import pytest

from rulewright import load_model

RULES = """\
# a person wrote this
age > 40 and not (city = Chur) -> good
otherwise -> bad
"""
EVIL = "\x1b[31mred\u202e"


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text(RULES, encoding="utf-8")
    return path


def test_a_model_is_written_edited_and_certified(rulewright, table, model, tmp_path):
    path, new = tmp_path / "mine.txt", tmp_path / "edited.json"
    assert rulewright("edit", model, "--out", path).code == 0
    text = path.read_text(encoding="utf-8")
    assert text == rulewright("edit", model).out.replace("certify RULES", "certify mine.txt")
    edited = text.replace("otherwise", "age > 79.5 -> good\notherwise")
    path.write_text(edited, encoding="utf-8")
    done = rulewright("certify", path, table, "--target", "class", "--out", new)
    assert done.code == 0, done.err
    assert "pays for that with their description" in done.out
    assert rulewright("certify", new, table).code == 0
    frame = pd.read_csv(table)
    old = load_model(model).predict(frame)
    assert (load_model(new).predict(frame) == old)[~(frame["age"] > 79.5)].all()


def test_rules_that_were_settled_have_the_bound_of_a_test(rulewright, table, rules):
    options = ("certify", rules, table, "--target", "class", "--json")
    edited, settled = rulewright(*options).json, rulewright(*options, "--settled").json
    assert edited["settled"] is False and settled["settled"] is True
    assert settled["certificate"]["bound"] < edited["certificate"]["bound"]
    assert settled["certificate"]["errors"] == edited["certificate"]["errors"]
    assert any("a person says so" in text for text in settled["assumptions"])


def test_columns_and_classes_of_a_model_are_taken(rulewright, table, model, rules, tmp_path):
    new = tmp_path / "new.json"
    done = rulewright("certify", rules, table, "--like", model, "--out", new)
    assert done.code == 0, done.err
    assert load_model(new).columns == load_model(model).columns
    assert load_model(new).target == "class"


def test_comments_are_kept(rulewright, model, rules):
    done = rulewright("edit", model, "--rules", rules)
    assert done.out == RULES
    assert rulewright("edit", model, "--rules", rules, "--drop", 1).out == "otherwise -> bad\n"
    said = rulewright("edit", model, "--rules", rules, "--json").json
    assert said == {"rules": 1, "text": RULES, "out": None}


def test_what_cannot_be_read_is_refused(rulewright, table, model, rules, tmp_path):
    rules.write_text(RULES.replace("age", "agee"), encoding="utf-8")
    done = rulewright("certify", rules, table, "--target", "class")
    assert done.code == 1
    assert "Line 2: There is no column 'agee'; did you mean 'age'?" in done.err
    assert "Name the column" in rulewright("certify", rules, table).err
    assert "There is no rule 9" in rulewright("edit", model, "--drop", 9).err
    assert "are for rules files" in rulewright("certify", model, table, "--settled").err
    assert "need a model" in rulewright("certify", rules, table, "--by", "city").err
    assert "it is the rules" in rulewright("certify", rules, table, "-t", "x", "-o", rules).err + (
        rulewright("certify", rules, table, "--target", "class", "--out", rules).err
    )


def test_hostile_names_and_classes_are_written_and_read_back(rulewright, tmp_path):
    name, label = f"age{EVIL}", f"good{EVIL}"
    frame = pd.DataFrame({name: range(200), "y": [label if n > 99 else "bad" for n in range(200)]})
    table, model, rules = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "r.txt"
    frame.to_csv(table, index=False)
    fit = ("fit", table, "--target", "y", "--learner", "tree", "--out", model)
    assert rulewright(*fit).code == 0
    assert rulewright("edit", model, "--out", rules).code == 0
    assert "\x1b" not in rules.read_text(encoding="utf-8")
    done = rulewright("certify", rules, table, "--target", "y", "--out", tmp_path / "n.json")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err
    assert (load_model(tmp_path / "n.json").predict(frame) == frame["y"]).all()
