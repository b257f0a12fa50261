"""Faster rates 2025, Table 1, rows with expert advice: how regret grows, and which of three algorithms is best where."""

from discreet.reproduce.faster_rates_table_1_experts.analysis import NAME, analyse
from discreet.reproduce.faster_rates_table_1_experts.drawing import draw
from discreet.reproduce.faster_rates_table_1_experts.sweep import sweep
from discreet.reproduce.games import play
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Table 1, expert advice: fitted exponents, and who is best over N and epsilon",
        trials=8,
        rounds=2**20,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
