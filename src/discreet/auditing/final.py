"""Attack a final release together with the batch that contains the same outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from componentjit import copy
from discreet.auditing.attacks import SEEDS, Attack
from discreet.auditing.audits import Audit, audit
from discreet.auditing.bounds import CONFIDENCE
from discreet.contracts import Floats, Protected, unsealed
from discreet.errors import DiscreetError, shorten
from discreet.live.client import LiveClient
from discreet.live.final_release import ASK
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.ranges import Range

TRIALS = 2_000  # runs of each of the two inputs


class FinalRuns(Attack):
    """Every trial is a run of one batch and the final release.

    The outcome of the first round is replaced; all others are the lowest. It is in two releases:
    the batch and the final sum of its arm. The statistic is the sum of their log-likelihood ratios
    for Laplace noise. Each is, up to a constant, epsilon times the noisy sum, clipped to where the
    ratio changes.
    """

    plan: Any  # a RunPlan
    bounds: Range

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        return (
            f"the first outcome is {low:g} or {high:g}; a threshold on the likelihood ratio of its "
            "batch and of the final sum of its arm"
        )

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistics of some runs."""
        rng = np.random.default_rng([seed, neighbour])
        return np.array([self.play(neighbour, int(rng.integers(SEEDS))) for _ in range(trials)])

    def play(self, neighbour: int, seed: int) -> float:
        """Play a run; return the statistic."""
        plan = self.plan._replace(wait=None, seed=seed)
        run = LiveRun.start(plan, {})
        ticket = run.ask(plan.observation)
        arm, loss = ticket.choice, self.bounds[neighbour]
        while not run.state().released:
            run.tell(ticket, loss)
            ticket, loss = run.ask(plan.observation), self.bounds.low
        (first,) = run.releases()[:1]
        total = next(each.total for each in run.finish() if each.choice == arm)
        return self.statistic(float(np.asarray(first.value).flat[0]) * first.size, total)

    def statistic(self, batch: float, total: float) -> float:
        """Return the log-likelihood ratio of the noisy sum of a batch and the final sum."""
        epsilons = self.plan.private.guarantee.epsilon, self.plan.final.guarantee.epsilon
        return float(np.dot(epsilons, np.clip(2.0 * np.array([batch, total]) - 1.0, -1.0, 1.0)))


class FinalChannels(FinalRuns):
    """The same on the channels alone: a new run would draw more exact noise than a trial needs."""

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistics of a run's two channels, which are used again for every trial."""
        batches, sums = (
            copy(each._replace(channel=unsealed(each.channel)))
            for each in (self.plan.private, self.plan.final)
        )
        rng = np.random.default_rng([seed, neighbour])
        arm, trace = batches.act(self.plan.observation, rng)
        size, found = batches.hold_for(trace), list[float]()
        for trial in range(trials):
            if trial:
                batches.hold_for(trace)
            loss, value = self.bounds[neighbour], 0.0
            for _ in range(size):
                _, value = batches.submit(trace, loss, rng)
                sums.submit(int(arm), loss, rng)
                loss = self.bounds.low
            _, released = sums.submit(ASK, 0.0, rng)
            found.append(self.statistic(float(value) * size, float(released[int(arm)])))
        return np.array(found)


def audit_final(
    subject: LiveClient | LiveRun,
    *,
    trials: int = TRIALS,
    seed: int = 1,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Attack the final release of a run, and a batch with it; the claim is the run's guarantee.

    The attack plays fresh runs of the same plan. For exact noise, which is slow, it attacks copies
    of both channels. The subject itself is not changed.

    >>> from discreet import Bandit
    >>> bandit = Bandit(arms=2, horizon=100, epsilon=0.5, final=0.5, simulation=True)
    >>> audit_final(bandit, trials=200).violated
    False
    """
    if not isinstance(subject, LiveClient | LiveRun):
        raise DiscreetError(f"the subject is {shorten(subject)}, but must be a live run.")
    plan: RunPlan = subject.plan
    if plan.final is None:
        raise DiscreetError("the run has no final release: it was started without final=.")
    channel: Any = plan.final.channel
    attack = (FinalRuns if plan.simulation else FinalChannels)(plan, channel.bounds)
    return audit(
        plan.final,
        claimed=plan.guarantee,
        attack=attack,
        trials=trials,
        seed=seed,
        confidence=confidence,
    )
