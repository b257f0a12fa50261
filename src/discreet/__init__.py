"""Learning online from sensitive feedback under differential privacy.

A private learner is an ordinary learner behind a privacy channel: raw feedback enters the channel, and only released
(noised) values reach the learner. Start with :class:`Bandit` to use one (or :class:`Experts`, :class:`Optimizer`,
:class:`Advisor`), :func:`simulate` to compare them, and ``discreet.private`` to see why it is private.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from discreet.algorithms import Setting, algorithm, algorithms, cite, register_algorithm
from discreet.auditing import Audit, audit
from discreet.environments import register_environment
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
    "__version__",
    "algorithm",
    "algorithms",
    "audit",
    "cite",
    "compose",
    "register_algorithm",
    "register_environment",
    "simulate",
]

__version__: str

if not TYPE_CHECKING:  # type checkers would take every name for a known one

    def __getattr__(name: str) -> str:
        """Return the version, which is looked up when it is asked for."""
        if name == "__version__":
            return version("discreet")
        raise AttributeError(f"module 'discreet' has no attribute '{name}'")
