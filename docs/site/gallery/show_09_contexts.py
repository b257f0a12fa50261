"""
Contexts in three privacy models
================================

The features of a person determine which arm is best. Compared are no privacy, a trusted server
(joint), and devices only (local).
"""

import matplotlib.pyplot as plt

from discreet import simulate

figure, axes = plt.subplots(figsize=(8, 4.5))
game = {"rounds": 16_384, "trials": 4, "seed": 1}
for name, words in (
    ("uniform-contexts", "uniform play"),
    ("local-linucb", "devices only"),
    ("joint-linucb", "trusted server"),
    ("linucb", "no privacy"),
):
    privacy = {"epsilon": 2.0, "delta": 1e-6}
    results = simulate(name, arms=5, dimension=5, **privacy, **game)
    axes.plot(results.checkpoints, results.regret[0].mean(axis=0), label=words)
axes.set(xlabel="rounds", ylabel="mean regret", title="ε = 2")
axes.legend()
