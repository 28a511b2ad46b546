"""Checks every link of the built site: ``python docs/site/links.py HTML LIST``.

A link within the site must lead to a file, and to an anchor that this file has. Links to other
sites are not opened: they must be well formed, and are written to LIST, one in each line. Scripts,
styles and pictures must be files of the site, so that it can be read without a network.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "area": "href"}
PARTS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
THEME = "_static"
"""Folder of the theme, which keeps a template there."""
ABSENT_PARTS = ("canonical", "next", "prev")
"""Kinds of the element ``link`` that load nothing."""


class Page(HTMLParser):
    """Anchors of a page, the links that it has, and the files that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if (name := LINKS.get(tag)) in values:
            self.links.append(values[name])
        if (name := PARTS.get(tag)) in values and values.get("rel") not in ABSENT_PARTS:
            self.parts.append(values[name])


class Fault(NamedTuple):
    """A link that leads nowhere."""

    page: Path
    link: str
    reason: str


def is_well_formed(link: str) -> bool:
    """Whether a link to another site has a scheme of the web and the name of a host."""
    parts = urlsplit(link)
    if parts.scheme == "mailto":
        return "@" in parts.path
    host = parts.hostname or ""
    return parts.scheme in ("http", "https") and "." in host and not set(link) & set(' <>"\\')


def reason_against(folder: Path, pages: dict[Path, Page], page: Path, link: str) -> str | None:
    """Return why a link within the site leads nowhere, or None."""
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_relative_to(folder):
        return "leads out of the site"
    if not target.is_file():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"no anchor {anchor}"
    return None


def faults(folder: Path, pages: dict[Path, Page]) -> Iterator[Fault]:
    """Links of all pages that lead nowhere."""
    for path, page in pages.items():
        for link in dict.fromkeys([*page.links, *page.parts]):
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                reason = None if is_well_formed(link) else "not well formed"
                if link in page.parts:
                    reason = "loaded from another site"
            else:
                reason = reason_against(folder, pages, path, link)
            if reason:
                yield Fault(path.relative_to(folder), link, reason)


def main(folder: Path, listed: Path) -> None:
    """Check the pages of a folder, and write the list of links to other sites."""
    folder = folder.resolve()
    paths = [path for path in sorted(folder.rglob("*.html")) if THEME not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    found = list(faults(folder, pages))
    links = [link for page in pages.values() for link in page.links]
    others = sorted({link for link in links if urlsplit(link).scheme or urlsplit(link).netloc})
    listed.write_text("".join(f"{link}\n" for link in others), encoding="utf-8")
    for fault in found:
        print(f"{fault.page}: {fault.link}: {fault.reason}", file=sys.stderr)
    if found or not pages:
        sys.exit(f"{len(found)} links of {len(pages)} pages lead nowhere.")
    print(
        f"{len(links):,} links of {len(pages)} pages lead somewhere. Links to other sites: {listed}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
