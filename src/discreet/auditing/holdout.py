"""Attack the release of a hold-out: one outcome in it is replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from componentjit import copy
from discreet.auditing.attacks import SEEDS, Attack
from discreet.auditing.audits import Audit, audit
from discreet.auditing.bounds import CONFIDENCE
from discreet.contracts import Floats, Protected
from discreet.errors import DiscreetError, shorten
from discreet.live.client import LiveClient
from discreet.live.holdout import HELD_OUT, RELEASE
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.ranges import Range

TRIALS = 2_000  # runs of each of the two inputs
LOOKED_FOR = 100_000  # decisions within which a run must have held two out


class HeldOutRuns(Attack):
    """Every trial is a run that ends once it has held out two rounds.

    The outcome of the first of them is replaced; all other outcomes are the lowest. The statistic
    is the released sum of that round's arm.
    """

    plan: Any  # a RunPlan
    bounds: Range

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        return (
            f"the first held-out outcome is {low:g} or {high:g}; a threshold on the released sum "
            "of its arm"
        )

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the released sums."""
        rng = np.random.default_rng([seed, neighbour])
        return np.array([self.play(neighbour, int(rng.integers(SEEDS))) for _ in range(trials)])

    def play(self, neighbour: int, seed: int) -> float:
        """Play a run; return the released sum."""
        plan = self.plan._replace(wait=None, seed=seed)
        run, aside = LiveRun.start(plan, {}), list[int]()
        for _ in range(LOOKED_FOR):
            ticket = run.ask(plan.observation)
            first = ticket.group == HELD_OUT and not aside
            run.tell(ticket, self.bounds[neighbour] if first else self.bounds.low)
            if ticket.group == HELD_OUT:
                aside.append(ticket.choice)
            if len(aside) == 2:
                break
        run.finish_holdout()
        sums = run.held_out()
        assert sums is not None, "all outcomes of it were told"
        return sums[aside[0]][2]


class HeldOutSums(HeldOutRuns):
    """The same on the channel alone: a new run would draw more exact noise than a trial needs."""

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the released sums of one channel, which is used again for every trial."""
        mine, rng, found = copy(private), np.random.default_rng([seed, neighbour]), list[float]()
        for _ in range(trials):
            mine.submit(0, self.bounds[neighbour], rng)
            mine.submit(1, self.bounds.low, rng)
            _, sums = mine.submit(RELEASE, 0.0, rng)
            found.append(float(sums[0]))
        return np.array(found)


def audit_holdout(
    subject: LiveClient | LiveRun,
    *,
    trials: int = TRIALS,
    seed: int = 1,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Attack the release of a run's hold-out; the claim is the run's guarantee.

    The attack plays fresh runs of the same plan. For exact noise, which is slow, it attacks a copy
    of the channel. The subject itself is not changed. ``audit`` attacks everything else that the
    run releases.

    >>> from discreet import Bandit
    >>> bandit = Bandit(arms=2, horizon=100, epsilon=1.0, explore=0.5, simulation=True)
    >>> audit_holdout(bandit, trials=200).violated
    False
    """
    if not isinstance(subject, LiveClient | LiveRun):
        raise DiscreetError(f"the subject is {shorten(subject)}, but must be a live run.")
    plan: RunPlan = subject.plan
    if plan.holdout is None:
        raise DiscreetError("the run has no hold-out: it was started without explore= or holdout=.")
    private = plan.holdout.private
    channel: Any = private.channel
    attack = (HeldOutRuns if plan.simulation else HeldOutSums)(plan, channel.bounds)
    return audit(
        private,
        claimed=plan.guarantee,
        attack=attack,
        trials=trials,
        seed=seed,
        confidence=confidence,
    )
