"""
Slates
======

Show three of ten items in every round, and learn from the outcome of each.
"""

import matplotlib.pyplot as plt

from discreet import simulate

results = simulate(
    ["private-slate-ftrl", "slate-ftrl"], rounds=20_000, trials=8, epsilon=1.0, seed=1
)
results.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
