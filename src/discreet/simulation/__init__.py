"""Playing algorithms against adversaries, and letting them search, over many trials."""

from discreet.simulation.experiment import Contender, simulate
from discreet.simulation.results import Results
from discreet.simulation.search_results import SearchResults
from discreet.simulation.searches import search

__all__ = ["Contender", "Results", "SearchResults", "search", "simulate"]
