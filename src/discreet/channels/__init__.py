"""Privacy channels: the only code that touches raw feedback."""

from discreet.channels.arm_sums import ArmSums
from discreet.channels.batch import Batch
from discreet.channels.estimates import Estimates
from discreet.channels.final_sums import FinalSums
from discreet.channels.glm_moments import GlmMoments
from discreet.channels.gradient_sums import DifferenceSums, GradientSums, RoundedSums
from discreet.channels.moments import Moments
from discreet.channels.one_bit import OneBit
from discreet.channels.open import Constant, Open, OpenSum
from discreet.channels.per_round import OpenDifference, PerDifference, PerRound, Responses
from discreet.channels.residuals import Residuals
from discreet.channels.restarting import SPLITS, Restarting
from discreet.channels.running_moments import RunningMoments
from discreet.channels.running_sum import RunningSum
from discreet.channels.selection import Selection
from discreet.channels.slate_bits import OpenSlate, SlateBits

__all__ = [
    "SPLITS",
    "ArmSums",
    "Batch",
    "Constant",
    "DifferenceSums",
    "Estimates",
    "FinalSums",
    "GlmMoments",
    "GradientSums",
    "Moments",
    "OneBit",
    "Open",
    "OpenDifference",
    "OpenSlate",
    "OpenSum",
    "PerDifference",
    "PerRound",
    "Residuals",
    "Responses",
    "Restarting",
    "RoundedSums",
    "RunningMoments",
    "RunningSum",
    "Selection",
    "SlateBits",
]
