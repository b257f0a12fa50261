"""A final release: the noisy sum of all losses of each arm, and their number."""

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

SOURCE = "one sum of all losses of each arm, once (docs/proofs.md: Final release)"


class FinalSums(Channel[float, Floats, float]):
    """Adds up the losses of each arm and releases all sums once, with the number of losses in each.

    A query is the number of the arm that the loss belongs to. A query below 0 is not a round: it
    asks for the release. Without one, the release comes after ``size`` rounds; a live run has
    fewer. Sums are in widths of the range.

    Formal guarantee: given everything that was seen before, the arm of a round is fixed. Replacing
    its outcome moves that arm's sum by at most one width, and no other number: epsilon is that of
    the noise on one sum (docs/proofs.md: Final release).

    Edge cases: out-of-range losses are clamped. Sums are exact, on the grid for ``size`` rounds.

    >>> sums = FinalSums.laplace(arms=3, size=20, epsilon=0.5, bounds=Range(0.0, 1.0))
    >>> sums.guarantee.short
    '0.5-differential privacy'
    """

    one_stream = True

    size: int
    bounds: Range
    held: Raw[Floats]  # sums of the arms, in steps of a grid, then their rounds
    released: Raw[Floats]  # a buffer
    noise: Noise  # on each sum, in widths of the range

    @classmethod
    def laplace(cls, *, arms: int, size: int, epsilon: float, bounds: Range) -> Self:
        """Return the channel for at most ``size`` rounds, with the least Laplace noise."""
        number = 2 * check_int("arms", arms, minimum=2)
        rounds, noise = check_int("size", size, minimum=1), Laplace.calibrate
        return cls(
            rounds,
            check_bounds(bounds),
            np.zeros(number),
            np.zeros(number),
            noise(sensitivity=1.0, epsilon=epsilon),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.laplace(arms=3, size=4, epsilon=0.5, bounds=Range(-1.0, 3.0))

    def take(self, feedback: float, query: float) -> bool:
        """Add a loss to the sum of its arm; return whether the release is due."""
        if query < 0.0:
            return True
        arm = int(query)
        self.held[arm] += self.bounds.steps(feedback, grid_for(self.size))
        self.held[self.held.size // 2 + arm] += 1.0
        return self.rounds_seen() >= self.size

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release all sums with noise, and their rounds; clear them."""
        arms = self.held.size // 2
        for arm in range(arms):
            total = self.held[arm] / grid_for(self.size)
            self.released[arm] = self.noise.add_noise(total, rng)
            self.released[arms + arm] = self.held[arms + arm]
        for part in range(self.held.size):
            self.held[part] = 0.0
        return True, self.released

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.released

    def rounds_seen(self) -> int:
        """Return how many losses were received."""
        rounds = 0.0
        for part in range(self.held.size // 2, self.held.size):
            rounds += self.held[part]
        return int(rounds)

    def check_held(self) -> None:
        """Refuse sums that so many losses in the range cannot have."""
        sums, counts = np.split(self.held, 2)
        inside = (sums >= 0.0) & (sums <= counts * grid_for(self.size)) & (counts >= 0.0)
        if not (bool(inside.all()) and self.rounds_seen() <= self.size):
            raise DiscreetError(UNREACHABLE)

    def release_size(self) -> int:
        """Return the length of a release: two numbers for each arm."""
        return self.held.size

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise."""
        return self._replace(noise=self.noise.exact(self.guarantee, 1.0))

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise on the one sum that moves."""
        return self.noise.guarantee(1.0, model="central", source=SOURCE)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One noise, on each sum, in the units of the losses."""
        one = self.noise.noise_scale
        return (one._replace(scale=one.scale * self.bounds.width),)
