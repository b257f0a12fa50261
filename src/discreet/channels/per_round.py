"""Noise on the feedback of every single round (local privacy)."""

from __future__ import annotations

from typing import Self

from discreet.contracts import Channel, Factor, Feedback, Generator, Noise, NoiseScale
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace
from discreet.ranges import Range, make_range


class EveryRound(Channel[Feedback, Factor]):
    """Releases one number of each round at once, with noise; a subclass says which."""

    holds_feedback = False

    bounds: Range
    noise: Noise

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise."""
        return self._replace(noise=self.noise.exact(self.guarantee, self.sensitivity))

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves what gets noise."""
        return self.bounds.width

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        source = f"{self.noise.kind} mechanism on each loss (docs/proofs.md: Batches)"
        return self.noise.guarantee(self.sensitivity, model="local", source=source)

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.noise.is_gaussian

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One noise, on each loss."""
        return (self.noise.noise_scale,)


class PerRound(EveryRound[float, Factor]):
    """Releases ``loss + noise`` every round, as a fraction of the declared range.

    Formal guarantee: a round enters one release, and replacing it moves the clamped loss by at most
    the width of the range; so epsilon = width / scale for Laplace noise, for each report by itself
    (local model).

    >>> from discreet.mechanisms import Laplace
    >>> channel = PerRound(Range(-1.0, 1.0), Laplace.calibrate(sensitivity=2.0, epsilon=1.0))
    >>> channel.guarantee.short, channel.guarantee.model, channel.guarantee.source
    ('1-differential privacy', 'local', 'laplace mechanism on each loss (docs/proofs.md: Batches)')
    """

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls(make_range(), Laplace.calibrate(sensitivity=1.0, epsilon=2.0))

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the loss with fresh noise; clamping first makes the guarantee independent of good input."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        return True, query * self.bounds.fraction(noisy)
