"""
The price of privacy
====================

Regret by ε. On the right, privacy costs nothing; on the left, no algorithm can learn.
"""

import matplotlib.pyplot as plt

from discreet import simulate

epsilons = [0.03, 0.1, 0.3, 1.0, 3.0]
game = {"environment": "stochastic", "arms": 4, "rounds": 50_000, "trials": 16, "seed": 1}
figure, axes = plt.subplots(figsize=(7, 4))
for name in ("one-bit-tsallis-inf", "tracking-ucb", "batched-exp3"):
    found = [
        simulate(name, epsilon=epsilon, **game).regret[0, :, -1].mean() for epsilon in epsilons
    ]
    axes.plot(epsilons, found, marker="o", label=name)
free = simulate("tsallis-inf", **game).regret[0, :, -1].mean()
axes.axhline(free, color="black", linestyle="--", label="tsallis-inf, no privacy")
axes.set(xscale="log", yscale="log", xlabel="ε (smaller is more private)", ylabel="mean regret")
axes.legend()
