"""Agarwal & Singh 2017, Table 1: regret of private leaders over T and N, beside the approach before and no privacy."""

from discreet.reproduce.agarwal_singh_table_1.analysis import NAME, analyse
from discreet.reproduce.agarwal_singh_table_1.drawing import draw
from discreet.reproduce.agarwal_singh_table_1.sweep import sweep
from discreet.reproduce.games import play
from discreet.reproduce.registry import Reproduction, register

register(
    Reproduction(
        name=NAME,
        title="Agarwal & Singh 2017, Table 1: regret over T, N and epsilon with full information, with fitted exponents",
        trials=6,
        rounds=2**20,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
