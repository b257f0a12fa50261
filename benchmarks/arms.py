"""The cost of one round of every ordinary learner, and of private ones, next to a C loop.

The C loops are compiled with -Ofast, draw random numbers in blocks, and use a tree of sums for
many arms.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measuring import LEAST_TURNS, Row, compile_c, nanoseconds

from discreet import Private, Range, Setting, algorithm
from discreet.channels import PerRound
from discreet.contracts import Floats
from discreet.learners import Exp3
from discreet.mechanisms import Laplace
from discreet.problems import ArmGame, Arms
from discreet.randomness import streams
from discreet.simulation.loop import Player

ROUNDS = 2**16  # of one call, for every number of arms
# numbers in a table that fits into a core's cache, and in one that does not fit into any cache
CACHED, UNCACHED = (2**15, 2**23)
CASES = (  # learners, arms, numbers in the table, maximum time as a multiple of C's
    (
        (
            "exp3",
            "exp3-noise",
            "exp3-gain",
            "exp3-ix",
            "exp3-p",
            "tsallis-inf",
            "htinf",
            "ucb",
            "kl-ucb",
        ),
        4,
        CACHED,
        1.5,
    ),
    (
        (
            "exp3",
            "exp3-noise",
            "exp3-gain",
            "exp3-ix",
            "exp3-p",
            "tsallis-inf",
            "htinf",
            "ucb",
            "kl-ucb",
        ),
        100,
        CACHED,
        1.5,
    ),
    (("exp3", "exp3-noise"), 100, UNCACHED, 1.5),
    (("exp3", "exp3-gain", "exp3-ix"), 10_000, UNCACHED, 1.5),
)
# ε = 1
PRIVATE = (
    "one-bit-tsallis-inf",
    "tracking-ucb",
    "batched-ucb",
    "dp-klucb",
    "dp-imed",
    "batched-htinf",
)
TWIN = "tsallis-inf"


class Turning(ArmGame):
    """A table of losses that is read repeatedly, so that one call can play any number of rounds."""

    def feedback(self, t: int, action: int) -> float:
        loss: float = self.losses[t & (self.losses.shape[0] - 1), action]
        return loss

    def loss(self, t: int, action: int) -> float:
        loss: float = self.losses[t & (self.losses.shape[0] - 1), action]
        return loss


def private(name: str, arms: int) -> Private:
    """Return the learner; ``exp3-noise`` is EXP3 with Laplace noise on every loss."""
    if name != "exp3-noise":
        built = algorithm(name).build(Setting(Arms(arms), rounds=ROUNDS)).private
        assert isinstance(built, Private)
        return built
    rate = (2.0 * np.log(arms) / (ROUNDS * arms)) ** 0.5
    return Private(
        PerRound(Range(0.0, 1.0), Laplace(1.0)),
        Exp3.start(arms=arms, learning_rate=rate, mixing=0.1),
    )


def ours(name: str, losses: Floats, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return ns per round of one call, and the mean loss."""
    player, game = Player(private(name, losses.shape[1]), streams(1)), Turning(losses)
    start = time.process_time()
    total = player.play(game, np.array([rounds]))[0]
    return (time.process_time() - start) / rounds * 1e9, total / rounds


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each learner and number of arms."""
    with tempfile.TemporaryDirectory() as folder:
        program, path = compile_c("learners", Path(folder)), Path(folder) / "table"
        if program is None:
            return
        for names, arms, numbers, most in CASES:
            losses = np.random.default_rng(0).random(
                (2 ** (numbers // arms).bit_length() // 2, arms)
            )
            losses.tofile(path)
            where = (
                ""
                if arms == 4
                else ", losses in cache"
                if numbers == CACHED
                else ", losses not in cache"
            )
            for name in names:
                a, b, apart = beside_c([program, name, path], name, losses, turns)
                if apart > 0.02:
                    raise RuntimeError(
                        f"our loop and the C loop differ: the mean losses of {name} are {apart:g} "
                        "apart."
                    )
                yield Row(
                    f"{name}, {arms:,} arms{where}",
                    nanoseconds(a),
                    f"{nanoseconds(b)} C",
                    a / b,
                    "x C",
                    most=most,
                )
        losses = np.random.default_rng(0).random((CACHED // 4, 4))
        losses.tofile(path)
        for name in PRIVATE:
            a, b, _ = beside_c([program, TWIN, path], name, losses, turns)
            yield Row(
                f"{name}, ε = 1, 4 arms",
                nanoseconds(a),
                f"{nanoseconds(b)} {TWIN} in C",
                a / b,
                "x C",
                most=1.5,
            )


def beside_c(
    command: list[str | Path], name: str, losses: Floats, turns: int
) -> tuple[float, float, float]:
    """Return ns per round of ours and of a C program, and the distance of their mean losses."""
    arguments = [str(part) for part in (*command, *losses.shape, ROUNDS, 3)]
    ours(name, losses, rounds=2)
    mine, theirs, apart = [], [], 0.0
    for _ in range(turns):
        spent, mean = ours(name, losses)
        mine.append(spent)
        c_mean, *c_spent = map(float, subprocess.check_output(arguments).split())
        theirs.append(statistics.median(c_spent))
        apart = abs(mean - c_mean)
    return statistics.median(mine), statistics.median(theirs), apart
