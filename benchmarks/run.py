"""Speed, measured in turns, as ratios where there is a rival; docs/speed.md shows the tables.

    python benchmarks/run.py [PART ...] [--turns N] [--write docs/speed.md]

The exit code says whether all targets were met.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path

from measuring import LEAST_TURNS, Row

from discreet.cli.text import table
from discreet.errors import count

PARTS = {  # and the headings of their tables
    "arms": "One round compared with C",
    "lanes": "Trials side by side",
    "many": "Many trials and many arms",
    "sums": "Running sums and leaders",
    "sum_peers": "Running sums of other libraries",
    "advice": "Expert advice",
    "functions": "Functions and sets",
    "contexts": "Contexts",
    "live": "Live decisions",
    "reports": "Reports of devices",
    "open_decisions": "Many open decisions",
    "users": "Limits for users",
    "peers": "Decisions compared with other libraries",
    "service": "The service",
    "starting": "Starting",
    "broken": "Audits of broken mechanisms",
}
COLUMNS = ["what", "ours", "compared with", "measured", "target", ""]
BEGIN, END = "<!-- measured -->\n", "<!-- end -->"


def write(path: Path, measured: dict[str, list[Row]]) -> None:
    """Replace tables between the two marks of a document; other parts keep theirs."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    inside, _, after = rest.partition(END)
    tables = dict(re.findall(r"## (.+)\n\n((?:\|.*\n)+)", inside))
    tables |= {PARTS[part]: as_markdown(rows) for part, rows in measured.items()}
    text = "".join(
        f"## {title}\n\n{tables[title]}\n" for title in PARTS.values() if title in tables
    )
    path.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")


def as_markdown(rows: list[Row]) -> str:
    """Return the table of one part."""
    lines = (COLUMNS, ["---"] * len(COLUMNS), *(row.cells for row in rows))
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts",
        nargs="*",
        choices=[[], *PARTS],
        help=f"what to measure (all by default): {', '.join(PARTS)}",
    )
    parser.add_argument(
        "--turns",
        type=int,
        default=LEAST_TURNS,
        help=f"how often each job is measured (default {LEAST_TURNS})",
    )
    parser.add_argument(
        "--write", type=Path, help="the document whose tables are replaced, part by part"
    )
    asked = parser.parse_args()
    measured: dict[str, list[Row]] = {}
    for part in asked.parts or PARTS:
        print(f"measuring {part} ...", file=sys.stderr)
        measured[part] = list(importlib.import_module(part).rows(asked.turns))
        if asked.write:
            write(asked.write, measured)
    rows = [row for each in measured.values() for row in each]
    table(COLUMNS, [row.cells for row in rows], right=range(1, 5))
    missed = sum(not row.met for row in rows)
    print(f"{len(rows)} measured, {count(missed, 'target')} missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
