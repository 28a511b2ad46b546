"""The workbench in a real browser, with real processes: `make browser` runs these tests."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from cli.conftest import people

from rulewright import load_model

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "build" / "axe" / "package" / "axe.min.js"
WIDTHS = (390, 820, 1400, 2400)
LOST = "net::ERR_CONNECTION_"
"""What a browser reports of a server that was killed."""
PATIENCE = 300_000
"""Milliseconds in which even a busy machine fits a small model."""


class Server:
    """A server in a process, which can be killed and started again."""

    def __init__(self, folder):
        self.folder = folder
        self.start()

    def start(self):
        command = [sys.executable, "-m", "rulewright", "serve", "--no-browser", "--json"]
        self.process = subprocess.Popen(
            [*command, "--folder", str(self.folder)], stdout=subprocess.PIPE, text=True
        )
        self.address = json.loads(self.process.stdout.readline())["address"]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(timeout=300)
        self.process.stdout.close()


@pytest.fixture
def server(tmp_path):
    started = Server(tmp_path / "session")
    yield started
    started.stop()


class Person:
    """A browser whose pages must not report an error, nor ask for anything elsewhere."""

    def __init__(self, browser, server, **options):
        self.server, self.problems = server, []
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.set_default_timeout(PATIENCE)

    def tab(self, path="/"):
        page = self.context.new_page()
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._note)
        page.goto(self.server.address)
        if path != "/":
            self.goto(page, path)
        return page

    def goto(self, page, path):
        page.goto(re.match(r"http://[^/]+", self.server.address)[0] + path)

    def _note(self, request):
        if not request.url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:")):
            self.problems.append(request.url)

    def leave(self, *expected):
        """Close all tabs; only the expected errors may have been reported."""
        self.context.close()
        self.problems = [p for p in self.problems if not any(each in p for each in expected)]
        assert not self.problems, self.problems


def upload(page, path):
    page.set_input_files("#file", path)
    page.click("#upload button")
    page.wait_for_selector("#target")
    page.select_option("#target", "class")
    page.click("text=Use it")
    page.wait_for_selector("#fit")


def fit(page, learner="scm"):
    """Fit a model from the page of a table; return the path of its page."""
    page.select_option("#learner", learner)
    page.click("#fit button.main")
    page.wait_for_url(re.compile("/models/"))
    return re.sub(r"^http://[^/]+", "", page.url)


def finished(page):
    page.wait_for_selector('#model[data-state="done"]')


def text_of(download, folder):
    path = folder / download.suggested_filename
    download.save_as(path)
    return path.read_text(encoding="utf-8")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people <b>.csv"
    people(120).to_csv(path, index=False)
    return path


def test_the_journey_from_a_table_to_sql_in_two_tabs_with_a_killed_server(
    browser, server, table, tmp_path
):
    person = Person(browser, server)
    page, other = person.tab(), person.tab()
    upload(page, table)
    page.select_option('select[data-column="id"]', "drop")
    first = fit(page)
    finished(page)
    assert "On new cases: at most" in page.inner_text("main")

    other.reload()  # the other tab sees the model
    other.click(f'a[href="{first}"]')
    finished(other)
    rules = other.input_value("#rules")
    kept = [line for line in rules.splitlines() if "age" in line or line.startswith("otherwise")]
    other.fill("#rules", "\n".join(kept))
    other.click("text=Certify the edited rules")
    other.wait_for_url(lambda url: not url.endswith(first))
    finished(other)
    edited = re.sub(r"^http://[^/]+", "", other.url)

    frame = page.frame_locator("#report")
    frame.locator("input[data-rule]").first.uncheck()
    frame.locator("#certify-edited").click()
    page.wait_for_url(lambda url: not url.endswith(first))
    finished(page)

    server.stop(signal.SIGKILL)
    server.start()
    page = person.tab()
    assert page.locator('.state[data-state="done"]').count() == 3
    person.goto(page, edited)
    page.click("text=Options of sql")
    page.select_option("#export-sql-dialect", "duckdb")
    with page.expect_download() as download:
        page.click("text=Download")
    query = text_of(download.value, tmp_path)
    (stored,) = (tmp_path / "session" / "models").glob(f"{edited.rpartition('/')[2]}/model.json")
    model, rows = load_model(stored), people(120)
    with duckdb.connect() as database:
        database.register("data", rows)
        answers = database.sql(query).df()["prediction"].tolist()
    assert answers == model.predict(rows).tolist()
    person.leave(LOST)


def test_a_fit_shows_its_progress_is_cancelled_and_survives_a_killed_server(
    browser, server, tmp_path
):
    path = tmp_path / "large.csv"
    people(20_000).drop(columns="id").to_csv(path, index=False)
    person = Person(browser, server)
    page = person.tab()
    upload(page, path)
    cancelled = fit(page, "auto")
    page.wait_for_selector("#progress:not(:has-text('has started')):not(:has-text('waits'))")
    page.click("text=Cancel")
    page.wait_for_selector('#model[data-state="cancelled"]')
    page.click("text=Start again")
    page.wait_for_selector('#model[data-state="running"]')
    server.stop(signal.SIGKILL)
    page.wait_for_selector("#connection:not([hidden])")
    server.start()
    page = person.tab(cancelled)
    page.wait_for_selector('#model[data-state="running"]')  # its process goes on
    page.click("text=Cancel")
    page.wait_for_selector('#model[data-state="cancelled"]')
    person.leave(LOST)


def test_learners_are_compared_checked_exported_and_deleted(browser, server, table, tmp_path):
    person = Person(browser, server)
    page = person.tab()
    upload(page, table)
    page.click("text=Fit these")
    assert "Choose at least one" in page.inner_text("#fit-message")
    for name in ("scm", "tree"):
        page.check(f'#compare input[value="{name}"]')
    page.click("text=Fit these")
    page.wait_for_selector(".state[data-state=done] >> nth=1")
    page.wait_for_selector(".compared svg")
    page.click("td a >> nth=0")
    finished(page)
    page.click("text=Check it against the table")
    page.wait_for_selector("text=The certificate holds")
    page.select_option("#to", "java")
    page.fill("#export-java-class_name", "Risk")
    with page.expect_download() as download:
        page.click("text=Download")
    assert "class Risk" in text_of(download.value, tmp_path)
    questions = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    page.click("text=Delete this model")
    assert "cannot be undone" in questions[0]
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("text=Delete this model")
    page.wait_for_selector("#upload")
    assert page.locator('.state[data-state="done"]').count() == 1
    page.click("ul.plain a")
    page.click("text=Delete this table")
    page.wait_for_selector("text=Open a table to begin")
    person.leave()


def session_of_pages(person, table):
    """Return the paths of one page of each kind."""
    page = person.tab()
    upload(page, table)
    listed = re.sub(r"^http://[^/]+", "", page.url)
    model = fit(page)
    finished(page)
    person.goto(page, listed)
    fit(page, "tree")
    finished(page)
    return {"home": "/", "table": listed, "model": model, "lost": "/models/nothing"}


def test_pages_fit_every_width_and_axe_finds_no_violation(browser, server, table):
    person = Person(browser, server)
    paths = session_of_pages(person, table)
    person.leave()
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            visitor = Person(
                browser, server, color_scheme=scheme,
                viewport={"width": width, "height": 900},
            )  # fmt: skip
            page = visitor.tab()
            for name, path in paths.items():
                visitor.goto(page, path)
                beyond = "document.documentElement.scrollWidth - window.innerWidth"
                assert page.evaluate(beyond) <= 0, (name, width)
                if AXE.exists() and width in (390, 1400):
                    page.evaluate(AXE.read_text(encoding="utf-8"))
                    found = page.evaluate("axe.run()")["violations"]
                    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == [], name
            visitor.leave("404")


def test_a_form_works_with_the_keyboard_alone(browser, server, table):
    person = Person(browser, server)
    page = person.tab()
    upload(page, table)
    page.focus("#learner")
    page.keyboard.type("scm")
    page.keyboard.press("Tab")
    page.focus("#fit button.main")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/models/"))
    finished(page)
    person.leave()
