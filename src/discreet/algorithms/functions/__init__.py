"""Named algorithms that see values of functions, and the parts of their calibrations."""

from discreet.algorithms.functions import (
    linear_oracle,
    one_point,
    projected_sums,
    projection_free,
    scrible,
    smooth,
    two_point,
)
from discreet.algorithms.functions.common import (
    MOST_OF_INNER,
    GradientSumName,
    Proposal,
    WhenVacuous,
    check_given,
    decide,
    noise_on_reports,
    place_with,
    require_declared,
    tree_with,
)
from discreet.algorithms.functions.one_point import descend_one_point, search_interval
from discreet.algorithms.functions.projection_free import lead_projection_free, root_batch
from discreet.algorithms.functions.smooth import lead_smooth, lead_smooth_strongly_convex
from discreet.algorithms.functions.two_point import clipped_slope, descend_two_points

__all__ = [
    "MOST_OF_INNER",
    "GradientSumName",
    "Proposal",
    "WhenVacuous",
    "check_given",
    "clipped_slope",
    "decide",
    "descend_one_point",
    "descend_two_points",
    "lead_projection_free",
    "lead_smooth",
    "lead_smooth_strongly_convex",
    "linear_oracle",
    "noise_on_reports",
    "one_point",
    "place_with",
    "projected_sums",
    "projection_free",
    "require_declared",
    "root_batch",
    "scrible",
    "search_interval",
    "smooth",
    "tree_with",
    "two_point",
]
