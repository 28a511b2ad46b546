"""rulewright serve: what it is given, and what it refuses before it listens."""

import json
import os
import socket
import subprocess
import sys
import threading

import pytest


@pytest.fixture
def serve(rulewright, monkeypatch, tmp_path):
    """Start a server that stops at once."""
    monkeypatch.setattr("rulewright.workbench.WorkbenchServer.serve_forever", lambda server: None)
    folder = tmp_path / "session"

    def call(*arguments):
        return rulewright("serve", *arguments, "--no-browser", "--folder", folder, "--json")

    call.folder = folder
    return call


def test_a_model_and_its_table_are_in_the_session_once(serve, model, table):
    for arguments in ((model, table), (table, model), (table,)):
        done = serve(*arguments)
        assert done.code == 0, done.err
        assert done.json["address"].startswith("http://127.0.0.1:")
        assert done.json["folder"] == str(serve.folder)
    assert len(list((serve.folder / "tables").iterdir())) == 1
    assert len(list((serve.folder / "models").iterdir())) == 1
    assert table.exists()


def test_wrong_arguments_are_refused_before_a_session_begins(serve, model, table, tmp_path):
    wrong = {
        (tmp_path / "absent.csv",): "Cannot read",
        (table, "--table", "x"): "has no table 'x'",
        (table, table): "at most one model and one table",
        ("-",): "no standard input",
    }
    for arguments, message in wrong.items():
        done = serve(*arguments)
        assert done.code == 1
        assert message in done.err
    assert not serve.folder.exists()


def test_a_port_in_use_is_refused(serve):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = serve("--port", other.getsockname()[1])
    assert done.code == 1
    assert "Choose another --port." in done.err
    assert serve().code == 0  # the session is free again


def test_a_program_that_waits_for_the_address_gets_it(tmp_path):
    command = [sys.executable, "-m", "rulewright", "serve", "--no-browser", "--json"]
    environment = {n: v for n, v in os.environ.items() if n != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [*command, "--folder", str(tmp_path / "session")], stdout=subprocess.PIPE, env=environment
    ) as run:
        stopping = threading.Timer(300, run.kill)  # without the address, the line is empty then
        stopping.start()
        line = run.stdout.readline()
        stopping.cancel()
        run.terminate()
    assert json.loads(line)["address"].startswith("http://127.0.0.1:")
