"""Running sums of vectors by a buffered linear Toeplitz factorisation: a few buffers, and the least error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.channels.live import Live
from discreet.channels.rounding import UNIT, Checked, check_precise, rounded_rows
from discreet.contracts import Channel, Floats, Generator, Integers
from discreet.errors import check_int
from discreet.factorisations import buffered, column_norm
from discreet.guarantee import Guarantee
from discreet.kernel import copy
from discreet.mechanisms import ExactGaussian, Gaussian

NOT_GAUSSIAN = Guarantee.none("nothing is proved of factorisations with noise that is not Gaussian")


class Buffered(Channel):
    """Releases every prefix sum of a stream of vectors with correlated Gaussian noise.

    The noisy release is w = C x + z, C a Toeplitz matrix with c(0) = 1 and c(k) = Σ output(j) decay(j)^(k - 1), and the
    estimates C⁻¹ w of the single vectors are added up. All of that is one Gaussian mechanism with sensitivity
    diam₂ · norm(c), also when later vectors depend on earlier releases (docs/proofs.md: Factorisations). Both C and its
    inverse need one buffer for each decay. After the number of rounds that it is made for nothing more is released.
    In live use C x is rounded to the grid of the noise, and its rounding errors are paid for (Sums on a grid).
    """

    one_stream = True

    losses: Any
    mechanism: Gaussian | ExactGaussian
    prefixes: int
    slack: float  # what rounding adds to the sensitivity in live use; 0 in simulation
    decay: Floats
    output: Floats
    seen: Integers
    raw: Floats  # buffer, coordinate: of C, filled by the vectors themselves
    noisy: Floats  # buffer, coordinate: of its inverse, filled by released estimates
    vector: Floats
    released: Floats

    @classmethod
    def over(cls, losses: Any, *, prefixes: int, epsilon: float, delta: float) -> Buffered:
        """Return the channel with the least noise for a guarantee, before the first round."""
        rounds = check_int("prefixes", prefixes, least=1)
        check_precise(losses, rounds)
        matrix = buffered(max(2, rounds))
        reach = losses.diameter(2.0) * column_norm(matrix.decay, matrix.output, rounds)
        mechanism = Gaussian.calibrate(sensitivity=reach, epsilon=epsilon, delta=delta)
        shape = matrix.decay.size, losses.dimension
        return cls(
            losses,
            mechanism,
            rounds,
            0.0,
            matrix.decay.copy(),
            matrix.output.copy(),
            np.zeros(1, np.int64),
            *(np.zeros(shape) for _ in range(2)),
            *(np.zeros(losses.dimension) for _ in range(2)),
        )

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with correlated noise."""
        if self.seen[0] >= self.prefixes:
            return False, self.released
        self.seen[0] += 1
        size, buffers = self.vector.size, self.decay.size
        for i in range(size):
            self.vector[i] = feedback[i]
        self.losses.project(self.vector)
        for i in range(size):
            value = self.vector[i]
            total = value
            for j in range(buffers):
                total += self.output[j] * self.raw[j, i]
                self.raw[j, i] = self.decay[j] * self.raw[j, i] + value
            self.vector[i] = total
        self.mechanism.perturb(self.vector, rng)
        for j in range(buffers):  # coordinates inside: neighbours in memory
            output = self.output[j]
            for i in range(size):
                self.vector[i] -= output * self.noisy[j, i]
        for j in range(buffers):
            decay = self.decay[j]
            for i in range(size):
                self.noisy[j, i] = decay * self.noisy[j, i] + self.vector[i]
        for i in range(size):
            self.released[i] += self.vector[i]
        return True, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds came."""
        return int(self.seen[0])

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Forget everything and begin anew. It costs no privacy if other rounds follow: none may be told again."""
        self.seen[0] = 0
        self.raw[:] = 0.0
        self.noisy[:] = 0.0
        self.released[:] = 0.0

    def live(self) -> LiveBuffered:
        """Return the channel with exact noise, before the first round."""
        exact = copy(self)._replace(losses=Checked.of(self.losses))
        exact.restart()
        mechanism, slack = rounded_rows(
            self.mechanism,
            self.guarantee,
            sensitivity=exact.sensitivity,
            losses=exact.losses,
            prefixes=self.prefixes,
            error=exact.error(),
        )
        return LiveBuffered(*exact._replace(mechanism=mechanism, slack=slack))

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves C x, in L2: the diameter times the largest column norm of C."""
        columns = column_norm(self.decay, self.output, self.prefixes)
        return float(self.losses.diameter(2.0) * columns) + self.slack

    def error(self) -> float:
        """Return a bound on the rounding errors of a coordinate of C x, in L2 over all rounds.

        A buffer of size at most r gets an error of about 2 r units in each round, and keeps it for as long as it keeps
        the vectors themselves (docs/proofs.md: Sums on a grid).
        """
        rounds, largest, sizes = float(self.prefixes), self.losses.largest(np.inf), np.abs(self.output)
        with np.errstate(divide="ignore"):
            reach = np.minimum(rounds, 1.0 / (1.0 - np.abs(self.decay)))
        growing = np.sqrt(np.minimum(rounds**5 / 5.0, 4.0 * rounds * reach**4))
        steady = float(sizes @ reach) + (sizes.size + 1) * (1.0 + float(sizes @ reach))
        return float(1.03 * UNIT * largest * (float(sizes @ growing) + math.sqrt(rounds) * steady))

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        if not isinstance(self.mechanism, Gaussian | ExactGaussian):
            return NOT_GAUSSIAN
        sections = "Factorisations" if self.slack == 0.0 else "Factorisations, Sums on a grid"
        source = f"Gaussian factorisation of prefix sums, adaptive inputs (docs/proofs.md: {sections})"
        return self.mechanism.guarantee(self.sensitivity, model="central", source=source)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """One noise, on each filtered vector."""
        return (self.mechanism.noise(),)


class LiveBuffered(Live, Buffered):
    """The same in live use."""

    __slots__ = ()
