"""Learning online from sensitive feedback under differential privacy.

A private learner is an ordinary learner behind a privacy channel: raw feedback enters the channel, and only released
(noised) values reach the learner. Start with :class:`Bandit` to use one (or :class:`Experts`,
:class:`Optimizer`, :class:`Advisor`), :func:`simulate` to compare them, and
``discreet.private`` to see why it is private.
"""

from __future__ import annotations

from discreet.algorithms import Setting, algorithm, algorithms
from discreet.auditing import Audit, audit
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee, compose
from discreet.ledger import BudgetExceeded, Ledger, UserLimitReached
from discreet.live import Advisor, Bandit, Decision, Experts, LiveRun, Optimizer, Progress
from discreet.private import Private
from discreet.ranges import Range
from discreet.simulation import Contender, Results, simulate

__all__ = [
    "Advisor",
    "Audit",
    "Bandit",
    "BudgetExceeded",
    "Contender",
    "Decision",
    "DiscreetError",
    "Experts",
    "Guarantee",
    "Ledger",
    "LiveRun",
    "Optimizer",
    "Private",
    "Progress",
    "Range",
    "Results",
    "Setting",
    "UserLimitReached",
    "algorithm",
    "algorithms",
    "audit",
    "compose",
    "simulate",
]
