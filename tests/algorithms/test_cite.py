"""What to cite: BibTeX that any reader of BibTeX can parse, and texts that agree with it."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import resources

import pytest

import discreet
from discreet import DiscreetError
from discreet.algorithms import (
    Citation,
    citations,
    list_algorithms,
    parse_bibtex,
    read_bibtex,
    reference,
    register_algorithm,
)
from discreet.algorithms.references import references
from discreet.algorithms.registry import _algorithms
from discreet.cli import main
from discreet.problems import Arms

ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ += \{.*\},\n)+)\}")
FIELD = re.compile(r"  (\w+) += \{(.*)\},")
PAPERS = references()
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
    with pytest.raises(AttributeError, match="module 'discreet' has no attribute 'versions'"):
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


def test_the_references_are_a_file_of_the_package_in_order():
    text = resources.files("discreet.algorithms").joinpath("references.bib").read_text("utf-8")
    keys = re.findall(r"^@(?!string)\w+\{(\w+),$", text, flags=re.MULTILINE)
    assert keys == sorted(PAPERS)
    assert max(map(len, text.splitlines())) <= 100


def test_texts_have_short_venues_accents_and_labels():
    assert reference("auer2002finite").short == "Auer et al. 2002 (UCB)"
    assert reference("auer2002finite").text == (
        "P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time analysis of the multiarmed bandit "
        "problem. Machine Learning 47, 2002."
    )
    assert reference("neu2016importance").text.endswith("semi-bandits. JMLR 17(154), 2016.")
    assert reference("garivier2011kl").text == (
        "A. Garivier, O. Cappé. The KL-UCB algorithm for bounded stochastic bandits and beyond. "
        "COLT, 2011."
    )
    assert "{\\'e}" in reference("garivier2011kl").bibtex
    assert "The {KL-UCB} algorithm" in reference("garivier2011kl").bibtex
    assert "label" not in reference("auer2002finite").bibtex
    with pytest.raises(DiscreetError, match="unknown reference 'auer2002': did you mean 'auer20"):
        reference("auer2002")


def test_a_plugin_cites_its_own_bibtex_file_or_a_value(tmp_path):
    bib = tmp_path / "mine.bib"
    bib.write_text(
        """% mine
@String{ MLJ = "Machine Learning" }
@Article{ada2026,
  Author = {Lovelace, Ada and de Moivre, Abraham},
  title = "On {B}its,
           and more",
  journal = MLJ, volume = 7, year = 2026, doi = {10.1000/1}
}
""",
        "utf-8",
    )
    mine = read_bibtex(bib)["ada2026"]
    assert mine.short == "Lovelace & de Moivre 2026"
    assert mine.text == "A. Lovelace, A. de Moivre. On Bits, and more. MLJ 7, 2026."
    assert "  journal = {Machine Learning},\n  volume  = {7},\n" in mine.bibtex
    assert "  doi     = {10.1000/1},\n}" in mine.bibtex
    part = Citation(key="part", short="Part 2025", text="Part.", bibtex="@misc{part,\n}")
    try:

        @register_algorithm(
            name="mine", title="mine", problem=Arms(), citation=mine, builds_on=(part,)
        )
        def build(setting):
            return list_algorithms()["uniform"].build(setting)

        assert citations("mine")[:2] == [mine, part]
        assert discreet.cite("mine").startswith("@article{ada2026,")
    finally:
        del _algorithms["mine"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("@misc{a, author = {A, B}, title = {T}}", "my.bib: the entry a has no year."),
        ("@misc{a, author = {A, B}, title = {T}, year = 1}\n" * 2, "the entry a is there twice."),
        ("@misc{a,\n title = {T}\n year = 1}", "my.bib, line 3: 'year' is not valid BibTeX here."),
        ("@misc{a,\n title = {T {U}, year = 1", "my.bib, line 2: a brace is never closed."),
        ("@misc{a, year = soon}", "my.bib: year of a is soon, an unknown name."),
        ("some text", "my.bib, line 1: 'some' is not valid BibTeX here."),
        ("@misc{a, title = #}", "line 1: '#}' is not valid BibTeX here."),
    ],
)
def test_what_is_not_bibtex_is_refused(text, complaint):
    with pytest.raises(DiscreetError, match=re.escape(complaint)):
        parse_bibtex(text, "my.bib")
