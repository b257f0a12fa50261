"""The price of privacy: regret over epsilon for every private algorithm, with the best without privacy as the floor."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.price_of_privacy import analysis, drawing, sweep
from discreet_papers.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=analysis.NAME,
        title="regret over epsilon from 0.001 to 10 for every private algorithm",
        trials=24,
        rounds=2**17,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
