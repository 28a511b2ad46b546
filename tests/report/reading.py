"""Reading a page back."""

import html.parser
import re

EVIL = "<script>alert(\"x\")</script> & 'more'"
VOID = {"meta", "line", "rect", "circle", "polyline", "br", "input"}


class Reader(html.parser.HTMLParser):
    """Collects the text and the tags, and insists that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["script"]:
            self.words.append(data)


def read(text):
    """Give a reader that has read the text, and its words."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader, " ".join(" ".join(reader.words).split())


SCRIPTS = ['<script type="application/json" id="page-data">', '<script type="module">']


def check_scripts(text):
    """Insist that the page has its own scripts and no other."""
    assert re.findall(r"<script[^>]*>", text) == SCRIPTS and text.count("</script>") == 2


def shapes(reader, tag):
    return [attributes for name, attributes in reader.tags if name == tag]


def check_drawings(text):
    """Insist that every shape lies inside its drawing."""
    for drawing in re.findall(r"<svg.*?</svg>", text, flags=re.S):
        reader, _ = read(drawing)
        left, top, width, height = map(float, shapes(reader, "svg")[0]["viewbox"].split())
        for rect in shapes(reader, "rect"):
            x, w = float(rect["x"]), float(rect["width"])
            assert left <= x <= x + w <= left + width
            assert top <= float(rect["y"]) <= top + height
            assert w >= 0 and float(rect["height"]) >= 0
        for mark in shapes(reader, "circle"):
            assert left <= float(mark["cx"]) <= left + width
            assert top <= float(mark["cy"]) <= top + height
        for line in shapes(reader, "line"):
            assert left <= float(line["x1"]) <= left + width
        for label in shapes(reader, "text"):
            assert left <= float(label["x"]) <= left + width
            assert top <= float(label["y"]) <= top + height
