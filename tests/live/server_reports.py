"""Reports as devices would send them, and what a server makes of them."""

from __future__ import annotations

import random

from discreet import LocalServer
from discreet.live.messages import pack_report, unpack_report
from discreet.mechanisms.exact_directions import SEED

TASK = {"dimension": 3, "horizon": 100_000, "epsilon": 1.0}


def reports(server, number, *, version=0, seed=0):
    """Return reports with random payloads: every payload is one that a device could have sent."""
    chance = random.Random(seed)
    return [
        pack_report(server._task, version, chance.randbytes(SEED) + bytes([chance.randrange(2)]))
        for _ in range(number)
    ]


def everything(server):
    """Return all that a server knows: state, published model and number of reports."""
    return server._block.tobytes(), server._published, server.reports


def folded(messages, algorithm="local-greedy", **task):
    """Return the state of a server in memory that received these reports."""
    other = LocalServer(**(TASK | task), algorithm=algorithm)
    for message in messages:
        other._learn(unpack_report(other._task, message)[1])
    return other._block.tobytes()
