"""Running sums compared: the error of every counter at equal privacy, computed and simulated."""

from discreet_papers.counters.errors import COUNTERS, UNKNOWN_HORIZON, Comparison, compare, counter

__all__ = ["COUNTERS", "UNKNOWN_HORIZON", "Comparison", "compare", "counter"]
