"""Ahead-of-time compilation, so that later runs find the code in the cache."""

from __future__ import annotations

import multiprocessing
import re
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from componentjit import cache_root
from discreet.algorithms import algorithm, list_algorithms
from discreet.errors import check_int, unknown_name
from discreet.plugins import load_plugins
from discreet.progress import ShowProgress
from discreet.simulation.executors import HEARTBEAT, Gave, Job, Threads, ThreadSession
from discreet.simulation.experiment import simulate
from discreet.simulation.jobs import RegretJob
from discreet.simulation.searches import search


@dataclass(frozen=True, kw_only=True)
class Warmed:
    """Seconds for every algorithm, and the location of the cache."""

    seconds: Mapping[str, float]
    folder: Path
    took: float  # seconds in all


def problem_names() -> dict[str, type]:
    """Return every kind of problem by the name that commands have for it.

    >>> list(problem_names())
    ['arms', 'advice', 'contexts', 'functions', 'best-arm', 'points', 'semi-bandit']
    """
    kinds = dict.fromkeys(type(each.problem) for each in list_algorithms().values())
    return {re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower(): kind for kind in kinds}


def warm(
    names: Iterable[str] = (),
    *,
    problem: str | None = None,
    epsilon: float = 1.0,
    delta: float = 0.0,
    workers: int = 2,
    progress: ShowProgress | None = None,
) -> Warmed:
    """Compile algorithms ahead, each as it is played in the default environment of its problem.

    By default it compiles all of them; else those named, or those for one kind of ``problem``.
    Threads cannot compile in parallel, so ``workers`` are processes. Cached code loads quickly.
    """
    chosen = [algorithm(name).name for name in names]
    if problem is not None:
        if problem not in problem_names():
            raise unknown_name("problem", problem, problem_names())
        chosen += list_algorithms(problem_names()[problem])
    chosen = list(dict.fromkeys(chosen or list_algorithms()))
    start = time.perf_counter()
    seconds = _in_processes(
        chosen, epsilon, delta, check_int("workers", workers, minimum=1), progress
    )
    return Warmed(seconds=seconds, folder=cache_root(), took=time.perf_counter() - start)


def _in_processes(
    names: Sequence[str], epsilon: float, delta: float, workers: int, progress: ShowProgress | None
) -> dict[str, float]:
    tell = progress or (lambda _, __: None)
    found: dict[str, float] = {}
    # A forked process would inherit the locks of this one's threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(names)), mp_context=context, initializer=_begin)
    try:
        running = {pool.submit(compile_one, name, epsilon, delta): name for name in names}
        while running:
            tell(len(found), len(names))
            for future in wait(running, timeout=HEARTBEAT, return_when=FIRST_COMPLETED).done:
                found[running.pop(future)] = future.result()
        tell(len(found), len(names))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return {name: found[name] for name in names}


def _begin() -> None:
    """Start a compiling process; interrupts go to its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load_plugins()


def compile_one(name: str, epsilon: float, delta: float) -> float:
    """Play one trial of an algorithm; return the seconds, nearly all of them for compiling."""
    start = time.perf_counter()
    play = search if algorithm(name).problem.stops else simulate
    play(name, epsilon=epsilon, delta=delta, trials=1, on=EveryWay(1))
    return time.perf_counter() - start


class EveryWay(Threads):
    """Threads for which every backend is compiled first, for any number of trials."""

    def begin(self, job: Job[Gave]) -> ThreadSession[Gave]:
        """Compile, and begin to play."""
        if isinstance(job, RegretJob):
            job.compile_every_way()
        return super().begin(job)
