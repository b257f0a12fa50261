"""Agarwal & Singh 2017, section 1.1: below which epsilon privacy stops being free, and what every counter costs."""

from discreet.reproduce.agarwal_singh_privacy_for_free.analysis import NAME, analyse
from discreet.reproduce.agarwal_singh_privacy_for_free.drawing import draw
from discreet.reproduce.agarwal_singh_privacy_for_free.sweep import sweep
from discreet.reproduce.games import play
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=NAME,
        title="Agarwal & Singh 2017: from which epsilon on privacy is free for experts, "
        "and the regret of every counter at 1",
        trials=24,
        rounds=2**18,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
