"""The channel of a hold-out: one noisy sum for each arm, released once."""

from __future__ import annotations

from typing import Self

import numpy as np

from componentjit import Raw
from discreet.channels.batch import UNREACHABLE
from discreet.contracts import Channel, Floats, Generator, Noise, NoiseScale
from discreet.errors import DiscreetError, check_int
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace
from discreet.ranges import Range, check_bounds, grid_for

SOURCE = "one sum for each arm, a round in one of them (docs/proofs.md: Hold-out)"


class ArmSums(Channel[float, Floats, float]):
    """Adds up the losses of each arm and releases all sums together, each with its own noise.

    A query is the number of the arm that the loss belongs to. A query below 0 is not a round: it
    asks for the release. Without one, the release comes after ``size`` rounds. It consists of sums,
    not means, in widths of the range; the number of rounds of an arm is public.

    Formal guarantee: the arm of a round is fixed by public information before its outcome, and
    replacing the outcome moves that arm's sum by at most one width and no other sum. So only one
    number moves, in one release, and epsilon is that of the noise on one sum (docs/proofs.md:
    Hold-out).

    Edge cases: out-of-range losses are clamped. Sums are exact, on the grid for ``size`` rounds.

    >>> sums = ArmSums.laplace(arms=3, size=20, epsilon=0.5, bounds=Range(0.0, 1.0))
    >>> sums.guarantee.short
    '0.5-differential privacy'
    """

    size: int
    bounds: Range
    held: Raw[Floats]  # sums of the arms, in steps of a grid, then their rounds
    sums: Raw[Floats]  # released: a buffer
    noise: Noise  # on each sum, in widths of the range

    @classmethod
    def over(cls, *, arms: int, size: int, bounds: Range, noise: Noise) -> Self:
        """Return the channel before the first round, for at most ``size`` rounds."""
        count = check_int("arms", arms, minimum=2)
        rounds = check_int("size", size, minimum=1)
        return cls(rounds, check_bounds(bounds), np.zeros(2 * count), np.zeros(count), noise)

    @classmethod
    def laplace(cls, *, arms: int, size: int, epsilon: float, bounds: Range) -> Self:
        """Return the channel with the least Laplace noise for epsilon."""
        noise = Laplace.calibrate(sensitivity=1.0, epsilon=epsilon)
        return cls.over(arms=arms, size=size, bounds=bounds, noise=noise)

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.laplace(arms=3, size=4, epsilon=0.5, bounds=Range(-1.0, 3.0))

    def take(self, feedback: float, query: float) -> bool:
        """Add a loss to the sum of its arm; return whether the release is due."""
        if query < 0.0:
            return True
        arms, arm = self.sums.size, int(query)
        self.held[arm] += self.bounds.steps(feedback, grid_for(self.size))
        self.held[arms + arm] += 1.0
        return self.rounds_seen() >= self.size

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release all sums with noise, and clear them."""
        for arm in range(self.sums.size):
            self.sums[arm] = self.held[arm] / grid_for(self.size)
        self.noise.perturb(self.sums, rng)
        for part in range(self.held.size):
            self.held[part] = 0.0
        return True, self.sums

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.sums

    def fork(self) -> Self:
        """Return a channel for other rounds."""
        return self._replace(held=np.zeros(self.held.size), sums=np.zeros(self.sums.size))

    def rounds_seen(self) -> int:
        """Return how many losses were received."""
        rounds = 0.0
        for arm in range(self.sums.size):
            rounds += self.held[self.sums.size + arm]
        return int(rounds)

    def check_held(self) -> None:
        """Refuse sums that so many losses in the range cannot have."""
        sums, counts = self.held[: self.sums.size], self.held[self.sums.size :]
        inside = (sums >= 0.0) & (sums <= counts * grid_for(self.size)) & (counts >= 0.0)
        if not (bool(inside.all()) and self.rounds_seen() <= self.size):
            raise DiscreetError(UNREACHABLE)

    def release_size(self) -> int:
        """Return the number of arms."""
        return self.sums.size

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise; without privacy there is none."""
        if not self.guarantee.is_private:
            return self
        return self._replace(noise=self.noise.exact(self.guarantee, 1.0))

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise on the one sum that moves."""
        return self.noise.guarantee(1.0, model="central", source=SOURCE)

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.noise.is_gaussian

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One noise, on each sum, in the units of the losses."""
        one = self.noise.noise_scale
        return (one._replace(scale=one.scale * self.bounds.width),)
