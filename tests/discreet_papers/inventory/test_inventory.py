"""The inventory is complete, its names exist, and its document has the numbers of now."""

from __future__ import annotations

import importlib
import json
import re

import pytest
from click.testing import CliRunner
from common import ROOT

from discreet.algorithms import algorithm, reference
from discreet.cli.commands import cli
from discreet_papers.errata import errata
from discreet_papers.inventory import compute_entries, papers, write_inventory
from discreet_papers.inventory.document import COUNTED, UNMEASURED, show
from discreet_papers.reproduce import reproductions

DOCUMENT = ROOT / "docs" / "papers.md"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def count(*ranges):
    """Return numbers as they are printed, from ranges (prefix, first, last)."""
    return {f"{prefix}{n}" for prefix, first, last in ranges for n in range(first, last + 1)}


# what each paper prints; numbers of Zheng et al. are shared by theorems and corollaries
PRINTED = {
    "Tossou & Dimitrakakis 2017": {
        "Definition": count(("2.", 1, 2)),
        "Algorithm": {"1"},
        "Theorem": count(("3.", 1, 5)),
        "Corollary": count(("3.", 1, 3)),
        "Proposition": {"4.1"},
        "Figure": {"1"},
    },
    "Agarwal & Singh 2017": {
        "Table": {"1", "2"},
        "Definition": {"2.1"},
        "Remark": {"2.2"},
        "Algorithm": count(("", 1, 5)),
        "Theorem": {"3.1", "3.4", "3.5", "4.1", "4.5", "A.1", "D.1"},
        "Corollary": {"3.2"},
        "Lemma": {"3.3", "4.2", "4.3", "4.4"},
        "Fact": {"C.1"},
    },
    "Zheng et al. 2020": {
        "Table": {"1"},
        "Definition": count(("", 1, 3)),
        "Algorithm": count(("", 1, 5)),
        "Theorem": count(("", 1, 12)) - {"4"},
        "Corollary": {"4"},
        "Lemma": {"1", "2"},
    },
    "Ene et al. 2021": {
        "Definition": {"2.1"},
        "Algorithm": count(("", 1, 5)),
        "Theorem": {"1.1", "2.3"},
        "Lemma": {"2.2", "3.1", "4.1"} | count(("5.", 1, 5), ("C.", 1, 4)),
        "Corollary": {"C.5"},
    },
    "Faster rates": {
        "Table": {"1"},
        "Figure": {"1"},
        "Definition": count(("", 1, 9)),
        "Algorithm": count(("", 1, 7)),
        "Theorem": count(("", 1, 8)),
        "Corollary": count(("", 1, 4)),
        "Lemma": count(("", 1, 15)),
    },
}
ITEMS = [
    pytest.param(paper, item, id=f"{paper.short}: {item.name}")
    for paper in papers()
    for item in paper.items
]


def test_every_statement_of_every_paper_has_one_entry():
    assert [paper.short for paper in papers()] == list(PRINTED)
    for paper in papers():
        assert reference(paper.cite).text
        names = [item.name for item in paper.items]
        assert len(names) == len(set(names))
        listed = {}
        for item in paper.items:
            if item.kind != "Section":
                listed.setdefault(item.kind, set()).add(item.number)
        assert listed == PRINTED[paper.short]


@pytest.mark.parametrize(("paper", "item"), ITEMS)
def test_an_entry_says_what_implements_it_and_has_numbers_or_a_reason(paper, item):
    assert item.says
    assert not item.says.endswith(".")
    assert item.by
    for name in (*item.by, *item.checked):
        resolve(name)
    places = [each.place for each in errata() if paper.short in each.paper]
    for beginning in item.errata:
        assert sum(place.startswith(beginning) for place in places) == 1, beginning
    assert item.compared or item.note, "neither a number nor a reason"
    if item.kind in COUNTED and item.compared:
        assert item.checked or item.note, "nothing measures it"
    for each in item.compared:
        given = (each.there, each.here, each.measured)
        assert sum(number is not None for number in given) >= 2 or item.compared[1:]


def resolve(name):
    """Fail unless the name is one of a thing that exists."""
    if name.startswith("docs/"):
        path, _, section = name.partition(": ")
        text = (ROOT / path).read_text()
        assert not section or f"\n## {section}\n" in text, name
    elif name.startswith("tests/"):
        assert (ROOT / name).is_file(), name
    elif name.startswith("discreet reproduce "):
        assert name.split()[2] in reproductions(), name
    elif name.startswith("discreet "):
        assert name.split()[1] in cli.list_commands(None), name
    elif ":" in name:
        module, _, attribute = name.partition(":")
        assert hasattr(importlib.import_module(module), attribute), name
    else:
        known, *options = name.split()
        for option in options:
            key, _, value = option.partition("=")
            algorithm(known).options[key].parse(value)


def test_errata_about_a_numbered_statement_are_named_by_it():
    """Every erratum is named by at least one item of its paper."""
    for paper in papers():
        named = [beginning for item in paper.items for beginning in item.errata]
        for each in errata():
            if paper.short in each.paper:
                assert any(each.place.startswith(beginning) for beginning in named), each.place


def masked(text):
    """Return the document without its measured numbers."""
    lines = []
    for line in text.splitlines():
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) == 4 and cells[-1] not in ("measured |", "- |"):
            line = " | ".join([*cells[:-1], f"{UNMEASURED} |"])
        lines.append(line)
    return "\n".join(lines) + "\n"


def assert_same(now, then, tolerance):
    assert NUMBER.sub("#", now) == NUMBER.sub("#", then)
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (now, then)]
    assert numbers[0] == pytest.approx(numbers[1], rel=tolerance)


@pytest.mark.long
def test_the_document_has_the_bounds_of_now():
    """Words are the same, and bounds; small Monte Carlo sums among them differ by 2 % at most."""
    now = write_inventory(compute_entries(measure=False))
    assert_same(masked(now), masked(DOCUMENT.read_text()), 0.02)


@pytest.mark.full
def test_the_document_has_the_measured_numbers_of_now():
    """Seeds are fixed; numbers may differ by 15 % between machines."""
    assert_same(write_inventory(compute_entries()), DOCUMENT.read_text(), 0.15)


def test_it_can_be_written_to_a_file_or_printed_as_json(tmp_path, monkeypatch):
    paper = papers()[0]
    entries = [(paper, item, []) for item in paper.items[:2]]
    command = importlib.import_module("discreet_papers.cli.papers")
    monkeypatch.setattr(command, "compute_entries", lambda step: entries)
    done = CliRunner().invoke(
        cli, ["papers", "--quiet", "--output", str(tmp_path / "p.md")], catch_exceptions=False
    )
    assert done.stdout.strip().endswith("p.md: 2 items.")
    assert (tmp_path / "p.md").read_text().startswith("# The five papers")
    printed = CliRunner().invoke(cli, ["papers", "--quiet", "--json"], catch_exceptions=False)
    assert [row["item"] for row in json.loads(printed.stdout)] == [
        item.name for item in paper.items[:2]
    ]


def test_numbers_are_shown_with_three_digits():
    assert [show(value) for value in (None, 0.0, 99.96, 1e6)] == ["-", "0", "100", "1,000,000"]
