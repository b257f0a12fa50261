"""
Points of a set
===============

The same algorithm plays on a ball, a cube and a simplex: it only needs a linear oracle.
"""

import matplotlib.pyplot as plt

from discreet import simulate

figure, axes = plt.subplots(figsize=(8, 4.5))
for domain in ("ball(10)", "cube(10)", "simplex(10)"):
    results = simulate("private-ftpl", domain=domain, rounds=16_384, trials=8, epsilon=1.0, seed=1)
    axes.plot(results.checkpoints, results.regret[0].mean(axis=0), label=domain)
axes.set(xlabel="rounds", ylabel="mean regret")
axes.legend()
