"""What commands write: never over an input, never over a file of somebody else."""

import gzip
import os
import pty
import stat
import subprocess
import sys
import threading
import tty

import pandas as pd
import pytest

FIT = ("--target", "class", "--drop", "id", "--learner", "scm", "--max-rules", "1")


def spellings(path):
    """The same file by other names."""
    folder = path.parent
    (folder / "sub").mkdir(exist_ok=True)
    soft, hard, chain = folder / "soft", folder / "hard", folder / "chain"
    soft.symlink_to(path.name)
    chain.symlink_to(soft)
    os.link(path, hard)
    return [path, os.path.relpath(path), f"{folder}/sub/../{path.name}", soft, hard, chain]


@pytest.mark.slow
def test_the_input_is_never_overwritten(rulewright, model, table):
    before = table.read_bytes()
    for spelling in spellings(table):
        for command in (
            ["predict", model, table, "--out", spelling],
            ["explain", model, table, "--out", spelling],
            ["fit", table, *FIT, "--out", spelling],
            ["fit", table, *FIT, "--report", spelling],
        ):
            done = rulewright(*command, "--overwrite")
            option = command[-2]
            assert done.code == 1
            assert done.err == (
                f"Error: Refusing to overwrite {spelling}: it is the input. "
                f"Choose another {option}.\n"
            )
    assert table.read_bytes() == before


def test_a_compressed_input_is_never_overwritten(rulewright, model, table, tmp_path):
    packed = tmp_path / "people.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    before = packed.read_bytes()
    assert "it is the input" in rulewright("predict", model, packed, "--out", packed).err
    assert packed.read_bytes() == before


def test_the_model_is_not_overwritten_by_its_predictions(rulewright, model, table):
    before = model.read_bytes()
    for command in ("predict", "explain"):
        done = rulewright(command, model, table, "--out", model, "--overwrite")
        assert done.code == 1
        assert "it is the model. Choose another --out." in done.err
    assert model.read_bytes() == before


def test_the_model_and_its_report_are_two_files(rulewright, table, tmp_path):
    one = tmp_path / "one"
    done = rulewright("fit", table, *FIT, "--out", one, "--report", tmp_path / "." / "one")
    assert done.code == 1
    assert "it is the --out file. Choose another --report." in done.err
    assert not one.exists()


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_fit_replaces_only_what_it_wrote(rulewright, table, tmp_path, option):
    path = tmp_path / "kept"
    path.write_text("years of work\n")
    done = rulewright("fit", table, *FIT, option, path)
    assert done.code == 1
    kind = {"--out": "a model file", "--report": "a report"}[option]
    assert done.err == (
        f"Error: Refusing to overwrite {path}: it is not {kind} of rulewright. Choose another "
        f"{option}, or add --overwrite.\n"
    )
    assert path.read_text() == "years of work\n"
    assert rulewright("fit", table, *FIT, option, path, "--overwrite").code == 0
    written = path.read_bytes()
    assert rulewright("fit", table, *FIT, option, path).code == 0
    assert path.read_bytes() == written


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_predictions_replace_only_earlier_ones(rulewright, model, table, tmp_path, command, name):
    path = tmp_path / name
    frame = pd.DataFrame({"row": [0], "prediction": ["mine"]})
    frame.to_csv(path, index=False) if name == "p.csv" else frame.to_parquet(path)
    before = path.read_bytes()
    run = (command, model, table, "--out", path)
    done = rulewright(*run)
    assert done.code == 1
    assert "not an earlier output of this command with the same columns" in done.err
    assert "--overwrite" in done.err
    assert path.read_bytes() == before
    assert rulewright(*run, "--overwrite").code == 0
    assert rulewright(*run).code == 0
    assert rulewright(*run, "--keep", "id").code == 1


def test_an_empty_file_is_filled(rulewright, model, table, tmp_path):
    path = tmp_path / "made-by-mktemp"
    path.touch()
    assert rulewright("predict", model, table, "--out", path).code == 0
    assert path.read_text().startswith("row,prediction")


def test_a_data_set_is_written_again_but_not_over_something_else(rulewright, tmp_path):
    path = tmp_path / "iris.csv"
    assert rulewright("data", "iris", "--out", path).code == 0
    assert rulewright("data", "iris", "--out", path).code == 0
    path.write_text(path.read_text() + "6,3,5,2,virginica\n")
    done = rulewright("data", "iris", "--out", path)
    assert done.code == 1
    assert "not a file of this data set" in done.err
    assert path.read_text().endswith("6,3,5,2,virginica\n")
    assert rulewright("data", "iris", "--out", path, "--overwrite").code == 0


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_what_cannot_be_written_is_said_before_the_fit(rulewright, table, tmp_path, option):
    table.write_text("this is not read\n")
    done = rulewright("fit", table, *FIT, option, tmp_path / "nowhere" / "x")
    assert done.code == 1
    assert "Cannot write" in done.err
    assert "No such file or directory" in done.err
    done = rulewright("fit", table, *FIT, option, tmp_path)
    assert "It is a folder" in done.err


def test_a_link_stays_and_its_file_is_written(rulewright, model, table, tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to("there/p.csv")
    for _ in range(2):
        assert rulewright("predict", model, table, "--out", link).code == 0
        assert link.is_symlink()
        assert (tmp_path / "there" / "p.csv").read_text().startswith("row,")
        assert [p.name for p in (tmp_path / "there").iterdir()] == ["p.csv"]


def test_a_pipe_is_written_to(rulewright, model, table, tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert rulewright("predict", model, table, "--out", pipe).code == 0
    reader.join(timeout=30)
    assert read == [rulewright("predict", model, table).out]
    assert pipe.is_fifo()


def test_a_device_is_written_to(rulewright, model, table):
    """The device is a terminal of this test's own: no failure can harm one of the system's."""
    ours, theirs = pty.openpty()
    device = os.ttyname(theirs)
    tty.setraw(theirs)
    before, shown = os.stat(device), b""

    def read():
        nonlocal shown
        while b"\n299," not in shown:
            shown += os.read(ours, 1 << 16)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    done = rulewright("predict", model, table, "--out", device)
    reader.join(timeout=30)
    after = os.stat(device)
    os.close(theirs)
    os.close(ours)
    assert done.code == 0, done.err
    assert shown.startswith(b"row,prediction")
    assert stat.S_ISCHR(after.st_mode)
    assert (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)


@pytest.mark.cross_section(2)
@pytest.mark.slow
@pytest.mark.parametrize("how", ["> all.csv", ">> all.csv", "| cat > all.csv"])
@pytest.mark.parametrize("name", ["/dev/fd/1", "link"])
def test_standard_output_can_be_named(rulewright, model, table, tmp_path, how, name):
    """As /dev/stdout, which is a link to it; the link is this test's own."""
    (tmp_path / "link").symlink_to("/proc/self/fd/1")
    program = f"{sys.executable} -m rulewright predict {model} {table}"
    plain = rulewright("predict", model, table).out
    (tmp_path / "all.csv").write_text("before\n")
    subprocess.run(f"{program} --out {name} {how}", shell=True, cwd=tmp_path, check=True)
    before = "before\n" if how.startswith(">>") else ""
    assert (tmp_path / "all.csv").read_text() == before + plain
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_formulas_are_text_on_request(rulewright, model, table, tmp_path, command):
    frame = pd.read_csv(table)
    frame["=note"] = ["=cmd|' /C calc'!A0", "@SUM(A1)", "-1", "+x"] * 75
    frame.to_csv(table, index=False)
    run = (command, model, table, "--keep", "=note")
    plain, safe = tmp_path / "plain.csv", tmp_path / "safe.csv"
    assert rulewright(*run, "--out", plain).code == 0
    assert pd.read_csv(plain)["=note"].tolist() == frame["=note"].tolist()
    for _ in range(2):
        assert rulewright(*run, "--out", safe, "--excel-safe").code == 0
        written = pd.read_csv(safe)["'=note"].tolist()
        assert written[:4] == ["'=cmd|' /C calc'!A0", "'@SUM(A1)", "-1", "'+x"]
    assert rulewright(*run, "--excel-safe").out == safe.read_text()
    for option in (["--json"], ["--out", tmp_path / "p.parquet"]):
        done = rulewright(*run, "--excel-safe", *option)
        assert done.code == 2
        assert "--excel-safe is for CSV" in done.err


@pytest.mark.parametrize("name", ["row", "Rule", "prediction"])
def test_a_column_to_keep_has_a_name_of_its_own(rulewright, model, table, name):
    frame = pd.read_csv(table)
    frame[name] = "x"
    frame.to_csv(table, index=False)
    done = rulewright("predict", model, table, "--keep", name)
    assert done.code == 1
    assert f"{name!r}" in done.err
    assert "twice" in done.err
    assert rulewright("predict", model, table, "--keep", "id", "--keep", "id").code == 1


def test_nothing_is_printed_before_the_columns_are_found(rulewright, model, table):
    assert rulewright("predict", model, table, "--keep", "no such column").out == ""


def test_exit_codes(rulewright, model, table, tmp_path):
    assert rulewright("predict", model, table).code == 0
    assert rulewright("predict", model, tmp_path / "absent.csv").code == 1
    assert rulewright("predict", table, table).code == 1
    assert rulewright("predict", model).code == 2
    assert rulewright("predict", model, table, "--batch", "0").code == 2
    assert rulewright("predict", model, table, "--no-such-option").code == 2
