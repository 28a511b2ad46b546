"""The page in a real browser: `make browser` runs these tests."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exports.hard_rows import hard_table
from report.test_any_model import Promise
from report.test_page_scripts import (
    FILES,
    HOSTILE,
    SECTION,
    cells_of,
    confusion,
    golden_models,
    numbers_model,
    read_back,
)

from rulewright.certificates import PathEntry
from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.models import Model
from rulewright.report import facts, write_report
from rulewright.rules import (
    AllOf,
    Category,
    Interval,
    Leaf,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "build" / "axe" / "package" / "axe.min.js"
WIDTHS = (390, 820, 1400, 2400)
ROWS = 5_000


class Visit:
    """An open page that must not report an error, and must not ask for anything else."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", self._note)
        self.path = path

    def _note(self, request):
        if request.url != self.path.as_uri() and not request.url.startswith("blob:"):
            self.problems.append(request.url)

    def __enter__(self):
        self.open(self.path)
        return self.page

    def open(self, path):
        """Go on to another page, which may not ask for anything else either."""
        self.path = path
        self.page.goto(path.as_uri())

    def __exit__(self, kind, *_):
        self.context.close()
        assert kind is not None or not self.problems, self.problems


def write_page(model, table, y, path, **options):
    """Write the page of a model about some rows."""
    counts = np.zeros((len(model.body.outputs), len(model.classes)))
    np.add.at(counts, (model.body.answer(table), y), 1)
    promise = Promise(table.rows, {}, len(model.classes))
    whole = replace(model, evidence=tuple(map(tuple, counts.tolist())), certificate=promise)
    errors = int((model.body.classify(table) != y).sum())
    entry = PathEntry(2, whole, errors, promise, 1.0)
    smaller = replace(entry, size=1, errors=table.rows)
    write_report(path, facts(entry, [smaller, entry], table, y, title="A title", **options))
    return whole


def classes_at_random(model, rows):
    return np.random.default_rng(0).integers(0, len(model.classes), rows).astype(np.int32)


def loans(rows=400):
    """A list with every form of condition that can be edited, and its rows."""
    rng = np.random.default_rng(1)
    names = ("age", "income", "debt")
    values = rng.normal([40, 60, 20], [12, 25, 9], (rows, 3)).round(1)
    values[rng.random((rows, 3)) < 0.05] = np.nan
    table = Table([NumericColumn(n, values[:, i]) for i, n in enumerate(names)], rows)
    rules = (
        Rule(AllOf((Threshold("income", True, 61.0), Threshold("age", True, 30.0))), 1),
        Rule(Interval("debt", 10.0, 18.0), 1),
        Rule(Threshold("debt", True, 30.0, if_missing=True), 0),
    )
    fields = tuple(Field(name, "numeric") for name in names)
    body = RuleList(rules, 0)
    model = Model(fields, ("lost", "paid"), body, ((1.0, 1.0),) * 4, target="outcome")
    y = np.where(rng.random(rows) < 0.2, rng.integers(0, 2, rows), body.classify(table))
    return model, table, y.astype(np.int32)


def large_tree(depth=10):
    """A full tree with 2**depth leaves."""
    nodes = []
    for number in range(2**depth - 1):
        cut = float(number % 37)
        branches = (2 * number + 1, 2 * number + 2)
        nodes.append(Split((Threshold("abc"[number % 3], True, cut),), branches))
    leaves = [Leaf(number % 2) for number in range(2**depth)]
    fields = tuple(Field(name, "numeric") for name in "abc")
    return Model(fields, ("no", "yes"), Tree((*nodes, *leaves)), ((1.0, 1.0),) * 2**depth)


def answers_typed(page, table):
    """The answers of the page to all rows of a table.

    The rows are a part of the expression, and the answers are one text: playwright would copy
    every cell by itself. As JavaScript, unlike JSON, the cells may be infinite.
    """
    named = [[column.name, cells_of(column)] for column in table.columns]
    text = page.evaluate(
        f"""((named) => JSON.stringify(Array.from({{ length: {table.rows} }}, (_, row) =>
          rulewright.predict(new Map(named.map(([name, cells]) => [name, cells[row]]))).rule - 1
        )))({json.dumps(named)})"""
    )
    return json.loads(text)


def test_every_page_answers_5000_rows_as_its_model_does(browser, tmp_path):
    models = golden_models(FILES)
    assert len(models) > 80
    compared, differing = 0, {}
    path = tmp_path / "page.html"
    write_page(*loans(), path)
    with (visit := Visit(browser, path)) as page:
        for name, model in models.items():
            table = hard_table(model, 300)
            write_page(model, table, classes_at_random(model, 300), path)
            visit.open(path)
            if not page.evaluate("rulewright.predict !== null"):
                continue
            rows = hard_table(model, ROWS, seed=1)
            found = np.array(answers_typed(page, rows))
            differing[name] = int((found != model.body.answer(rows)).sum())
            compared += found.size
    print(f"{len(differing)} pages, {compared:,} rows, {sum(differing.values())} answers differ")
    assert not any(differing.values()), differing
    assert compared == ROWS * len(differing) and len(differing) > 70


def test_a_typed_case_is_answered_and_explained(browser, tmp_path):
    model, table, y = loans()
    write_page(model, table, y, tmp_path / "page.html", embed_rows=50)
    with Visit(browser, tmp_path / "page.html") as page:
        for row in range(8):
            page.select_option("#try-row", str(row))
            answer = page.inner_text("#try-answer .verdict")
            output = model.body.classify(table.take(np.array([row])))[0]
            assert answer.startswith(model.classes[output])
        page.fill("#try-0", "old")
        assert "“old” is not a number" in page.inner_text("#try-answer")
        for number, value in enumerate(("35", "60.5", "")):
            page.fill(f"#try-{number}", value)
        assert page.inner_text("#try-answer .verdict") == ("lost by rule 3: debt > 30 or missing")
        changed = page.inner_text("#try-changes")
        assert "just above 61" in changed and "paid" in changed


def test_a_page_without_values_offers_no_rows_to_take(browser, tmp_path):
    model, table, y = loans()
    write_page(model, table, y, tmp_path / "page.html")
    with Visit(browser, tmp_path / "page.html") as page:
        lines = page.inner_text("#try-case").splitlines()
        assert "null" not in lines
        assert page.query_selector("#try-row") is None


def edited_file(page, folder, model, button="#download-model"):
    with page.expect_download() as download:
        page.click(button)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    text = path.read_text(encoding="utf-8")
    return read_back(text, folder, model) if button == "#download-model" else text


def shown_errors(page):
    text = page.inner_text("#what-if-numbers tbody tr:first-child td:nth-child(3)")
    return int(text.split(" ")[0].replace(",", ""))


def test_edits_by_hand_equal_edits_by_the_library(browser, tmp_path):
    model, table, y = loans()
    write_page(model, table, y, tmp_path / "page.html")
    with Visit(browser, tmp_path / "page.html") as page:
        assert "Not edited" in page.inner_text("#what-if-notice")
        page.uncheck("input[data-rule='1']")
        assert "not certified" in page.inner_text("#what-if-notice")
        dropped = model.edited(drop=[2])
        assert shown_errors(page) == int((dropped.body.classify(table) != y).sum())
        page.click("[data-move='2:-1']")
        page.uncheck("input[data-test='1']")
        page.focus("input[type=range][data-place='0']")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        edited = edited_file(page, tmp_path, model)
        assert shown_errors(page) == int((edited.body.classify(table) != y).sum())
        assert [rule.output for rule in edited.body.listed] == [1, 0]
        (test,) = edited.body.listed[0].condition.parts
        assert test.column == "income" and test.cut > 61
        by_hand = model.edited(
            f"income > {test.cut} -> paid\ndebt > 30 or missing -> lost\notherwise -> lost"
        )
        rows = by_hand.body.classify(table)
        assert np.array_equal(edited.body.classify(table), rows)
        assert edited_rows(page) == rows.tolist()
        written = model.edited(edited_file(page, tmp_path, model, "#download-rules"))
        assert np.array_equal(written.body.classify(table), rows)
        assert page.locator("#what-if-edits li").count() == 4
        for _ in range(4):
            page.click("#what-if-undo")
        assert page.inner_text("#what-if-edits") == "none so far"
        assert page.is_disabled("#what-if-undo")


def edited_rows(page):
    return page.evaluate(
        "(() => { const { answers, outputs } = rulewright.store.current().found;"
        " return Array.from(answers, (answer) => outputs[answer]); })()"
    )


SWITCHES = (
    "input:is([data-rule], [data-test]):checked:enabled, input[data-leaf]:not(:checked):enabled"
)
"""Rules and conditions that can be switched off, and splits that can become leaves."""


def test_every_kind_of_model_is_edited_as_by_the_library(browser, tmp_path):
    models = golden_models([path for path in FILES if path.stem in SECTION])
    path, edits = tmp_path / "page.html", {}
    write_page(*loans(), path)
    with (visit := Visit(browser, path)) as page:
        for name, model in models.items():
            table = hard_table(model, 300)
            y = classes_at_random(model, 300)
            write_page(model, table, y, path)
            visit.open(path)
            switches = page.locator(SWITCHES)
            for _ in range(min(switches.count(), 2)):
                switches.last.click(force=True)
                edited = edited_file(page, tmp_path, model)
                assert edited_rows(page) == edited.body.classify(table).tolist(), name
                measured = page.evaluate("rulewright.store.current().measures.confusion")
                assert measured == confusion(edited, table, y), name
                edits[name] = edits.get(name, 0) + 1
    kinds = {type(models[name].body).__name__ for name in edits}
    print(f"{sum(edits.values())} edits of {len(edits)} models: {', '.join(sorted(kinds))}")
    assert kinds == {type(model.body).__name__ for model in models.values()}


def test_costs_change_the_cost_and_nothing_else(browser, tmp_path):
    model, table, y = loans()
    write_page(model, table, y, tmp_path / "page.html")
    wrong = model.body.classify(table) != y
    with Visit(browser, tmp_path / "page.html") as page:
        page.fill("#cost-0", "5")
        found = page.evaluate("rulewright.store.current().before.cost")
        assert found == 5 * (wrong & (y == 0)).sum() + (wrong & (y == 1)).sum()
        assert "Not edited" in page.inner_text("#what-if-notice")


def test_rules_are_sorted_and_filtered_and_show_their_cases(browser, tmp_path):
    model, table, y = loans()
    write_page(model, table, y, tmp_path / "page.html", embed_rows=400)
    answers = model.body.answer(table)
    with Visit(browser, tmp_path / "page.html") as page:
        page.click("#rule-table th:nth-child(4) button")
        numbers = page.locator("#rule-table tbody td:first-child").all_inner_texts()
        support = np.bincount(answers, minlength=4)
        assert [int(n) - 1 for n in numbers] == sorted(range(4), key=lambda n: -support[n])
        page.fill("#rule-words", "income")
        assert page.locator("#rule-table tbody tr:visible").count() == 1
        page.click("#rule-table tbody tr:visible td:first-child button")
        listed = page.locator("#rule-table .detail .numbers").all_inner_texts()
        found = [[int(n) for n in re.findall(r"\d+", text.split("and")[0])] for text in listed]
        right = np.flatnonzero((answers == 0) & (y == 1)).tolist()
        wrong = np.flatnonzero((answers == 0) & (y == 0)).tolist()
        assert found == [right[:60], wrong[:60]]
        page.click("#confusion td[data-actual='0'][data-answer='1'] button")
        panel = page.inner_text("#confusion-cases")
        outputs = model.body.classify(table)
        first = np.flatnonzero((outputs == 1) & (y == 0) & (answers == 0))[0]
        assert f"rows {first}" in panel
        page.fill("#rule-words", "")
        behind = {number + 1 for number in answers[(outputs == 1) & (y == 0)].tolist()}
        assert listed_rules(page) == behind
        page.click("#rule-table tbody tr:visible td:first-child button")
        assert re.search(r"Right: 0 cases", page.inner_text("#rule-table .detail"))
        page.click("#rule-cell button")
        assert listed_rules(page) == {1, 2, 3, 4}
        assert page.inner_text("#confusion-cases") == ""


def listed_rules(page):
    return set(
        map(int, page.locator("#rule-table tbody tr:visible td:first-child").all_inner_texts())
    )


def test_a_rule_of_a_vote_shows_the_cases_on_which_it_holds(browser, tmp_path):
    model, table, y = loans()
    voters = [WeightedRule(r.condition, r.output, 1.0 + n) for n, r in enumerate(model.body.listed)]
    vote = replace(model, body=RuleVote(tuple(voters), 0))
    write_page(vote, table, y, tmp_path / "page.html")
    with Visit(browser, tmp_path / "page.html") as page:
        for number, voter in enumerate(voters):
            holds = voter.condition.holds(table)
            row = page.locator(f"#rule-table tr[data-rule='{number}']")
            assert row.locator("td:nth-child(4)").inner_text() == str(holds.sum())
            row.locator("td:first-child button").click()
            counted = re.findall(r"(?:Right|Wrong): (\d+)", page.inner_text("#rule-table .detail"))
            assert [int(n) for n in counted] == [
                int((holds & (y == voter.output)).sum()), int((holds & (y != voter.output)).sum())
            ]  # fmt: skip
            edited = page.inner_text(f"#what-if li[data-unit='{number}'] .fit")
            assert edited.startswith(f"{holds.sum()} cases")
            row.locator("td:first-child button").click()


def places(rows=500):
    """A list about a column of forty long categories, and its rows."""
    names = [
        f"{a} {b} and District" for a in "North South East West Old".split() for b in "ABCDEFGH"
    ]
    codes = np.random.default_rng(2).integers(0, 40, rows).astype(np.int32)
    column = "the place of registration of the household"
    table = Table([CategoricalColumn(column, "text", codes, tuple(sorted(names)))], rows)
    rules = tuple(Rule(Category(column, (name,)), 1) for name in names[::5])
    fields = (Field(column, "text"),)
    return Model(fields, ("no", "yes"), RuleList(rules, 0), ((1.0, 1.0),) * 9), table


def test_pages_fit_every_width_and_a_few_sheets(browser, tmp_path):
    models = {name: golden_models(FILES)[name] for name in ("AutoClassifier", "TreeClassifier-c45")}
    models["long"] = numbers_model([f"a rather long name of column {i}" for i in range(20)])
    pages = {n: (model, hard_table(model, 500, infinite=False)) for n, model in models.items()}
    for name, (model, table) in (pages | {"places": places()}).items():
        path = tmp_path / f"{name}.html"
        write_page(model, table, classes_at_random(model, 500), path)
        for width in WIDTHS:
            with Visit(browser, path, viewport={"width": width, "height": 900}) as page:
                wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                assert wide <= 0, (name, width)
                cut = page.evaluate(CUT_OFF)
                assert cut == [], (name, width)
                assert page.evaluate(OUTSIDE) == [], (name, width)
        with Visit(
            browser, path, color_scheme="dark", viewport={"width": 690, "height": 900}
        ) as page:
            page.emulate_media(media="print")
            assert page.evaluate(OUTSIDE) == [], name
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == WHITE
            assert page.evaluate("getComputedStyle(document.body).printColorAdjust") == "exact"
            sheets = page.pdf(format="A4")
            assert len(re.findall(rb"/Type\s*/Page\b", sheets)) <= 8, name


def test_a_tall_tree_is_printed_as_text(browser, tmp_path):
    for depth, as_text in ((6, True), (10, False)):  # the text of 1,024 leaves fills many sheets
        model = large_tree(depth)
        table = hard_table(model, 100, infinite=False)
        write_page(model, table, classes_at_random(model, 100), tmp_path / "page.html")
        with Visit(browser, tmp_path / "page.html") as page:
            assert page.is_visible("figure.tall")
            assert not page.is_visible("#model details pre")
            page.emulate_media(media="print")
            assert page.is_visible("#model details pre") == as_text
            assert page.is_visible("figure.tall") != as_text


def test_the_confusion_matrix_of_two_classes_fits_a_phone(browser, tmp_path):
    write_page(*loans(), tmp_path / "page.html")
    with Visit(browser, tmp_path / "page.html", viewport={"width": 390, "height": 900}) as page:
        assert (
            page.evaluate(
                """(() => {
              const frame = document.getElementById("confusion").parentElement;
              return frame.scrollWidth - frame.clientWidth;
            })()"""
            )
            <= 0
        )


WHITE = "rgb(255, 255, 255)"
OUTSIDE = """[...document.querySelectorAll("svg text")].filter((each) => {
  const box = each.getBoundingClientRect();
  const drawing = each.ownerSVGElement.getBoundingClientRect();
  return box.left < drawing.left - 4 || box.right > drawing.right + 4;
}).map((each) => each.outerHTML.slice(0, 100))"""
"""Texts that stick out of their drawing by more than a few pixels."""


CUT_OFF = """[...document.querySelectorAll("section.interactive *")].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width > 0 && box.right > window.innerWidth + 1 && each.closest(".scroll") === null;
}).map((each) => each.outerHTML.slice(0, 100))"""


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there; make browser fetches it")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 390)])
def test_axe_finds_no_violation(browser, tmp_path, scheme, width):
    model, table, y = loans()
    tree = golden_models(FILES)["TreeClassifier-c45"]
    rows = hard_table(tree, 200)
    write_page(model, table, y, tmp_path / "list.html", embed_rows=20)
    write_page(tree, rows, classes_at_random(tree, 200), tmp_path / "tree.html")
    for name in ("list", "tree"):
        path = tmp_path / f"{name}.html"
        size = {"width": width, "height": 900}
        with Visit(browser, path, color_scheme=scheme, viewport=size) as page:
            if name == "list":
                page.uncheck("input[data-rule='0']")
            page.locator("#rule-table tbody td:first-child button").first.click()
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found = page.evaluate("axe.run()")["violations"]
            assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


def test_hostile_names_are_shown_as_text(browser, tmp_path):
    names = (*HOSTILE, "n" * 10_000)
    model = numbers_model(names, classes=("__proto__", "<img src=x onerror=alert(1)>"))
    table = hard_table(model, 60, infinite=False)
    y = classes_at_random(model, 60)
    write_page(model, table, y, tmp_path / "page.html", embed_rows=60)
    with Visit(browser, tmp_path / "page.html", viewport={"width": 390, "height": 800}) as page:
        page.on("dialog", lambda dialog: pytest.fail("a script ran"))
        assert page.locator("img").count() == 0
        assert page.locator("#try-case label").count() == len(names) + 1
        page.uncheck("input[data-rule='0']")
        edited = edited_file(page, tmp_path, model)
        assert edited_rows(page) == edited.body.classify(table).tolist()
        assert edited_file(page, tmp_path, model, "#download-rules").count("->") >= len(names)
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0


def test_the_policy_of_the_page_lets_nothing_out(browser, tmp_path):
    model, table, y = loans()
    write_page(model, table, y, tmp_path / "page.html")
    visit = Visit(browser, tmp_path / "page.html")
    with visit as page:
        refused = page.evaluate(
            "fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => error.name)"
        )
        assert refused == "TypeError"
        assert any("Content Security Policy" in text for text in visit.problems)
        visit.problems.clear()


READY = """(() => {
  const [timing] = performance.getEntriesByType("navigation");
  const [painted] = performance.getEntriesByName("first-contentful-paint");
  const { domContentLoadedEventEnd, loadEventEnd } = timing;
  return [painted ? painted.startTime : 0, domContentLoadedEventEnd, loadEventEnd].map(Math.round);
})()"""
CLICK = """(box) => {
  const start = performance.now();
  document.querySelector(box).click();
  return performance.now() - start;
}"""
MAX_SIZE = 1_000_000
"""Bytes of a page without rows."""


def long_list(size):
    """A list of rules with two tests on twenty columns."""
    names = [f"x{i}" for i in range(20)]
    tests = [Threshold(names[i % 20], i % 3 > 0, float(i % 17)) for i in range(2 * size)]
    rules = tuple(Rule(AllOf(tuple(tests[2 * i : 2 * i + 2])), i % 2) for i in range(size))
    fields = tuple(Field(name, "numeric") for name in names)
    return Model(fields, ("no", "yes"), RuleList(rules, 0), ((1.0, 1.0),) * (size + 1))


def test_large_models_open_and_are_edited(browser, tmp_path):
    rng = np.random.default_rng(0)
    models = {"20 rules": long_list(20), "200 rules": long_list(200), "1,024 leaves": large_tree()}
    for name, model in models.items():
        used = [field.name for field in model.columns]
        columns = [NumericColumn(each, rng.normal(10, 9, 3_000).round(1)) for each in used]
        table, path = Table(columns, 3_000), tmp_path / "page.html"
        y = classes_at_random(model, 3_000)
        write_page(model, table, y, path)
        with Visit(browser, path) as page:
            page.wait_for_load_state("load")
            painted, ready, loaded = page.evaluate(READY)
            box = "input[data-rule='7']" if "rules" in name else "input[data-leaf='2']"
            spent = page.evaluate(CLICK, box)
            size = path.stat().st_size
            print(
                f"{name}: {size:,} bytes, painted after {painted} ms, ready after {ready} ms, "
                f"loaded after {loaded} ms, an edit takes {spent:.0f} ms"
            )
            assert size < MAX_SIZE
            edited = edited_file(page, tmp_path, model)
            assert edited_rows(page) == edited.body.classify(table).tolist()
            measured = page.evaluate("rulewright.store.current().measures.confusion")
            assert measured == confusion(edited, table, y)
