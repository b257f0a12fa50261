"""Agarwal & Singh 2017, Table 2: regret of private linear bandits over T and epsilon."""

from discreet_papers.reproduce.agarwal_singh_table_2.sweep import TABLE
from discreet_papers.reproduce.agarwal_singh_table_2.text import words
from discreet_papers.reproduce.tables import register_table

register_table(
    TABLE,
    words,
    title="Agarwal & Singh 2017, Table 2: regret of linear bandits over T and epsilon, with "
    "fitted exponents",
    trials=16,
    rounds=2**20,
)
