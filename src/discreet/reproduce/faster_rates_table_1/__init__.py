"""Faster rates 2025, Table 1, first row: how regret grows with T and with 1 / epsilon, for old and new algorithms."""

from discreet.reproduce.faster_rates_table_1.analysis import NAME, analyse
from discreet.reproduce.faster_rates_table_1.drawing import draw
from discreet.reproduce.faster_rates_table_1.sweep import sweep
from discreet.reproduce.games import play
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Table 1, adversarial row: regret over T and epsilon, with fitted exponents",
        trials=24,
        rounds=2**20,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
