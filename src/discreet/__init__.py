"""Learning online from sensitive feedback under differential privacy.

A private learner is an ordinary learner behind a privacy channel: raw feedback enters the channel, and only released
(noised) values reach the learner. Start with :class:`Bandit` to use one, :func:`simulate` to compare them, and
``discreet.private`` to see why it is private.
"""

from __future__ import annotations

from discreet.algorithms import Setting, algorithm, algorithms
from discreet.bandit import Bandit, Decision
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.private import Private
from discreet.ranges import Range
from discreet.simulation import Contender, Results, simulate

__all__ = [
    "Bandit",
    "Contender",
    "Decision",
    "DiscreetError",
    "Guarantee",
    "Private",
    "Range",
    "Results",
    "Setting",
    "algorithm",
    "algorithms",
    "simulate",
]
