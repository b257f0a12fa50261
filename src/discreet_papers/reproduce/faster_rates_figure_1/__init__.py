"""Faster rates 2025, Figure 1: EXP3 in loss form leaks one changed loss, and the gain form does not."""

from discreet_papers.reproduce.faster_rates_figure_1 import analysis, drawing, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Faster rates 2025, Figure 1: the leak of EXP3 on losses, and none on gains",
        trials=1,
        rounds=1_000_000,
        sweep=sweep.sweep,
        play=sweep.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
