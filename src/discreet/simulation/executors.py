"""Executors, which play trials on threads or on other machines.

A sweep is a job, which is plain data, and the numbers of its trials. An executor plays them, some
at a time and in any order, and counts every trial once: here on threads, because compiled loops
release the interpreter's lock; in ``on_ray`` on other machines. A trial depends only on the job and
its own number, so its results are the same everywhere.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from discreet.errors import DiscreetError, check_int, shorten, unknown_name

Gave = TypeVar("Gave")  # the outcome of a trial
Handle = TypeVar("Handle")  # of a task that is played elsewhere
HEARTBEAT = 0.1  # seconds between two calls of progress, which may raise a KeyboardInterrupt


class Job(Protocol[Gave]):
    """Everything a trial needs except its number: values that can be sent to another machine."""

    def compile(self) -> None:
        """Compile everything by playing it briefly."""

    def at_once(self) -> int:
        """Return how many trials are best played together, once it is compiled."""

    def play(self, trials: range, stop: threading.Event) -> list[Gave] | None:
        """Play some trials in order; return None if told to stop before the end."""


class TaskResult(NamedTuple, Generic[Gave]):
    """The outcomes of a task's trials, and how long they took."""

    outcomes: list[Gave]
    seconds: float


class JobSession(ABC, Generic[Gave, Handle]):
    """A job that is being played."""

    task_seconds: float  # how long a task should take, about

    @abstractmethod
    def prepare(self) -> Handle | None:
        """Begin the work required before the first task, if any."""

    def at_once(self) -> int:
        """Return how many trials the first tasks get; quick tasks get more later."""
        return 1

    @abstractmethod
    def slots(self) -> int:
        """Return how many tasks can be played at the same time."""

    @abstractmethod
    def submit(self, trials: range) -> Handle:
        """Begin a task."""

    @abstractmethod
    def done(self, running: Collection[Handle]) -> Collection[Handle]:
        """Return which tasks are done, waiting for at most a heartbeat."""

    @abstractmethod
    def result(self, task: Handle) -> TaskResult[Gave]:
        """Return the result of a task, or raise its error."""

    @abstractmethod
    def close(self) -> None:
        """Abandon what is still running, without waiting for it."""


class Executor(ABC):
    """A place where jobs are played."""

    threads: int = 1  # on which one process plays

    @abstractmethod
    def begin(self, job: Job[Gave]) -> JobSession[Gave, Any]:
        """Begin to play a job."""


def executor(on: str | Executor, *, workers: int | None) -> Executor:
    """Return the executor of that name, on at most that many cores.

    >>> executor("threads", workers=2)
    Threads(2)
    >>> executor("moon", workers=None)
    Traceback (most recent call last):
        ...
    discreet.errors.DiscreetError: unknown executor 'moon': choose from ray, threads.
    """
    if workers is not None:
        workers = check_int("workers", workers, minimum=1)
    if isinstance(on, Executor):
        return on
    if not isinstance(on, str):
        raise DiscreetError(f"on is {shorten(on)}, but must be 'threads', 'ray' or an Executor.")
    if on not in EXECUTORS:
        raise unknown_name("executor", on, EXECUTORS)
    return EXECUTORS[on](workers)


def run(
    session: JobSession[Gave, Handle], todo: Sequence[range], beat: Callable[[], None]
) -> Generator[tuple[int, Gave], None, None]:
    """Yield every trial and its outcome as they finish.

    ``beat`` is called regularly and may raise. All trials are played elsewhere, and closing does
    not wait for them, so this thread can be interrupted at any moment.
    """
    running: dict[Handle, range] = {}
    size = 1
    waiting = _pieces(todo, lambda: size)
    try:
        first = session.prepare()
        if first is not None:
            while not session.done([first]):
                beat()
            session.result(first)
        size = session.at_once()
        while True:
            while len(running) < 2 * session.slots() and (trials := next(waiting, None)):
                running[session.submit(trials)] = trials
            if not running:
                return
            finished = session.done(list(running))
            if not finished:
                beat()
            for task in finished:
                batch, trials = session.result(task), running.pop(task)
                if len(trials) >= size and batch.seconds < session.task_seconds / 2.0:
                    size = 2 * len(trials)
                yield from zip(trials, batch.outcomes, strict=True)
    finally:
        session.close()


def _pieces(todo: Sequence[range], size: Callable[[], int]) -> Iterator[range]:
    """Yield all trials in pieces of the size that ``size`` returns at that moment."""
    for trials in todo:
        start = trials.start
        while start < trials.stop:
            end = min(start + size(), trials.stop)
            yield range(start, end)
            start = end


def timed(job: Job[Gave], trials: range, stop: threading.Event) -> TaskResult[Gave]:
    """Play some trials and measure how long that takes."""
    before = time.perf_counter()
    outcomes = job.play(trials, stop)
    if outcomes is None:
        raise InterruptedError("told to stop")
    return TaskResult(outcomes, time.perf_counter() - before)


class Threads(Executor):
    """The threads of this process: by default as many as there are cores."""

    def __init__(self, workers: int | None = None) -> None:
        self.threads = available_cores() if workers is None else workers

    def __repr__(self) -> str:
        return f"Threads({self.threads})"

    def begin(self, job: Job[Gave]) -> ThreadSession[Gave]:
        """Begin to play a job."""
        return ThreadSession(job, self.threads)


class ThreadSession(JobSession[Gave, Future[TaskResult[Gave]]]):
    """A job on threads."""

    task_seconds = 0.1

    def __init__(self, job: Job[Gave], threads: int) -> None:
        self._job, self._threads = job, threads
        self._pool = ThreadPoolExecutor(threads)
        self._stop = threading.Event()

    def prepare(self) -> Future[TaskResult[Gave]]:
        """Compile once, before threads would wait for each other."""

        def compile_all() -> TaskResult[Gave]:
            self._job.compile()
            return TaskResult([], 0.0)

        return self._begin(compile_all)

    def at_once(self) -> int:
        """Return the best number for the job."""
        return self._job.at_once()

    def slots(self) -> int:
        """Return the number of threads."""
        return self._threads

    def submit(self, trials: range) -> Future[TaskResult[Gave]]:
        """Begin a task."""
        return self._begin(lambda: timed(self._job, trials, self._stop))

    def _begin(self, task: Callable[[], TaskResult[Gave]]) -> Future[TaskResult[Gave]]:
        """Hand a task to the threads, of which the pool starts one if all are busy."""
        try:
            return self._pool.submit(task)
        except RuntimeError as reason:
            raise DiscreetError(
                f"no thread can be started ({reason}): close other programs, or raise the limit "
                "on processes."
            ) from None

    def done(
        self, running: Collection[Future[TaskResult[Gave]]]
    ) -> Collection[Future[TaskResult[Gave]]]:
        """Return which tasks are done."""
        return wait(running, timeout=HEARTBEAT, return_when=FIRST_COMPLETED).done

    def result(self, task: Future[TaskResult[Gave]]) -> TaskResult[Gave]:
        """Return the result of a task."""
        return task.result()

    def close(self) -> None:
        """Tell all threads to stop."""
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _ray(workers: int | None) -> Executor:
    from discreet.simulation.on_ray import RayCluster

    return RayCluster(workers)


EXECUTORS: dict[str, Callable[[int | None], Executor]] = {"threads": Threads, "ray": _ray}
