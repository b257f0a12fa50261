"""Speed, measured in one run and told as ratios: these depend little on the machine, and seconds a lot.

    python benchmarks/run.py [--rounds T] [--repetitions N]

Each target is printed with its verdict; the exit code says whether all were met.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import discreet
from discreet import Bandit, Private, Range
from discreet.channels import Open, PerRound
from discreet.cli.text import table
from discreet.learners import Exp3
from discreet.live.file_store import FileStore
from discreet.mechanisms import Laplace
from discreet.problems import ArmGame
from discreet.randomness import streams
from discreet.simulation.loop import Player

HERE = Path(__file__).parent
UNIT = Range(0.0, 1.0)


def compile_c(folder: Path) -> Path | None:
    if shutil.which("gcc") is None:
        return None
    program = folder / "exp3"
    subprocess.run(["gcc", "-O3", "-march=native", HERE / "exp3.c", "-o", program, "-lm"], check=True)
    return program


def ours(losses: np.ndarray, rate: float, mixing: float, noise: float) -> tuple[float, float]:
    """Play one trial; return ns a round and the mean loss."""
    rounds, arms = losses.shape
    channel = PerRound(UNIT, Laplace(noise)) if noise else Open(UNIT)
    player = Player(Private(channel, Exp3.start(arms=arms, learning_rate=rate, mixing=mixing)), streams(1))
    game = ArmGame(losses)
    start = time.perf_counter()
    loss = player.play(game, np.array([rounds]))[0]
    return (time.perf_counter() - start) / rounds * 1e9, loss / rounds


def against_c(program: Path, folder: Path, rounds: int, arms: int, noise: float, repetitions: int) -> tuple[float, float]:
    """Return ns a round of ours and of C, taking turns."""
    losses = np.random.default_rng(0).random((rounds, arms))
    losses.tofile(folder / "table")
    rate, mixing = math.sqrt(2 * math.log(arms) / (rounds * arms)), 0.1 if noise else 0.0
    ours(losses, rate, mixing, noise)
    arguments = [str(a) for a in (program, folder / "table", rounds, arms, rate, mixing, noise, 3)]
    mine, theirs = [], []
    for _ in range(repetitions):
        nanoseconds, mean = ours(losses, rate, mixing, noise)
        mine.append(nanoseconds)
        c_mean, _, *c_nanoseconds = map(float, subprocess.check_output(arguments).split())
        theirs.append(statistics.median(c_nanoseconds))
        if abs(mean - c_mean) > 0.02:
            raise RuntimeError(f"the two do not do the same job: mean losses {mean:.3f} and {c_mean:.3f}")
    return statistics.median(mine), statistics.median(theirs)


def threads(rounds: int, repetitions: int) -> float:
    """Return how many times as fast two threads are as one."""

    def seconds(workers: int) -> float:
        start = time.perf_counter()
        discreet.simulate(["exp3"], environment="stochastic", arms=4, rounds=rounds, trials=100, workers=workers)
        return time.perf_counter() - start

    seconds(2)
    return statistics.median(seconds(1) / seconds(2) for _ in range(repetitions))


def ask_and_tell(name: str, repetitions: int, rounds: int = 2_000) -> float:
    """Return microseconds a round of the plain-Python interface; the least of several runs, as load only adds to it."""
    times = []
    for _ in range(repetitions):
        with warnings.catch_warnings(action="ignore"):
            bandit = Bandit(arms=4, horizon=rounds, epsilon=1.0, algorithm=name, simulation=True, seed=1)
        outcomes = np.random.default_rng(0).random(rounds).tolist()
        start = time.perf_counter()
        for outcome in outcomes:
            bandit.tell(bandit.ask(), loss=outcome)
        times.append((time.perf_counter() - start) / rounds * 1e6)
    return min(times)


def live_tell(name: str, repetitions: int, *, delta: float = 0.0, rounds: int = 4_000) -> float:
    """Return microseconds a ``tell`` with exact noise, drawing it included; the least of several runs."""
    times = []
    for _ in range(repetitions):
        bandit = Bandit(arms=4, horizon=rounds, epsilon=1.0, delta=delta, algorithm=name)
        outcomes = np.random.default_rng(0).random(rounds).tolist()
        spent = 0.0
        for outcome in outcomes:
            decision = bandit.ask()
            start = time.perf_counter()
            bandit.tell(decision, loss=outcome)
            spent += time.perf_counter() - start
        times.append(spent / rounds * 1e6)
    return min(times)


def file_tell(waits: str, repetitions: int, rounds: int = 500) -> float:
    """Return microseconds a ``tell`` to a run in a file; ``waits`` is FULL if it waits for the disk, else NORMAL."""
    times = []
    usual, FileStore.tells = FileStore.tells, waits
    for _ in range(repetitions):
        with (
            tempfile.TemporaryDirectory() as folder,
            Bandit(arms=4, horizon=rounds, epsilon=1.0, path=Path(folder) / "run.db") as bandit,
        ):
            decisions = [bandit.ask() for _ in range(rounds)]
            start = time.perf_counter()
            for decision in decisions:
                bandit.tell(decision, loss=0.5)
            times.append((time.perf_counter() - start) / rounds * 1e6)
    FileStore.tells = usual
    return min(times)


def process_seconds(*arguments: str) -> float:
    """Return how long a fresh process takes, with everything in the cache."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1 << 18)
    parser.add_argument("--repetitions", type=int, default=15)
    asked = parser.parse_args()
    rows: list[list[str]] = []
    met: list[bool] = []

    def note(what: str, ours: str, theirs: str, figure: str, target: str, ok: bool) -> None:
        rows.append([what, ours, theirs, figure, target, "met" if ok else "MISSED"])
        met.append(ok)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compile_c(folder)
        if program is None:
            print("gcc was not found: no comparison with C.")
        else:
            for arms in (4, 100):
                for noise, most in ((0.0, 1.3), (1.0, 2.0)):
                    mine, c = against_c(program, folder, asked.rounds, arms, noise, asked.repetitions)
                    what = f"exp3, {arms} arms" + (", Laplace noise every round" if noise else "")
                    ratio = mine / c
                    note(what, f"{mine:.1f} ns", f"{c:.1f} ns", f"{ratio:.2f} x C", f"≤ {most} x C", ratio <= most)
    speedup = threads(asked.rounds, 5)
    note("two threads against one", "", "", f"{speedup:.2f} x", "≥ 1.8 x", speedup >= 1.8)
    for algorithm in ("exp3", "tsallis-inf", "batched-tsallis-inf"):
        microseconds = ask_and_tell(algorithm, asked.repetitions)
        note(f"ask and tell, {algorithm}", "", "", f"{microseconds:.1f} µs", "≤ 25 µs", microseconds <= 25)
    for algorithm, delta in (("batched-htinf", 0.0), ("noisy-exp2", 0.0), ("local-tsallis-inf", 1e-6)):
        microseconds = live_tell(algorithm, max(3, asked.repetitions // 3), delta=delta)
        noise = "Gaussian" if delta else "Laplace"
        what = f"live tell, {algorithm}, exact {noise} noise"
        note(what, "", "", f"{microseconds:.1f} µs", "≤ 25 µs", microseconds <= 25)
    waiting, writing = file_tell("FULL", 3), file_tell("NORMAL", 3)
    note("live tell to a file", "", "", f"{writing:.0f} µs", "≤ 150 µs", writing <= 150)
    note("... waiting for the disk", "", "", f"{waiting:.0f} µs", "as the disk", True)
    seconds = process_seconds("-c", "from discreet import *")
    note("import discreet", "", "", f"{seconds:.2f} s", "≤ 0.6 s", seconds <= 0.6)
    seconds = process_seconds("-m", "discreet", "list")
    note("discreet list", "", "", f"{seconds:.2f} s", "≤ 1.2 s", seconds <= 1.2)
    table(["what", "a round, ours", "C", "measured", "target", ""], rows, right=range(1, 5))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
