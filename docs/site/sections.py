"""Sections of documents that texts name, such as "docs/proofs.md: Batches, Tables"."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"docs/(\w+)\.md: ((?:[A-Z][^).,;:*`]*)(?:, [A-Z][^).,;:*`]*)*)")
STATED = re.compile(r"\*\*Theorem (R?\d+)[ .(]")


def link_sections(text: str, link: Callable[[str, str], str]) -> str:
    """Return a text with names of sections as links, which ``link`` makes of page and title."""

    def linked(found: re.Match[str]) -> str:
        page, named = found[1], found[2]
        parts = [part.strip() for part in named.split(", ")]
        end = named[len(named.rstrip()) :]
        return ", ".join(link(page, part) if part in titles(page) else part for part in parts) + end

    return NAMED.sub(linked, text)


def anchor(title: str) -> str:
    """Return the place of a heading, as Markdown names it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def titles(page: str) -> dict[str, str]:
    """Return the titles of the sections of a page, with the number of their theorem or nothing."""
    path = FOLDER / f"{page}.md"
    if not path.is_file():
        return {}
    sections = re.split(r"(?m)^## ", path.read_text(encoding="utf-8"))[1:]
    found = {}
    for section in sections:
        title, _, body = section.partition("\n")
        stated = STATED.search(body) if page in ("proofs", "regret") else None
        found[title.strip()] = stated[1] if stated else ""
    return found
