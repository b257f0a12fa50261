"""
Games
=====

Losses of four environments that an algorithm may face.
"""

import matplotlib.pyplot as plt

from discreet.plot import draw_environment

figure, panels = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
for axes, name in zip(
    panels.flat, ("stochastic", "deterministic", "switching", "drop"), strict=True
):
    draw_environment(name, axes)
