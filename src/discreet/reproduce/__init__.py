"""The papers' figures and tables, one command each."""

from discreet.reproduce import leak, price, rates, tossou
from discreet.reproduce.registry import Reproduction, reproduction, reproductions

__all__ = ["Reproduction", "leak", "price", "rates", "reproduction", "reproductions", "tossou"]
