"""Device tasks: models published at fixed times, and reports that arrive noisy."""

from __future__ import annotations

import hashlib
import inspect
import json
import threading
from pathlib import Path

from discreet.errors import AlreadyTold, Busy
from discreet.live import LocalServer
from discreet.live.messages import HEAD, PAYLOAD
from discreet.service.forms import AnyJson, check_fields
from discreet.service.problems import RETRY, HttpProblem, not_found
from discreet.service.specs import check_run_name

REPORT = HEAD.size + PAYLOAD  # bytes
MOST_REPORTS = 1000  # in one request
FIELDS = tuple(name for name in inspect.signature(LocalServer).parameters if name != "path")


class DeviceTask:
    """One task: its server, and the model that devices get until the next one."""

    def __init__(self, name: str, server: LocalServer, spec: AnyJson) -> None:
        self.name, self.server, self.spec = name, server, spec
        self.publish()

    def publish(self) -> None:
        """Publish what was learned since the last time."""
        self.model = self.server.model()
        self.etag = f'"{hashlib.sha256(self.model).hexdigest()[:32]}"'

    def facts(self) -> AnyJson:
        """Return everything that a device needs."""
        parameters = inspect.signature(LocalServer).parameters
        numbers = {name: self.spec.get(name, parameters[name].default) for name in FIELDS}
        return {"task": self.name, **numbers}

    def receive(self, body: bytes) -> None:
        """Learn from the reports in a body, one after the other; a repeated one changes nothing.

        If one is refused, those before it count, and may be sent again.
        """
        if not body or len(body) % REPORT or len(body) > REPORT * MOST_REPORTS:
            raise HttpProblem(
                "invalid",
                f"the body must be 1 to {MOST_REPORTS:,} reports of {REPORT} bytes each.",
            )
        for start in range(0, len(body), REPORT):
            try:
                self.server.receive(body[start : start + REPORT])
            except AlreadyTold:
                continue


class Tasks:
    """All device tasks of a service, each in a file of its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._tasks: dict[str, DeviceTask] = {}
        self._elsewhere: set[str] = set()  # tasks that another worker serves

    def open_all(self) -> None:
        """Open every task, except those that another worker serves."""
        for path in sorted(self._folder.glob("*.json")):
            name = path.name.removesuffix(".json")
            file = self._folder / f"{name}.db"
            if name in self._tasks or not file.exists():
                continue
            try:
                server = LocalServer.open(file)
            except Busy:
                self._elsewhere.add(name)
                continue
            self._tasks[name] = DeviceTask(name, server, json.loads(path.read_text()))
            self._elsewhere.discard(name)

    def names(self) -> list[str]:
        """Return all names."""
        return sorted(self._tasks)

    def get(self, name: str) -> DeviceTask:
        """Return a task."""
        try:
            return self._tasks[name]
        except KeyError:
            if name in self._elsewhere:
                raise _served_elsewhere() from None
            raise not_found("task with that name") from None

    def create(self, name: str, spec: AnyJson) -> tuple[DeviceTask, bool]:
        """Return the task with that name and whether it is new; another spec is refused."""
        check_run_name(name)
        check_fields(spec, frozenset(FIELDS), "a task")
        missing = [each for each in ("dimension", "horizon", "epsilon") if each not in spec]
        if missing:
            raise HttpProblem("invalid", f"{missing[0]} is missing.")
        with self._lock:
            if name in self._tasks:
                if self._tasks[name].spec != spec:
                    raise HttpProblem("exists", f"a task {name} with another spec already exists.")
                return self._tasks[name], False
            path = self._folder / f"{name}.db"
            if name in self._elsewhere:
                raise _served_elsewhere()
            if path.exists():
                raise HttpProblem("exists", f"a task {name} exists, but cannot be opened.")
            LocalServer(**spec)  # which refuses invalid arguments
            (self._folder / f"{name}.json").write_text(json.dumps(spec))
            found = DeviceTask(name, LocalServer(**spec, path=path), spec)
            self._tasks[name] = found
            return found, True

    def publish(self) -> None:
        """Publish the models of all tasks; take over those whose worker has ended."""
        if self._elsewhere:
            with self._lock:
                self.open_all()
        for task in list(self._tasks.values()):
            task.publish()

    def close(self) -> None:
        """Close all files."""
        for task in self._tasks.values():
            task.server.close()


def _served_elsewhere() -> HttpProblem:
    return HttpProblem(
        "busy",
        "another worker serves this task: send the paths that begin with /v1/tasks to that worker.",
        headers={"Retry-After": str(RETRY)},
    )
