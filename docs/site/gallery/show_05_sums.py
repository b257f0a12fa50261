"""
Running sums
============

Follow-the-leader algorithms learn from running sums. The mechanism that makes the sums private
determines how much noise they have.
"""

import matplotlib.pyplot as plt

from discreet import simulate

figure, axes = plt.subplots(figsize=(8, 4.5))
game = {"dimension": 10, "rounds": 16_384, "trials": 8, "seed": 1, "epsilon": 0.5, "delta": 1e-6}
for sums in ("tree", "blt"):
    results = simulate("private-ftrl-experts", options={"sums": sums}, **game)
    axes.plot(results.checkpoints, results.regret[0].mean(axis=0), label=sums)
results = simulate("ftrl-experts", **game)
axes.plot(results.checkpoints, results.regret[0].mean(axis=0), color="black", label="no privacy")
axes.set(xlabel="rounds", ylabel="mean regret")
axes.legend()
