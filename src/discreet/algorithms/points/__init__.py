"""The named algorithms that play points."""

from discreet.algorithms.points import full_information

__all__ = ["full_information"]
