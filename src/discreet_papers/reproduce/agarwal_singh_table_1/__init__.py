"""Agarwal & Singh 2017, Table 1: regret of private leaders over T and N, beside the approach before and no privacy."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.agarwal_singh_table_1 import analysis, drawing, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Agarwal & Singh 2017, Table 1: regret over T, N and epsilon with full "
        "information, with fitted exponents",
        trials=6,
        rounds=2**20,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
