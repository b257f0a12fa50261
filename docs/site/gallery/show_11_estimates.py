"""
Estimates with intervals
========================

The releases are enough to estimate the mean of each arm. The intervals are valid at all times.
"""

import matplotlib.pyplot as plt
import numpy as np

from discreet import Bandit
from discreet.plot import draw_estimates

rng = np.random.default_rng(1)
bandit = Bandit(
    arms=["A", "B", "C"],
    horizon=3000,
    epsilon=1.0,
    algorithm="tracking-ucb",
    simulation=True,
    seed=1,
)
for _ in range(3000):
    decision = bandit.ask()
    chance = {"A": 0.3, "B": 0.5, "C": 0.45}[decision.arm]
    bandit.tell(decision, reward=float(rng.random() < chance))
estimates = bandit.estimates()
draw_estimates(estimates, plt.subplots(figsize=(8, 3.5))[1])
print(estimates)
