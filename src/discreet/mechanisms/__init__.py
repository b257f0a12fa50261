"""Noise: how it is calibrated and how it is drawn."""

from discreet.mechanisms.bits import Coin, CoinShape, ExactCoin, ExactResponse, RandomisedResponse
from discreet.mechanisms.directions import Cap, Hemisphere
from discreet.mechanisms.exact import ExactCube, ExactGaussian, ExactLaplace
from discreet.mechanisms.exact_directions import ExactHemisphere
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import CubeLaplace, Laplace, SphericalLaplace, draw_laplace
from discreet.mechanisms.named import (
    NOISES,
    PURE,
    NoiseName,
    ReportNoiseName,
    Silent,
    noise_named,
    report_noise,
)
from discreet.mechanisms.optimal import OptimalNoise

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
    "draw_laplace",
    "noise_named",
    "report_noise",
]
