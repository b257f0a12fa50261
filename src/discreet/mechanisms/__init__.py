"""Noise: how it is calibrated, and how it is drawn."""

from discreet.mechanisms.exact import ExactGaussian, ExactLaplace
from discreet.mechanisms.exact_vectors import ExactCube
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.norms import CubeLaplace, SphericalLaplace
from discreet.mechanisms.response import RandomisedResponse

__all__ = [
    "CubeLaplace",
    "ExactCube",
    "ExactGaussian",
    "ExactLaplace",
    "Gaussian",
    "Laplace",
    "RandomisedResponse",
    "SphericalLaplace",
]
