"""The named algorithms for arms with contexts."""

from discreet.algorithms.contexts import baselines, generalised, greedy, linear

__all__ = ["baselines", "generalised", "greedy", "linear"]
