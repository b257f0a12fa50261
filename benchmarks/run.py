"""Speed, measured in one run, as ratios where there is a rival; docs/speed.md shows the table.

    python benchmarks/run.py [PART ...] [--turns N] [--write docs/speed.md]

The exit code says whether all targets were met.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from measuring import LEAST_TURNS, Row

from discreet.cli.text import table

PARTS = (
    "arms",
    "lanes",
    "many",
    "sums",
    "sum_peers",
    "advice",
    "functions",
    "contexts",
    "live",
    "reports",
    "open_decisions",
    "users",
    "peers",
    "service",
    "starting",
    "broken",
)
HEAD = ["what", "ours", "compared with", "measured", "target", ""]
BEGIN, END = "<!-- measured -->\n", "<!-- end -->"


def write(path: Path, rows: list[Row]) -> None:
    """Put the table between the two marks of a document."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = [
        "| " + " | ".join(cells) + " |"
        for cells in (HEAD, ["---"] * len(HEAD), *(row.cells for row in rows))
    ]
    path.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts",
        nargs="*",
        choices=[[], *PARTS],
        help=f"what to measure, of {', '.join(PARTS)}; all if none is named",
    )
    parser.add_argument(
        "--turns",
        type=int,
        default=LEAST_TURNS,
        help=f"how often each is measured (default {LEAST_TURNS})",
    )
    parser.add_argument("--write", type=Path, help="the document whose table is to be replaced")
    asked = parser.parse_args()
    rows: list[Row] = []
    for part in asked.parts or PARTS:
        print(f"measuring {part} ...", file=sys.stderr)
        rows.extend(importlib.import_module(part).rows(asked.turns))
    table(HEAD, [row.cells for row in rows], right=range(1, 5))
    if asked.write:
        write(asked.write, rows)
    missed = sum(not row.met for row in rows)
    print(f"{len(rows)} measured, {missed} missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
