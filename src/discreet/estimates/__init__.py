"""Means of arms and their differences with intervals, from the releases of a run.

Everything here is computed from released values, so it costs no additional privacy. The package
does not depend on runs: ``anytime``, ``holdout`` and ``final`` are functions of sums of releases.
"""

from discreet.estimates.at_the_end import half_width
from discreet.estimates.bits import BitEvidence
from discreet.estimates.making import anytime, final, holdout
from discreet.estimates.pairs import Evidence, difference
from discreet.estimates.reading import Design
from discreet.estimates.released import ReleaseSum, SumAtEnd
from discreet.estimates.sums import NoisySums, SumEvidence
from discreet.estimates.table import MeanEstimate, MeanEstimates

__all__ = [
    "BitEvidence",
    "Design",
    "Evidence",
    "MeanEstimate",
    "MeanEstimates",
    "NoisySums",
    "ReleaseSum",
    "SumAtEnd",
    "SumEvidence",
    "anytime",
    "difference",
    "final",
    "half_width",
    "holdout",
]
