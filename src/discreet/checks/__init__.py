"""Contract checks for learners, channels, environments, convex sets and private learners.

Each check runs a component and raises :class:`CheckFailed` with one sentence that says what is
wrong. Checks also work for user-defined components.

>>> from discreet.channels import Batch
>>> from discreet.learners import Exp3
>>> from discreet.ranges import Range
>>> check_learner(Exp3.start(arms=3, learning_rate=0.1))
>>> check_channel(Batch.laplace(size=5, epsilon=1.0, bounds=Range(0.0, 1.0)))
"""

from discreet.checks.parts import CheckFailed, check_channel, check_learner
from discreet.checks.private import (
    check_device,
    check_non_interference,
    check_private,
    check_two_speeds,
    check_untouched,
)
from discreet.checks.problems import check_environment, check_set

__all__ = [
    "CheckFailed",
    "check_channel",
    "check_device",
    "check_environment",
    "check_learner",
    "check_non_interference",
    "check_private",
    "check_set",
    "check_two_speeds",
    "check_untouched",
]
