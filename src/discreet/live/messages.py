"""The two messages between devices and their server: a model and a report, as bytes."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import NamedTuple, cast

import numpy as np

from componentjit import arrays, copy
from discreet.algorithms import Setting, algorithm
from discreet.channels.residuals import Reporting
from discreet.contracts import Floats, Policy, Server
from discreet.errors import DiscreetError, check_int, shorten
from discreet.mechanisms import ExactHemisphere
from discreet.mechanisms.exact_directions import SEED
from discreet.on_device import OnDevice
from discreet.problems import Contexts
from discreet.ranges import make_range

FORMAT = 1
MODEL, REPORT = b"dm", b"dr"
# the kind, the format, the digest of the task, the version of the model
HEAD = struct.Struct("<2sB8sI")
PAYLOAD = SEED + 1  # bytes: a seed, and the side of the hemisphere
SUITABLE = ("local-greedy", "local-linucb")


class Task(NamedTuple):
    """What devices and server agree on: statistic, range and noise; ``digest`` identifies it."""

    channel: Reporting
    noise: ExactHemisphere
    policy: Policy
    server: Server
    digest: bytes


def task_for(
    name: str, *, dimension: int, horizon: int, epsilon: float, low: float, high: float, norm: float
) -> Task:
    """Return the task of a named algorithm with exact noise."""
    if not isinstance(name, str) or name not in SUITABLE:
        raise DiscreetError(
            f"algorithm is {shorten(name)}, but must be one for devices: {', '.join(SUITABLE)}."
        )
    rounds = check_int("horizon", horizon, minimum=2)
    setting = Setting(
        Contexts(2, dimension, norm), rounds=rounds, epsilon=epsilon, bounds=make_range(low, high)
    )
    private = cast(OnDevice, algorithm(name).build(setting, noise="hemisphere").private)
    channel = cast(Reporting, private.channel.live())
    noise = cast(ExactHemisphere, channel.noise)
    numbers = [repr(float(part)) for part in channel if isinstance(part, int | float)]
    terms = [repr(float(term)) for term in (low, high, epsilon)]
    facts = [FORMAT, name, *terms, noise.kind, noise.dimension, *numbers]
    digest = hashlib.sha256(json.dumps(facts).encode()).digest()[:8]
    return Task(channel, noise, private.policy, private.learner, digest)


def pack_model(task: Task, version: int, server: Server) -> bytes:
    """Return a model as bytes: its arrays one after the other."""
    parts = [array.astype("<f8").tobytes() for _, array in arrays(server.model)]
    return HEAD.pack(MODEL, FORMAT, task.digest, version) + b"".join(parts)


def unpack_model(task: Task, message: bytes) -> tuple[int, Server]:
    """Return the version of a model and a server with that model, or refuse the message."""
    server = copy(task.server)
    places = [array for _, array in arrays(server.model)]
    version = _check(task, message, MODEL, 8 * sum(array.size for array in places), "model")
    numbers: Floats = np.frombuffer(message, dtype="<f8", offset=HEAD.size).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise DiscreetError("the model has entries that are not finite numbers.")
    start = 0
    for array in places:
        array[...] = numbers[start : start + array.size].reshape(array.shape)
        start += array.size
    return version, server


def pack_report(task: Task, version: int, payload: bytes) -> bytes:
    """Return a report as bytes: task, version and payload, and nothing else."""
    return HEAD.pack(REPORT, FORMAT, task.digest, version) + payload


def unpack_report(task: Task, message: bytes) -> tuple[int, bytes]:
    """Return the version and the payload of a report, or refuse it."""
    version = _check(task, message, REPORT, PAYLOAD, "report")
    payload = bytes(message[HEAD.size :])
    if payload[SEED] not in (0, 1):
        raise DiscreetError(f"the last byte of the report is {payload[SEED]}, but must be 0 or 1.")
    return version, payload


def _check(task: Task, message: object, kind: bytes, size: int, name: str) -> int:
    """Return the model version of a message; refuse it if malformed or of another task."""
    if not isinstance(message, bytes | bytearray):
        raise DiscreetError(f"the {name} is {shorten(message)}, but must be bytes.")
    if len(message) != HEAD.size + size:
        raise DiscreetError(
            f"the {name} has {len(message)} bytes, but must have {HEAD.size + size} in this task."
        )
    found, layout, digest, version = HEAD.unpack_from(message)
    if found != kind:
        raise DiscreetError(
            f"the message is not a {name}: it begins with {found!r}, not with {kind!r}."
        )
    if layout != FORMAT:
        raise DiscreetError(
            f"the {name} has format {layout}, but this version reads format {FORMAT}."
        )
    if digest != task.digest:
        raise DiscreetError(
            f"the {name} belongs to another task: device and server must have the same settings."
        )
    return int(version)
