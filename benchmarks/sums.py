"""The cost of running sums and of leaders that use them, next to drawing the noise alone.

Last, long games in separate processes: memory must not grow with the number of rounds.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import LEAST_TURNS, Job, Row, in_turns
from measuring import nanoseconds as told

import discreet
from componentjit import compile_for, copy
from discreet import Private, Setting, algorithm
from discreet.channels import Restarting, RunningSum
from discreet.factorisations import Buffered, Factorisation, Honaker, SquareRoot, Tree
from discreet.learners import EntropyFtrl, Ftal, GradientDescent, Hedge, LinearFtpl, QuadraticFtrl
from discreet.problems import LinearGame, Points
from discreet.randomness import streams
from discreet.sets import Box, L2Ball
from discreet.simulation.loop import Player

EPSILON, DELTA = 1.0, 1e-6
ROUNDS = {10: 2**14, 1000: 2**10}  # of a stream, by dimension
EXPERTS, GAME = 10, 2**16
MOST = 5.0  # times drawing the noise, for a whole round
TARGETED = ("laplace", "gaussian")  # other noise is so cheap that the rest of a round dominates
LONG = 10**6, 10**7
MOST_GROWTH = 1.1  # of memory, if a game is ten times as long


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


def nanoseconds(rounds: int, turns: int, *jobs: Job) -> list[float]:
    return [spent / rounds * 1e9 for spent in in_turns(*jobs, turns=turns)]


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
    """Return a job that only draws the noise of a whole stream."""
    noise, counts, vector = (
        channel.noise,
        noises(channel, rounds),
        np.zeros(channel.losses.dimension),
    )

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
        return RunningSum.calibrated(
            losses, kind, prefixes=rounds, noise=noise, **stated, **options
        )

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


def counter_rows(turns: int) -> Iterator[Row]:
    for dimension, rounds in ROUNDS.items():
        vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, dimension))
        for name, channel in counters(dimension, rounds).items():
            all_of_it, noise = nanoseconds(
                rounds, turns, counting(channel, vectors), drawing(channel, rounds)
            )
            what = f"running sum, {name}, d = {dimension:,}"
            yield Row(
                what, told(all_of_it), f"{told(noise)} its noise", all_of_it / noise, "x noise"
            )


def learner_rows(turns: int) -> Iterator[Row]:
    for dimension, rounds in ROUNDS.items():
        released = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, dimension)).cumsum(axis=0)
        for name, learner in learners(dimension).items():
            (spent,) = nanoseconds(rounds, turns, learning(learner, released))
            yield Row(
                f"act and learn, {name}, d = {dimension:,}",
                told(spent),
                "",
                spent / dimension,
                "ns a coordinate",
            )


def round_rows(turns: int) -> Iterator[Row]:
    """Yield the cost of whole rounds of a private algorithm, next to their noise alone."""
    losses = (np.random.default_rng(0).random((GAME, EXPERTS)) < 0.5).astype(np.float64)
    game = LinearGame(losses)
    for noise, padding in ((n, p) for n in ("laplace", "gaussian", "cube") for p in (False, None)):
        setting = Setting(
            Points("experts", EXPERTS),
            rounds=GAME,
            epsilon=EPSILON,
            delta=DELTA if noise == "gaussian" else 0.0,
        )
        options = {"sums": "tree", "noise": noise, "padding": padding}
        private = algorithm("private-ftrl-experts").build(setting, **options).private
        channel: Any = private.channel
        one, alone = nanoseconds(GAME, turns, playing(private, game), drawing(channel, GAME - 1))
        padded = "padded" if channel.factorisation.padding else "not padded"
        what = f"private-ftrl-experts, 10 experts, tree, {noise}, {padded}"
        most = MOST if noise in TARGETED else None
        yield Row(what, told(one), f"{told(alone)} its noise", one / alone, "x noise", most=most)


def resident() -> float:
    """Return the peak memory of this process in MB; ``ru_maxrss`` would include its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 2**10


def play_long(sums: str, rounds: int) -> None:
    """Print seconds of tuning and playing, and peaks in MB of the process and of arrays."""

    def play(length: int) -> None:
        game: dict[str, Any] = {
            "dimension": EXPERTS,
            "rounds": length,
            "trials": 1,
            "options": {"sums": sums},
        }
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


def memory_rows() -> Iterator[Row]:
    """Yield by how much memory grows if a game is ten times as long."""
    if not Path("/proc/self/status").exists():
        return
    for sums in ("tree", "blt"):
        peaks: list[list[float]] = []
        for rounds in LONG:
            arguments = [sys.executable, __file__, sums, str(rounds)]
            _, _, _, *most = map(float, subprocess.check_output(arguments).split())
            peaks.append(most)
        growth = max(later / earlier for earlier, later in zip(*peaks, strict=True))
        shorter, longer = (
            f"{arrays:.1f} MB of arrays, {rounds:,} rounds"
            for (_, arrays), rounds in zip(peaks, LONG, strict=True)
        )
        yield Row(
            f"memory, private-ftrl-experts, {sums}", longer, shorter, growth, "x", most=MOST_GROWTH
        )


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield all rows."""
    yield from counter_rows(turns)
    yield from learner_rows(turns)
    yield from round_rows(turns)
    yield from memory_rows()


if __name__ == "__main__":
    play_long(sys.argv[1], int(sys.argv[2]))
