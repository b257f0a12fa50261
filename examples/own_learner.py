"""Put your own learner behind a privacy channel: follow the leader, and explore at random.

Run it with: python examples/own_learner.py
"""

from __future__ import annotations

import numpy as np

from discreet import Contender, Private, Range, simulate
from discreet.channels import Batch
from discreet.checks import check_learner, check_private
from discreet.contracts import Learner
from discreet.environments import environment
from discreet.learners import Draw


class ExploringLeader(Learner):
    """Plays the arm with the smallest mean released loss; with probability ``explore``, any arm."""

    explore: float
    sums: np.ndarray
    counts: np.ndarray

    def act(self, observation, rng):
        arms = self.sums.size
        arm = 0
        if rng.random() < self.explore:
            arm = int(rng.random() * arms)
        else:
            for i in range(arms):
                if self.sums[i] * self.counts[arm] < self.sums[arm] * self.counts[i]:
                    arm = i
        return arm, Draw(arm, 1.0)

    def learn(self, trace, released):
        self.sums[trace.arm] += released
        self.counts[trace.arm] += 1.0


def main() -> None:
    learner = ExploringLeader(0.05, np.zeros(4), np.ones(4))
    private = Private(Batch.laplace(size=10, epsilon=0.5, bounds=Range(0.0, 1.0)), learner)
    check_learner(learner)
    check_private(private, environment("stochastic", arms=4))
    print("The learner satisfies its contract, and no raw feedback reaches it.")

    mine = Contender(label="exploring leader", private=private)
    results = simulate(
        [mine, "batched-tsallis-inf", "uniform"], epsilon=0.5, rounds=50_000, trials=20
    )
    for row in results.summary():
        print(f"{row['label']:30} mean regret {row['regret_mean']:8.0f}")


if __name__ == "__main__":
    main()
