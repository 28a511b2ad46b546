"""What the commands read, and what they say when they cannot."""

import duckdb
import pytest

FIT = ("--target", "class", "--drop", "id", "--learner", "scm")


def test_a_path_with_brackets_is_learned_from_and_certified_as_itself(rulewright, table, tmp_path):
    """The pattern people[1].csv would match people1.csv."""
    named, decoy = tmp_path / "people[1].csv", tmp_path / "people1.csv"
    text = table.read_text()
    named.write_text(text)
    decoy.write_text(text.replace("good", "fair"))
    model = tmp_path / "model.json"
    done = rulewright("fit", named, *FIT, "--out", model)
    assert done.code == 0, done.err
    assert "good" in done.out
    assert "fair" not in done.out
    assert rulewright("certify", model, named).code == 0
    assert rulewright("certify", model, decoy).code == 1


def test_all_files_of_a_pattern_are_not_a_table(rulewright, table):
    done = rulewright("fit", table.parent / "*.csv", *FIT)
    assert done.code == 1
    assert "No such file" in done.err


def little_memory(files):
    return duckdb.connect(config={"memory_limit": "1MB", "max_temp_directory_size": "0KB"})


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_too_little_memory_is_said_without_a_traceback(rulewright, table, monkeypatch, json):
    monkeypatch.setattr("rulewright.data.csv_file.connect", little_memory)
    done = rulewright("fit", table, *FIT, *json)
    assert done.code == 1
    assert done.err.startswith("Error: There is not enough memory for this table.")
    assert "--drop" in done.err
    assert "Traceback" not in done.err


def test_a_failed_allocation_is_too_little_memory(rulewright, table, monkeypatch):
    class Failing:
        def execute(self, query):
            raise duckdb.Error("std::bad_alloc")

        def close(self):
            pass

    monkeypatch.setattr("rulewright.data.csv_file.connect", lambda files: Failing())
    done = rulewright("fit", table, *FIT)
    assert done.code == 1
    assert "not enough memory" in done.err


def test_a_data_set_outside_the_folder_is_refused(rulewright, tmp_path, monkeypatch):
    folder = tmp_path / "sets"
    folder.mkdir()
    (tmp_path / "x.csv").write_text("a,class\n1,u\n2,v\n")
    monkeypatch.setenv("RULEWRIGHT_DATA", str(folder))
    done = rulewright("data", "../x")
    assert done.code == 1
    assert "not a path" in done.err


def test_a_key_too_large_for_a_number_is_refused_with_the_way_out(rulewright, tmp_path):
    path = tmp_path / "d.csv"
    rows = (f"{2**60 + i},{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(40))
    path.write_text("key,x,class\n" + "".join(rows))
    fit = ("fit", path, "--target", "class", "--learner", "scm")
    done = rulewright(*fit)
    assert done.code == 1
    assert f"'key' holds the whole number {2**60 + 1}." in done.err
    assert rulewright(*fit, "--drop", "key").code == 0
    assert rulewright(*fit, "--categorical", "key").code == 0


def ordered_table(path):
    labels = ["tiny", "small", "medium", "large"]
    rows = [(labels[n % 4], n % 5, "sold" if n % 4 <= 1 else "kept") for n in range(200)]
    lines = [f"{size},{weight},{label}" for size, weight, label in rows]
    path.write_text("\n".join(["size,weight,class", *lines, ",3,kept"]), encoding="utf-8")
    return path


def test_an_order_is_declared_learned_from_and_kept(rulewright, tmp_path):
    table, model = ordered_table(tmp_path / "t.csv"), tmp_path / "model.json"
    order = ("--order", "size = tiny < small < medium < large")
    fit = ("fit", table, "--target", "class", "--learner", "rule-list", "--out", model)
    done = rulewright(*fit, *order)
    assert done.code == 0, done.err
    assert "size <= small" in done.out or "size > small" in done.out
    assert rulewright("certify", model, table).code == 0
    shown = rulewright("show", model)
    assert "size <= small" in shown.out or "size > small" in shown.out
    assert rulewright("export", model, "--to", "sql", "--check", table).code == 0
    assert rulewright("predict", model, table).out.count("sold") == 100
    assert "(<= small)" in rulewright("explain", model, table).out


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("size=tiny<small", "has 'large', 'medium', which the order tiny < small does not have"),
        ("sise=tiny<small", "--order must name a column and its categories"),
        ("size", "--order must name a column and its categories"),
        ("size=tiny", "--order needs two or more different categories"),
        ("size=tiny<tiny", "--order needs two or more different categories"),
    ],
)
def test_a_wrong_order_is_refused(rulewright, tmp_path, order, said):
    table = ordered_table(tmp_path / "t.csv")
    done = rulewright("fit", table, "--target", "class", "--learner", "tree", "--order", order)
    assert done.code == 1
    assert said in " ".join(done.err.split())
