"""Playing algorithms against adversaries, over many trials."""

from discreet.simulation.experiment import Contender, simulate
from discreet.simulation.results import Results

__all__ = ["Contender", "Results", "simulate"]
