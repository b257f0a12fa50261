"""Citations: the papers behind an algorithm, read from BibTeX files, and discreet itself."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from discreet.errors import DiscreetError, unknown_name

YEAR = 2026  # of the current version of discreet
# LaTeX accents, and the combining characters they stand for
ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308"}
ACCENT = re.compile(r"\{?\\([`'^~\"])\{?([A-Za-z])\}?\}?")
NOT_PRINTED = ("shortjournal", "label")  # fields for our texts, which BibTeX styles do not need
VENUES = ("journal", "booktitle", "publisher", "howpublished")


@dataclass(frozen=True, kw_only=True)
class Citation:
    """The publication of an algorithm."""

    key: str
    short: str
    text: str
    bibtex: str


NO_CITATION = Citation(key="", short="-", text="none needed", bibtex="")


def reference(key: str) -> Citation:
    r"""Return one of discreet's own references.

    >>> found = reference("auer2002nonstochastic")
    >>> print(found.short, found.text, found.bibtex, sep=chr(10))
    Auer et al. 2002
    P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire. The nonstochastic multiarmed bandit
    problem. SIAM J. Comput. 32(1), 2002.
    @article{auer2002nonstochastic,
      author  = {Auer, Peter and Cesa-Bianchi, Nicol{\`o} and Freund, Yoav and Schapire, Robert E.},
      title   = {The nonstochastic multiarmed bandit problem},
      journal = {SIAM Journal on Computing},
      volume  = {32},
      number  = {1},
      pages   = {48--77},
      year    = {2002},
    }
    """
    known = references()
    if key not in known:
        raise unknown_name("reference", key, known)
    return known[key]


@functools.cache
def references() -> dict[str, Citation]:
    """Return all references of discreet's own algorithms by key."""
    text = resources.files("discreet.algorithms").joinpath("references.bib").read_text("utf-8")
    return parse_bibtex(text, "references.bib")


def read_bibtex(path: str | Path) -> dict[str, Citation]:
    """Return the citations in a BibTeX file by key: a plugin's references."""
    return parse_bibtex(Path(path).read_text("utf-8"), str(path))


def parse_bibtex(text: str, name: str = "the BibTeX text") -> dict[str, Citation]:
    r"""Return the citations in a BibTeX text by key.

    It reads @string and entries with author, title and year, skips comments, and refuses the rest.

    >>> found = parse_bibtex('@misc{neu2026, author = {Neu, Ada}, title = "Bits", year = 2026}')
    >>> found["neu2026"].text
    'A. Neu. Bits. 2026.'
    """
    macros: dict[str, str] = {}
    found: dict[str, Citation] = {}
    for kind, key, values in _Parser(text, name).entries():
        fields = {field: macros.get(value, value[1:-1]) for field, value in values.items()}
        for field, value in values.items():
            if value[0] not in '{"' and value not in macros:
                raise DiscreetError(
                    f"{name}: {field} of {key or kind} is {value}, an unknown name."
                )
        if kind == "string":
            macros |= fields
            continue
        missing = [field for field in ("author", "title", "year") if not fields.get(field)]
        if missing or key in found:
            wrong = f"has no {missing[0]}" if missing else "is there twice"
            raise DiscreetError(f"{name}: the entry {key} {wrong}.")
        used = (values[venue] for venue in VENUES if venue in values)
        place = fields.get("shortjournal", next((v if v in macros else v[1:-1] for v in used), ""))
        found[key] = _citation(kind, key, fields, place)
    return found


class _Parser:
    """A strict reader of BibTeX: a value is braced, quoted, a number or the name of a @string."""

    tokens = re.compile(r"\s*(?:%[^\n]*\s*)*(@\w+|[{}=,]|[\w:.+/-]+|\"[^\"]*\"|$)")

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.place = text, name, 0

    def entries(self) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Yield the kind, the key and the fields of every entry; a @string has no key."""
        while self.take(r"@\w+|$"):
            kind = self.last[1:].lower()
            self.take("{")
            key = "" if kind == "string" else self.take(r"[\w:.+/-]+")
            fields: dict[str, str] = {}
            while kind == "string" or self.take("[,}]") == ",":
                if self.take(r"\w+|\}") == "}":
                    break
                field = self.last if kind == "string" else self.last.lower()
                self.take("=")
                fields[field] = self.value()
                if kind == "string":
                    self.take(r"\}")
                    break
            yield kind, key, fields

    def take(self, wanted: str) -> str:
        """Return the next token, or report where another one is."""
        match = self.tokens.match(self.text, self.place)
        self.last = match[1] if match else self.text[self.place :].split("\n")[0].strip()
        if not match or not re.fullmatch(wanted, self.last):
            line = self.text.count("\n", 0, match.start(1) if match else self.place) + 1
            raise DiscreetError(
                f"{self.name}, line {line}: {self.last[:40]!r} is not valid BibTeX here."
            )
        self.place = match.end()
        return self.last

    def value(self) -> str:
        """Return a value with its braces; quotes and numbers get braces too."""
        token = self.take(r"\{|\"[^\"]*\"|[\w:.+/-]+")
        if token != "{":
            inner = token.strip('"')
            return f"{{{_one_line(inner)}}}" if token[0] == '"' or token.isdigit() else token
        depth, start = 1, self.place
        while depth:
            brace = re.compile(r"[{}]").search(self.text, self.place)
            if brace is None:
                line = self.text.count("\n", 0, start) + 1
                raise DiscreetError(f"{self.name}, line {line}: a brace is never closed.")
            depth += 1 if brace[0] == "{" else -1
            self.place = brace.end()
        return f"{{{_one_line(self.text[start : self.place - 1])}}}"


def _citation(kind: str, key: str, fields: Mapping[str, str], place: str) -> Citation:
    authors, year = [_plain(name) for name in fields["author"].split(" and ")], fields["year"]
    if "volume" in fields:
        place += f" {fields['volume']}" + (f"({fields['number']})" if "number" in fields else "")
    label = f" ({_plain(fields['label'])})" if "label" in fields else ""
    return Citation(
        key=key,
        short=f"{_families(authors)} {year}{label}",
        text=f"{', '.join(map(_initials, authors))}. {_plain(fields['title'])}. "
        + (f"{_plain(place)}, {year}." if place else f"{year}."),
        bibtex=_entry(kind, key, fields),
    )


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    used = {name: value for name, value in fields.items() if name not in NOT_PRINTED}
    width = max(len(name) for name in used)
    rows = [f"  {name:<{width}} = {{{value}}}," for name, value in used.items()]
    return "\n".join([f"@{kind}{{{key},", *rows, "}"])


def _families(authors: list[str]) -> str:
    names = [name.split(",")[0] for name in authors]
    return " & ".join(names) if len(names) < 3 else f"{names[0]} et al."


def _initials(author: str) -> str:
    """Return a name as it appears in texts.

    >>> _initials("Schapire, Robert E."), _initials("discreet contributors")
    ('R. E. Schapire', 'discreet contributors')
    """
    family, _, given = author.partition(", ")
    return " ".join([*(f"{name[0]}." for name in given.split()), family])


def _plain(text: str) -> str:
    r"""Return LaTeX as plain text.

    >>> _plain(r"Nicol{\`o} on {KL-UCB}")
    'Nicolò on KL-UCB'
    """
    decoded = ACCENT.sub(lambda accent: accent[2] + ACCENTS[accent[1]], text)
    return unicodedata.normalize("NFC", decoded).replace("{", "").replace("}", "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def cite_discreet() -> Citation:
    """Return the citation of the installed version of discreet."""
    title = "{discreet}: learning online from sensitive feedback under differential privacy"
    number = version("discreet")
    fields = {"author": "{discreet contributors}", "title": title, "year": str(YEAR)}
    return Citation(
        key="discreet",
        short=f"discreet {number}",
        text=f"discreet contributors. {_plain(title)}. Version {number}, {YEAR}.",
        bibtex=_entry("misc", "discreet", fields | {"note": f"Version {number}"}),
    )
