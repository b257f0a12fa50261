"""Running sums of vectors by the square-root factorisation: the least error known in closed form, for short streams."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, whole
from discreet.factorisations import square_root
from discreet.guarantee import Guarantee
from discreet.kernel import compiled
from discreet.mechanisms import Gaussian

LONGEST = 2**16


@compiled
class SquareRoot(NamedTuple):
    """Releases every prefix sum of a stream of vectors as C (C x + z), C C = A the lower triangle of ones.

    c(k) = binom(2k, k) / 4^k. All of it is one Gaussian mechanism with sensitivity diam₂ · norm(c), also when later
    vectors depend on earlier releases (docs/proofs.md, section 13). A round costs as much as there were rounds before,
    and all of them are remembered: for long streams :class:`Buffered` comes within 1 % of its error with a few buffers.
    """

    losses: Any
    mechanism: Gaussian
    prefixes: int
    coefficients: Floats
    seen: Integers
    raw: Floats  # round, coordinate
    noisy: Floats  # round, coordinate: C x + z
    vector: Floats
    released: Floats

    @classmethod
    def over(cls, losses: Any, *, prefixes: int, epsilon: float, delta: float) -> SquareRoot:
        """Return the channel with the least noise for a guarantee, before the first round."""
        rounds = whole("prefixes", prefixes, least=1)
        if rounds > LONGEST:
            raise DiscreetError(
                f"sqrt-toeplitz remembers all rounds, at most {LONGEST:,}, but there are {rounds:,}: "
                "blt has nearly the same error with a few buffers."
            )
        coefficients = square_root(rounds)
        reach = losses.diameter(2.0) * float(np.sqrt((coefficients**2).sum()))
        mechanism = Gaussian.calibrate(sensitivity=reach, epsilon=epsilon, delta=delta)
        shape = rounds, losses.dimension
        return cls(
            losses,
            mechanism,
            rounds,
            coefficients,
            np.zeros(1, np.int64),
            *(np.zeros(shape) for _ in range(2)),
            *(np.zeros(losses.dimension) for _ in range(2)),
        )

    def hold(self) -> int:
        """Return 1: a new action every round."""
        return 1

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with correlated noise."""
        if self.seen[0] >= self.prefixes:
            return False, self.released
        last = self.seen[0]
        self.seen[0] += 1
        size = self.vector.size
        for i in range(size):
            self.vector[i] = feedback[i]
        self.losses.project(self.vector)
        for i in range(size):
            self.raw[last, i] = self.vector[i]
            self.vector[i] = 0.0
            self.released[i] = 0.0
        for s in range(last + 1):
            weight = self.coefficients[last - s]
            for i in range(size):
                self.vector[i] += weight * self.raw[s, i]
        self.mechanism.perturb(self.vector, rng)
        for i in range(size):
            self.noisy[last, i] = self.vector[i]
        for s in range(last + 1):
            weight = self.coefficients[last - s]
            for i in range(size):
                self.released[i] += weight * self.noisy[s, i]
        return True, self.released

    def live(self) -> SquareRoot:
        """Return the channel with exact noise."""
        raise DiscreetError("running sums cannot be used live yet: they can be simulated.")

    def fork(self) -> SquareRoot:
        """Return this channel: all rounds are one stream, in the order in which they come."""
        return self

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves C x, in L2: the diameter times the largest column norm of C."""
        return float(self.losses.diameter(2.0) * np.sqrt((self.coefficients**2).sum()))

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        source = "Gaussian factorisation of prefix sums, adaptive inputs (docs/proofs.md, section 13)"
        return self.mechanism.guarantee(self.sensitivity, model="central", source=source)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """One noise, on each filtered vector."""
        return (self.mechanism.noise(),)

    def __repr__(self) -> str:
        return f"SquareRoot({self.prefixes} prefixes, mechanism={self.mechanism}, raw=<hidden>)"
