"""Any bandit learner over experts: to play an arm is to follow an expert (Faster rates 2025, Algorithm 5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from discreet.contracts import Generator, Learner
from discreet.kernel import compiled


@compiled
class Following(NamedTuple):
    """A bandit learner whose arms are experts; what an expert does in a round is drawn from its advice, by the game.

    Its regret against the best expert is that of the learner with N arms (Faster rates 2025, Theorem 3): with all draws
    fixed, following expert j loses what arm j would, and the average over draws is the expert's expected loss.
    """

    learner: Learner

    @property
    def follows(self) -> bool:
        """Actions are experts, not arms."""
        return True

    def act(self, observation: Any, rng: Generator) -> tuple[Any, Any]:
        """Return the expert to follow."""
        return self.learner.act(observation, rng)

    def query(self, trace: Any) -> Any:
        """Ask what the learner asks."""
        return self.learner.query(trace)

    def learn(self, trace: Any, released: Any) -> None:
        """Let the learner learn."""
        self.learner.learn(trace, released)
