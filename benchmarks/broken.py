"""How long a default audit takes to detect mechanisms that fail only rarely."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import LEAST_TURNS, Row

from discreet import audit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "claims"))

from hidden_faults import HIDDEN
from rarely_broken import RARELY

MOST = 60.0  # seconds of a processor


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each mechanism that an audit should detect; one turn is enough."""
    for name, broken in (RARELY | HIDDEN).items():
        if "audit" in broken.caught_by:
            begun = time.process_time()
            found = audit(broken.make())
            spent = time.process_time() - begun
            said = f"{spent:.1f} s" if found.violated else "not caught"
            measured = spent if found.violated else float("inf")
            yield Row(f"audit of: {name}", said, "", measured, "s", most=MOST)
