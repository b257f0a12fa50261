"""The named algorithms for arms with contexts."""

from discreet.algorithms.contexts import baselines, greedy, linear

__all__ = ["baselines", "greedy", "linear"]
