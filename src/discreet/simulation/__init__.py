"""Playing algorithms against adversaries, and letting them search, over many trials."""

from discreet.simulation.executors import Executor, executor
from discreet.simulation.experiment import Contender, simulate
from discreet.simulation.results import RegretRow, Results
from discreet.simulation.search_results import SearchResults, SearchRow
from discreet.simulation.searches import search
from discreet.simulation.statistics import (
    Interval,
    gini_difference,
    mean_interval,
    median_of_means,
)

__all__ = [
    "Contender",
    "Executor",
    "Interval",
    "RegretRow",
    "Results",
    "SearchResults",
    "SearchRow",
    "executor",
    "gini_difference",
    "mean_interval",
    "median_of_means",
    "search",
    "simulate",
]
