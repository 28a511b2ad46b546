"""Requests over a connection: the token, the host, the origin, limits and headers."""

import http.client
import json
import threading

import pytest

from rulewright.workbench import LearnerForm, Session, TaskRunner, Workbench, WorkbenchServer

LIMIT = 1000
SURVEY = {"rows": 1, "columns": [], "target": None, "classes": {}, "cautions": []}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("server") / "session")
    forms = [LearnerForm("scm", "A machine.", ())]
    bench = Workbench(session, forms, lambda path, target, table: SURVEY, TaskRunner(["no"]), LIMIT)
    opened = WorkbenchServer(bench)
    thread = threading.Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield opened
    opened.shutdown()
    opened.server_close()
    thread.join()
    bench.close()


@pytest.fixture
def ask(server):
    """Send a request, with the token by default; give its status, headers and body."""

    def send(path, body=None, method=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
        sent = {"X-Rulewright-Token": server.access.token}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value is not None}
        connection.request(method or ("GET" if body is None else "POST"), path, body, sent)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content.decode()

    return send


@pytest.mark.parametrize("path", ["/", "/states", "/static/workbench.js", "/models/0/report", "/x"])
def test_nothing_is_answered_without_the_token(ask, path):
    for token in (None, "", "wrong", "é"):
        status, _, text = ask(path, X_Rulewright_Token=token and token.encode("latin-1"))
        assert status == 403
        assert "needs its token" in text
    assert ask("/tables", b"a", X_Rulewright_Token=None)[0] == 403


def test_the_token_of_the_address_becomes_a_cookie_for_own_pages_only(ask, server):
    token = server.access.token
    status, headers, _ = ask(f"/?token={token}", X_Rulewright_Token=None)
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    sent = f"other=1; {cookie.partition(';')[0]}; more=2"
    assert ask("/", X_Rulewright_Token=None, Cookie=sent)[0] == 200
    assert ask("/", X_Rulewright_Token=None, Cookie=sent.replace(token, "x" + token))[0] == 403
    assert ask(f"/states?token={token}", X_Rulewright_Token=None)[0] == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "0.0.0.0", "", "::1"]
)
def test_another_host_is_refused(ask, host):
    status, _, text = ask("/", Host=host)
    assert status == 403
    assert "another host" in text


@pytest.mark.parametrize("host", ["127.0.0.1:9999", "localhost", "[::1]:80"])
def test_names_of_this_machine_are_accepted(ask, host):
    assert ask("/", Host=host)[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://"]
)
def test_a_foreign_origin_is_refused(ask, origin):
    for body in (None, b"{}"):
        assert ask("/", body, Origin=origin)[0] == 403
    assert ask("/tables?name=a", b"a", Sec_Fetch_Site="same-site")[0] == 403
    assert ask("/tables?name=a", b"a", Sec_Fetch_Site="cross-site")[0] == 403


def test_the_own_origin_is_accepted(ask, server):
    address = f"127.0.0.1:{server.server_port}"
    status, _, text = ask("/tables?name=a.csv", b"a,b\n1,2\n", Origin=f"http://{address}")
    assert status == 201
    page = json.loads(text)["address"]
    assert ask(page)[0] == 200


def test_a_table_above_the_limit_is_refused(ask, server):
    before = len(server.workbench.session.tables())
    for size in (LIMIT + 1, 1 << 18):
        status, headers, text = ask("/tables?name=a.csv", b"x" * size)
        assert status == 413
        assert "The limit is" in json.loads(text)["error"]
        assert headers["Connection"] == "close"
    assert ask("/tables?name=a.csv", b"")[0] == 400
    assert len(server.workbench.session.tables()) == before


def test_other_requests_must_be_small_json(ask):
    for path in ("/models/0/edit", "/tables/0/fit"):
        assert ask(path, b"[]")[0] == 400
        assert ask(path, b"{")[0] == 400
        assert ask(path, b"[" * 100_000)[0] == 400
        assert ask(path, b"{}", Content_Type="text/plain")[0] == 415
        assert ask(path, b"{}")[0] == 404
    assert ask("/tables/0/fit", b"{}", Content_Length=str(1 << 40))[0] == 413
    assert ask("/states", method="POST")[0] in (400, 411, 415)
    assert ask("/states", b"x", Content_Length="-1")[0] == 411


PATHS = ["/../etc/passwd", "/static/../server.py", "/static/%2e%2e/server.py", "/static/server.py",
         "/models/../../session.json", "/models/%2e%2e/report", "/tables/..", "/session.json",
         "/static//etc/passwd", "/models/000000000000/files/about.json", "/static/"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out_of_the_pages(ask, path):
    status, _, text = ask(path)
    assert status == 404
    assert "There is no such page" in text


def test_every_answer_has_the_headers_that_protect_it(ask):
    for path in ("/", "/states", "/static/report.css", "/nowhere"):
        headers = ask(path)[1]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
    assert ask("/", method="PUT")[0] == 501


def test_pages_have_no_script_or_style_of_their_own(ask):
    text = ask("/")[2]
    assert "<script>" not in text
    assert "style=" not in text
    assert "http://" not in text and "https://" not in text


def test_the_server_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.access.token) >= 40


def test_a_browser_that_no_longer_waits_is_no_failure_of_the_server(ask, server, monkeypatch):
    def broken(self, response):
        raise BrokenPipeError

    failures = []
    with monkeypatch.context() as patched:
        patched.setattr(server.RequestHandlerClass, "_send", broken)
        patched.setattr(server, "handle_error", lambda *_: failures.append(1))
        with pytest.raises(http.client.RemoteDisconnected):
            ask("/")
    assert ask("/")[0] == 200
    assert not failures
