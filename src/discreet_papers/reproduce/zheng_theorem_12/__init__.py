"""Zheng et al. 2020, Theorem 12: samples of private best-arm search, over the gap and over epsilon."""

from discreet_papers.reproduce.registry import Reproduction, register
from discreet_papers.reproduce.zheng_theorem_12 import analysis, drawing, playing, sweep

register(
    Reproduction(
        name=analysis.NAME,
        title="samples of private best-arm search over gap and epsilon",
        trials=48,
        rounds=sweep.HORIZON,
        sweep=sweep.sweep,
        play=playing.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
