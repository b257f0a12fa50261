"""Slates: projection-free points of Ene et al. against a leader on vertices, at the same privacy."""

from discreet_papers.reproduce.slates.sweep import TABLE
from discreet_papers.reproduce.slates.text import words
from discreet_papers.reproduce.tables import register_table

register_table(
    TABLE,
    words,
    title="slates of 3 of 10: Ene, Nguyen & Vladu 2021 against a leader that plays slates "
    "themselves",
    trials=4,
    rounds=2**20,
)
