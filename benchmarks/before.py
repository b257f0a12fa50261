"""Live use of this version and of an earlier commit, in turns: ratios of their times.

    python benchmarks/before.py COMMIT [--turns N] [--only TEXT]

Both run in this environment. Times in memory are processor time; those of files include waiting for
the disk. The exit code says whether all targets were met.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from measuring import LEAST_TURNS, Row

ARMS = 4
IN_MEMORY = (
    "exp3",
    "tsallis-inf",
    "batched-exp3",
    "batched-tsallis-inf",
    "one-bit-tsallis-inf",
)
IN_FILES = ("exp3", "batched-exp3", "batched-tsallis-inf", "one-bit-tsallis-inf")
ROUNDS, FILE_ROUNDS, LONG = 3_000, 300, 100_000
SERVE = "--serve"

Case = Callable[[], float]


def in_memory(algorithm: str | None, *, simulation: bool = False) -> float:
    """Return microseconds per ask and tell."""
    from discreet import Bandit

    chosen = {} if algorithm is None else {"algorithm": algorithm}
    seeded = {"simulation": True, "seed": 1} if simulation else {}
    bandit = Bandit(arms=ARMS, horizon=ROUNDS, epsilon=1.0, **chosen, **seeded)  # type: ignore[arg-type]
    outcomes = [(7 * i % 1_000) / 1_000 for i in range(ROUNDS)]
    start = time.process_time()
    for outcome in outcomes:
        bandit.tell(bandit.ask(), loss=outcome)
    return (time.process_time() - start) / ROUNDS * 1e6


def in_a_file(algorithm: str | None, *, horizon: int) -> float:
    """Return microseconds per tell."""
    from discreet import Bandit

    chosen = {} if algorithm is None else {"algorithm": algorithm}
    spent = 0.0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "run.db"
        bandit = Bandit(arms=ARMS, horizon=horizon, epsilon=1.0, path=place, **chosen)  # type: ignore[arg-type]
        for _ in range(FILE_ROUNDS):
            decision = bandit.ask()
            start = time.perf_counter()
            bandit.tell(decision, loss=0.5)
            spent += time.perf_counter() - start
        bandit.close()
    return spent / FILE_ROUNDS * 1e6


def cases() -> Iterator[tuple[str, Case, float | None]]:
    """Yield what is measured, how, and the largest ratio that meets the target, if there is one."""
    yield "ask and tell, default", partial(in_memory, None), 1.15
    for name in IN_MEMORY:
        yield f"ask and tell, {name}", partial(in_memory, name), 1.15
    for name in IN_MEMORY:
        title = f"ask and tell in a simulation, {name}"
        yield title, partial(in_memory, name, simulation=True), 1.15
    for name in IN_FILES:
        case = partial(in_a_file, name, horizon=FILE_ROUNDS)
        yield f"tell to a file, {name}", case, 1.2
    yield "tell to a file, default", partial(in_a_file, None, horizon=LONG), 1.2
    # which algorithm the default is, and so how often it releases, has changed for short runs
    title = f"tell to a file, default, {FILE_ROUNDS} rounds"
    yield title, partial(in_a_file, None, horizon=FILE_ROUNDS), None


def serve() -> None:
    """Run the cases whose names arrive, and answer with their times."""
    warnings.simplefilter("ignore")
    known = {name: case for name, case, _ in cases()}
    for line in sys.stdin:
        print(json.dumps(known[line.rstrip("\n")]()), flush=True)


class Version:
    """A process that runs cases with the sources of one version."""

    def __init__(self, sources: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "", SERVE],
            env={**os.environ, "PYTHONPATH": str(sources)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, name: str) -> float:
        """Return the time of a case in microseconds."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None, "it is a pipe"
        assert answers is not None, "it is a pipe"
        asked.write(f"{name}\n")
        asked.flush()
        return float(json.loads(answers.readline()))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def rows(before: Path, now: Path, turns: int, only: str) -> Iterator[Row]:
    """Yield a row per case with this text in its name."""
    versions = Version(before), Version(now)
    try:
        for name, _, most in cases():
            if only not in name:
                continue
            times: tuple[list[float], list[float]] = [], []
            for turn in range(max(turns, LEAST_TURNS) + 1):
                for place in (0, 1) if turn % 2 else (1, 0):
                    times[place].append(versions[place].measure(name))
            old, new = (statistics.median(each[1:]) for each in times)  # the first turn warms up
            yield Row(name, f"{new:.1f} µs", f"{old:.1f} µs before", new / old, "x", most=most)
    finally:
        for version in versions:
            version.close()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="the earlier version")
    parser.add_argument(
        "--turns",
        type=int,
        default=LEAST_TURNS,
        help=f"how often each case is measured (default {LEAST_TURNS})",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their names")
    parser.add_argument(SERVE, action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve()
        return 0
    from discreet.cli.text import table
    from discreet.errors import count

    here = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        old, keys = Path(folder) / "before", Path(folder) / "keys"
        os.environ["DISCREET_KEYS"] = str(keys)
        git = ["git", "-C", str(here), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(old), asked.commit], check=True)
        try:
            measured = list(rows(old / "src", here / "src", asked.turns, asked.only))
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)
    columns = ["what", "now", "before", "ratio", "target", ""]
    table(columns, [row.cells for row in measured], right=range(1, 5))
    missed = sum(not row.met for row in measured)
    print(f"{len(measured)} measured, {count(missed, 'target')} missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
