"""The other half of local privacy for programs: it learns from reports, and publishes models."""

from __future__ import annotations

import threading

from componentjit import copy
from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int
from discreet.live.messages import pack_model, task_for, unpack_report
from discreet.mechanisms.exact_directions import SEED


class LocalServer:
    """Receives reports of devices and publishes models; it is never told a context, an action or an outcome.

    A new version is published by ``model`` if something was learned since the last one. Reports
    about one of the last ``lag`` versions are accepted, each once. A message that is malformed, too
    long, of another task, about another version or received before is refused with a sentence, and
    changes nothing. See ``Device`` for an example.
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
    ) -> None:
        self._task = task_for(
            algorithm,
            dimension=dimension,
            horizon=horizon,
            epsilon=epsilon,
            low=low,
            high=high,
            norm=norm,
        )
        self._server = copy(self._task.server)
        self._lag = check_int("lag", lag, minimum=1)
        self._lock = threading.Lock()
        self._version, self._reports, self._published_at = 0, 0, 0
        self._seen: dict[int, set[bytes]] = {0: set()}  # what was received, by version
        self._message = pack_model(self._task, 0, self._server)

    @property
    def reports(self) -> int:
        """How many reports were learned from."""
        return self._reports

    @property
    def estimate(self) -> Floats:
        """The parameters with which devices choose, as they are now."""
        with self._lock:
            estimate: Floats = self._server.model.estimate.copy()
        return estimate

    def model(self) -> bytes:
        """Return the model to publish: a new version if something was learned."""
        with self._lock:
            if self._reports > self._published_at:
                self._version += 1
                self._published_at = self._reports
                self._seen[self._version] = set()
                self._seen.pop(self._version - self._lag, None)
                self._message = pack_model(self._task, self._version, self._server)
            return self._message

    def receive(self, report: bytes) -> int:
        """Learn from a report, and return how many there were; or refuse it, without any effect."""
        version, payload = unpack_report(self._task, report)
        with self._lock:
            if version not in self._seen:
                known = f"those from {min(self._seen)} to {self._version} count"
                raise DiscreetError(
                    f"the report is about version {version} of the model, but {known}."
                )
            if payload[:SEED] in self._seen[version]:
                raise DiscreetError("this report was received before, and counts once.")
            vector = self._task.noise.decode(payload)
            self._task.channel.finish(vector)
            self._server.learn(0, vector)
            self._seen[version].add(payload[:SEED])
            self._reports += 1
            return self._reports

    def __repr__(self) -> str:
        return (
            f"LocalServer({self._server.choices} "
            "features, "
            f"{self._reports:,} "
            "reports, "
            "version "
            f"{self._version})"
        )
