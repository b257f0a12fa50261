"""The papers' figures and tables, one command each."""

from discreet.reproduce import advice, free, leak, price, rates, table_one, tossou
from discreet.reproduce.registry import Reproduction, reproduction, reproductions

__all__ = [
    "Reproduction",
    "advice",
    "free",
    "leak",
    "price",
    "rates",
    "reproduction",
    "reproductions",
    "table_one",
    "tossou",
]
