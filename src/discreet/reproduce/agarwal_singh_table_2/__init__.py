"""Agarwal & Singh 2017, Table 2: regret of private linear bandits over T and epsilon."""

from discreet.reproduce import games
from discreet.reproduce.agarwal_singh_table_2 import analysis, drawing, sweep
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Agarwal & Singh 2017, Table 2: regret of linear bandits over T and epsilon, with fitted exponents",
        trials=16,
        rounds=2**20,
        sweep=sweep.TABLE.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
