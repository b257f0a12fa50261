"""Running sums of vectors by the square-root factorisation: the least error known in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.channels.buffered import NOT_GAUSSIAN
from discreet.channels.fourier import convolve, spectrum_of, waves
from discreet.channels.rounding import check_precise
from discreet.channels.square_root_live import LiveSquareRoot
from discreet.contracts import Channel, Floats, Generator, Integers
from discreet.errors import DiscreetError, check_int
from discreet.factorisations import square_root
from discreet.guarantee import Guarantee
from discreet.mechanisms import Gaussian

MOST_NUMBERS = 2**25  # in memory, 8 bytes each


class SquareRoot(Channel):
    """Releases every prefix sum of a stream of vectors as C (C x + z), C C = A the lower triangle of ones.

    c(k) = binom(2k, k) / 4^k. All of it is one Gaussian mechanism with sensitivity diam₂ · norm(c), also when later
    vectors depend on earlier releases (docs/proofs.md: Factorisations).

    C (C x + z) = A x + C z, and C z does not depend on the vectors: a simulation draws all of it before the first round,
    with a fast convolution, and adds it to exact sums. That has the same distribution, and costs O(log m) a round and
    coordinate. Live use computes C x and adds exact noise to it (:class:`LiveSquareRoot`). Both remember as much as there
    are rounds: for long streams :class:`Buffered` comes within 1 % of the error with a few buffers.
    """

    one_stream = True

    losses: Any
    mechanism: Gaussian
    prefixes: int
    coefficients: Floats
    spectrum: Floats
    circle: Floats
    work: Floats
    correlated: Floats  # round, coordinate: C z
    seen: Integers
    sums: Floats
    vector: Floats
    released: Floats

    @classmethod
    def over(cls, losses: Any, *, prefixes: int, epsilon: float, delta: float) -> SquareRoot:
        """Return the channel with the least noise for a guarantee, before the first round."""
        rounds = check_int("prefixes", prefixes, least=1)
        check_precise(losses, rounds)
        size = 1 << (2 * rounds - 1).bit_length()
        needed = rounds * losses.dimension + 5 * size
        if needed > MOST_NUMBERS:
            raise DiscreetError(
                f"prefixes is {rounds:,}, but sqrt-toeplitz remembers all rounds, which would take {needed:,} numbers "
                f"where {MOST_NUMBERS:,} are allowed: blt has nearly the same error with a few buffers."
            )
        coefficients = square_root(rounds)
        reach = losses.diameter(2.0) * float(np.sqrt((coefficients**2).sum()))
        return cls(
            losses,
            Gaussian.calibrate(sensitivity=reach, epsilon=epsilon, delta=delta),
            rounds,
            coefficients,
            spectrum_of(coefficients, size),
            waves(size),
            np.zeros((2, size)),
            np.zeros((rounds, losses.dimension)),
            np.zeros(1, np.int64),
            *(np.zeros(losses.dimension) for _ in range(3)),
        )

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with correlated noise."""
        if self.seen[0] >= self.prefixes:
            return False, self.released
        if self.seen[0] == 0:
            self.draw_ahead(rng)
            self.sums[:] = 0.0
        last = self.seen[0]
        self.seen[0] += 1
        size = self.vector.size
        for i in range(size):
            self.vector[i] = feedback[i]
        self.losses.project(self.vector)
        for i in range(size):
            self.sums[i] += self.vector[i]
            self.released[i] = self.sums[i] + self.correlated[last, i]
        return True, self.released

    def draw_ahead(self, rng: Generator) -> None:
        """Draw the noise of all rounds, two coordinates at a time: they are real and imaginary part of one sequence."""
        size = self.vector.size
        for i in range(0, size, 2):
            self.work[:] = 0.0
            for t in range(self.prefixes):
                self.work[0, t] = self.mechanism.add_noise(0.0, rng)
                if i + 1 < size:
                    self.work[1, t] = self.mechanism.add_noise(0.0, rng)
            convolve(self.work, self.spectrum, self.circle)
            for t in range(self.prefixes):
                self.correlated[t, i] = self.work[0, t]
                if i + 1 < size:
                    self.correlated[t, i + 1] = self.work[1, t]

    def rounds_seen(self) -> int:
        """Return how many rounds came."""
        return int(self.seen[0])

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Forget everything and begin anew, with new noise. It costs no privacy if none of the rounds is told again."""
        self.seen[0] = 0

    def live(self) -> LiveSquareRoot:
        """Return the channel with exact noise, before the first round."""
        return LiveSquareRoot.over(self.losses, self.mechanism, self.coefficients, self.guarantee)

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves C x, in L2: the diameter times the largest column norm of C."""
        return float(self.losses.diameter(2.0) * np.sqrt((self.coefficients**2).sum()))

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        if not isinstance(self.mechanism, Gaussian):
            return NOT_GAUSSIAN
        source = "Gaussian factorisation of prefix sums, adaptive inputs (docs/proofs.md: Factorisations)"
        return self.mechanism.guarantee(self.sensitivity, model="central", source=source)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """One noise, on each filtered vector."""
        return (self.mechanism.noise(),)
