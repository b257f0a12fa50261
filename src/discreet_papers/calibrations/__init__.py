"""The calibrations that the papers print, registered as ``calibration=paper``.

Each module has those of one paper, with its noise and its parameters. Guarantees are computed from
the noise that is actually added; what the paper claims is the ``claim`` of an instance.
"""

from discreet_papers.calibrations import (
    agarwal_singh,
    attacks,
    ene,
    faster_rates,
    generalised,
    tossou,
    zheng,
)
from discreet_papers.calibrations.estimates import PaperEstimates
from discreet_papers.calibrations.generalised import PrintedDescent, ThreeReports
from discreet_papers.calibrations.per_point import PerPoint

__all__ = [
    "PaperEstimates",
    "PerPoint",
    "PrintedDescent",
    "ThreeReports",
    "agarwal_singh",
    "attacks",
    "ene",
    "faster_rates",
    "generalised",
    "tossou",
    "zheng",
]
