"""Noise: how it is calibrated, and how it is drawn."""

from discreet.mechanisms.coin import Coin, CoinShape, ExactCoin
from discreet.mechanisms.directions import Cap, Hemisphere
from discreet.mechanisms.exact import ExactGaussian, ExactLaplace
from discreet.mechanisms.exact_directions import ExactHemisphere
from discreet.mechanisms.exact_vectors import ExactCube
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.named import (
    NOISES,
    PURE,
    NoiseName,
    ReportNoiseName,
    noise_named,
    report_noise,
)
from discreet.mechanisms.norms import CubeLaplace, SphericalLaplace
from discreet.mechanisms.optimal import OptimalNoise
from discreet.mechanisms.response import ExactResponse, RandomisedResponse
from discreet.mechanisms.silent import Silent

__all__ = [
    "NOISES",
    "PURE",
    "Cap",
    "Coin",
    "CoinShape",
    "CubeLaplace",
    "ExactCoin",
    "ExactCube",
    "ExactGaussian",
    "ExactHemisphere",
    "ExactLaplace",
    "ExactResponse",
    "Gaussian",
    "Hemisphere",
    "Laplace",
    "NoiseName",
    "OptimalNoise",
    "RandomisedResponse",
    "ReportNoiseName",
    "Silent",
    "SphericalLaplace",
    "noise_named",
    "report_noise",
]
