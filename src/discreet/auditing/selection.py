"""The attack on algorithms whose own sampling makes them private: EXP3_tau."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.auditing.attacks import Attack, GameFacts, attack_on, fresh_runs
from discreet.channels import Selection
from discreet.contracts import Floats, Protected
from discreet.guarantee import Guarantee
from discreet.problems import ArmGame
from discreet.progress import ShowProgress
from discreet.randomness import streams
from discreet.ranges import Range
from discreet.simulation.loop import Player, Prototype

WARM_UPS = 4_000  # trials
# A changed gain moves a probability most if its learned part is this multiple of its mixed part.
RATIO = 0.76


class RareArm(Attack):
    """Changes one gain of an arm that was made rare, and counts how often it is drawn later.

    First, ``warm`` batches give gains to the first arm only. They make the last arm rare:
    p = 1.76 γ / K, where one gain changes its probability most. Then one of its gains is the
    highest or the lowest. Afterwards all gains are 0, so the weights no longer change and later
    draws are independent: the arm is drawn with probability p for one input and p' for the other.
    Both are read from the learner after it ran, compiled, on both inputs with the same draws. So
    the number of later draws is binomial, and the trade-off is computed exactly. Only the earlier
    draws are sampled.
    """

    arms: int
    bounds: Range
    warm: int

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        return (
            f"{self.warm} batches make an arm rare, then one loss of it is {low:g} or {high:g}; "
            "how often it is drawn later"
        )

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return a small number: each trial plays all batches before the change."""
        return WARM_UPS

    def largest_bound(
        self, private: Protected, claim: Guarantee, *, trials: int, confidence: float
    ) -> float:
        """Return infinity: the bound is computed, so the number of trials does not limit it."""
        return math.inf

    def bound(
        self,
        private: Protected,
        claim: Guarantee,
        *,
        trials: int,
        seed: int,
        confidence: float,
        progress: ShowProgress | None = None,
    ) -> float:
        """Return a lower bound on epsilon at the claim's delta, from later draws of the arm."""
        delta = claim.delta
        channel: Any = private.channel
        later = channel.rounds // channel.size - self.warm - 1
        if later < 1:
            return 0.0
        half = trials // 2
        parts = range(half), range(half, 2 * half)
        pilot, counted = (
            self._probabilities(private, part, seed, progress, 2 * half) for part in parts
        )
        if delta <= 0.0:  # one sequence of draws that both inputs can produce is enough
            pairs = np.concatenate([pilot, counted])
            return (
                float(np.abs(later * np.log(pairs[:, 0] / pairs[:, 1])).max())
                if len(pairs)
                else 0.0
            )
        return _largest(pilot, counted, half, later, delta, confidence)

    def _probabilities(
        self,
        private: Protected,
        trials: range,
        seed: int,
        progress: ShowProgress | None,
        asked: int,
    ) -> Floats:
        """Return the rare arm's later probabilities for both inputs, in trials with the change."""
        channel: Any = private.channel
        size, last = channel.size, self.arms - 1
        losses = np.full(((self.warm + 1) * size, self.arms), self.bounds.high)
        losses[: self.warm * size, 0] = self.bounds.low
        changed = losses.copy()
        changed[self.warm * size, last] = self.bounds.low
        found = []
        marks, shared = np.array([len(losses)]), Prototype(private)
        for trial in trials:
            chances = []
            for table in (losses, changed):
                player = Player(shared, streams(seed, trial=trial))
                player.play(ArmGame(table), marks)
                learner: Any = player.private.learner
                weights, mixing = learner.weights.values, learner.mixing
                chances.append((1.0 - mixing) * weights[last] / weights.sum() + mixing / self.arms)
            if chances[0] != chances[1]:
                found.append(chances)
            if progress is not None:
                progress(trial + 1, asked)
        return np.array(found).reshape(-1, 2)


@attack_on(Selection)
def rare_arm(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack, with a warm-up of at most half of the run; or else fresh runs."""
    if facts.problem is None or facts.bounds is None:
        return fresh_runs(private)
    arms, bounds = facts.problem.actions, facts.bounds
    channel: Any = private.channel
    learner: Any = private.learner
    mixing, batches = float(learner.mixing), int(channel.rounds // channel.size)
    wanted = RATIO * mixing / (arms * max(1.0 - mixing, 1e-9))
    # A batch adds γ / K to the logarithm on average.
    steps = math.log(max(1.0 / wanted - (arms - 1.0), 1.0)) * arms / mixing
    return RareArm(arms, bounds, int(min(steps, batches // 2)))


def _largest(
    pilot: Floats, counted: Floats, trials: int, later: int, delta: float, confidence: float
) -> float:
    """Return the largest epsilon at which the excess P - e^ε Q is above delta, with confidence.

    A trial is good if its binomial excess is at least h. If a share s of all trials is good, the
    total excess is at least s h. Epsilon and h are chosen on the pilot; a Clopper-Pearson lower
    bound on s comes from the other half.

    So the bound holds for every choice of the constants below: they only decide how large it gets.
    """
    from scipy import optimize, special

    # The input for which the arm is drawn more often goes first.
    if len(pilot) and pilot[:, 0].mean() < pilot[:, 1].mean():
        pilot, counted = pilot[:, ::-1], counted[:, ::-1]

    def excess(pairs: Floats, epsilon: float) -> Floats:
        return np.array([_excess(later, p, q, epsilon) for p, q in pairs])

    # Of the pairs, 70 % have more than this quantile as excess; 40 % are about what the lower bound
    # at 99 % leaves of them if there are few (20 to 30).
    def gap(epsilon: float) -> float:
        return 0.4 * len(pilot) / trials * float(np.quantile(excess(pilot, epsilon), 0.3)) - delta

    if len(pilot) < 20 or gap(0.0) <= 0.0:
        return 0.0
    most = 1e-3
    while gap(most) > 0.0:
        most *= 2.0
    # A little smaller, because the other half may have somewhat less excess than the pilot.
    epsilon = 0.98 * float(optimize.brentq(gap, 0.0, most, xtol=1e-6))
    enough = float(np.quantile(excess(pilot, epsilon), 0.25))
    good = int((excess(counted, epsilon) >= enough).sum())
    share = float(special.betaincinv(good, trials - good + 1, 1.0 - confidence)) if good else 0.0
    return epsilon if share * enough >= delta else 0.0


def _excess(draws: int, p: float, q: float, epsilon: float) -> float:
    """Return Σ max(0, B(k; n, p) - e^ε B(k; n, q)): delta if n draws have probability p or q."""
    from scipy import stats

    k = np.arange(draws + 1)
    return float(
        np.maximum(
            stats.binom.pmf(k, draws, p) - math.exp(epsilon) * stats.binom.pmf(k, draws, q), 0.0
        ).sum()
    )
