"""
Best-arm search
===============

The number of people needed to find the best of five arms with an error probability of 10 %.
"""

import matplotlib.pyplot as plt

from discreet import search

results = search(
    ["track-and-stop", "batched-track-and-stop", "batched-sequential-halving"],
    arms=5,
    trials=24,
    epsilon=1.0,
    seed=1,
)
results.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
print(results)
