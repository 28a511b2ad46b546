"""rulewright fit and show."""

import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from strategies.drawn import chain

from rulewright import SetCoveringMachine, load_model, save_model
from rulewright.data import Field
from rulewright.models import Model


def test_a_fit_prints_the_rules_and_the_certificate(rulewright, table, tmp_path):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    options = ("--drop", "id", "--certificate", "compression", "--out", model, "--report", report)
    done = rulewright("fit", table, "--target", "class", *options)
    assert done.code == 0
    assert done.err == ""
    assert "300 rows, 3 columns" in done.out
    assert "tree, cart, bound pruning, the best certificate of " in done.out
    assert "if city = Chur: bad" in done.out
    assert "95 % confidence" in done.out
    assert f"model: {model}" in done.out
    assert f"report: {report}" in done.out
    assert str(load_model(model)) in done.out
    assert "<h2>The certificate</h2>" in report.read_text(encoding="utf-8")


def test_auto_is_at_least_as_good_as_any_single_penalty(rulewright, table):
    auto = rulewright("fit", table, "--target", "class", "--drop", "id", "--json").json
    for kind in ("conjunction", "disjunction"):
        one = rulewright(
            "fit", table, "--target", "class", "--drop", "id", "--json",
            "--learner", "scm", "--kind", kind, "--penalty", "2", "--max-rules", "2",
        ).json  # fmt: skip
        assert auto["certificate"]["bound"] <= one["certificate"]["bound"] + 0.02


def test_scm_is_the_estimator_of_the_library(rulewright, table, tmp_path):
    path = tmp_path / "m.json"
    rulewright(
        "fit", table, "--target", "class", "--drop", "id", "--learner", "scm", "--kind", "best",
        "--penalty", "1.5", "--max-rules", "4", "--out", path,
    )  # fmt: skip
    data = pd.read_csv(table)
    machine = SetCoveringMachine(kind="best", penalty=1.5, max_rules=4).fit(
        data[["age", "city", "income"]], data["class"]
    )
    loaded = load_model(path)
    assert loaded == machine.model_
    assert loaded.certificate == machine.certificate_


def test_json_says_everything_once(rulewright, table):
    said = rulewright("fit", table, "--target", "class", "--json").json
    assert said["rows"] == 300
    assert said["certificate"]["errors"] <= said["training_errors"]
    assert {"number", "rule", "class", "support", "right"} == set(said["rules"][0])
    assert said["seconds"] < 60


def test_the_same_table_gives_the_same_model_from_any_file(rulewright, table, tmp_path):
    frame = pd.read_csv(table)
    frame.to_parquet(tmp_path / "p.parquet")
    with duckdb.connect(tmp_path / "d.duckdb") as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        frame.to_sql("people", connection, index=False)
    connection.close()
    models = []
    for name in ("people.csv", "p.parquet", "d.duckdb", "s.sqlite"):
        out = tmp_path / f"{name}.json"
        learner = ("--learner", "scm")
        done = rulewright("fit", tmp_path / name, "--target", "class", *learner, "--out", out)
        assert done.code == 0, done.err
        models.append(load_model(out))
    assert all(model == models[0] for model in models)


def test_numbers_can_be_declared_categories(rulewright, tmp_path):
    path = tmp_path / "codes.csv"
    pd.DataFrame({"code": [1, 2, 3] * 30, "class": [0, 1, 0] * 30}).to_csv(path, index=False)
    out = tmp_path / "m.json"
    done = rulewright("fit", path, "--target", "class", "--categorical", "code", "--out", out)
    assert "code = 2" in done.out
    assert rulewright("certify", out, path).code == 0


def test_a_column_of_rare_categories_earns_a_caution(rulewright, tmp_path):
    path, out, page = (tmp_path / name for name in ("t.csv", "m.json", "r.html"))
    names = [f"name {row // 2 if row < 90 else row}" for row in range(100)]
    pd.DataFrame({"name": names, "y": np.arange(100) // 2 % 2}).to_csv(path, index=False)
    done = rulewright(
        *("fit", path, "--target", "y", "--learner", "scm", "--out", out, "--report", page)
    )
    assert done.code == 0
    assert done.err.startswith("Caution: Column 'name' has 55 categories in 100 rows")
    assert "Caution." in page.read_text(encoding="utf-8")
    assert rulewright("certify", out, path).err.startswith("Caution: ")
    rare, repeated = rulewright("certify", out, path, "--json").json["cautions"]
    assert rare in done.err and "45 of the 100 rows repeat another row" in repeated
    said = rulewright("fit", path, "--target", "y", "--learner", "scm", "--json").json
    assert said["cautions"] == [rare, repeated]


def test_rows_without_a_class_need_a_word(rulewright, table, tmp_path):
    frame = pd.read_csv(table)
    frame.loc[[3, 7], "class"] = None
    path = tmp_path / "gaps.csv"
    frame.to_csv(path, index=False)
    done = rulewright("fit", path, "--target", "class")
    assert done.code == 1
    assert "missing in 2 of 300 rows (first in row 3)" in done.err
    assert "--drop-unlabelled" in done.err
    out, report = tmp_path / "m.json", tmp_path / "r.html"
    done = rulewright(
        "fit", path, "--target", "class", "--drop-unlabelled", "--out", out, "--report", report,
        "--learner", "scm",
    )  # fmt: skip
    assert done.code == 0
    model = load_model(out)
    assert model.certificate.m == 298
    value = model.body.parts[0]
    row = value.anchors[0] if value.anchors else None
    if row is not None:  # rows keep the numbers they have in the file
        assert frame[value.column].iloc[row] == value.cut
        assert f'<td class="n">{row}</td>' in report.read_text(encoding="utf-8")
    assert rulewright("certify", out, path).code == 0


@pytest.mark.slow
def test_labels_keep_the_form_they_have_in_the_file(rulewright, tmp_path):
    path = tmp_path / "labels.csv"
    for labels in (["yes", "no"], [0, 1], ["True", "False"], [1.5, 2.5]):
        pd.DataFrame({"x": np.arange(40), "y": labels * 20}).to_csv(path, index=False)
        said = rulewright("fit", path, "--target", "y", "--learner", "dlm", "--json").json
        assert {rule["class"] for rule in said["rules"]} <= set(labels)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "is empty"),
        ("a,class\n", [], "has columns but no rows"),
        ("a,b\n1,2\n", [], "has no column 'class'. Its columns are: 'a', 'b'"),
        ("a,class\n1,x\n2,x\n", [], "Column 'class', the class, has only the value 'x'"),
        ("a,class\n1,x\n2,y\n3,z\n", [], "has 3 different values in 3 rows"),
        ("a,class\n1,\n2,\n", [], "is missing in all 2 rows"),
        ("class\nx\ny\n", [], "no column besides the class"),
        ("a,class\n1,x\n2\n", [], "line 3: 1 cells where the header has 2"),
        ("a,a,class\n1,2,x\n", [], "has 'a', 'a'"),
        ("a,class\ninf,x\n2,y\n", [], "value is infinite"),
        ("a,class\n1,x\n2,y\n", ["--drop", "z"], "has no column 'z'"),
        ("a,class\n1,x\n2,y\n", ["--max-rules", "0"], "max_rules must be"),
        ("a,class\n1,x\n2,y\n", ["--delta", "2"], "delta must be in (0, 1), got 2.0"),
        (
            "a,class\n1,x\n2,y\n",
            ["--learner", "scm", "--penalty", "-1"],
            "penalty must be a number",
        ),
        ("a,class\n1,x\n2,y\n", ["--out", "no/such/folder/m.json"], "Cannot write"),
        ("a,class\n1,x\n2,y\n", ["--report", "no/such/folder/r.html"], "Cannot write"),
        ("a,class\n1,x\n2,y\n", ["--table", "t"], "is not a database"),
    ],
)
def test_wrong_input_is_said_and_exits_with_one(rulewright, tmp_path, text, options, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    done = rulewright("fit", path, "--target", "class", *options)
    assert done.code == 1
    assert done.err.startswith("Error: ")
    assert message in done.err
    assert "Traceback" not in done.err


def test_text_that_is_not_utf8_is_said(rulewright, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes("a,class\nZürich,x\nBern,y\n".encode("latin1"))
    done = rulewright("fit", path, "--target", "class")
    assert done.code == 1
    assert "not UTF-8" in done.err


def test_a_file_that_is_not_there_is_said(rulewright, tmp_path):
    done = rulewright("fit", tmp_path / "none.csv", "--target", "class")
    assert done.code == 1
    assert "No such file" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit"],
        ["fit", "x.csv"],
        ["nonsense"],
        ["fit", "x.csv", "--target", "c", "--learner", "magic"],
        ["fit", "x.csv", "--target", "c", "--learner", "scm", "--penalty", "two"],
        ["fit", "x.csv", "--target", "c", "--learner", "scm", "--kind", "both"],
        ["learners", "magic"],
        ["fit", "x.csv", "--target", "c", "--penalty", "2"],
        ["predict", "m.json", "x.csv", "--batch", "0"],
    ],
)
def test_wrong_usage_exits_with_two(rulewright, arguments):
    assert rulewright(*arguments).code == 2


def test_errors_are_json_for_machines(rulewright, tmp_path):
    done = rulewright("fit", tmp_path / "none.csv", "--target", "c", "--json")
    assert done.code == 1
    assert "No such file" in json.loads(done.out)["error"]


def test_help_and_version_are_there(rulewright):
    assert "rulewright 0." in rulewright("--version").out
    listed = rulewright("--help").out
    for command in ("fit", "show", "predict", "certify", "data"):
        assert command in listed
        assert rulewright(command, "--help").code == 0


def test_show_prints_what_fit_printed(rulewright, model, table):
    done = rulewright("show", model)
    assert done.code == 0
    assert str(load_model(model)) in done.out
    assert "95 % confidence" in done.out
    said = rulewright("show", model, "--json").json
    assert said["target"] == "class"
    assert said["certificate"]["bound"] == load_model(model).certificate.bound


def test_a_rounded_model_counts_its_changed_answers(rulewright, tmp_path):
    path, out = tmp_path / "d.csv", tmp_path / "m.json"
    x = np.round(np.linspace(0, 1, 200), 3)
    pd.DataFrame({"x": x, "class": (x > 0.456).astype(int)}).to_csv(path, index=False)
    rulewright("fit", path, "--target", "class", "--out", out)
    done = rulewright("show", out, "--decimals", "1", "--data", path)
    loaded = load_model(out)
    expected = loaded.rounded(1, pd.read_csv(path))
    assert expected.changed > 0
    assert f"rounded to 1 decimal: {expected.changed} of 200 answers change" in done.out
    assert rulewright("show", out, "--decimals", "1", "--data", path, "--json").json["changed"] == (
        expected.changed
    )
    refused = rulewright("show", out, "--decimals", "1")
    assert refused.code == 1
    assert "--data" in refused.err


def test_a_file_that_is_no_model_is_said(rulewright, tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    done = rulewright("show", path)
    assert done.code == 1
    assert "not a model file" in done.err


def test_of_many_classes_the_worst_bound_is_said(rulewright, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 30)
    path = tmp_path / "many.csv"
    pd.DataFrame({"x": y + 0.2 * rng.normal(size=240), "y": [f"c{k}" for k in y]}).to_csv(
        path, index=False
    )
    said = rulewright("fit", path, "--target", "y").out
    assert "Among new cases of any one class, at most " in said
    assert "all with the same confidence" in said


def test_of_many_leaves_those_that_answered_the_most_are_shown(rulewright, tmp_path):
    tree = chain(80)
    evidence = tuple((float(i % 41), 2.0) for i in range(81))
    save_model(Model((Field("x", "numeric"),), ("no", "yes"), tree, evidence), tmp_path / "m.json")
    done = rulewright("show", tmp_path / "m.json", "--all")
    assert done.code == 0, done.err
    text, table = done.out.split("In training:\n")
    assert text.count("if x <= ") == 80
    lines = table.split("\n\n")[0].splitlines()
    assert len(lines) == 31 and lines[-1] == "  ... and 51 more, which answer fewer cases"
    numbers = [int(line.split()[0]) for line in lines[:-1]]
    assert numbers == sorted(numbers) and min((n - 1) % 41 for n in numbers) >= 25
    assert lines[0].startswith("  26  24 < x <= 25 ") and "27 cases" in lines[0]
    columns = {line.index(" cases") for line in lines[:-1]}
    assert len(columns) == 1
    listed = rulewright("show", tmp_path / "m.json", "--json").json["rules"]
    assert len(listed) == 81


def test_the_model_to_deliver_is_chosen_on_the_command_line(rulewright, table, tmp_path):
    path = tmp_path / "m.json"
    options = ("--target", "class", "--drop", "id", "--learner", "scm", "--certificate", "split")
    done = rulewright("fit", table, *options, "--deliver", "all", "--out", path)
    assert done.code == 0, done.err
    data = pd.read_csv(table)
    machine = SetCoveringMachine(certificate="split", deliver="all")
    machine.fit(data[["age", "city", "income"]], data["class"])
    assert load_model(path).body == machine.model_.body
    assert "also learnt from all rows" in done.out
    assert "--deliver" in rulewright("learners", "scm").out
    assert rulewright("fit", table, *options, "--deliver", "most").code != 0


@pytest.mark.parametrize("form", ["split", "compression"])
def test_another_size_is_taken_from_the_file(rulewright, table, tmp_path, form):
    path, smaller = tmp_path / "model.json", tmp_path / "smaller.json"
    options = ("fit", table, "--target", "class", "--drop", "id", "--learner", "scm", "--front")
    done = rulewright(*options, "--certificate", form, "--out", path, "--json")
    assert done.code == 0, done.err
    front = done.json["front"]
    assert len(front) > 1
    listed = rulewright("show", path, "--front", "--json").json["front"]
    assert listed == front
    assert "* " in rulewright("show", path, "--front").out
    for entry, above in zip(front, [*front[1:], None], strict=True):
        size = entry["size"] if above is None else above["size"] - 1
        taken = rulewright("show", path, "--size", size, "--out", smaller)
        assert taken.code == 0, taken.err
        model = load_model(smaller)
        assert str(model) == entry["model"] and model.certificate.bound == entry["bound"]
        assert model.profile is not None
        assert rulewright("certify", smaller, table).code == 0
    assert rulewright("predict", path, table).code == 0


def test_sizes_that_are_not_there_are_refused(rulewright, table, model, tmp_path):
    done = rulewright("show", model, "--size", "1")
    assert done.code == 1 and "Fit again with --front" in done.err
    assert "add --size" in rulewright("show", model, "--out", tmp_path / "x.json").err
    data = json.loads(model.read_text(encoding="utf-8"))
    own = {name: data[name] for name in ("body", "evidence", "certificate", "profile")}
    entry = {"size": 3, "errors": 1, "usefulness": None, **own}
    for front, said in (
        ([entry], "the sizes are 3"),
        ([entry, entry], "two models of one size"),
        ([{**entry, "size": -1}], "size, errors and usefulness"),
        ([{**entry, "certificate": None}], "with certificates"),
        ([{"size": 3}], "size, errors and usefulness"),
        ([{**entry, "evidence": []}], "do not fit together"),
        ({}, "'front' must be a list"),
    ):
        model.write_text(json.dumps({**data, "front": front}), encoding="utf-8")
        done = rulewright("show", model, "--size", "1")
        assert done.code == 1 and said in done.err


def test_every_model_of_the_front_is_written_with_its_certificate(rulewright, table, tmp_path):
    folder = tmp_path / "front"
    options = ("fit", table, "--target", "class", "--drop", "id", "--learner", "scm")
    done = rulewright(*options, "--certificate", "split", "--front-out", folder, "--json")
    assert done.code == 0, done.err
    files = {f"size-{entry['size']}.json": entry for entry in done.json["front"]}
    assert sorted(files) == sorted(path.name for path in folder.iterdir())
    for name, entry in files.items():
        assert str(load_model(folder / name)) == entry["model"]
    smallest = folder / min(files, key=lambda name: files[name]["size"])
    assert rulewright("certify", smallest, table).code == 0
    smallest.write_text("mine", encoding="utf-8")
    again = rulewright(*options, "--certificate", "split", "--front-out", folder)
    assert again.code == 1 and "Refusing to overwrite" in again.err
    assert "Cannot make the folder" in rulewright(*options, "--front-out", table).err
