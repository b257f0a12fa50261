"""What to cite: BibTeX that any reader of BibTeX can parse, and texts that agree with it."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

import discreet
from discreet.algorithms import list_algorithms, papers
from discreet.algorithms.citing import citations
from discreet.cli import main

ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ += \{.*\},\n)+)\}")
FIELD = re.compile(r"  (\w+) += \{(.*)\},")
PAPERS = {
    name: value
    for name, value in vars(papers).items()
    if isinstance(value, papers.Citation) and value.bibtex
}
REQUIRED = {
    "article": {"author", "title", "journal", "volume", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "misc": {"author", "title", "year", "note"},
}


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        printed = capsys.readouterr()
        return end.value.code, printed.out, printed.err

    return run


def parse(bibtex):
    """Return kind, key and fields of every entry; nothing else may stand there."""
    assert not ENTRY.sub("", bibtex).strip()
    return [(kind, key, dict(FIELD.findall(body))) for kind, key, body in ENTRY.findall(bibtex)]


def families(fields):
    return [author.split(",")[0] for author in fields["author"].split(" and ")]


@pytest.mark.parametrize("citation", PAPERS.values(), ids=PAPERS)
def test_an_entry_is_complete_and_its_texts_agree_with_it(citation):
    [(kind, key, fields)] = parse(citation.bibtex)
    assert key == citation.key
    assert REQUIRED[kind] <= set(fields)
    assert citation.bibtex.isascii()
    assert citation.bibtex.count("{") == citation.bibtex.count("}")
    assert citation.short.split(" (")[0].endswith(fields["year"])
    assert citation.text.endswith(f"{fields['year']}.")
    authors, _, place = citation.text.partition(
        f". {fields['title'].replace('{', '').replace('}', '')}. "
    )
    assert place, "the title stands in both"
    assert len(authors.split(", ")) == len(families(fields))
    for family in families(fields):
        if family.isalpha():  # no accent, which is written otherwise in BibTeX
            assert re.search(rf"[A-Z]\. {family}(,|$)", authors)


def test_short_names_and_keys_tell_papers_apart():
    assert len({citation.short for citation in PAPERS.values()}) == len(PAPERS)
    assert len({citation.key for citation in PAPERS.values()}) == len(PAPERS)


@pytest.mark.parametrize("name", list_algorithms())
def test_every_algorithm_is_cited_with_discreet(name):
    known = list_algorithms()[name]
    found = [key for _, key, _ in parse(discreet.cite(name))]
    assert found == [paper.key for paper in (known.citation, *known.builds_on) if paper.bibtex] + [
        "discreet"
    ]
    assert len(set(found)) == len(found)


def test_all_papers_are_used_and_each_is_printed_once():
    found = [citation.key for citation in citations(*list_algorithms())]
    assert sorted(found) == sorted([*(paper.key for paper in PAPERS.values()), "discreet"])


def test_the_version_is_that_of_the_project(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert discreet.__version__ == project["version"]
    assert f"Version {project['version']}" in discreet.cite()
    citation = (root / "CITATION.cff").read_text()
    assert f"version: {project['version']}\n" in citation
    assert f"license: {project['license']}\n" in citation
    assert (root / "LICENSE").read_text().startswith(f"{project['license']} License")
    with pytest.raises(AttributeError, match="no attribute 'versions'"):
        discreet.versions  # noqa: B018


def test_the_command_prints_what_python_returns(call):
    code, text, _ = call("cite", "batched-exp3", "exp3")
    assert code == 0
    assert text == discreet.cite("batched-exp3", "exp3") + "\n"
    assert call("cite", "--all")[1] == discreet.cite(*list_algorithms()) + "\n"
    assert [key for _, key, _ in parse(call("cite")[1])] == ["discreet"]
    rows = json.loads(call("cite", "ucb", "--json")[1])
    assert [row["bibtex"] for row in rows] == [citation.bibtex for citation in citations("ucb")]
    assert set(rows[0]) == {"key", "short", "text", "bibtex"}


def test_unknown_names_suggest_the_nearest(call):
    code, _, complaint = call("cite", "batched-ftp")
    assert code == 2
    assert "did you mean 'batched-ftpl'?" in complaint
    with pytest.raises(discreet.DiscreetError, match="unknown algorithm 'exp33'"):
        discreet.cite("exp33")
    assert call("cite", "--all", "exp3")[0] == 2
