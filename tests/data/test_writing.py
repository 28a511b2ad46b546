"""Files appear whole or not at all."""

import csv
import os
import stat

import numpy as np
import pytest

from rulewright.data import (
    CategoricalColumn,
    NumericColumn,
    Table,
    check_writable,
    open_data,
    write_atomically,
    write_rows,
    write_table,
)
from rulewright.errors import FileError


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("old")
    with pytest.raises(RuntimeError), write_atomically(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path):
    plain, written = tmp_path / "plain", tmp_path / "written"
    plain.write_text("x")
    with write_atomically(written) as temporary:
        temporary.write_text("x")
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    written.chmod(0o640)
    with write_atomically(written) as temporary:
        temporary.write_text("y")
    assert stat.S_IMODE(written.stat().st_mode) == 0o640


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with (
        pytest.raises(FileError, match=r"Cannot write .*nowhere.*existing folder"),
        write_atomically(tmp_path / "nowhere" / "x"),
    ):
        pass


def test_no_write_permission_is_said(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with (
        pytest.raises(FileError, match=r"Cannot write .*Permission denied.*may write to"),
        write_atomically(tmp_path / "x"),
    ):
        pass


TABLE = Table(
    [
        NumericColumn("n", np.array([1.0, np.nan, 2.5])),
        CategoricalColumn(
            "t", "text", np.array([0, 1, -1], np.int32), ('a "quoted", b', "c\rd\ne")
        ),
        CategoricalColumn("f", "boolean", np.array([1, 0, -1], np.int32), ("False", "True")),
    ],
    3,
)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_table_comes_back_as_it_was_written(tmp_path, name):
    path = tmp_path / name
    write_table(path, TABLE)
    with open_data(path) as file:
        back = file.read()
    assert [c.cells() for c in back.columns] == [c.cells() for c in TABLE.columns]
    assert os.listdir(tmp_path) == [name]


def test_rows_are_written_in_batches(tmp_path):
    path = tmp_path / "rows.csv"
    with write_rows(path, [("a", "BIGINT"), ("b", "VARCHAR")]) as writer:
        writer.write([(1, "x")])
        writer.write([(2, None)])
    assert path.read_text() == "a,b\n1,x\n2,\n"


def test_a_link_stays_and_what_it_points_at_is_replaced(tmp_path):
    for name, start in (("there.txt", "old"), ("new.txt", None)):
        target, link = tmp_path / name, tmp_path / f"link-{name}"
        if start:
            target.write_text(start)
        link.symlink_to(name)
        with write_atomically(link) as temporary:
            temporary.write_text("whole")
        assert link.is_symlink()
        assert target.read_text() == "whole"


def test_a_circle_of_links_is_refused(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(FileError, match="Cannot write"), write_atomically(one):
        pass


def test_a_write_protected_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "protected"
    path.write_text("old")
    path.chmod(0o444)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda p, mode: p != path and allowed(p, mode))  # root may
    with pytest.raises(FileError, match="write-protected"), write_atomically(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "old"


def test_a_disk_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "disk"
    path.touch()
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: False)
    monkeypatch.setattr(stat, "S_ISBLK", lambda mode: True)
    with pytest.raises(FileError, match="It is a disk"):
        check_writable(path)


def test_only_folders_of_ended_processes_are_removed(tmp_path):
    path = tmp_path / "model.json"
    stale = tmp_path / ".model.json.abc.rulewright-tmp"
    stale.mkdir()
    (stale / "output").write_text("half")
    other = tmp_path / ".another.json.abc.rulewright-tmp"
    other.mkdir()
    with write_atomically(path) as first:
        first.write_text("first")
        assert not stale.exists()
        with write_atomically(path) as second:
            second.write_text("second")
        assert first.read_text() == "first"
    assert path.read_text() == "first"
    assert sorted(os.listdir(tmp_path)) == [other.name, "model.json"]


def test_a_long_name_is_no_hindrance(tmp_path):
    path = tmp_path / ("\N{GRINNING FACE}" * 60)
    with write_atomically(path) as temporary:
        temporary.write_text("whole")
    assert path.read_text() == "whole"


@pytest.mark.parametrize("start", list("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"))
def test_a_formula_is_text_in_a_spreadsheet(tmp_path, start):
    path = tmp_path / "rows.csv"
    cells = (f"{start}cmd", "plain", -2.5, "-2.5", None, "")
    names = [f"{start}name", "b", "c", "d", "e", "f"]
    with write_rows(path, [(name, "VARCHAR") for name in names], excel_safe=True) as writer:
        writer.write([cells])
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        [f"'{start}name", *names[1:]],
        [f"'{start}cmd", "plain", "-2.5", "-2.5", "", ""],
    ]
