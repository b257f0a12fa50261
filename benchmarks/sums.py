"""What running sums and the leaders that learn from them cost, beside drawing their noise and nothing else.

    python benchmarks/sums.py [--repetitions N]

Everything is compiled and timed in one process, what is compared in turns, in time of the processor; the least of several
repetitions counts, since other jobs only add to it. Last, long games in processes of their own: memory must not grow with
the number of rounds. The exit code says whether all targets were met.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from discreet import Private, Setting, algorithm
from discreet.channels import Restarting, RunningSum
from discreet.cli.text import table
from discreet.factorisations import Buffered, Factorisation, Honaker, SquareRoot, Tree
from discreet.kernel import compile_for, copy
from discreet.learners import EntropyFtrl, Ftal, GradientDescent, Hedge, LinearFtpl, QuadraticFtrl
from discreet.problems import LinearGame, Points
from discreet.randomness import streams
from discreet.sets import Box, L2Ball
from discreet.simulation.loop import Player

EPSILON, DELTA = 1.0, 1e-6
ROUNDS = {10: 2**14, 1000: 2**10}  # of a stream, by dimension
EXPERTS, GAME = 10, 2**16
MOST = 5.0  # times drawing the noise, for a whole round
TARGETED = ("laplace", "gaussian")  # other noise is so cheap that the rest of a round weighs more
AT_LEAST = 1.0  # seconds for each comparison
LONG = 10**6, 10**7
MOST_GROWTH = 1.1  # of the memory when a game gets ten times as long


def offers(channel: Any, vectors: Any, rng: Any) -> None:
    for t in range(vectors.shape[0]):
        channel.offer(vectors[t], 1.0, rng)


def steps(learner: Any, released: Any, rng: Any) -> None:
    for t in range(released.shape[0]):
        _, trace = learner.act(0, rng)
        learner.learn(trace, released[t])


def draws(noise: Any, counts: Any, vector: Any, rng: Any) -> None:
    for t in range(counts.size):
        for _ in range(counts[t]):
            noise.perturb(vector, rng)


Job = Callable[[], Callable[[], object]]  # what it returns is timed


def nanoseconds(rounds: int, repetitions: int, *jobs: Job) -> list[float]:
    """Return the least time a round of each job; they take turns, and compile in a turn that does not count.

    Short jobs have more turns: a machine can be slow for as long as all of a few would take.
    """
    least, turn, end = [float("inf")] * len(jobs), 0, time.perf_counter()
    while turn <= repetitions or time.perf_counter() < end:
        for index, job in enumerate(jobs):
            run = job()
            start = time.thread_time()
            run()
            spent = (time.thread_time() - start) / rounds * 1e9
            least[index] = min(least[index], spent) if turn else least[index]
        end = end if turn else time.perf_counter() + AT_LEAST
        turn += 1
    return least


def counting(channel: Any, vectors: np.ndarray) -> Job:
    def job() -> Callable[[], object]:
        channel.restart()
        rng = np.random.default_rng(1)
        return lambda: compile_for(offers, channel)(channel, vectors, rng)

    return job


def learning(learner: Any, released: np.ndarray) -> Job:
    def job() -> Callable[[], object]:
        mine, rng = copy(learner), np.random.default_rng(1)
        return lambda: compile_for(steps, mine)(mine, released, rng)

    return job


def playing(private: Private, game: LinearGame) -> Job:
    def job() -> Callable[[], object]:
        player = Player(private, streams(1))
        return lambda: player.play(game, np.array([game.losses.shape[0]]))

    return job


def drawing(channel: Any, rounds: int) -> Job:
    """Return what draws the noise of a whole stream: as much of it, of the same kind, on vectors as long."""
    noise, counts, vector = channel.noise, noises(channel, rounds), np.zeros(channel.losses.dimension)

    def job() -> Callable[[], object]:
        rng = np.random.default_rng(1)
        return lambda: compile_for(draws, noise)(noise, counts, vector, rng)

    return job


def noises(channel: Any, rounds: int) -> np.ndarray:
    """Return how many noise vectors each round draws."""
    sums = channel.sums if isinstance(channel, Restarting) else channel
    parts = sums.factorisation
    return np.array([parts.rows_due(t) + parts.pads(t) for t in range(1, rounds + 1)])


def counters(dimension: int, rounds: int) -> dict[str, Any]:
    losses = Box.cube(dimension, -1.0, 1.0)
    stated = {"epsilon": EPSILON, "delta": DELTA}

    def summed(kind: type[Factorisation], noise: str, **options: Any) -> RunningSum:
        return RunningSum.calibrated(losses, kind, prefixes=rounds, noise=noise, **stated, **options)

    return {
        "tree, laplace": summed(Tree, "laplace"),
        "tree, gaussian": summed(Tree, "gaussian"),
        "tree, cube": summed(Tree, "cube"),
        "tree, laplace, padded": summed(Tree, "laplace", padding=True),
        "tree, gaussian, padded": summed(Tree, "gaussian", padding=True),
        "honaker, gaussian": summed(Honaker, "gaussian"),
        "sqrt-toeplitz": summed(SquareRoot, "gaussian"),
        "blt": summed(Buffered, "gaussian"),
        "epochs, laplace": Restarting.calibrated(losses, noise="laplace", **stated),
        "epochs, gaussian": Restarting.calibrated(losses, noise="gaussian", **stated),
    }


def learners(dimension: int) -> dict[str, Any]:
    ball, cube = L2Ball(dimension, 1.0), Box.cube(dimension, -1.0, 1.0)
    return {
        "EntropyFtrl": EntropyFtrl.start(dimension=dimension, learning_rate=0.01),
        "Hedge": Hedge.start(dimension=dimension),
        "QuadraticFtrl, ball": QuadraticFtrl.start(set=ball, learning_rate=0.01),
        "QuadraticFtrl, cube": QuadraticFtrl.start(set=cube, learning_rate=0.01),
        "LinearFtpl, cube": LinearFtpl.start(set=cube, spread=1.0),
        "LinearFtpl, cube, fresh noise": LinearFtpl.start(set=cube, spread=1.0, fresh=True),
        "GradientDescent, ball": GradientDescent.start(set=ball, learning_rate=0.01),
        "Ftal, ball": Ftal.start(set=ball, curvature=0.0, ridge=1.0),
    }


def time_counters(repetitions: int) -> None:
    rows: dict[str, list[str]] = {}
    for dimension, rounds in ROUNDS.items():
        vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, dimension))
        for name, channel in counters(dimension, rounds).items():
            all_of_it, noise = nanoseconds(rounds, repetitions, counting(channel, vectors), drawing(channel, rounds))
            rows.setdefault(name, [name]).extend([f"{all_of_it:,.0f}", f"{noise:,.0f}", f"{all_of_it / noise:.2f}"])
    head = [part for d in ROUNDS for part in (f"ns, d = {d:,}", "its noise", "x noise")]
    table(["counter, one offer", *head], list(rows.values()), right=range(1, 7))


def time_learners(repetitions: int) -> None:
    rows: dict[str, list[str]] = {}
    for dimension, rounds in ROUNDS.items():
        released = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, dimension)).cumsum(axis=0)
        for name, learner in learners(dimension).items():
            (spent,) = nanoseconds(rounds, repetitions, learning(learner, released))
            rows.setdefault(name, [name]).extend([f"{spent:,.0f}", f"{spent / dimension:.2f}"])
    head = [part for d in ROUNDS for part in (f"ns, d = {d:,}", "a coordinate")]
    table(["learner, act and learn", *head], list(rows.values()), right=range(1, 5))


def time_rounds(repetitions: int) -> bool:
    """Time whole rounds of a private algorithm and return whether all targets were met."""
    losses = (np.random.default_rng(0).random((GAME, EXPERTS)) < 0.5).astype(np.float64)
    game, rows, met = LinearGame(losses), [], True
    for noise, padding in ((n, p) for n in ("laplace", "gaussian", "cube") for p in (False, None)):
        setting = Setting(
            Points("experts", EXPERTS), rounds=GAME, epsilon=EPSILON, delta=DELTA if noise == "gaussian" else 0.0
        )
        options = {"sums": "tree", "noise": noise, "padding": padding}
        private = algorithm("private-ftrl-experts").build(setting, **options).private
        channel: Any = private.channel
        jobs = (
            playing(private, game),
            drawing(channel, GAME - 1),
            counting(copy(channel), losses),
            learning(private.learner, losses.cumsum(axis=0)),
        )
        one, alone, sums, leader = nanoseconds(GAME, repetitions, *jobs)
        ok = noise not in TARGETED or one <= MOST * alone
        met = met and ok
        padded = "padded" if channel.factorisation.padding else "not padded"
        kind = f"{noise}, {padded}{' (the default)' if padding is None else ''}"
        cells = [f"{part:,.0f}" for part in (one, alone, sums - alone, leader, one - sums - leader)]
        verdict = [f"≤ {MOST:g}", "met" if ok else "MISSED"] if noise in TARGETED else ["-", ""]
        rows.append([kind, *cells, f"{one / alone:.2f}", *verdict])
    head = ["private-ftrl-experts, sums=tree", "ns a round", "noise", "the rest of the sum", "leader", "game"]
    table([*head, "x noise", "target", ""], rows, right=range(1, 8))
    return met


def resident() -> float:
    """Return the most memory that this process ever held, in MB; ``ru_maxrss`` would count that of its parent, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 2**10


def play_long(sums: str, rounds: int) -> None:
    """Print seconds of tuning and of playing, and peaks in MB: of the process, before and after, and of arrays alone."""

    def play(length: int) -> None:
        game: dict[str, Any] = {"dimension": EXPERTS, "rounds": length, "trials": 1, "options": {"sums": sums}}
        discreet.simulate(["private-ftrl-experts"], epsilon=EPSILON, delta=DELTA, **game)

    play(2**17)  # compiles
    start = time.perf_counter()
    setting = Setting(Points("experts", EXPERTS), rounds=rounds, epsilon=EPSILON, delta=DELTA)
    algorithm("private-ftrl-experts").build(setting, sums=sums)  # what it finds is kept
    tuned = time.perf_counter()
    before = resident()
    tracemalloc.start()
    play(rounds)
    over, allocated = time.perf_counter(), tracemalloc.get_traced_memory()[1] / 2**20
    print(tuned - start, over - tuned, before, resident(), allocated)


def time_long_games() -> bool:
    """Play long games and return whether memory stayed bounded."""
    if not Path("/proc/self/status").exists():
        print("There is no /proc: the memory of long games is not measured.")
        return True
    rows, met = [], True
    for sums in ("tree", "blt"):
        peaks: list[list[float]] = []
        for rounds in LONG:
            arguments = [sys.executable, __file__, "--long", sums, "--rounds", str(rounds)]
            tuning, game, *most = map(float, subprocess.check_output(arguments).split())
            peaks.append(most[1:])
            rows.append([sums, f"{rounds:,}", *(f"{part:.1f}" for part in (tuning, game, *most))])
        growth = max(later / earlier for earlier, later in zip(*peaks, strict=True))
        met = met and growth <= MOST_GROWTH
        rows[-2] += ["", "", ""]
        rows[-1] += [f"{growth:.3f} x", f"≤ {MOST_GROWTH:g} x", "met" if growth <= MOST_GROWTH else "MISSED"]
    head = ["private-ftrl-experts", "rounds", "s to tune", "s to play", "MB before", "MB after", "MB of arrays"]
    table([*head, "growth", "target", ""], rows, right=range(1, 9))
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--long", choices=("tree", "blt"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.long:
        play_long(asked.long, asked.rounds)
        return 0
    time_counters(asked.repetitions)
    time_learners(asked.repetitions)
    met = time_rounds(asked.repetitions)
    return 0 if time_long_games() and met else 1


if __name__ == "__main__":
    sys.exit(main())
