"""EXP3-IX: exponential weights with implicit exploration (Neu 2015)."""

from __future__ import annotations

from discreet.contracts import Generator, Learner
from discreet.errors import check_positive, check_range
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.weights import Weights, equal_weights


class Exp3IX(Learner[int, Draw, float]):
    """Exponential weights on losses that are divided by a little more than their probability.

        p(i) = w(i) / Σ w,   log w(I) ← log w(I) - η y / (p(I) + γ)

    ``learning_rate`` is η, ``bias`` is γ. The estimate is too small on purpose, which keeps its
    tails short.

    Regret for losses in [0, 1], with probability 1 - δ: at most 2 sqrt(2 K T ln K) + (sqrt(2 K T /
    ln K) + 1) ln(2 / δ) for η = 2 γ = sqrt(2 ln K / (K T)). Losses must not be negative; so it is
    not for noisy ones.
    """

    learning_rate: float
    bias: float
    weights: Weights

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.weights.values.size

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, bias: float | None = None) -> Exp3IX:
        """Return the learner before the first round."""
        rate = check_positive("learning_rate", learning_rate)
        return cls(
            rate,
            rate / 2.0 if bias is None else check_range("bias", bias, 0.0, 1.0),
            equal_weights(arms),
        )

    @classmethod
    def example(cls) -> Exp3IX:
        """Return one to check the contract with."""
        return cls.start(arms=5, learning_rate=0.05)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        trace = self.weights.draw(0.0, rng)
        return trace.arm, trace

    def learn(self, trace: Draw, released: float) -> None:
        """Move the weight of the arm that was played."""
        importance = trace.importance / (1.0 + self.bias * trace.importance)
        self.weights.add(trace.arm, -self.learning_rate * released * importance)
