"""
A trusted server or the local model
===================================

The same learner with noise added by a trusted server, and with noise added on every device.
"""

import matplotlib.pyplot as plt

from discreet import simulate

results = simulate(
    ["batched-tsallis-inf", "local-tsallis-inf", "tsallis-inf"],
    environment="stochastic",
    arms=4,
    rounds=50_000,
    trials=16,
    epsilon=0.5,
    seed=1,
)
results.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
