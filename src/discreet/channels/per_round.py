"""One release in every round: a loss, one bit about it, or the difference of two values."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import helper
from discreet.contracts import Channel, Factor, Feedback, Floats, Generator, Noise, NoiseScale
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace, RandomisedResponse
from discreet.ranges import Range, check_bounds, make_range


class EveryRound(Channel[Feedback, Factor]):
    """Releases one number per round immediately, with noise; subclasses choose the number."""

    holds_feedback = False

    bounds: Range
    noise: Noise

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise."""
        return self._replace(noise=self.noise.exact(self.guarantee, self.sensitivity))

    @property
    def sensitivity(self) -> float:
        """How far replacing one round moves the number that gets noise."""
        return self.bounds.width

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
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
        """Return an example for the contract tests."""
        return cls(make_range(), Laplace.calibrate(sensitivity=1.0, epsilon=2.0))

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the loss with fresh noise; clamped first, so that bad input costs no privacy."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        return True, query * self.bounds.fraction(noisy)


class Responses(PerRound[Factor]):
    """Releases one random bit per round in place of the loss: 1 is likelier for larger losses.

    With m the loss as a fraction of the declared range, P(1) = 1/2 + a (m - 1/2), a = tanh(ε / 2):
    randomised response whose upper value is called 1. To a learner, the bit is an ordinary loss in
    [0, 1]. The learner needs no change, and its regret is at most 1 / a times its bound
    (docs/regret.md: Responses).

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
        """Return an example for the contract tests."""
        return cls.calibrated(bounds=make_range(-1.0, 3.0), epsilon=0.5)

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the bit of the loss."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        return True, query * (1.0 if self.bounds.fraction(noisy) > 0.5 else 0.0)

    @property
    def contrast(self) -> float:
        """a: how much the mean of a bit grows with the loss, as a fraction of its range."""
        return 0.5 * self.bounds.width / self.noise.scale

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        source = f"{self.noise.kind} to each loss (docs/proofs.md: One bit)"
        return self.noise.guarantee(self.sensitivity, model="local", source=source)


@helper
def difference(feedback: Floats) -> float:
    """Return the first value minus the second, or 0 if that is NaN."""
    found = float(feedback[0]) - float(feedback[1])
    return 0.0 if math.isnan(found) else found


class PerDifference(EveryRound[Floats, Factor]):
    """Releases the noisy difference of two values per round, as a fraction of its range.

    ``bounds`` is the range of differences: from -2 ζ G to 2 ζ G if functions are G-Lipschitz and
    the points 2 ζ apart. Differences are clamped to it, so replacing a round moves them by at most
    4 ζ G, whatever the functions are.
    """

    example_feedback: ClassVar[Floats] = np.array([0.3, 0.1])

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls(make_range(-0.5, 0.5), Laplace.calibrate(sensitivity=1.0, epsilon=2.0))

    def feedback_size(self) -> int:
        """Return how many losses a round has."""
        return 2

    def offer(self, feedback: Floats, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the difference with fresh noise."""
        noisy = self.noise.add_noise(self.bounds.clamp(difference(feedback)), rng)
        return True, query * self.bounds.fraction(noisy)


class OpenDifference(Channel[Floats, Factor]):
    """Releases every difference as a fraction of its range, without privacy."""

    holds_feedback = False

    bounds: Range

    example_feedback: ClassVar[Floats] = np.array([0.3, 0.1])

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls(make_range(-0.5, 0.5))

    def feedback_size(self) -> int:
        """Return how many losses a round has."""
        return 2

    def offer(self, feedback: Floats, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the difference itself."""
        return True, query * self.bounds.fraction(difference(feedback))

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
