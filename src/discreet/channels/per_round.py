"""Noise on the feedback of every single round (local privacy)."""

from __future__ import annotations

from discreet.contracts import Channel, Generator, Noise, NoiseScale, Query, Release
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace
from discreet.ranges import Range, make_range


class PerRound(Channel):
    """Releases ``loss + noise`` every round, as a fraction of the declared range.

    Formal guarantee: a round enters one release, and replacing it moves the clamped loss by at most the width of the
    range; so epsilon = width / scale for Laplace noise, for each report by itself (local model).

    >>> from discreet.mechanisms import Laplace
    >>> channel = PerRound(Range(-1.0, 1.0), Laplace.calibrate(sensitivity=2.0, epsilon=1.0))
    >>> channel.guarantee.short, channel.guarantee.model, channel.guarantee.source
    ('1-differential privacy', 'local', 'laplace mechanism on each loss (docs/proofs.md: Batches)')
    """

    holds_feedback = False

    bounds: Range
    noise: Noise

    @classmethod
    def example(cls) -> PerRound:
        """Return one to check the contract with."""
        return cls(make_range(), Laplace.calibrate(sensitivity=1.0, epsilon=2.0))

    def offer(self, feedback: float, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Release the loss with fresh noise; clamping first makes the guarantee independent of good input."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        return True, query * self.bounds.fraction(noisy)

    def _with_exact_noise(self) -> PerRound:
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
