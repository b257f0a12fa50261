"""Simulations: algorithms play against adversaries, or search, over many trials."""

from discreet.simulation.contenders import Contender
from discreet.simulation.differences import PairedDifferences
from discreet.simulation.executors import Executor, executor
from discreet.simulation.experiment import simulate
from discreet.simulation.measures import Regret, RegretRow, Searches, SearchRow
from discreet.simulation.results import Results
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
    "PairedDifferences",
    "Regret",
    "RegretRow",
    "Results",
    "SearchRow",
    "Searches",
    "executor",
    "gini_difference",
    "mean_interval",
    "median_of_means",
    "search",
    "simulate",
]
