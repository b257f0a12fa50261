"""Agarwal & Singh 2017, section 1.1: below which epsilon privacy stops being free, and what every counter costs."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.agarwal_singh_privacy_for_free import analysis, drawing, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="Agarwal & Singh 2017: from which epsilon on privacy is free for experts, and the "
        "regret of every counter at 1",
        trials=24,
        rounds=2**18,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
