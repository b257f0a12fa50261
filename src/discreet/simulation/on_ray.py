"""Trials on a Ray cluster: the same job, sent once, and tasks that name some of its trials.

Class names and numbers are sent, never compiled code: every node compiles for its own processor
and caches the result, as any process does. If a worker dies, Ray restarts its task; a task is one
entry in a list of this process, so its trials are counted once.
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
from discreet.simulation.executors import (
    HEARTBEAT,
    Executor,
    Gave,
    Job,
    JobSession,
    TaskResult,
    timed,
)
from discreet.simulation.results import PACKAGES

RETRIES = 5  # of a task whose worker died
ANSWER = 5.0  # seconds within which a cluster must answer
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
    """A Ray cluster.

    It is the cluster that this process is connected to, else that of ``RAY_ADDRESS``, else a new
    one on this machine's cores. ``workers`` is the most cores to use at a time: by default all that
    the cluster has.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers

    def __repr__(self) -> str:
        return f"RayCluster({self.workers or ''})"

    def begin(self, job: Job[Gave]) -> RaySession[Gave]:
        """Send the job to the cluster."""
        parcel = pack(job)
        return RaySession(connect(), parcel, self.workers)


class RaySession(JobSession[Gave, object]):
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
        """Return the number of cores of all nodes present now; 1 before the first has joined."""
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        return max(1, cores if self._most is None else min(cores, self._most))

    def submit(self, trials: range) -> object:
        """Begin a task."""
        task: object = self._task.remote(self._key, [self._parcel], trials.start, trials.stop)
        self._running.add(task)
        return task

    def done(self, running: Collection[object]) -> Collection[object]:
        """Return which tasks are done."""
        found: tuple[Collection[object], Collection[object]]
        found = self._ray.wait(list(running), num_returns=1, timeout=HEARTBEAT)
        return found[0]

    def result(self, task: object) -> TaskResult[Gave]:
        """Return the result of a task, or report its error."""
        self._running.discard(task)
        errors = self._ray.exceptions
        try:
            found: TaskResult[Gave] | Refusal = self._ray.get(task)
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


def connect() -> ModuleType:
    """Connect to a cluster for the rest of this process; no usage statistics are sent."""
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
    """Refuse a cluster address (host:port) that does not answer: Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdigit()) or "//" in address:
        return
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER).close()
    except (OSError, OverflowError) as reason:
        raise DiscreetError(
            f"RAY_ADDRESS is {address}, but no Ray cluster answers there ({reason})."
        ) from None


def pack(job: Job[Gave]) -> Parcel:
    """Serialise a job, or refuse what other machines could not load."""
    with io.BytesIO() as file:
        try:
            RefusingPickler(file, protocol=5).dump(job)
        except (pickle.PicklingError, TypeError, AttributeError) as reason:
            raise DiscreetError(
                f"the game cannot be sent to other machines ({reason}): {HOW_TO_SEND}."
            ) from None
        content = file.getvalue()
    return Parcel(uuid.uuid4().hex, content, source_digest(*PACKAGES), os.environ.get(VARIABLE, ""))


class RefusingPickler(pickle.Pickler):
    """Refuses what is defined at a prompt or in a script: other machines could not import it."""

    def reducer_override(self, value: object) -> Any:  # noqa: ANN401 (what pickle takes)
        """Pickle a value as usual, unless it is a class or function of ``__main__``."""
        if isinstance(value, type | FunctionType) and value.__module__ == "__main__":
            raise DiscreetError(
                f"{value.__qualname__} is defined in __main__, which other machines cannot import: "
                f"{HOW_TO_SEND}."
            )
        return NotImplemented


_job: tuple[str, Job[object] | None] = ("", None)  # the last one that this worker played
_loaded: set[str] = set()  # plugins


def play_task(
    key: str, parcel: Sequence[object], start: int, stop: int
) -> TaskResult[object] | Refusal:
    """Play some trials, in a worker on any node."""
    global _job
    try:
        known, job = _job
        if known != key or job is None:
            job = unpack(connect().get(parcel[0]))
            _job = (key, job)
        return timed(job, range(start, stop), threading.Event())
    except DiscreetError as reason:
        return Refusal(str(reason))


def unpack(parcel: Parcel) -> Job[object]:
    """Return the job, compiled, or report why it cannot be played here."""
    if parcel.sources != source_digest(*PACKAGES):
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
            f"a node of the cluster cannot load the game ({reason}): {HOW_TO_SEND}."
        ) from None
    job.compile()
    return job
