"""rulewright certify: what it lists, what it warns of, and how it exits."""

import json

import numpy as np
import pandas as pd
import pytest

from rulewright import BoundSearch, SetCoveringMachine, TreeClassifier, load_model
from rulewright.models import save_model


def test_show_says_that_nothing_was_compared_with_data(rulewright, model):
    done = rulewright("show", model)
    assert "Not verified against data: the counts above are what the file says" in done.out
    said = rulewright("show", model, "--json").json
    assert said["verified"] is False
    assert "Not verified against data" in said["certificate"]["text"]


def test_a_fit_and_a_check_say_nothing_of_the_kind(rulewright, model, table):
    fit = rulewright("fit", table, "--target", "class", "--drop", "id", "--learner", "scm")
    for done in (fit, rulewright("certify", model, table)):
        assert "Not verified" not in done.out + done.err


def test_a_file_whose_bound_contradicts_its_counts_is_not_shown(rulewright, model):
    data = json.loads(model.read_text())
    data["certificate"]["bound"] /= 2
    model.write_text(json.dumps(data))
    done = rulewright("show", model)
    assert (done.code, done.out) == (1, "")
    assert "but its own counts give" in done.err


def test_certify_lists_what_it_takes_on_trust(rulewright, model, table):
    done = rulewright("certify", model, table)
    assert (done.code, done.err) == (0, "")
    listed = [line for line in done.out.splitlines() if line.startswith("- ")]
    for said in (
        "- The rows are independent draws from one source, and new cases come from the same "
        "source.",
        "- The confidence of 95 % was chosen before the data was seen.",
        "- The family thresholds was offered to the learner before the data was seen.",
        "- The learner chose among 1 setting, and no others were tried.",
        "- The certificate takes for granted that these columns of people.csv were never offered "
        "to the learner: 'id'.",
    ):
        assert said in listed
    said = rulewright("certify", model, table, "--json").json
    assert [f"- {text}" for text in said["assumptions"]] == listed
    assert said["cautions"] == []
    assert rulewright("certify", model, table, "--strict").code == 0


def test_all_columns_that_were_not_offered_are_named(rulewright, model, table):
    frame = pd.read_csv(table).assign(**{f"more{i}": 0 for i in range(8)})
    frame.to_csv(table, index=False)
    done = rulewright("certify", model, table)
    assert all(f"'more{i}'" in done.out for i in range(8))


def test_kinds_that_differ_from_detection_are_named(rulewright, table, tmp_path):
    frame = pd.read_csv(table)
    frame["zone"] = np.arange(300) % 4 + 1
    frame.to_csv(table, index=False)
    out = tmp_path / "m.json"
    rulewright(
        *("fit", table, "--target", "class", "--drop", "id", "--categorical", "zone"),
        *("--learner", "scm", "--out", out),
    )
    done = rulewright("certify", out, table)
    assert "Column 'zone' counts as categories, although its values look like numbers" in done.out


def test_rows_without_a_class_earn_a_caution(rulewright, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    y = rng.integers(0, 2, 400)
    frame["class"] = np.where(y, "p", "n")
    frame.loc[(frame["a"] > 0) != y.astype(bool), "class"] = None
    path, out = tmp_path / "t.csv", tmp_path / "m.json"
    frame.to_csv(path, index=False)
    options = ("--target", "class", "--drop-unlabelled", "--learner", "scm")
    fit = rulewright("fit", path, *options, "--out", out)
    blank = int(frame["class"].isna().sum())
    for done, code in (
        (fit, 0),
        (rulewright("certify", out, path), 0),
        (rulewright("certify", out, path, "--strict"), 3),
    ):
        assert done.code == code
        assert f"Caution: {blank} of the 400 rows have no class and do not count." in done.err


def test_copies_of_rows_earn_a_caution_and_strict_refuses_them(rulewright, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(np.repeat(rng.normal(size=(40, 3)), 25, axis=0), columns=list("abc"))
    frame["class"] = np.repeat(rng.integers(0, 2, 40), 25)
    path, out = tmp_path / "t.csv", tmp_path / "m.json"
    frame.sample(frac=1, random_state=0).to_csv(path, index=False)
    assert rulewright("fit", path, "--target", "class", "--learner", "scm", "--out", out).code == 0
    done = rulewright("certify", out, path, "--strict", "--json")
    assert done.code == 3
    assert done.json["holds"] is True
    [caution] = done.json["cautions"]
    assert caution.startswith("960 of the 1000 rows repeat another row")


def test_a_check_that_does_not_hold_exits_with_3(rulewright, model, table):
    data = json.loads(model.read_text())
    data["evidence"][0][0] += 3
    model.write_text(json.dumps(data))
    done = rulewright("certify", model, table, "--json")
    assert done.code == 3
    assert done.json["holds"] is False
    assert "The model says that rule 1 answers" in done.json["error"]
    assert done.err.startswith("Error: The model says")


def test_what_cannot_be_checked_exits_with_1(rulewright, model, table):
    assert rulewright("certify", model, table.with_name("other.csv")).code == 1


def test_weights_of_a_fit_are_read_from_a_column(rulewright, table, tmp_path):
    frame = pd.read_csv(table)
    frame["times"] = np.arange(300) % 3
    frame.to_csv(table, index=False)
    tree = TreeClassifier().fit(
        frame[["age", "income"]], frame["class"], sample_weight=frame["times"]
    )
    out = tmp_path / "m.json"
    save_model(tree.model_, out)
    assert rulewright("certify", out, table).code == 3
    done = rulewright("certify", out, table, "--weight", "times")
    assert done.code == 0, done.err
    assert "100 of the 300 rows count as absent" in done.out
    assert "'times'" not in done.out


def test_of_rows_held_out_seed_and_share_are_listed(rulewright, table, tmp_path):
    frame = pd.read_csv(table).dropna()
    frame.to_csv(table, index=False)
    grid = {"penalty": [1, 2]}
    search = BoundSearch(SetCoveringMachine(), grid, by="holdout").fit(
        frame[["age", "income"]], frame["class"]
    )
    out = tmp_path / "m.json"
    save_model(search.model_, out)
    done = rulewright("certify", out, table, "--strict")
    assert done.code == 0, done.err
    held = len(search.certificate_.held)
    assert f"- The model was learnt without the {held} rows held out" in done.out
    assert "- The seed 0 and the number of rows held out were chosen before" in done.out
    assert "every test of the model is made from the other rows" in done.out


@pytest.fixture
def split_model(rulewright, table, tmp_path):
    path = tmp_path / "split.json"
    options = ("--target", "class", "--drop", "id", "--learner", "tree", "--certificate", "split")
    done = rulewright("fit", table, *options, "--out", path)
    assert done.code == 0, done.err
    return path


def test_error_rates_by_group_are_printed(rulewright, split_model, table):
    model, frame = load_model(split_model), pd.read_csv(table)
    done = rulewright("certify", split_model, table, "--by", "city")
    assert (done.code, done.err) == (0, "")
    expected = model.certificate.by_group(frame["city"], model, frame, frame["class"])
    assert f"By city. {expected}" in done.out
    said = rulewright("certify", split_model, table, "--by", "city", "--json").json
    assert said["by"] == {"city": expected.to_dict()}
    assert "by_rule" not in said


def test_rules_are_printed_with_their_bounds(rulewright, split_model, table):
    model, frame = load_model(split_model), pd.read_csv(table)
    expected = model.certificate.by_rule(model, frame, frame["class"])
    assert str(expected) in rulewright("certify", split_model, table, "--rules").out
    said = rulewright("certify", split_model, table, "--rules", "--json").json
    assert said["by_rule"] == expected.to_dict()
    assert "by" not in said


def test_all_tables_hold_at_once(rulewright, split_model, table):
    """Two columns and the rules share delta; a column named twice counts once."""
    frame = pd.read_csv(table).assign(sex=np.arange(300) % 2)
    frame.loc[4, "sex"] = None
    frame.to_csv(table, index=False)
    asked = ("--by", "city", "--by", "sex", "--by", "city", "--rules")
    done = rulewright("certify", split_model, table, *asked, "--json")
    assert done.code == 0, done.err
    parts = [*done.json["by"].values(), done.json["by_rule"]]
    assert [part["delta"] for part in parts] == [0.05 / 3] * 3
    assert list(done.json["by"]) == ["city", "sex"]
    assert [each["group"] for each in done.json["by"]["sex"]["groups"]] == ["0", "1", None]
    assert done.json["columns_not_offered"] == ["id", "sex"]
    assert "98.33 % confidence" in rulewright("certify", split_model, table, *asked).out


def test_rows_without_a_class_are_in_no_group(rulewright, split_model, table):
    frame = pd.read_csv(table)
    more = frame.iloc[:3].assign(**{"class": None, "city": "Uri"})
    pd.concat([more, frame]).to_csv(table, index=False)
    said = rulewright("certify", split_model, table, "--by", "city", "--json").json
    assert [each["group"] for each in said["by"]["city"]["groups"]] == ["Bern", "Chur", "Genève"]


def test_groups_need_a_split_certificate_and_a_column(rulewright, model, split_model, table):
    for option in (("--by", "city"), ("--rules",)):
        done = rulewright("certify", model, table, *option)
        assert done.code == 1
        assert "--by and --rules need a split certificate; model.json has one of" in done.err
        assert "--certificate split" in done.err
    done = rulewright("certify", split_model, table, "--by", "town")
    assert (done.code, "has no column 'town'" in done.err) == (1, True)
    done = rulewright("certify", split_model, table, "--by", "id")
    assert (done.code, "groups has 300 different values" in done.err) == (1, True)


def test_a_report_is_written_where_the_certificate_holds(rulewright, model, table, tmp_path):
    page = tmp_path / "report.html"
    assert rulewright("certify", model, table, "--report", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "people.csv: rules for class" in text
    assert "not hold for this data" not in text
    page.unlink()
    changed = table.read_text().replace("good", "bad", 5)
    table.write_text(changed)
    assert rulewright("certify", model, table, "--report", page).code == 3
    assert not page.exists()
    done = rulewright("certify", model, table, "--report", table)
    assert done.code == 1
    assert "it is the input. Choose another --report." in done.err
