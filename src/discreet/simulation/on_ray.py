"""Trials on a Ray cluster: the same job, sent once, and tasks that name some of its trials.

What is sent are names of classes and their numbers, never compiled code: every node compiles for
its own processor, and keeps that in a folder of its own, as any process does. A worker that dies is
replaced by Ray, which plays its task again from the start; a task is one entry in a list of this
process, so that its trials are counted once.
"""

from __future__ import annotations

import io
import logging
import os
import pickle
import socket
import threading
import uuid
from collections.abc import Collection, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from componentjit import source_digest
from discreet.errors import DiscreetError
from discreet.plugins import VARIABLE, load_plugins
from discreet.simulation.executors import HEARTBEAT, Batch, Executor, Gave, Job, Session, timed

RETRIES = 5  # of a task whose worker died
ANSWER = 5.0  # seconds in which a cluster must answer
HOW_TO_SEND = f"put it into a module that every node can import, and name that in {VARIABLE}"


class Parcel(NamedTuple):
    """A job on its way to other machines."""

    key: str
    job: bytes
    sources: str  # a digest of this package, which must be the same there
    plugins: str


class Refusal(NamedTuple):
    """Why a task was not played, in one sentence."""

    sentence: str


class RayCluster(Executor):
    """The cluster that this process is connected to; else that of ``RAY_ADDRESS``; else one of this machine's cores.

    ``workers`` is the most cores to use at a time: by default all that the cluster has.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers

    def __repr__(self) -> str:
        return f"RayCluster({self.workers or ''})"

    def begin(self, job: Job[Gave]) -> RaySession[Gave]:
        """Send the job to the cluster."""
        parcel = packed(job)
        return RaySession(connected(), parcel, self.workers)


class RaySession(Session[Gave, object]):
    """A job on a cluster."""

    task_seconds = 1.0

    def __init__(self, ray: ModuleType, parcel: Parcel, workers: int | None) -> None:
        self._ray, self._key, self._most = ray, parcel.key, workers
        self._parcel = ray.put(parcel)
        self._task = ray.remote(max_retries=RETRIES, num_cpus=1)(play_task)
        self._running: set[object] = set()

    def prepare(self) -> None:
        """Begin nothing: every worker compiles for itself."""

    def slots(self) -> int:
        """Return the number of cores of all nodes that are there now; until one has come, one."""
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        return max(1, cores if self._most is None else min(cores, self._most))

    def submit(self, trials: range) -> object:
        """Begin a task."""
        task: object = self._task.remote(self._key, [self._parcel], trials.start, trials.stop)
        self._running.add(task)
        return task

    def done(self, running: Collection[object]) -> Collection[object]:
        """Return which tasks are done."""
        found: Collection[object] = self._ray.wait(list(running), num_returns=1, timeout=HEARTBEAT)[
            0
        ]
        return found

    def result(self, task: object) -> Batch[Gave]:
        """Return what a task gave, or say what went wrong."""
        self._running.discard(task)
        errors = self._ray.exceptions
        try:
            found: Batch[Gave] | Refusal = self._ray.get(task)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError):
            raise DiscreetError(
                f"the workers of a task died {RETRIES + 1} times: their nodes may lack memory."
            ) from None
        except errors.RayTaskError as reason:
            if isinstance(reason.cause, ModuleNotFoundError):
                raise DiscreetError(
                    f"a node of the cluster has no module {reason.cause.name}: install it there."
                ) from None
            raise
        if isinstance(found, Refusal):
            raise DiscreetError(found.sentence)
        return found

    def close(self) -> None:
        """Cancel all tasks."""
        for task in self._running:
            self._ray.cancel(task)
        self._running.clear()


def connected() -> ModuleType:
    """Return Ray, connected to a cluster for the rest of this process; nothing is reported to anybody."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise DiscreetError("on='ray' needs Ray: pip install 'discreet[cluster]'.") from None
    if not ray.is_initialized():
        check_answers(os.environ.get("RAY_ADDRESS", ""))
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as reason:
            address = os.environ.get("RAY_ADDRESS", "of this machine")
            raise DiscreetError(
                f"the Ray cluster {address} does not answer: {str(reason).splitlines()[0]}"
            ) from None
    return ray


def check_answers(address: str) -> None:
    """Refuse the address (host:port) of a cluster at which nobody answers: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdigit()) or "//" in address:
        return
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER).close()
    except (OSError, OverflowError) as reason:
        raise DiscreetError(
            f"RAY_ADDRESS is {address}, but no Ray cluster answers there ({reason})."
        ) from None


def packed(job: Job[Gave]) -> Parcel:
    """Return a job in the form in which it is sent, or refuse what other machines could not make sense of."""
    with io.BytesIO() as file:
        try:
            Packing(file, protocol=5).dump(job)
        except (pickle.PicklingError, TypeError, AttributeError) as reason:
            raise DiscreetError(
                f"the game cannot be sent to other machines ({reason}): {HOW_TO_SEND}."
            ) from None
        content = file.getvalue()
    return Parcel(uuid.uuid4().hex, content, source_digest(), os.environ.get(VARIABLE, ""))


class Packing(pickle.Pickler):
    """Refuses what is defined at a prompt or in a script: its code is nowhere that another machine could import from."""

    def reducer_override(self, value: object) -> Any:
        """Return that a value is pickled as usual, unless it is a class or function of ``__main__``."""
        if isinstance(value, type | FunctionType) and value.__module__ == "__main__":
            raise DiscreetError(
                f"{value.__qualname__} is defined in __main__, where no other machine finds it: "
                f"{HOW_TO_SEND}."
            )
        return NotImplemented


_job: tuple[str, Job[object] | None] = ("", None)  # the last one that this worker played
_loaded: set[str] = set()  # plugins


def play_task(key: str, parcel: Sequence[object], start: int, stop: int) -> Batch[object] | Refusal:
    """Play some trials, in a worker on any node."""
    global _job
    try:
        known, job = _job
        if known != key or job is None:
            job = unpacked(connected().get(parcel[0]))
            _job = (key, job)
        return timed(job, range(start, stop), threading.Event())
    except DiscreetError as reason:
        return Refusal(str(reason))


def unpacked(parcel: Parcel) -> Job[object]:
    """Return the job, compiled, or say why it cannot be played here."""
    if parcel.sources != source_digest():
        raise DiscreetError(
            "a node of the cluster has another version of discreet, whose numbers may differ: "
            "install the same."
        )
    if parcel.plugins not in _loaded:
        os.environ[VARIABLE] = parcel.plugins
        load_plugins()
        _loaded.add(parcel.plugins)
    try:
        job: Job[object] = pickle.loads(parcel.job)
    except ModuleNotFoundError as reason:
        raise DiscreetError(
            f"a node of the cluster has no module {reason.name}: {HOW_TO_SEND}."
        ) from None
    except AttributeError as reason:
        raise DiscreetError(
            f"a node of the cluster cannot make sense of the game ({reason}): {HOW_TO_SEND}."
        ) from None
    job.compile()
    return job
