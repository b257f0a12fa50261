"""Any bandit learner over experts: to play an arm is to follow an expert (Faster rates 2025, Algorithm 5)."""

from __future__ import annotations

from discreet.contracts import Trace
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.exp3 import Exp3
from discreet.learners.wrapping import Wrapping


class Following(Wrapping[int, Trace, float]):
    """A bandit learner whose arms are experts; what an expert does in a round is drawn from its advice, by the game.

    Its regret against the best expert is that of the learner with N arms (Faster rates 2025,
    Theorem 3): with all draws fixed, following expert j loses what arm j would, and the average
    over draws is the expert's expected loss.
    """

    follows = True

    @classmethod
    def example(cls) -> Following[Draw]:
        """Return one to check the contract with."""
        return Following(Exp3.example())
