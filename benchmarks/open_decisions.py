"""The cost of many open decisions in a run file, and the gain from telling several at once."""

from __future__ import annotations

import gc
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import LEAST_TURNS, Row

from discreet import Bandit

MANY = 1_000_000
DUE = 1_000
DAY = 86_400.0


class Clock:
    """A clock that only the benchmark moves."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def start(path: Path, decisions: int, clock: Clock) -> None:
    """Write a run with this many open decisions, each a second after the one before."""
    options = {"algorithm": "batched-exp3", "batch_size": 4, "wait": 2 * MANY + DAY}
    with Bandit(4, 4 * MANY, 1.0, path=path, default_loss=0.0, **options) as bandit:
        bandit._run._clock = clock
        while decisions:
            several = min(decisions, 1_000)
            bandit.ask_many(several)
            clock.now += several
            decisions -= several


def opened(path: Path) -> tuple[float, float]:
    """Return milliseconds and megabytes of opening a run, in a separate process."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        gc.collect()  # or the garbage of whatever came before may be collected meanwhile
        begun = time.process_time()
        Bandit.open(path)
        spent = (time.process_time() - begun) * 1e3
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
        os.write(writer, f"{spent} {grown}".encode())
        os._exit(0)
    os.wait()
    os.close(writer)
    milliseconds, megabytes = os.read(reader, 1_000).split()
    os.close(reader)
    return float(milliseconds), float(megabytes)


def ask(bandit: Bandit, rounds: int = 500) -> float:
    """Return microseconds of processor time per ask."""
    begun = time.process_time()
    for _ in range(rounds):
        bandit.ask()
    return (time.process_time() - begun) / rounds * 1e6


def pass_deadlines(bandit: Bandit, clock: Clock) -> float:
    """Return milliseconds of processor time for 1,000 deadlines, which wait for the disk twice."""
    clock.now = 1e9 + 2 * MANY + DAY + DUE - 500.0  # decisions are dated in groups of 1,000
    before, begun = len(bandit.open_decisions), time.process_time()
    bandit.release_due()
    spent = (time.process_time() - begun) * 1e3
    assert before - len(bandit.open_decisions) == DUE
    return spent


def tell(folder: Path, turns: int, *, durable: str, several: bool, rounds: int = 500) -> float:
    """Return microseconds per outcome told to a file, including waiting for the disk."""
    times = []
    for turn in range(turns):
        path = folder / f"{durable}{several}{turn}.db"
        options = {"algorithm": "batched-exp3", "batch_size": 50, "durable": durable}
        with Bandit(4, rounds, 1.0, path=path, **options) as bandit:
            pairs = [(decision, 0.5) for decision in bandit.ask_many(rounds)]
            begun = time.perf_counter()
            if several:
                bandit.tell_all(loss=pairs)
            else:
                for decision, loss in pairs:
                    bandit.tell(decision, loss=loss)
            times.append((time.perf_counter() - begun) / rounds * 1e6)
    return min(times)


def rows(turns: int = LEAST_TURNS, many: int = MANY) -> Iterator[Row]:
    """Yield a row for each target."""

    def row(what: str, figure: float, unit: str, most: float, rival: str = "") -> Row:
        return Row(what, f"{figure:.3g} {unit}", rival, figure, unit, most=most)

    with tempfile.TemporaryDirectory() as name:
        folder, clock = Path(name), Clock()
        os.environ["DISCREET_KEYS"] = name
        start(folder / "many.db", many, clock)
        start(folder / "none.db", 0, clock)
        found = [opened(folder / "many.db") for _ in range(turns)]
        words = f"{many:,} open decisions"
        yield row(f"{words}: opening", statistics.median(each[0] for each in found), "ms", 50.0)
        yield row("... memory", max(each[1] for each in found), "MB", 50.0)
        with Bandit.open(folder / "many.db") as large, Bandit.open(folder / "none.db") as small:
            for bandit in (large, small):
                bandit._run._clock = clock
            pairs = [(ask(large), ask(small)) for _ in range(turns)]
            ratio = statistics.median(one / other for one, other in pairs)
            rival = f"{min(other for _, other in pairs):.1f} µs with none"
            yield row("... ask", ratio, "x", 1.5, rival)
            yield row("... 1,000 deadlines", pass_deadlines(large, clock), "ms", 100.0)
        singly = tell(folder, turns, durable="outcomes", several=False)
        for what, durable, several in (
            ("tell_all of 500 to a file, per outcome", "outcomes", True),
            ('tell with durable="releases"', "releases", False),
        ):
            spent = tell(folder, turns, durable=durable, several=several)
            ratio = singly / spent
            ours, rival = f"{spent:.1f} µs", f"{singly:.1f} µs tell"
            yield Row(what, ours, rival, ratio, "x faster", least=2.0 if several else None)
