"""The document about the inventory: words, names and numbers for every item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from discreet_papers.errata import errata
from discreet_papers.errata.registry import wrap
from discreet_papers.inventory.registry import Compared, Item, Number, Paper, papers

INTRODUCTION = (
    "Every algorithm, theorem, lemma, corollary, definition, table and figure of the five papers: "
    "what implements it, its number in the paper, its number here, and the measured number. "
    "*Paper* is the printed number; O(..) is an order, evaluated without the constant that it "
    "hides, with natural logarithms. *Here* is what discreet proves, or uses. *Measured* is the "
    "mean regret in a few short games, or the lower bound on epsilon that an attack finds with "
    "99 % confidence, or what the row says; the commands and tests under *Checked* measure more. "
    "A bound may be far above the measured number, because these games are not the worst case. "
    "`discreet papers` writes this file: do not edit it."
)
COUNTED = ("Algorithm", "Theorem", "Lemma", "Corollary", "Table", "Figure")
UNMEASURED = "..."  # in place of a measured number that was not computed
Step = Callable[[int, int], None]


class Row(NamedTuple):
    """A comparison with its numbers; None where there is none."""

    compared: Compared
    there: float | None
    here: float | None
    measured: float | None


Entry = tuple[Paper, Item, list[Row]]


def compute_entries(*, measure: bool = True, step: Step | None = None) -> list[Entry]:
    """Return every item with its numbers; ``step`` is called with the progress."""
    listed = [(paper, item) for paper in papers() for item in paper.items]
    total = sum(len(item.compared) for _, item in listed)
    done, found = 0, list[Entry]()
    for paper, item in listed:
        rows = []
        for each in item.compared:
            measured = each.measured if measure else None
            rows.append(Row(each, _value(each.there), _value(each.here), _value(measured)))
            done += 1
            if step is not None:
                step(done, total)
        found.append((paper, item, rows))
    return found


def _value(number: Number | None) -> float | None:
    return None if number is None else float(number())


def write_inventory(entries: Sequence[Entry]) -> str:
    """Return the document."""
    lines = ["# The five papers, item by item", "", *wrap(INTRODUCTION), "", *_overview()]
    before = ""
    for paper, item, rows in entries:
        if paper.short != before:
            lines += ["", f"## {paper.short}", "", f"*{paper.title}*"]
            before = paper.short
        lines += ["", *_describe(paper, item, rows)]
    return "\n".join(lines) + "\n"


def _overview() -> Iterator[str]:
    """Yield a table with the number of items of each kind."""
    yield f"| paper | {' | '.join(kind.lower() for kind in COUNTED)} | other | with errata |"
    yield f"|---|{'---:|' * (len(COUNTED) + 2)}"
    for paper in papers():
        found = Counter(item.kind for item in paper.items)
        other = len(paper.items) - sum(found[kind] for kind in COUNTED)
        wrong = sum(bool(item.errata) for item in paper.items)
        counts = " | ".join(str(found[kind]) for kind in COUNTED)
        yield f"| {paper.short} | {counts} | {other} | {wrong} |"


def _describe(paper: Paper, item: Item, rows: Sequence[Row]) -> Iterator[str]:
    yield f"### {item.name} ({item.place})"
    yield ""
    yield from wrap(f"{item.says[0].upper()}{item.says[1:]}.")
    yield ""
    yield from wrap(f"* By: {', '.join(map(_code, item.by))}")
    if item.checked:
        yield from wrap(f"* Checked: {', '.join(map(_code, item.checked))}")
    if item.errata:
        named = "; ".join(f"*{place}*" for place in map(_full_place(paper), item.errata))
        yield from wrap(f"* [Errata](errata.md): {named}")
    if item.note:
        yield from wrap(f"* Note: {item.note}")
    if rows:
        yield ""
        yield from _table(rows)


def _full_place(paper: Paper) -> Callable[[str], str]:
    """Return a function that completes the place of an erratum from its beginning."""
    places = [each.place for each in errata() if paper.short in each.paper]

    def complete(beginning: str) -> str:
        return next(place for place in places if place.startswith(beginning))

    return complete


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield "| number | paper | here | measured |"
    yield "|---|---:|---:|---:|"
    for row in rows:
        there = show(row.there)
        there = f"O({there})" if row.compared.order else there
        measured = show(row.measured)
        if row.measured is None and row.compared.measured is not None:
            measured = UNMEASURED
        yield f"| {row.compared.what} | {there} | {show(row.here)} | {measured} |"
    yield ""
    settings = list(dict.fromkeys(row.compared.at for row in rows))
    if len(settings) == 1:
        yield from wrap(f"Setting: {settings[0]}.")
        return
    for place in settings:
        whats = "; ".join(row.compared.what for row in rows if row.compared.at == place)
        yield from wrap(f"* {whats}: {place}.")


def _code(name: str) -> str:
    if name.startswith("docs/"):
        path, _, section = name.partition(": ")
        file = path.removeprefix("docs/")
        return f"[{file}]({file}), *{section}*" if section else f"[{file}]({file})"
    return f"`{name.replace(':', '.')}`"


def show(value: float | None) -> str:
    """Return a number with three or more significant digits.

    >>> [show(x) for x in (123456.7, 12.34, 1.0, 0.00012345, None)]
    ['123,457', '12.3', '1', '0.000123', '-']
    """
    if value is None:
        return "-"
    if abs(value) >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.3g}"
