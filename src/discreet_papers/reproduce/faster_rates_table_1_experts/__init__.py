"""Faster rates 2025, Table 1, rows with expert advice: how regret grows, and which of three algorithms is best where."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.faster_rates_table_1_experts import analysis, drawing, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Faster rates 2025, Table 1, expert advice: fitted exponents, and who is best over "
        "N and epsilon",
        trials=8,
        rounds=2**20,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
