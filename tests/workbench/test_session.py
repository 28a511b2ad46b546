"""A session: what it keeps, and what it never touches."""

import io
import json

import pytest

from rulewright.errors import FileError, InputError
from rulewright.workbench import Session


@pytest.fixture
def session(tmp_path):
    opened = Session(tmp_path / "session")
    yield opened
    opened.close()


def receive(session, name, content=b"a,class\n1,x\n"):
    return session.receive(name, io.BytesIO(content), len(content))


def test_a_later_start_finds_the_same_tables_and_models(tmp_path):
    session = Session(tmp_path / "session")
    table = receive(session, "people.csv")
    model = session.add_model(kind="fit", name="scm", table=table.id, target="class")
    session.close()
    again = Session(tmp_path / "session")
    assert again.tables() == [table]
    assert [each.id for each in again.models()] == [model.id]
    assert again.model(model.id).about["target"] == "class"
    again.close()


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(FileError, match="not a session of rulewright serve, and not empty"):
        Session(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(FileError, match="Cannot use the folder"):
        Session(tmp_path / "thesis.tex")


def test_two_servers_do_not_use_one_session(session):
    with pytest.raises(FileError, match="Another server uses the session"):
        Session(session.folder)


def test_an_upload_that_breaks_off_leaves_nothing(session):
    with pytest.raises(InputError, match="The upload ended 90 bytes too early"):
        session.receive("half.csv", io.BytesIO(b"0123456789"), 100)
    assert session.tables() == []
    assert list((session.folder / "tables").iterdir()) == []


HOSTILE = ["../../../etc/passwd", "..", "/etc/passwd", "..\\..\\x.csv", "about.json", "", "\0", ".",
           "a" * 10_000, "<script>.csv", "\u202efdp.csv", "look-0.json", "-rf", "a\n"]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_the_name_of_an_upload_never_leaves_its_folder(session, name):
    table = receive(session, name)
    assert table.path.parent == table.folder
    assert table.path.read_bytes() == b"a,class\n1,x\n"
    assert session.tables()[-1].name == name  # shown as it is; the page escapes it
    assert {path.name for path in table.folder.iterdir()} == {"about.json", table.path.name}


@pytest.mark.parametrize(
    "id", ["", ".", "..", "../models", "\u0661" * 12, "0" * 12, "a" * 13, "A" * 12, "aaaaaaaaaaa/"]
)
def test_an_id_that_is_none_finds_nothing(session, id):
    assert session.table(id) is None
    assert session.model(id) is None


def test_a_table_elsewhere_stays_there_and_is_added_once(session, tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("a,class\n1,x\n")
    first = session.refer_to(path, None)
    assert session.refer_to(path, None) == first
    assert first.path == path
    assert session.refer_to(path, "sheet") != first


def test_a_damaged_entry_is_left_out(session):
    table = receive(session, "a.csv")
    (table.folder / "about.json").write_text("{")
    assert session.tables() == []
    assert session.table(table.id) is None
    (session.folder / "tables" / "stray").mkdir()
    assert session.tables() == []


def test_a_model_file_is_kept_once(session, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"rulewright": 1}))
    first = session.keep_model(path, table=None, target="class")
    assert session.keep_model(path, table=None, target="class").id == first.id
    path.write_text(json.dumps({"rulewright": 2}))
    assert session.keep_model(path, table=None, target="class").id != first.id


def test_a_removed_table_takes_its_own_files_and_no_others(session, tmp_path):
    outside = tmp_path / "mine.csv"
    outside.write_text("a,class\n1,x\n")
    referred, copied = session.refer_to(outside, None), receive(session, "people.csv")
    copied.look("key").write_text("{}")
    note = copied.folder / "note.txt"
    note.write_text("mine")
    for table in (referred, copied):
        session.remove(table)
    assert session.tables() == []
    assert outside.is_file() and not referred.folder.exists()
    assert [path.name for path in copied.folder.iterdir()] == ["note.txt"]


def test_a_removed_model_leaves_nothing(session):
    model, other = (session.add_model(kind="fit", name=name) for name in "ab")
    for task in (model.task, model.check):
        task.prepare(["fit"])
        task.stop()
        task.product.write_text("{}")
    model.rules.write_text("otherwise -> x")
    session.remove(model)
    assert not model.folder.exists()
    assert [each.id for each in session.models()] == [other.id]
