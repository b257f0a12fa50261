"""Privacy channels: the only code that touches raw feedback."""

from discreet.channels.batch import Batch
from discreet.channels.constant import Constant
from discreet.channels.estimates import Estimates
from discreet.channels.glm_moments import GlmMoments
from discreet.channels.gradient_sums import DifferenceSums, GradientSums
from discreet.channels.moments import Moments
from discreet.channels.one_bit import OneBit
from discreet.channels.open import Open
from discreet.channels.open_sum import OpenSum
from discreet.channels.per_difference import OpenDifference, PerDifference
from discreet.channels.per_round import PerRound
from discreet.channels.residuals import Residuals
from discreet.channels.responses import Responses
from discreet.channels.restarting import Restarting
from discreet.channels.rounded_sums import RoundedSums
from discreet.channels.running_moments import RunningMoments
from discreet.channels.running_sum import RunningSum
from discreet.channels.selection import Selection

__all__ = [
    "Batch",
    "Constant",
    "DifferenceSums",
    "Estimates",
    "GlmMoments",
    "GradientSums",
    "Moments",
    "OneBit",
    "Open",
    "OpenDifference",
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
]
