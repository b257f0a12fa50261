"""The cost of live use: decisions and outcomes with all checks and exact noise, in memory and in a
file.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measuring import LEAST_TURNS, Row

from discreet import Bandit
from discreet.live import FileStore
from discreet.mechanisms.exact_directions import ExactHemisphere

ARMS = 4
SIMULATED = ("exp3", "tsallis-inf", "batched-tsallis-inf")
EXACT = (("batched-htinf", 0.0), ("noisy-exp2", 0.0), ("local-tsallis-inf", 1e-6))


def ask_and_tell(name: str, turns: int, rounds: int = 2_000) -> float:
    """Return microseconds per round of the plain-Python interface; the minimum of several runs,
    because other load only adds time.
    """
    times = []
    for _ in range(turns):
        with warnings.catch_warnings(action="ignore"):
            bandit = Bandit(
                arms=ARMS, horizon=rounds, epsilon=1.0, algorithm=name, simulation=True, seed=1
            )
        outcomes = np.random.default_rng(0).random(rounds).tolist()
        start = time.process_time()
        for outcome in outcomes:
            bandit.tell(bandit.ask(), loss=outcome)
        times.append((time.process_time() - start) / rounds * 1e6)
    return min(times)


def live_tell(name: str, turns: int, *, delta: float = 0.0, rounds: int = 4_000) -> float:
    """Return microseconds per ``tell`` with exact noise, drawing included; the minimum of several
    runs.
    """
    times = []
    for _ in range(turns):
        chosen = {"noise": "gaussian"} if delta > 0.0 else {}
        bandit = Bandit(
            arms=ARMS, horizon=rounds, epsilon=1.0, delta=delta, algorithm=name, **chosen
        )
        outcomes = np.random.default_rng(0).random(rounds).tolist()
        spent = 0.0
        for outcome in outcomes:
            decision = bandit.ask()
            start = time.process_time()
            bandit.tell(decision, loss=outcome)
            spent += time.process_time() - start
        times.append(spent / rounds * 1e6)
    return min(times)


def file_tell(waits: str, turns: int, rounds: int = 500) -> float:
    """Return microseconds per ``tell`` to a run in a file; ``waits`` is FULL to wait for the disk,
    else NORMAL.
    """
    times = []
    usual, FileStore.tells = FileStore.tells, waits
    for _ in range(turns):
        with (
            tempfile.TemporaryDirectory() as folder,
            Bandit(arms=ARMS, horizon=rounds, epsilon=1.0, path=Path(folder) / "run.db") as bandit,
        ):
            decisions = [bandit.ask() for _ in range(rounds)]
            start = time.perf_counter()  # waiting for the disk is not processor time
            for decision in decisions:
                bandit.tell(decision, loss=0.5)
            times.append((time.perf_counter() - start) / rounds * 1e6)
    FileStore.tells = usual
    return min(times)


def exact_report(dimension: int, reports: int = 200) -> float:
    """Return microseconds for one exact report of a device; the minimum of many."""
    exact = ExactHemisphere.calibrate(dimension=dimension, epsilon=1.0)
    vector = np.full(dimension, 0.01)
    times = []
    for _ in range(reports):
        start = time.perf_counter()
        exact.encode(vector)
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each kind of live use."""

    def row(what: str, microseconds: float, most: float | None) -> Row:
        return Row(what, f"{microseconds:.1f} µs", "", microseconds, "µs", most=most)

    for name in SIMULATED:
        yield row(f"ask and tell, {name}", ask_and_tell(name, turns), 25.0)
    for name, delta in EXACT:
        noise = "Gaussian" if delta else "Laplace"
        yield row(
            f"live tell, {name}, exact {noise} noise", live_tell(name, turns, delta=delta), 25.0
        )
    yield row("live tell to a file", file_tell("NORMAL", turns), 150.0)
    yield row("... waiting for the disk", file_tell("FULL", turns), None)
    for dimension in (10, 640):
        yield row(f"exact report of a device, d = {dimension}", exact_report(dimension), 150.0)
