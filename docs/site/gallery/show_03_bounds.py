"""
Lower bound, measured regret, upper bound
=========================================

The regret that no private algorithm can avoid, the regret of one algorithm in one game, and its
proved bound for all games.
"""

import matplotlib.pyplot as plt

from discreet import algorithm, simulate
from discreet.algorithms.arms import lower_bounds

name, epsilon = "one-bit-tsallis-inf", 0.1
lengths = [2**power for power in range(10, 18)]
known = algorithm(name)
upper = [
    known.build(known.setting(arms=2, rounds=rounds, epsilon=epsilon)).regret_bound
    for rounds in lengths
]
lower = [lower_bounds.any_private(rounds, epsilon) for rounds in lengths]
measured = [
    simulate(name, environment="drop", arms=2, rounds=rounds, trials=16, epsilon=epsilon, seed=1)
    .regret[0, :, -1]
    .mean()
    for rounds in lengths
]
figure, axes = plt.subplots(figsize=(7, 4))
axes.plot(lengths, upper, linestyle=":", label="proved: at most, in any game")
axes.plot(lengths, measured, marker="o", label=f"measured, {name} in the game drop")
axes.plot(lengths, lower, linestyle="--", label="proved: at least, for every private algorithm")
axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="regret", title=f"ε = {epsilon:g}")
axes.legend()
