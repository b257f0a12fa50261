"""
Audit a correct and a wrong mechanism
=====================================

An audit attacks an algorithm and reports a lower bound on its ε. If that exceeds the claimed ε, the
claim is wrong. The second bar is the noise that a paper prints, for losses from -1 to 1.
"""

import matplotlib.pyplot as plt

from discreet import algorithm, audit

setting = algorithm("noisy-exp2").setting(rounds=10_000, low=-1.0, high=1.0)
sound = audit("noisy-exp2", trials=20_000, setting=setting)
printed = audit("noisy-exp2", trials=20_000, setting=setting, calibration="paper")
figure, axes = plt.subplots(figsize=(6, 3.5))
names = ["discreet", "as printed"]
found = [sound.lower_bound, printed.lower_bound]
axes.bar(names, found, width=0.5, color=["#0072b2", "#d55e00"])
axes.axhline(1.0, color="black", linestyle="--")
axes.text(0.5, 1.03, "claimed", ha="center")
axes.set(ylabel="ε found (99 % confidence)")
