"""Tossou & Dimitrakakis 2017, Figure 1: three algorithms against five adversaries."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.registry import Reproduction, register
from discreet_papers.reproduce.tossou_figure_1 import analysis, drawing, sweep

register(
    Reproduction(
        name=analysis.NAME,
        title="Tossou & Dimitrakakis 2017, Figure 1, at the paper's epsilon and at 1 and 0.1",
        trials=720,
        rounds=2**18,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
