"""Named algorithms that play arms, and the parts from which calibrations of them are built."""

from discreet.algorithms.arms import (
    bounds,
    choosing,
    exp3,
    faster_rates,
    indices,
    lambda_lap,
    lower_bounds,
    ordinary,
    tracking,
    tsallis,
)
from discreet.algorithms.arms.faster_rates import batches_of
from discreet.algorithms.arms.ordinary import Estimator
from discreet.algorithms.arms.tsallis import noisy_tsallis_inf
from discreet.algorithms.arms.tuning import noisy_exp3, noisy_ftpl, noisy_htinf

__all__ = [
    "Estimator",
    "batches_of",
    "bounds",
    "choosing",
    "exp3",
    "faster_rates",
    "indices",
    "lambda_lap",
    "lower_bounds",
    "noisy_exp3",
    "noisy_ftpl",
    "noisy_htinf",
    "noisy_tsallis_inf",
    "ordinary",
    "tracking",
    "tsallis",
]
