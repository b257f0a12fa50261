"""Ene, Nguyen & Vladu 2021, Theorem 1.1: how regret grows with T, n and epsilon, with the paper's noise and with ours."""

from discreet_papers.reproduce.ene_theorem_1.sweep import TABLE
from discreet_papers.reproduce.ene_theorem_1.text import words
from discreet_papers.reproduce.tables import register_table

register_table(
    TABLE,
    words,
    title="Ene, Nguyen & Vladu 2021, Theorem 1.1: regret over T, n and epsilon, the paper's "
    "noise beside ours",
    trials=4,
    rounds=2**20,
)
