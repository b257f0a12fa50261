"""Check that every link of the built site leads to a file of it, and to a place in that file."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, what it loads, and the places in it that links can name."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        named = dict(attrs)
        self.places |= {each for key in ("id", "name") if (each := named.get(key))}
        if tag == "a" and (link := named.get("href")):
            self.links.append(link)
        source = named.get("src") if tag in ("img", "script") else None
        if tag == "link" and named.get("rel") in ("stylesheet", "icon"):
            source = named.get("href")
        if source:
            self.loaded.append(source)


def broken_links(folder: Path) -> list[str]:
    """Return what is wrong, in a line each: dead links, and anything loaded from elsewhere."""
    pages = {path: _read(path) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        here = path.relative_to(folder)
        for link in page.links + page.loaded:
            target = urlsplit(link)
            if target.scheme or target.netloc:
                if link in page.loaded and target.scheme != "data":
                    found.append(f"{here}: loads {link}")
                continue
            to = (path.parent / unquote(target.path)).resolve() if target.path else path
            if not to.is_file():
                found.append(f"{here}: {link} is no file")
            elif to in pages and unquote(target.fragment) not in {"", *pages[to].places}:
                found.append(f"{here}: {link} has no such place")
    return found


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text())
    return page
