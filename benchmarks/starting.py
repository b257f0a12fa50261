"""How long first uses take: importing, listing, and compiling an algorithm."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from measuring import LEAST_TURNS, Row

FIRST_USES = (  # algorithm, options of simulate, maximum seconds
    ("exp3", "", 2.0),
    ("tsallis-inf", "", 2.0),
    ("batched-htinf", "", 2.0),
    ("tracking-ucb", "", 2.0),
    ("one-bit-tsallis-inf", "", 2.0),
    ("private-ftrl-experts", "delta=1e-6", 3.5),
    ("private-ftrl-ball", "delta=1e-6", 3.5),
    ("batched-exp4", "", 3.5),
    ("private-projection-free", "delta=1e-6", 3.5),
    ("private-linear-oracle", "delta=1e-6, options={'when_vacuous': 'play'}", 3.5),
    ("local-linucb", "", 3.5),
)


def processor_seconds(*arguments: str, **environment: str) -> float:
    """Return the processor seconds of a fresh process."""
    variables = os.environ | environment
    # Installed packages have bytecode; without it, importing takes twice as long.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_use(name: str, options: str) -> float:
    """Return the seconds for compiling: a first simulation minus the same one with cached code.

    It has the usual 24 trials of 10,000 rounds: with far fewer, nothing would be compiled.
    """
    call = f"simulate({name!r}, workers=1{', ' + options if options else ''})"
    program = f"from discreet import simulate; {call}"
    with tempfile.TemporaryDirectory() as folder:
        first = processor_seconds("-c", program, NUMBA_CACHE_DIR=folder)
        return first - processor_seconds("-c", program, NUMBA_CACHE_DIR=folder)


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for importing, for the list, and for the first use of some algorithms."""

    def row(what: str, seconds: float, most: float) -> Row:
        return Row(what, f"{seconds:.2f} s", "", seconds, "s", most=most)

    yield row(
        "import discreet",
        min(processor_seconds("-c", "from discreet import *") for _ in range(turns)),
        0.6,
    )
    yield row(
        "discreet list", min(processor_seconds("-m", "discreet", "list") for _ in range(turns)), 1.2
    )
    for name, options, most in FIRST_USES:
        yield row(
            f"first use, nothing compiled, {name}",
            min(first_use(name, options) for _ in range(2)),
            most,
        )
