"""EXP3 for gains, as Auer et al. 2002 and Tossou & Dimitrakakis 2017 define it."""

from __future__ import annotations

import math

from discreet.contracts import Generator, Learner
from discreet.errors import check_positive, check_range
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.weights import Weights, equal_weights


class Exp3Gain(Learner[int, Draw, float]):
    """Exponential weights on importance-weighted gains.

    Round t draws arm I from p(i) = (1 - γ) w(i) / Σ w + γ / K. When its loss y comes, on the scale
    [0, 1], the gain g = 1 - y moves that arm only:

        log w(I) ← log w(I) + η g / p(I),   η = γ / K unless set

    Released values may be noisy: a gain outside [-b, 1 + b] is ignored, and one inside is scaled to
    [0, 1] as (g + b) / (1 + 2 b); ``margin`` is b, and 0 takes gains as they are.

    Regret for gains in [0, 1]: at most 2 sqrt((e - 1) T K ln K) for γ = min(1, sqrt(K ln K / ((e -
    1) T))) (Auer et al. 2002, Corollary 3.2). Unlike the loss form, the gain form does not amplify
    a difference between two histories.
    """

    learning_rate: float
    mixing: float
    margin: float
    weights: Weights

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.weights.values.size

    @classmethod
    def start(
        cls, *, arms: int, mixing: float, learning_rate: float | None = None, margin: float = 0.0
    ) -> Exp3Gain:
        """Return the learner before the first round."""
        share = check_range("mixing", mixing, 0.0, 1.0)
        rate = share / arms if learning_rate is None else learning_rate
        return cls(
            check_positive("learning_rate", rate),
            share,
            check_range("margin", margin, 0.0, 1e300),
            equal_weights(arms),
        )

    @classmethod
    def example(cls) -> Exp3Gain:
        """Return one to check the contract with."""
        return cls.start(arms=5, mixing=0.1, margin=3.0)

    def window(self, change: float) -> float:
        """Return within which window log-ratios of weights stay when one past gain was another one, ``change`` away.

        Let D = u - u' be the difference of two vectors of log-weights that saw the same actions,
        and r = η K / γ ≤ 4. In a round with equal gains the range of D never grows: if arm j is
        played with gain g, and E = D(j) - log Σ q' e^D is positive, then D(j) falls by r g (1 / (1
        + x) - 1 / (1 + x e^E)) ≤ r g tanh(E / 4) ≤ E, where x = (1 - γ) q'(j) K / γ, and so stays
        above that average; E < 0 is symmetric. In the round with different gains D(j) moves by at
        most r times their difference, as p ≥ γ / K. For losses the same step is an expansion. Noisy
        gains are not covered, nor gains that come after newer draws: p must be that of the current
        weights. In full: docs/proofs.md: Selection.
        """
        ratio = (
            self.learning_rate * self.weights.values.size / self.mixing
            if self.mixing > 0.0
            else math.inf
        )
        return ratio * change * (1.0 + 1e-12) if ratio <= 4.0 and self.margin == 0.0 else math.inf

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        trace = self.weights.draw(self.mixing, rng)
        return trace.arm, trace

    def learn(self, trace: Draw, released: float) -> None:
        """Move the weight of the arm that was played, unless its gain is too far out."""
        gain = 1.0 - released
        if -self.margin <= gain <= 1.0 + self.margin:
            rate = self.learning_rate / (1.0 + 2.0 * self.margin)
            self.weights.add(trace.arm, rate * (gain + self.margin) * trace.importance)
