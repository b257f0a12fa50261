"""Kill a run with contexts at random moments, again and again, while somebody reads its releases.

    python tests/live/kill_contextual.py [KILLS]

As ``kill_live.py``, for running sums of moments: contexts and outcomes are functions of a
decision's number, and the noise is small, so that every release says how many records are in it,
and the last one whether these are the records that were told.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import numpy as np
from killing import KilledRun, main

from discreet import ContextualBandit, DiscreetError, Features

HORIZON = 100_000
EPSILON = 1e4  # noise of at most 0.163 on a count, and of 0.082 on a sum of squares or rewards
AHEAD = 7  # decisions that are open at once
CONSTANTS = [2, 5]  # where a release has the moments of the constants, of two arms
CONTEXTS = [0, 3]


def context_of(identity: int) -> float:
    return (identity * 2654435761 % 9) / 4.0 - 1.0


def reward_of(identity: int) -> float:
    return (identity * 40503 % 5) / 4.0


def work(folder: Path, acknowledged: int, ready: int) -> None:
    """Ask and tell until killed."""
    bandit = ContextualBandit.open(folder / "run.db")
    os.write(ready, b"!")
    chance = random.Random(os.urandom(8))
    while True:
        while len(bandit.open_decisions) < AHEAD:
            bandit.ask([context_of(bandit._run.round)])
        identity = chance.choice([one.id for one in bandit.open_decisions])
        bandit.tell(identity, reward=reward_of(identity))
        os.write(acknowledged, b"%d\n" % identity)


class ContextualKiller(KilledRun):
    """A run with contexts, and all that is known of it from outside."""

    asked = 0
    opened = 0.9

    def start(self) -> None:
        """Make the run."""
        bandit = ContextualBandit(
            Features(2, context=1),
            HORIZON,
            EPSILON,
            delta=1e-6,
            first=3,
            growth=1.05,
            path=self.folder / "run.db",
        )
        self.times = bandit.plan.private.channel.times
        bandit.close()

    def work(self, acknowledged: int, ready: int) -> None:
        """Ask and tell until killed."""
        work(self.folder, acknowledged, ready)

    def check(self) -> list[str]:
        """Return all faults, after the run has told everything up to one more release."""
        told = self.told()
        try:
            with ContextualBandit.open(self.folder / "run.db") as bandit:
                bandit.release_due()  # a release that was drawn before a kill is completed first
                self.faults += [
                    f"outcome {one.id} was acknowledged and lost"
                    for one in bandit.open_decisions
                    if one.id in told
                ]
                self._finish(bandit)
        except DiscreetError as refusal:
            self.faults.append(f"the run cannot be opened: {refusal}")
        self.read()
        self._compare()
        return self.faults

    def _finish(self, bandit: ContextualBandit) -> None:
        for one in bandit.open_decisions:
            bandit.tell(one.id, reward=reward_of(one.id))
        released = bandit.state().released
        while bandit.state().released == released:
            number = bandit._run.round
            bandit.tell(bandit.ask([context_of(number)]), reward=reward_of(number))
        self.asked = bandit._run.round

    def _compare(self) -> None:
        releases = sorted(map(np.array, self.seen.values()), key=lambda v: v[CONSTANTS].sum())
        # a constant is sqrt(1/2), and so is the largest context
        counts = [2.0 * value[CONSTANTS].sum() for value in releases]
        expected = self.times[: len(counts)]
        # 5.8 deviations, below 1e-8 a release; a record too many or too few moves all later counts
        # by 1, so that more than half of them are found
        if not np.allclose(counts, expected, atol=0.95, rtol=0.0):
            self.faults.append("releases are not those of the first times")
        everybody = range(self.asked)
        squares = sum(min(1.0, abs(context_of(i))) ** 2 for i in everybody) / 2.0
        rewards = sum(2.0 * reward_of(i) - 1.0 for i in everybody) / np.sqrt(2.0)
        last = releases[-1]
        if abs(last[CONTEXTS].sum() - squares) > 1.0 or abs(last[[7, 9]].sum() - rewards) > 1.0:
            self.faults.append("the last release is not the sum of everything that was told")


if __name__ == "__main__":
    sys.exit(main(ContextualKiller, int(sys.argv[1]) if len(sys.argv) > 1 else 300))
