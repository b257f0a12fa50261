"""What an entry of the inventory is, and the list of all entries, paper by paper.

The words of a paper's items are in a TOML file; its numbers are functions in the module of the same
name, by item.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, resources
from typing import Any

Number = Callable[[], float]

KINDS = (
    "Algorithm",
    "Theorem",
    "Lemma",
    "Corollary",
    "Proposition",
    "Fact",
    "Definition",
    "Remark",
    "Table",
    "Figure",
    "Section",  # for what a paper states without a number
)
# in the order of their publication
BUILT_IN = ("tossou", "agarwal_singh", "zheng", "ene", "faster_rates")


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One quantity in three versions: as printed, as proved or used here, and as measured.

    Numbers are computed when the document is written. ``order`` says that what is printed is an
    order: its expression is then evaluated without the constant that it hides.
    """

    what: str  # what is compared: "regret", "epsilon", "noise scale"
    at: str  # the setting of all three numbers
    there: Number | None = None
    here: Number | None = None
    measured: Number | None = None
    order: bool = False


Numbers = Mapping[str, tuple[Compared, ...]]  # by the names of items


@dataclass(frozen=True, kw_only=True)
class Item:
    """One statement of a paper: what it says, what implements it, and its numbers.

    ``by`` and ``checked`` have names that a test resolves: an algorithm, with options after its
    name; ``module:name``; ``discreet command ...``; ``docs/file.md: Section``; a test file.
    """

    kind: str
    number: str  # as printed
    place: str
    says: str
    by: tuple[str, ...]
    checked: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()  # the beginnings of their places
    note: str = ""  # where it differs, or why there is no number
    compared: tuple[Compared, ...] = ()

    @property
    def name(self) -> str:
        """Kind and number."""
        return f"{self.kind} {self.number}"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper with all of its statements."""

    short: str  # as errata call it
    title: str
    cite: str  # a key of references.bib
    items: tuple[Item, ...]


@functools.cache
def papers() -> tuple[Paper, ...]:
    """Return all papers with their items."""
    return tuple(map(_read, BUILT_IN))


def _read(name: str) -> Paper:
    """Return the paper of a TOML file, with the numbers of its module."""
    file = resources.files("discreet_papers.inventory").joinpath(f"{name}.toml")
    facts = tomllib.loads(file.read_text("utf-8"))
    numbers: Numbers = import_module(f"discreet_papers.inventory.{name}").NUMBERS
    items = tuple(_item(each, numbers) for each in facts.pop("items"))
    unused = set(numbers) - {item.name for item in items}
    assert not unused, f"{name} has numbers of items that are not listed: {sorted(unused)}"
    return Paper(items=items, **facts)


def _item(facts: dict[str, Any], numbers: Numbers) -> Item:
    lists = {key: tuple(value) for key, value in facts.items() if isinstance(value, list)}
    found = Item(**{**facts, **lists})
    assert found.kind in KINDS, f"{found.kind} is not a kind of item"
    return Item(**{**facts, **lists}, compared=numbers.get(found.name, ()))
