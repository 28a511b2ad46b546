"""From a table to exported SQL, with the commands run in this process."""

import io
import json
import re
from http import HTTPStatus
from pathlib import Path

import duckdb
import pytest
from cli.conftest import people, rulewright  # noqa: F401  (a fixture)

from rulewright import load_model
from rulewright.cli.learner_forms import learner_forms
from rulewright.cli.serve import look_at
from rulewright.errors import InputError
from rulewright.workbench import (
    Body,
    RequestError,
    Session,
    TaskRunner,
    Workbench,
    export_values,
    fit_arguments,
)

EVIL = "<script>alert('&amp;')</script>\u202e"


class InThisProcess(TaskRunner):
    """Runs a command at once, without a process."""

    def __init__(self, call):
        super().__init__()
        self.call = call

    def start(self, task, arguments):
        task.prepare(arguments)
        done = self.call(*task.command)
        (task.folder / "result.json").write_text(done.out, encoding="utf-8")
        (task.folder / "log.txt").write_text(done.err, encoding="utf-8")


class Visitor:
    """A person at a workbench: what they send, and what they see."""

    def __init__(self, folder, call):
        self.bench = Workbench(Session(folder), learner_forms(), look_at, InThisProcess(call))

    def see(self, path, **query):
        answer = self.bench.get(path, query)
        assert answer.status == HTTPStatus.OK
        return answer.content.decode()

    def send(self, path, value=None, content=None, **query):
        body = json.dumps(value or {}).encode() if content is None else content
        sent = Body(io.BytesIO(body), len(body), "application/json")
        return json.loads(self.bench.post(path, query, sent).content)["address"]

    def fit(self, table, target="class", learner="scm", **more):
        given = {"target": target, "learner": learner, "options": {"--max-rules": "2"}, **more}
        return self.send(f"{table}/fit", given)

    def model(self, address):
        return self.bench.session.model(address.rpartition("/")[2])


@pytest.fixture
def visitor(tmp_path, rulewright):  # noqa: F811
    visiting = Visitor(tmp_path / "session", rulewright)
    yield visiting
    visiting.bench.close()


@pytest.mark.slow
def test_the_journey_from_a_table_to_sql(visitor, tmp_path, rulewright):  # noqa: F811
    frame = people()
    content = frame.to_csv(index=False).encode()
    table = visitor.send("/tables", content=content, name="people.csv")
    assert "<td>numbers</td>" in visitor.see(table)
    page = visitor.see(table, target="class")
    assert re.search(r"good in \d+ rows \(", page)
    assert 'data-flag="--max-rules"' in page
    first = visitor.fit(table, uses={"id": "drop", "city": "categorical"})
    seen = visitor.see(first)
    assert visitor.model(first).task.state() == "done", visitor.model(first).task.log
    assert "On new cases: at most" in seen
    assert "script-src" in visitor.see(f"{first}/report")
    rules = visitor.see(f"{first}/files/rules.txt")
    kept = [line for line in rules.splitlines() if "age" in line or line.startswith("otherwise")]
    edited = visitor.send(f"{first}/edit", {"rules": "\n".join(kept)})
    assert "On new cases: at most" in visitor.see(edited)
    model = load_model(visitor.model(edited).path)
    assert model.certificate.form == "written"
    assert len(model.body.outputs) == len(kept)
    query = visitor.see(f"{edited}/export", to="sql", dialect="duckdb")
    with duckdb.connect() as database:
        database.register("data", frame)
        answers = database.sql(query).df()["prediction"].tolist()
    assert answers == model.predict(frame).tolist()
    view = visitor.see(f"{edited}/export", to="sql", shape="view", view="answers", keep="age\nid")
    assert 'VIEW "answers"' in view and '"id"' in view
    home = visitor.see("/")
    assert home.count('data-state="done"') == 2
    visitor.bench.close()
    again = Visitor(tmp_path / "session", rulewright)
    assert again.see("/") == home
    assert again.see(f"{edited}/export", to="sql") == query
    again.bench.close()


def test_hostile_names_are_shown_and_do_nothing(visitor):
    header = f'"{EVIL}","{EVIL}\'\'",class\n'
    rows = "".join(f'{i},"{EVIL if i % 2 else "b"}",{"x" if i % 3 else "y"}\n' for i in range(40))
    name = f"../{EVIL}.csv"
    table = visitor.send("/tables", content=(header + rows).encode(), name=name)
    pages = [visitor.see("/"), visitor.see(table), visitor.see(table, target=EVIL)]
    pages.append(visitor.see(table, target="class"))
    failed = visitor.fit(table, target=EVIL, uses={EVIL: "drop"})
    pages += [visitor.see(failed), visitor.see("/")]
    assert visitor.bench.runner.state(visitor.model(failed).task) == "failed"
    for page in pages:
        assert "<script>" not in page.replace('<script type="module"', "")
        assert "alert" in page
    assert "no column besides the class" in pages[4] or "has no column" in pages[4]


def test_wrong_values_are_refused_before_a_model_begins(visitor):
    table = visitor.send("/tables", content=b"a,class\n1,x\n2,y\n", name="small.csv")
    wrong = [
        ({"learner": "perceptron"}, "There is no learner 'perceptron'"),
        ({"options": {"--out": "/etc/passwd"}}, "has no option '--out'"),
        ({"options": {"--max-rules": 3}}, "must be an object of texts"),
        ({"uses": {"a": "out=/etc/passwd"}}, "must be one of categorical, drop, group, time"),
        ({"target": ""}, "'target' must be a text"),
        ({"by": "a"}, "'by' must be a list of texts"),
    ]
    for more, message in wrong:
        with pytest.raises(InputError, match=message):
            visitor.fit(table, **more)
    assert visitor.bench.session.models() == []
    with pytest.raises(RequestError, match="There is no such page"):
        visitor.fit("/tables/000000000000")


def test_a_table_that_cannot_be_read_says_why(visitor):
    table = visitor.send("/tables", content=b"\x00\x01", name="noise.bin")
    assert "This does not work." in visitor.see(table)
    table = visitor.send("/tables", content=b"a,b\n1,2\n", name="a.csv")
    assert "no column" in visitor.see(table, target="absent")


def test_errors_by_a_column_and_groups_of_rows_are_options_of_the_command(visitor):
    table = visitor.send("/tables", content=b"a,b,class\n1,2,x\n2,3,y\n", name="small.csv")
    form = visitor.bench.learners["scm"]
    stored = visitor.bench.session.table(table.rpartition("/")[2])
    given = {"target": "class", "uses": {"a": "group"}, "by": ["b", "--out=x"]}
    command = fit_arguments(stored, form, given, Path())
    assert "--group=a" in command
    assert [word for word in command if word.startswith("--by")] == ["--by=b", "--by=--out=x"]
    page = visitor.see(table, target="class")
    assert 'data-by="a"' in page and "as groups of rows" in page


def test_options_of_exports_are_those_of_the_form():
    assert export_values("sql", {"dialect": "spark", "probabilities": "true", "schema": ""}) == {
        "dialect": "spark",
        "probabilities": True,
    }
    assert export_values("sql", {"keep": "a\n\n b c "}) == {"keep": ["a", "b c"]}
    assert export_values("excel", {"cases": "7"}) == {"cases": 7}
    for form, given, message in (
        ("cobol", {}, "There is no form 'cobol'"),
        ("java", {"dialect": "spark"}, "java has no option 'dialect'"),
        ("excel", {"cases": "many"}, "cases: write a whole number"),
    ):
        with pytest.raises(InputError, match=message):
            export_values(form, given)


def test_models_and_tables_are_deleted_unless_something_runs(visitor, monkeypatch):
    table = visitor.send("/tables", content=b"a,class\n1,x\n2,y\n", name="small.csv")
    id = table.rpartition("/")[2]
    models = visitor.bench.session
    first, second = (
        models.add_model(kind="fit", name=name, table=id, target="class") for name in "ab"
    )
    with monkeypatch.context() as patched:
        patched.setattr(visitor.bench.runner, "is_busy", lambda task: True)
        for address in (table, f"/models/{first.id}"):
            with pytest.raises(InputError, match="Cancel it first"):
                visitor.send(f"{address}/delete")
    assert visitor.send(f"/models/{first.id}/delete") == "/"
    assert [each.id for each in models.models()] == [second.id]
    assert "Delete this table" in visitor.see(table)
    assert visitor.send(f"{table}/delete") == "/"
    assert models.tables() == [] and len(models.models()) == 1
    with pytest.raises(RequestError, match="There is no such page"):
        visitor.see(table)
    assert "Delete this model" in visitor.see(f"/models/{second.id}")
