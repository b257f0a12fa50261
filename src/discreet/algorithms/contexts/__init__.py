"""Named algorithms for arms with contexts, and the parts of their calibrations."""

from discreet.algorithms.contexts import generalised, joint, linear
from discreet.algorithms.contexts.generalised import LinkName, link_named
from discreet.algorithms.contexts.linear import ReportNoise, linear_instance, need_delta
from discreet.algorithms.contexts.widths import FAILURE, fit_times
from discreet.channels.glm_moments import Link as Link
from discreet.learners.contexts.linear_ucb import FitSchedule as FitSchedule

__all__ = [
    "FAILURE",
    "FitSchedule",
    "Link",
    "LinkName",
    "ReportNoise",
    "fit_times",
    "generalised",
    "joint",
    "linear",
    "linear_instance",
    "link_named",
    "need_delta",
]
