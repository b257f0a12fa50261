"""The papers' figures and tables, one command each.

A reproduction is a package of its own: a *sweep* is data that one can read, an *analysis* turns
what was played into tables and words, a *drawing* turns those into figures. What they share is
here, once: games and how they are played (``games``), fitted exponents (``fitting``), files
(``files``), and how drawings look (``drawing``). A table of rates is a value (``rates``), of which
all but the words follow (``growth``, ``growth_text``, ``growth_drawing``, ``tables``).
"""

from discreet_papers.reproduce import (
    agarwal_singh_privacy_for_free,
    agarwal_singh_table_1,
    agarwal_singh_table_2,
    ene_theorem_1,
    faster_rates_figure_1,
    faster_rates_table_1,
    faster_rates_table_1_experts,
    noise_in_the_local_model,
    price_of_privacy,
    slates,
    tossou_figure_1,
    zheng_table_1,
    zheng_table_1_contextual,
    zheng_theorem_12,
)
from discreet_papers.reproduce.registry import Reproduction, reproduction, reproductions

__all__ = [
    "Reproduction",
    "agarwal_singh_privacy_for_free",
    "agarwal_singh_table_1",
    "agarwal_singh_table_2",
    "ene_theorem_1",
    "faster_rates_figure_1",
    "faster_rates_table_1",
    "faster_rates_table_1_experts",
    "noise_in_the_local_model",
    "price_of_privacy",
    "reproduction",
    "reproductions",
    "slates",
    "tossou_figure_1",
    "zheng_table_1",
    "zheng_table_1_contextual",
    "zheng_theorem_12",
]
