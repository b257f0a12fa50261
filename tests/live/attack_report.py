"""Attack the library in many small ways, and print what was tried and what did not hold.

    python tests/live/attack_report.py [--scale 1] [--only WORDS] [--write docs/attacks.md]

Every attack is a function that is registered with ``attack``: it gets the number of tries and
returns the faults that it found, in words. Modules ``attacks_*.py`` in this folder are loaded too,
so a new attack needs no change here. The exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
for folder in (HERE, HERE.parent, HERE.parent / "claims"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
BEGIN, END = "<!-- attacks -->", "<!-- end -->"  # around the table in the document


class Attack(NamedTuple):
    """A registered attack."""

    title: str  # what is tried
    holds: str  # what must hold
    tries: int  # at scale 1
    run: Callable[[int], tuple[int, list[str]]]  # tries to make; tries made, and faults


class Row(NamedTuple):
    """What an attack found."""

    attack: Attack
    tries: int
    faults: list[str]
    seconds: float


ATTACKS: list[Attack] = []


def attack(title: str, *, holds: str, tries: int):
    """Register a function that makes some tries and returns how many it made, and all faults."""

    def register(run):
        ATTACKS.append(Attack(title, holds, tries, run))
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


def rows(scale: float, only: str = "") -> Iterator[Row]:
    """Yield what each attack found."""
    for each in ATTACKS:
        if only in each.title:
            start = time.perf_counter()
            with clean_place():
                made, faults = each.run(max(1, round(each.tries * scale)))
            yield Row(each, made, faults, time.perf_counter() - start)


def line(row: Row) -> str:
    """Return a row of the table."""
    return f"| {row.attack.title} | {row.attack.holds} | {row.tries:,} | {len(row.faults)} |"


HEAD = "| attack | what must hold | tries | faults |\n|---|---|---:|---:|"


def main() -> int:
    parser = argparse.ArgumentParser(description="Attack the library in many small ways.")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of tries")
    parser.add_argument("--only", default="", help="words in the title of the attacks to run")
    parser.add_argument("--write", type=Path, help="the document whose table is replaced")
    given = parser.parse_args()
    load()
    print(HEAD, flush=True)
    found, lines = 0, []
    for row in rows(given.scale, given.only):
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
