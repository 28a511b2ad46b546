"""The checker of the site's links finds each kind of link that leads nowhere."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "docs" / "site" / "links.py"


@pytest.fixture(scope="module")
def links():
    spec = importlib.util.spec_from_file_location("site_links", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def site(folder, body):
    """Two pages, of which the second has two anchors."""
    (folder / "sub").mkdir()
    (folder / "index.html").write_text(f"<h1 id='top'>Site</h1>{body}")
    (folder / "sub" / "a b.html").write_text("<h2 id='été'>x</h2><a name='old'></a>")
    (folder / "p.png").write_bytes(b"")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<a href='gone.html'>", "no such file"),
        ("<a href='sub'>", "no such file"),
        ("<a href='#bottom'>", "no anchor bottom"),
        ("<a href='sub/a%20b.html#new'>", "no anchor new"),
        ("<a href='../outside.html'>", "leads out of the site"),
        ("<img src='gone.png'>", "no such file"),
        ("<a href='https://nowhere'>", "not well formed"),
        ("<a href='https://a.org/b c'>", "not well formed"),
        ("<a href='htp://a.org'>", "not well formed"),
        ("<a href='mailto:nobody'>", "not well formed"),
        ("<script src='https://a.org/x.js'></script>", "loaded from another site"),
        ("<link rel='stylesheet' href='//a.org/x.css'>", "loaded from another site"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(links, tmp_path, capsys, body, reason):
    site(tmp_path, body)
    with pytest.raises(SystemExit, match=r"1 links of 2 pages"):
        links.main(tmp_path, tmp_path / "links.txt")
    assert reason in capsys.readouterr().err


def test_links_that_lead_somewhere_pass(links, tmp_path):
    body = (
        "<a href='#'><a href='#top'><a href='sub/a%20b.html#%C3%A9t%C3%A9'>"
        "<a href='sub/a%20b.html#old'><img src='p.png'><img src='data:image/png;base64,AA'>"
        "<a href='https://a.org/x#y'><a href='mailto:a@b.org'>"
        "<link rel='canonical' href='https://a.org'>"
    )
    site(tmp_path, body)
    listed = tmp_path / "links.txt"
    links.main(tmp_path, listed)
    assert listed.read_text().splitlines() == ["https://a.org/x#y", "mailto:a@b.org"]


def test_a_folder_without_pages_is_refused(links, tmp_path):
    with pytest.raises(SystemExit):
        links.main(tmp_path, tmp_path / "links.txt")
