"""Named algorithms that play points, and the parts of their calibrations."""

from discreet.algorithms.points import leaders, regularised
from discreet.algorithms.points.leaders import lead_experts, lead_perturbed
from discreet.algorithms.points.regularised import lead_quadratic
from discreet.algorithms.points.running_sums import (
    Candidate,
    Pick,
    RunningSumName,
    choose,
    padded_tree,
)

__all__ = [
    "Candidate",
    "Pick",
    "RunningSumName",
    "choose",
    "lead_experts",
    "lead_perturbed",
    "lead_quadratic",
    "leaders",
    "padded_tree",
    "regularised",
]
