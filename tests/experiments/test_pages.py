"""Pages read the same as text, Markdown, CSV and HTML, whatever their names contain."""

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest

from rulewright.experiments import Figure, Paragraph, ResultColumn, ResultPage, ResultTable
from rulewright.render import ChartAxis, ChartBox, ChartSeries, isolines, lines, rectangles, scatter

HOSTILE = '<script>|*a*`b`\x1b[31m"&'
X, Y = ChartAxis("rules", scale="log"), ChartAxis("error", percent=True)
SERIES = [
    ChartSeries("ours", [(1, 0.2), (10, 0.1)], labels=["one", HOSTILE], errors=[0.02, 0.0]),
    ChartSeries(HOSTILE, [(300, 0.05)]),
]
NAMES = {"title": HOSTILE, "description": HOSTILE}
BOXES = [ChartBox(None, 3.0, 0.1, None, 1, HOSTILE), ChartBox(0.5, 20.0, None, 0.3)]
CHARTS = [
    scatter(SERIES, X, Y, guides=[[(1, 0.2), (300, 0.05)]], **NAMES),
    lines(SERIES, X, Y, **NAMES),
    isolines(SERIES, ChartAxis("n", 0, 12), ChartAxis("p", 0, 1), **NAMES),
    rectangles(BOXES, SERIES, X, Y, **NAMES),
    scatter([], ChartAxis("x"), ChartAxis("y"), **NAMES),
    lines([ChartSeries("flat", [(1, 2), (3, 2), (4, float("nan"))])], X, Y, **NAMES),
]


def table(**options):
    columns = ["learner", ResultColumn("error", percent=True), "rules", "seconds"]
    rows = [["tree", 0.25, 1200, 0.5], [HOSTILE, 0.125, None, 12.25]]
    return ResultTable("Errors", columns, rows, **options)


def page(*sections):
    return ResultPage(HOSTILE, [Paragraph(HOSTILE), *sections])


def test_numbers_below_the_least_are_written_as_below_it():
    columns = ["learner", ResultColumn("p", digits=3, least=0.001)]
    few = ResultTable("Tests", columns, [["tree", 0.0004], ["list", 0.25]])
    assert few.texts() == [["tree", "<0.001"], ["list", "0.250"]]
    assert "0.0004" in ResultPage("Tests", [few]).csv()


def test_points_and_labels_at_the_border_are_not_cut_off():
    point = ChartSeries("", [(0.0, 0.0), (1.0, 1.0)], labels=["low", "high"])
    drawn = ElementTree.fromstring(
        scatter([point], ChartAxis("x", 0, 1), ChartAxis("y", 0, 1), title="", description="")
    )
    svg = "{http://www.w3.org/2000/svg}"
    (window,) = drawn.findall(f"{svg}svg")
    x, y, width, height = map(float, window.get("viewBox").split())
    for circle in window.iter(f"{svg}circle"):
        middle, up, radius = (float(circle.get(name)) for name in ("cx", "cy", "r"))
        assert x <= middle - radius and middle + radius <= x + width
        assert y <= up - radius and up + radius <= y + height


def test_an_axis_has_names_or_whole_numbers():
    names = [f"2025-{month:02}" for month in range(1, 13)]
    series = [ChartSeries("", [(place + 1, place % 3) for place in range(12)])]
    across = ChartAxis("month", 0.5, 12.5, names=[*names[:-2], "<b>&", ""])
    up = ChartAxis("number", 0, 2.5, whole=True)
    svg = lines(series, across, up, title="t", description="d")
    texts = [each.text for each in ElementTree.fromstring(svg).iter() if each.text]
    assert [text for text in texts if text.startswith(("2025", "<"))] == [*names[:10:2], "<b>&"]
    assert [text for text in texts if text in ("0", "0.5", "1", "1.5", "2", "2.5")] == list("012")


def test_numbers_are_written_alike_within_a_column():
    assert table().texts()[0] == ["tree", "25.0 %", "1,200", "0.5"]
    assert table().texts()[1][1:] == ["12.5 %", "", "12.2"]
    small = ResultTable("", ["a", ResultColumn("b", digits=0)], [["x", 2.5], ["y", 11.0]])
    assert [row[1] for row in small.texts()] == ["2", "11"]
    zeros = ResultTable("", [ResultColumn("a", percent=True)], [[-0.0003], [-0.0], [-0.004]])
    assert zeros.texts() == [["0.0 %"], ["0.0 %"], ["-0.4 %"]]


def test_the_text_has_no_control_characters_and_fits():
    text = page(table(note="A note.", emphasis={(1, 1)})).text(40)
    assert "\x1b" not in text and "12.5 %*" in text and "A note." in text
    lines = [line for line in text.split("\n") if not line.startswith(("<script", "="))]
    assert max(map(len, lines)) <= 40
    assert text.count("learner") == 3  # continued below, twice


def test_markdown_has_no_markup_in_its_cells():
    text = page(table(emphasis={(0, 1)})).markdown()
    assert "<script>" not in text and "**25.0 %**" in text
    rows = [line for line in text.split("\n") if line.startswith("| ")]
    assert len(rows) == 4
    assert all(line.replace("\\|", "").count("|") == 5 for line in rows)


def test_csv_has_the_unrounded_numbers():
    rows = list(csv.reader(io.StringIO(page(table()).csv())))
    assert rows[0] == ["learner", "error", "rules", "seconds"]
    assert rows[2] == [HOSTILE, "0.125", "", "12.25"]
    both = page(table(), table()).csv()
    assert both.split("\n")[0] == "Errors" and both.count("learner,error") == 2


def test_the_html_page_stands_alone_and_is_escaped():
    html = page(table(emphasis={(0, 1)}), Figure("Points", CHARTS[0], "A note.")).html()
    assert "<script" not in html and "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "<strong>25.0\u00a0%</strong>" in html and html.count("<svg") == 2
    assert "prefers-color-scheme: dark" in html


@pytest.mark.parametrize("number", range(len(CHARTS)))
def test_a_chart_is_well_formed_and_has_words_for_screen_readers(number):
    svg = CHARTS[number].replace("\x1b", "")
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    for name in ("title", "desc"):
        assert root.find(space + name).text == HOSTILE.replace("\x1b", "")
    numbers = [float(mark.get("cx")) for mark in root.iter(f"{space}circle")]
    assert all(0 <= number <= 700 for number in numbers)


def test_labels_do_not_cover_each_other_where_there_is_room():
    points = [(float(x), 1.0) for x in range(4)]
    svg = scatter(
        [ChartSeries("a", points, labels=["a long label"] * 4)],
        ChartAxis("x"),
        ChartAxis("y"),
        title="t",
        description="d",
    )
    texts = [t for t in ElementTree.fromstring(svg).iter() if t.text == "a long label"]
    places = {(t.get("x"), t.get("y")) for t in texts}
    assert len(places) == 4
