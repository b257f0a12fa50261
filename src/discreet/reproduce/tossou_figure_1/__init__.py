"""Tossou & Dimitrakakis 2017, Figure 1: three algorithms against five adversaries."""

from discreet.reproduce.games import play
from discreet.reproduce.registry import Reproduction, register
from discreet.reproduce.tossou_figure_1.analysis import NAME, analyse
from discreet.reproduce.tossou_figure_1.drawing import draw
from discreet.reproduce.tossou_figure_1.sweep import sweep

register(
    Reproduction(
        name=NAME,
        title="Tossou & Dimitrakakis 2017, Figure 1, at the paper's epsilon and at 1 and 0.1",
        trials=720,
        rounds=2**18,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
