"""
When the best arm changes
=========================

The best arm changes during the game. An algorithm that assumes fixed means does not notice.
"""

import matplotlib.pyplot as plt

from discreet import simulate

results = simulate(
    ["tracking-ucb", "batched-ucb", "one-bit-tsallis-inf"],
    environment="switching",
    arms=4,
    rounds=32_768,
    trials=8,
    epsilon=1.0,
    seed=1,
)
results.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
