"""
Late outcomes
=============

If outcomes come late, an index policy must count the decisions whose outcomes are outstanding.
"""

import matplotlib.pyplot as plt

from discreet import simulate

figure, axes = plt.subplots(figsize=(7, 4))
for delay in (0, 100, 1000):
    results = simulate(
        "tracking-ucb", arms=4, rounds=20_000, trials=16, epsilon=1.0, seed=1, delay=delay
    )
    axes.plot(results.checkpoints, results.regret[0].mean(axis=0), label=f"{delay:,} rounds late")
axes.set(xlabel="rounds", ylabel="mean regret")
axes.legend()
