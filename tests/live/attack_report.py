"""Attack the library in many small ways, and print what was tried and what did not hold.

    python tests/live/attack_report.py [--scale 1] [--only WORDS] [--write docs/attacks.md]

Every attack is a function that is registered with ``attack``: it gets the number of tries and
returns how many it made, the faults that it found, in words, and perhaps a figure. Modules
``attacks_*.py`` in this folder are loaded too, so a new attack needs no change here. The exit code
is 1 if there is any fault.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
for folder in (HERE, HERE.parent, HERE.parent / "claims", HERE.parent / "mechanisms"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
sys.path.append(str(HERE.parents[1] / "benchmarks"))
BEGIN, END = "<!-- attacks -->", "<!-- end -->"  # around the table in the document


class Attack(NamedTuple):
    """A registered attack."""

    title: str  # what is tried
    holds: str  # what must hold
    tries: int  # at scale 1
    run: Callable[[int], tuple]  # tries to make; tries made, faults, and perhaps a figure
    timed: bool  # what it finds depends on the machine and its load


class Row(NamedTuple):
    """What an attack found; None if it was left out."""

    attack: Attack
    tries: int | None = None
    faults: list[str] = []  # noqa: RUF012 - never changed
    figure: str = ""


ATTACKS: list[Attack] = []


def attack(title: str, *, holds: str, tries: int, timed: bool = False):
    """Register a function that makes some tries and returns how many it made, and all faults."""

    def register(run):
        ATTACKS.append(Attack(title, holds, tries, run, timed))
        return run

    return register


@contextmanager
def clean_place() -> Iterator[Path]:
    """Work in a new folder, with the keys of runs in it."""
    before, keys = Path.cwd(), os.environ.get("DISCREET_KEYS")
    with tempfile.TemporaryDirectory() as name:
        os.environ["DISCREET_KEYS"] = str(Path(name) / "keys")
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)
            os.environ.pop("DISCREET_KEYS")
            os.environ |= {} if keys is None else {"DISCREET_KEYS": keys}


def load() -> None:
    """Import all modules with attacks, once."""
    sys.modules.setdefault("attack_report", sys.modules[__name__])
    for path in sorted(HERE.glob("attacks_*.py")):
        importlib.import_module(path.stem)


def rows(scale: float, only: str = "", timed: bool = True) -> Iterator[Row]:
    """Yield what each attack found."""
    for each in ATTACKS:
        if only not in each.title:
            continue
        if each.timed and not timed:
            yield Row(each)
            continue
        with clean_place():
            yield Row(each, *each.run(max(1, round(each.tries * scale))))


def line(row: Row) -> str:
    """Return a row of the table."""
    found = ["–", "–", "left out"]
    if row.tries is not None:
        found = [f"{row.tries:,}", str(len(row.faults)), row.figure]
    return "| " + " | ".join([row.attack.title, row.attack.holds, *found]) + " |"


HEAD = "| attack | what must hold | tries | faults | found |\n|---|---|---:|---:|---|"


def main() -> int:
    parser = argparse.ArgumentParser(description="Attack the library in many small ways.")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of tries")
    parser.add_argument("--only", default="", help="words in the title of the attacks to run")
    parser.add_argument("--write", type=Path, help="the document whose table is replaced")
    parser.add_argument("--without-times", action="store_true", help="measure no durations")
    given = parser.parse_args()
    load()
    print(HEAD, flush=True)
    found, lines = 0, []
    for row in rows(given.scale, given.only, not given.without_times):
        lines.append(line(row))
        print(lines[-1], flush=True)
        found += len(row.faults)
        for fault in row.faults[:5]:
            print(f"  {row.attack.title}: {fault}", file=sys.stderr)
    if given.write:
        text = given.write.read_text()
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        table = "\n".join([HEAD, *lines])
        given.write.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
