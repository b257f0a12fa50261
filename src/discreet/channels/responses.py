"""One randomised bit in the place of every loss (local privacy): what any learner on losses in [0, 1] can hear."""

from __future__ import annotations

from typing import Self

from discreet.channels.per_round import PerRound
from discreet.contracts import Factor, Generator
from discreet.guarantee import Guarantee
from discreet.mechanisms import RandomisedResponse
from discreet.ranges import Range, check_bounds, make_range


class Responses(PerRound[Factor]):
    """Releases 0 or 1 every round, 1 the more likely the larger the loss: an ordinary loss in [0, 1] for any learner.

    With m the loss as a fraction of the declared range, P(1) = 1/2 + a (m - 1/2), a = tanh(ε / 2):
    randomised response, whose upper value is called 1. So a learner for losses in [0, 1] needs no
    change, and its regret is at most 1 / a times what its bound says (docs/regret.md: Responses).

    Formal guarantee: each bit by itself is epsilon-differentially private (local model;
    docs/proofs.md: One bit).

    >>> channel = Responses.calibrated(bounds=Range(-1.0, 1.0), epsilon=1.0)
    >>> channel.guarantee.short, channel.guarantee.model, round(channel.contrast, 6)
    ('1-differential privacy', 'local', 0.462117)
    """

    @classmethod
    def calibrated(cls, *, bounds: Range, epsilon: float) -> Self:
        """Return the channel for losses of a range."""
        return cls(
            check_bounds(bounds), RandomisedResponse.calibrate(bounds=bounds, epsilon=epsilon)
        )

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls.calibrated(bounds=make_range(-1.0, 3.0), epsilon=0.5)

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the bit of the loss."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        return True, query * (1.0 if self.bounds.fraction(noisy) > 0.5 else 0.0)

    @property
    def contrast(self) -> float:
        """By how much the mean of a bit grows with the loss, as a fraction of its range: a."""
        return 0.5 * self.bounds.width / self.noise.scale

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        source = f"{self.noise.kind} to each loss (docs/proofs.md: One bit)"
        return self.noise.guarantee(self.sensitivity, model="local", source=source)
