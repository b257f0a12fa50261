"""
Regret of several algorithms
============================

Four arms, one of them better by 0.05: two private bandits, a non-private one, and uniform play.
Shaded bands are 95 % intervals of the mean.
"""

import matplotlib.pyplot as plt

from discreet import simulate

results = simulate(
    ["tracking-ucb", "one-bit-tsallis-inf", "tsallis-inf", "uniform"],
    environment="stochastic",
    arms=4,
    rounds=50_000,
    trials=16,
    epsilon=1.0,
    seed=1,
)
results.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
