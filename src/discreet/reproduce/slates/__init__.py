"""Slates: projection-free points of Ene et al. against a leader on vertices, at the same privacy."""

from discreet.reproduce import games
from discreet.reproduce.registry import Reproduction, register
from discreet.reproduce.slates import analysis, drawing, sweep

register(
    Reproduction(
        name=analysis.NAME,
        title="slates of 3 of 10: Ene, Nguyen & Vladu 2021 against a leader that plays slates themselves",
        trials=4,
        rounds=2**20,
        sweep=sweep.TABLE.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
