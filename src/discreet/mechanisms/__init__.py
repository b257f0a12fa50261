"""Noise: how it is calibrated, and how it is drawn."""

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace

__all__ = ["Gaussian", "Laplace"]
