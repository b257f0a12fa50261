"""Zheng et al. 2020, Table 1: regret of locally private bandits on convex functions over T and epsilon."""

from discreet_papers.reproduce.tables import register_table
from discreet_papers.reproduce.zheng_table_1.sweep import TABLE
from discreet_papers.reproduce.zheng_table_1.text import words

register_table(
    TABLE,
    words,
    title="Zheng et al. 2020, Table 1, rows without contexts: regret over T and epsilon, with "
    "fitted exponents",
    trials=12,
    rounds=2**20,
)
