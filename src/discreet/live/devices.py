"""Local privacy in programs: devices send noisy reports, and a server learns from them."""

from __future__ import annotations

import os
import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats, Record, Server
from discreet.display import facts_html
from discreet.errors import DiscreetError, check_flag, shorten
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.ledger.guards import NotCopyable
from discreet.live.arguments import TOLERANCE, loss_of, not_finite, numbers_of
from discreet.live.frames import withhold_frames
from discreet.live.messages import pack_report, task_for, unpack_model
from discreet.ranges import make_range


class Round(NamedTuple):
    """The raw data of a device between its choice and its report."""

    version: int
    server: Server
    features: Floats

    def __repr__(self) -> str:
        return f"Round(version={self.version}, <hidden>)"


class Device(NotCopyable):
    """Chooses with a published model, makes one noisy report of the outcome, and forgets both.

    All numbers must match those of the ``LocalServer``. A report by itself is epsilon-
    differentially private (exact noise of a hemisphere), for the features and the outcome together.
    **The choice is not protected:** it follows from the features without noise, so a server that
    sees it or its effects learns about them. Nor are names, times and addresses sent with a report.
    ``ledger`` is the person's own budget, charged before each report, because the server cannot
    know who reports. Devices are thread-safe, and each round is reported once; a forked process is
    refused.

    >>> from discreet import LocalServer
    >>> server = LocalServer(dimension=2, horizon=1000, epsilon=1.0)
    >>> device = Device(dimension=2, epsilon=1.0, ledger=Ledger(3.0))
    >>> device.update(server.model())
    >>> arm = device.choose([[0.6, 0.0], [0.0, 0.8], [0.3, 0.3]])
    >>> message = device.report(reward=1.0)
    >>> len(message), server.receive(message)
    (32, 1)
    """

    _instead = "because a copy could release the same data twice: create one in each program"

    def __init__(
        self,
        *,
        dimension: int,
        epsilon: float,
        low: float = 0.0,
        high: float = 1.0,
        norm: float = 1.0,
        algorithm: str = "local-greedy",
        clip: bool = False,
        ledger: Ledger | None = None,
    ) -> None:
        if ledger is not None and not isinstance(ledger, Ledger):
            raise DiscreetError(f"ledger is {shorten(ledger)}, but must be a Ledger.")
        self._task = task_for(
            algorithm,
            dimension=dimension,
            horizon=1000,
            epsilon=epsilon,
            low=low,
            high=high,
            norm=norm,
        )
        self._dimension, self._norm, self._range = dimension, norm, make_range(low, high)
        self._clip, self._ledger = check_flag("clip", clip), ledger
        self._published: tuple[int, Server] | None = None
        self._open: Round | None = None
        self._lock, self._process = threading.Lock(), os.getpid()

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of each report by itself."""
        return self._task.channel.guarantee

    def update(self, model: bytes) -> None:
        """Use a newly published model; the open round keeps its own."""
        self._published = unpack_model(self._task, model)

    @withhold_frames
    def choose(self, contexts: ArrayLike) -> int:
        """Return the arm to play, given one row of features per arm; forget an open round."""
        self._check_process()
        if self._published is None:
            raise DiscreetError(
                "there is no model yet: call update with a model that the server published."
            )
        features = self._checked(contexts)
        version, server = self._published
        arm = int(self._task.policy.choose(server.model, features, np.random.default_rng()))
        with self._lock:
            self._open = Round(version, server, features[arm].copy())
        return arm

    @withhold_frames
    def report(self, reward: float) -> bytes:
        """Return the report of the open round, once; the round is forgotten in any case."""
        self._check_process()
        with self._lock:
            taken, self._open = self._open, None
        if taken is None:
            raise DiscreetError("no round is open: call choose first, and report each round once.")
        if reward is None:
            raise not_finite("reward", reward)
        outcome = loss_of(reward, None, self._range, clip=self._clip)
        if self._ledger is not None:
            self._ledger.charge(self.guarantee, label="report")
        vector = np.zeros(self._task.noise.dimension)
        query = taken.server.query(0)
        self._task.channel.statistic(Record(taken.features, outcome), query, vector)
        return pack_report(self._task, taken.version, self._task.noise.encode(vector))

    def _checked(self, contexts: ArrayLike) -> Floats:
        """Return contexts as a table, none longer than the declared norm, or refuse them."""
        features = numbers_of(contexts)
        if features is None:
            raise DiscreetError(
                "contexts must be a numeric table: give one row of features per arm."
            )
        if features.ndim != 2 or features.shape[1] != self._dimension or features.shape[0] < 2:
            wanted = f"at least 2 rows of {self._dimension}"
            raise DiscreetError(
                f"contexts has the shape {features.shape}, but must have {wanted} features."
            )
        if not np.isfinite(features).all():
            raise DiscreetError("contexts has entries that are not finite numbers.")
        # scaled, so that squares do not overflow
        largest = np.maximum(np.abs(features).max(axis=1, keepdims=True), self._norm)
        lengths = np.linalg.norm(features / largest, axis=1, keepdims=True)
        limits = self._norm / largest
        if (lengths > limits * (1.0 + TOLERANCE)).any():
            if not self._clip:
                raise DiscreetError(
                    f"a context is longer than the declared norm {self._norm:g}: declare a larger "
                    "norm, or use clip=True."
                )
            scaled = features / largest * (self._norm / np.maximum(lengths, limits))
            features = np.where(lengths > limits, scaled, features)
        return features

    def _repr_html_(self) -> str:
        facts = [
            ("features", f"{self._dimension:,}"),
            ("a report", str(self.guarantee)),
            ("round", "open" if self._open is not None else "none is open"),
        ]
        return facts_html("Device", facts)

    def __repr__(self) -> str:
        state = "a round is open" if self._open is not None else "no round is open"
        return f"Device({self._dimension} features, {self.guarantee.short} per report, {state})"

    def _check_process(self) -> None:
        """Refuse to continue in a forked process: the open round would be reported twice."""
        if os.getpid() != self._process:
            raise DiscreetError("this device belongs to another process: create one in each.")
