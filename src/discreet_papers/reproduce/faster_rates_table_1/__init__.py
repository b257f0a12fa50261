"""Faster rates 2025, Table 1, first row: how regret grows with T and with 1 / epsilon, for old and new algorithms."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.faster_rates_table_1 import analysis, drawing, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Faster rates 2025, Table 1, adversarial row: regret over T and epsilon, with "
        "fitted exponents",
        trials=24,
        rounds=2**20,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
