"""What a guard would cost tracking-ucb that makes its regret o(T) for all losses fixed in advance (docs/tracking.md).

python benchmarks/guarded.py [--runs N] [--rounds N]

The rounds are cut into stretches. In each a block of b rounds, drawn by chance, is played with an arm drawn by chance: a
probe. Probes estimate what every arm would have gained, without bias. If one is ahead of what was played by more than a
threshold, an algorithm with a bound takes over. Nothing of this is part of the library: it is written here in plain
Python, to measure what probes cost where nothing changes, and how often it takes over then.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import NamedTuple

import numpy as np

from discreet import Setting, algorithm
from discreet.cli.text import table
from discreet.learners import TrackingUcb
from discreet.problems import Arms

ARMS, EPSILON = 4, 1.0
DEVIATIONS = 4.0  # of the estimate where nothing changes: the threshold


class Guard(NamedTuple):
    """Lengths of probes and stretches, and the threshold."""

    probe: int
    stretch: int
    threshold: float

    @classmethod
    def of(cls, rounds: int) -> Guard:
        """Return a guard whose probes have a share of 0.005 of 2^18 rounds, falling like T^(-1/3)."""
        share, probe, noise = 0.005 * (2**18 / rounds) ** (1 / 3), math.ceil(8 / EPSILON**2), 1 / EPSILON
        stretch = probe * math.ceil(1 / share)
        spread = math.sqrt(rounds / stretch * ARMS * (stretch / probe) ** 2 * (probe / 4 + 2 * noise**2))
        return cls(probe, stretch, DEVIATIONS * spread)

    def bound(self, rounds: int) -> float:
        """Return the bound of the whole: threshold, by how much a stretch can pass it, and what takes over."""
        setting, logs = Setting(Arms(ARMS), rounds=rounds, epsilon=EPSILON), math.log(rounds / self.stretch)
        later = algorithm("batched-htinf").build(setting).regret_bound or math.inf
        probes = ARMS * self.stretch / self.probe * (1 + logs) / EPSILON
        own = (2 * math.sqrt(self.stretch * logs) + logs) / EPSILON
        return self.threshold + (ARMS + 1) * self.stretch + probes + own + later


def play(gap: float, rounds: int, seed: int, guard: Guard | None) -> tuple[float, bool]:
    """Return regret against the best mean, and whether the guard would have taken over."""
    rng, noise = np.random.default_rng(seed), 1 / EPSILON
    learner = TrackingUcb.start(arms=ARMS, noise=noise, first=math.ceil(noise), rounds=rounds, interval=0.1)
    means = np.array([0.5 + gap, *[0.5] * (ARMS - 1)])
    ahead, t, probe_at, regret, left = np.zeros(ARMS), 0, rounds, 0.0, False

    def gain(arm: int, length: int) -> float:
        return float(rng.binomial(length, means[arm]) + noise * rng.laplace())

    stretch_end, own, known = 0, 0.0, np.full(ARMS, 0.5)
    while t < rounds:
        if guard and t >= stretch_end:
            if stretch_end:
                ahead += guard.stretch * known - own
                left |= bool(ahead.max() > guard.threshold)
            own, stretch_end = 0.0, t + guard.stretch
            known = np.clip(learner.means, 0.0, 1.0)
            probe_at = t + guard.probe * int(rng.integers(guard.stretch // guard.probe))
        if guard and t == probe_at:
            arm, length = int(rng.integers(ARMS)), min(guard.probe, rounds - t)
            heard = gain(arm, length)
            own += heard
            ahead[arm] += ARMS * guard.stretch / guard.probe * (heard - length * known[arm])
            probe_at = rounds
        else:
            arm, trace = learner.act(0, rng)
            limit = min(stretch_end, probe_at) if guard else rounds
            length = min(trace.rounds, max(limit - t, 1))
            cut = trace.rounds - length
            learner.clock[0] -= cut
            learner.last[arm] -= cut
            learner.asked[arm] -= cut
            heard = gain(arm, length)
            own += heard
            learner.learn(trace._replace(rounds=length), 1.0 - heard / length)
        t += length
        regret += length * (means.max() - means[arm])
    return regret, left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2**18)
    asked = parser.parse_args()
    guard, rows = Guard.of(asked.rounds), []
    for gap in (0.05, 0.2):
        found = {each: [play(gap, asked.rounds, seed, each) for seed in range(asked.runs)] for each in (None, guard)}
        plain, guarded = (np.array([regret for regret, _ in runs]) for runs in found.values())
        left = sum(gone for _, gone in found[guard])
        rows.append([f"{gap:g}", f"{plain.mean():,.0f}", f"{guarded.mean():,.0f}", f"{left} of {asked.runs}"])
    table(["gap, ε = 1", "tracking-ucb", "with probes", "taken over"], rows, right=range(4))
    for rounds in (2**18, 2**22, 2**26, 2**30):
        bound = Guard.of(rounds).bound(rounds)
        print(f"{rounds:,} rounds: at most {bound:,.0f} for all losses fixed in advance, {bound / rounds:.1%} of T.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
