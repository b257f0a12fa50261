"""The named algorithms that search for the best arm."""

from discreet.algorithms.search import elimination, lil_ucb, lucb, track_and_stop

__all__ = ["elimination", "lil_ucb", "lucb", "track_and_stop"]
