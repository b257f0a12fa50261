"""Faster rates 2025, Figure 1: EXP3 in loss form leaks one changed loss, and the gain form does not."""

from discreet.reproduce.faster_rates_figure_1.analysis import NAME, analyse
from discreet.reproduce.faster_rates_figure_1.drawing import draw
from discreet.reproduce.faster_rates_figure_1.sweep import play, sweep
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Figure 1: the leak of EXP3 on losses, and none on gains",
        trials=1,
        rounds=1_000_000,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
