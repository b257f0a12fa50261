"""Faster rates 2025, Table 1, rows with expert advice: how regret grows, and what is best where."""

from discreet_papers.reproduce.faster_rates_table_1_experts.drawing import draw
from discreet_papers.reproduce.faster_rates_table_1_experts.findings import NAME, analyse
from discreet_papers.reproduce.faster_rates_table_1_experts.games import sweep
from discreet_papers.reproduce.games import play_games
from discreet_papers.reproduce.registry import Reproduction, register_reproduction

register_reproduction(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Table 1, expert advice: fitted exponents, and which algorithm "
        "is best for each N and epsilon",
        trials=8,
        rounds=2**20,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
