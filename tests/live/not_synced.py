"""A key that was written but not synced, and then a power loss: what its learner is shown.

The power loss takes back the key as it was at its last sync, while the run file survives
completely, which is the worst case.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from unittest import mock

from discreet import Bandit, DiscreetError
from discreet.live import keys

FILES = ("run.db", "run.db-wal", "run.key")
ENDS = ("killed before the sync", "sync failed, run closed")


class PowerLossError(BaseException):
    """Nothing after this is executed."""


def failing(handle):
    raise OSError(5, "Input/output error")


def copied(source, target, names):
    target.mkdir()
    for name in names:
        shutil.copy(source / name, target / name)
    return target


def opened(folder):
    return Bandit.open(folder / "run.db", key=folder / "run.key")


def values_shown(folder, end, *, rounds=1):
    """Return the values of one batch that a learner is shown, before the power loss and after."""
    shown, disk = [], folder / "key on the disk"
    face = Bandit(
        arms=2,
        horizon=400,
        epsilon=1.0,
        algorithm="batched-exp3",
        batch_size=rounds + 1,
        path=folder / "run.db",
        key=folder / "run.key",
    )
    *first, last = face.ask_many(rounds + 1)
    for decision in first:
        face.tell(decision, loss=0.5)
    shutil.copy(folder / "run.key", disk)
    with mock.patch.object(keys, "sync", failing):
        with contextlib.suppress(DiscreetError):  # the key cannot be written
            face.tell(last, loss=0.5)
        left = copied(folder, folder / "left", FILES)  # as a killed process leaves it
    face.close()
    folder = left if end == ENDS[0] else folder

    def synced(handle):
        os.fsync(handle)
        shutil.copy(folder / "run.key", disk)

    def learn(self, trace, released):
        shown.append(released)
        if len(shown) == 1:
            raise PowerLossError

    again = opened(folder)
    with (
        mock.patch.object(keys, "sync", synced),
        mock.patch.object(type(again._run._engine.learner), "learn", learn),
    ):
        again.close()
        again = opened(folder)
        try:
            again.release_due()
        except PowerLossError:
            cut = copied(folder, folder / "cut", FILES[:2])
            shutil.copy(disk, cut / "run.key")
        again.close()
        after = opened(cut)
        after.release_due()
        for decision in list(after.open_decisions):  # told again, if the run has forgotten it
            after.tell(decision.id, loss=0.5)
        after.close()
    return shown
