"""Files appear whole or not at all."""

import os
import stat

import numpy as np
import pytest

from rulewright.data import (
    CategoricalColumn,
    NumericColumn,
    Table,
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
        pytest.raises(FileError, match=r"Cannot write .*nowhere.*folder that exists"),
        write_atomically(tmp_path / "nowhere" / "x"),
    ):
        pass


def test_no_write_permission_is_said(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with (
        pytest.raises(FileError, match=r"Cannot write .*Permission denied.*may write to"),
        write_atomically(tmp_path / "x"),
    ):
        pass


TABLE = Table(
    [
        NumericColumn("n", np.array([1.0, np.nan, 2.5])),
        CategoricalColumn("t", "text", np.array([0, 1, -1], np.int32), ('a "quoted", b', "c\nd")),
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
