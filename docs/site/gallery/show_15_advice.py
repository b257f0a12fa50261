"""
Advice from experts
===================

Each of ten experts recommends an arm. Learn privately which of them to follow.
"""

import matplotlib.pyplot as plt

from discreet import simulate

results = simulate(
    ["batched-exp4", "local-exp4", "exp4"], rounds=16_384, trials=8, epsilon=1.0, seed=1
)
results.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
