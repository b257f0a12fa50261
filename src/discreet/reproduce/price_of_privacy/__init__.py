"""The price of privacy: regret over epsilon for every private algorithm, with the best without privacy as the floor."""

from discreet.reproduce.games import play
from discreet.reproduce.price_of_privacy.analysis import NAME, analyse
from discreet.reproduce.price_of_privacy.drawing import draw
from discreet.reproduce.price_of_privacy.sweep import sweep
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=NAME,
        title="regret over epsilon from 0.001 to 10 for every private algorithm",
        trials=24,
        rounds=2**17,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
