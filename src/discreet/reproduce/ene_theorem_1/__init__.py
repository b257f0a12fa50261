"""Ene, Nguyen & Vladu 2021, Theorem 1.1: how regret grows with T, n and epsilon, with the paper's noise and with ours."""

from discreet.reproduce import games
from discreet.reproduce.ene_theorem_1 import analysis, drawing, sweep
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Ene, Nguyen & Vladu 2021, Theorem 1.1: regret over T, n and epsilon, the paper's noise beside ours",
        trials=4,
        rounds=2**20,
        sweep=sweep.TABLE.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
