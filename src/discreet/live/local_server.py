"""The server of devices: it learns from noisy reports and publishes models."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple, Self

from componentjit import copy
from discreet.contracts import Floats
from discreet.display import facts_html
from discreet.errors import AlreadyTold, DiscreetError, NotGiven, TooLate, check_int, has_items
from discreet.guarantee import Guarantee
from discreet.live.engine import packed
from discreet.live.messages import Task, pack_model, task_for, unpack_report
from discreet.live.report_file import FileContent, Published, ReportFile, ReportsInMemory

EVERY = 1000  # reports between two writes of the state: opening replays at most so many


class ServerProgress(NamedTuple):
    """The progress of a server, computed from noisy reports only."""

    reports: int  # that it has learned from
    version: int  # of the latest published model
    unpublished: int  # reports that are not in this model
    oldest: int  # the oldest version whose reports are still accepted


class LocalServer:
    """Receives reports of devices and publishes models; it never sees a context or an outcome.

    ``model`` publishes a new version if there were reports since the last one. Reports about the
    last ``lag`` versions are accepted, each once. A message that is malformed, too long, of another
    task, about another version or received before is refused with an error, and changes nothing.
    See ``Device`` for an example.

    With ``path``, everything is stored in a file, which ``LocalServer.open`` continues bit for bit.
    Reports are noisy before they arrive, so privacy needs no key and no protection of the file. A
    report that counted is in the file, together with the fact that it was received. A power failure
    may lose the last reports together with that fact; they then count if sent again. ``model``
    waits for the disk before it returns a new version. One process at a time may open the file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/server.db"
    >>> with LocalServer(dimension=2, horizon=1000, epsilon=1.0, path=path) as server:
    ...     published = server.model()
    >>> with LocalServer.open(path) as server:
    ...     server, server.model() == published
    (LocalServer(2 features, 0 reports, version 0), True)
    """

    def __init__(
        self,
        *,
        dimension: int,
        horizon: int,
        epsilon: float,
        low: float = 0.0,
        high: float = 1.0,
        norm: float = 1.0,
        algorithm: str = "local-greedy",
        lag: int = 100,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        recipe: dict[str, Any] = {
            "algorithm": algorithm,
            "dimension": dimension,
            "horizon": horizon,
            "epsilon": epsilon,
            "low": low,
            "high": high,
            "norm": norm,
        }
        self._start(_task_of(recipe), check_int("lag", lag, minimum=1))
        self._kept: ReportsInMemory | ReportFile = ReportsInMemory(self._lag)
        if path is not None:
            numbers = {name: _plain(value) for name, value in recipe.items()} | {"lag": self._lag}
            self._kept = ReportFile.create(
                path,
                self._lag,
                numbers,
                self._task.digest,
                self._block.tobytes(),
                self._published.message,
            )

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Continue the server in a file, exactly where it was."""
        kept, recipe, digest = ReportFile.open(path)
        found = cls.__new__(cls)
        try:
            damaged = DiscreetError(f"{kept.name} is damaged: it cannot be read.")
            try:
                lag = check_int("lag", recipe.pop("lag"), minimum=1)
                found._start(_task_of(recipe), lag)
            except (DiscreetError, TypeError, KeyError):
                raise damaged from None
            if found._task.digest != digest:
                raise DiscreetError(
                    f"{kept.name} belongs to a task that this version of discreet defines "
                    "differently, so its reports cannot be read: start a new server."
                )
            found._kept = kept
            found._restore()
        except BaseException:
            kept.close()
            raise
        return found

    def _start(self, task: Task, lag: int) -> None:
        self._task, self._lag = task, lag
        self._server, self._block = packed(copy(task.server))
        self._lock, self._process = threading.Lock(), os.getpid()
        self._reports, self._checkpoint_at, self._stale = 0, 0, False
        self._published = Published(0, 0, pack_model(task, 0, self._server))

    @property
    def reports(self) -> int:
        """The number of reports that it has learned from."""
        return self._reports

    @property
    def estimate(self) -> Floats:
        """The current parameters, with which devices choose."""
        self._check_process()
        with self._lock:
            self._settle()
            estimate: Floats = self._server.model.estimate.copy()
        return estimate

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of each report by itself, for any use that the server makes of it.

        A person with several reports has a weaker guarantee (``guarantee.for_user``). The server
        cannot limit them, because it does not know who reports: the device's ledger does.
        """
        return self._task.channel.guarantee

    def state(self) -> ServerProgress:
        """Return the progress of the server."""
        self._check_process()
        with self._lock:
            self._settle()
            version = self._published.version
            unpublished = self._reports - self._published.reports
            return ServerProgress(
                self._reports, version, unpublished, max(0, version - self._lag + 1)
            )

    def model(self) -> bytes:
        """Return the model to publish: a new version if there were reports."""
        self._check_process()
        with self._lock:
            self._settle()
            if self._reports > self._published.reports:
                version = self._published.version + 1
                message = pack_model(self._task, version, self._server)
                found = Published(version, self._reports, message)
                self._stale = isinstance(self._kept, ReportFile)
                self._kept.publish(found, self._reports, self._block.tobytes())
                self._published, self._checkpoint_at, self._stale = found, self._reports, False
            return self._published.message

    def receive(self, report: bytes) -> int:
        """Learn from a report and return the number of reports so far; a refusal has no effect."""
        version, payload = unpack_report(self._task, report)
        self._check_process()
        with self._lock:
            self._settle()
            self._check_version(version)
            if not self._learn_all([(version, payload)])[0]:
                raise AlreadyTold("this report was received before: each report counts once.")
            return self._reports

    def receive_all(self, reports: Iterable[bytes]) -> list[bool]:
        """Learn from many reports at once; return for each whether it counted.

        With a file, this is one transaction, which takes half as long as one per report. Reports
        that ``receive`` would refuse do not count.
        """
        if not has_items(reports):
            raise DiscreetError(
                f"reports is of type {type(reports).__name__}, but must be a list of reports."
            )
        found: list[tuple[int, bytes] | None] = []
        for report in reports:
            try:
                found.append(unpack_report(self._task, report))
            except DiscreetError:
                found.append(None)
        self._check_process()
        with self._lock:
            self._settle()
            counts = [each is not None and self._is_counted(each[0]) for each in found]
            usable = [each for each, counting in zip(found, counts, strict=True) if counting]
            learned = iter(self._learn_all([each for each in usable if each is not None]))
            return [counting and next(learned) for counting in counts]

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        self._check_process()
        with self._lock:
            kept, unsaved = self._kept, self._reports > self._checkpoint_at and not self._stale
            if isinstance(kept, ReportFile) and unsaved:
                with kept.change():
                    kept.checkpoint(self._reports, self._block.tobytes())
            kept.close()
            self._stale = isinstance(kept, ReportFile)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _learn_all(self, found: list[tuple[int, bytes]]) -> list[bool]:
        """Learn from reports about accepted versions, in one transaction."""
        kept = self._kept
        # if anything fails from here on, the file, if any, has the valid state
        self._stale = isinstance(kept, ReportFile)
        before = b"" if self._stale else self._block.tobytes()
        reports, learned = self._reports, []
        try:
            with kept.change():
                for version, payload in found:
                    new = kept.enter(reports, version, payload)
                    if new:
                        self._learn(payload)
                        reports += 1
                    learned.append(new)
                due = reports - self._checkpoint_at >= EVERY
                if due:
                    kept.checkpoint(reports, self._block.tobytes())
        except BaseException:
            if before:
                self._block[:] = before
            raise
        if due:
            self._checkpoint_at = reports
        self._reports, self._stale = reports, False
        return learned

    def _learn(self, payload: bytes) -> None:
        """Decode a payload into its noisy vector, and learn from it."""
        vector = self._task.noise.decode(payload)
        self._task.channel.finish(vector)
        self._server.learn(0, vector)

    def _is_counted(self, version: int) -> bool:
        newest = self._published.version
        return newest - self._lag < version <= newest

    def _check_version(self, version: int) -> None:
        if not self._is_counted(version):
            newest = self._published.version
            kind = TooLate if version <= newest else NotGiven
            known = f"versions {max(0, newest - self._lag + 1)} to {newest} are accepted"
            raise kind(f"the report is about version {version} of the model, but {known}.")

    def _check_process(self) -> None:
        """Refuse any process except the one that opened the file."""
        if isinstance(self._kept, ReportFile) and os.getpid() != self._process:
            raise DiscreetError(
                "this server's file belongs to another process: open it in one process at a time."
            )

    def _settle(self) -> None:
        """Return to the state in the file if something failed."""
        if self._stale:
            self._restore()

    def _restore(self) -> None:
        """Load the state from the file: the checkpoint, and all reports since."""
        assert isinstance(self._kept, ReportFile)
        kept: FileContent = self._kept.load()
        damaged = DiscreetError(f"{self._kept.name} is damaged: it cannot be read.")
        if len(kept.state) != len(self._block):
            raise damaged
        self._block[:] = kept.state
        for payload in kept.payloads:
            if payload[-1] not in (0, 1):
                raise damaged
            self._learn(payload)
        self._published, self._checkpoint_at = kept.published, kept.checkpoint_at
        self._reports, self._stale = kept.checkpoint_at + len(kept.payloads), False

    def _repr_html_(self) -> str:
        facts = [
            ("features", f"{self._server.choices:,}"),
            ("reports", f"{self._reports:,}"),
            ("version", f"{self._published.version:,}"),
        ]
        return facts_html("LocalServer", facts)

    def __repr__(self) -> str:
        return (
            f"LocalServer({self._server.choices} features, {self._reports:,} reports, version "
            f"{self._published.version})"
        )


def _task_of(recipe: dict[str, Any]) -> Task:
    numbers = dict(recipe)
    return task_for(numbers.pop("algorithm"), **numbers)


def _plain(value: Any) -> object:  # noqa: ANN401
    """Return a number, possibly NumPy's, as the same Python number, for JSON."""
    if isinstance(value, str):
        return value
    return int(value) if isinstance(value, Integral) else float(value)
