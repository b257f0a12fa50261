"""Playing algorithms against adversaries, and letting them search, over many trials."""

from discreet.simulation.experiment import Contender, simulate
from discreet.simulation.measures import Regret, RegretRow, Searches, SearchRow
from discreet.simulation.results import Results
from discreet.simulation.searches import search

__all__ = [
    "Contender",
    "Regret",
    "RegretRow",
    "Results",
    "SearchRow",
    "Searches",
    "search",
    "simulate",
]
