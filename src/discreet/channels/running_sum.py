"""Running sums of vectors: every prefix sum of a stream, with noise."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw, copy
from discreet.channels.batch import UNREACHABLE
from discreet.channels.rounding import (
    Checked,
    as_vector,
    check_affordable,
    check_precise,
    rounding_slack,
)
from discreet.contracts import Channel, Floats, Generator, Integers, Noise, NoiseScale
from discreet.errors import DiscreetError, check_int, count
from discreet.factorisations import Factorisation, Spread, Tree
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace, noise_named
from discreet.sets import Box, Projected

TOLERANCE = 1e-6  # far above what rounding adds to a sum, relative to it
SEEN, WAITING = 0, 1  # entries of ``seen``: rounds released, and whether a vector is waiting


class Stream(Channel[Floats, Floats, float]):
    """The base of all running sums: one stream of vectors, and no copies during a live run."""

    one_stream = True

    @property
    def losses(self) -> Projected:
        """The set of possible vectors; input is projected onto it first."""
        raise NotImplementedError

    def feedback_size(self) -> int:
        """Return how many numbers a vector has."""
        return self.losses.dimension

    @property
    def noise(self) -> Noise:
        """The noise that is added to rows."""
        raise NotImplementedError

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.noise.is_gaussian

    def with_noise(self, noise: Noise) -> Self:
        """Return a copy with other noise."""
        raise NotImplementedError

    def without_padding(self) -> Self:
        """Return the channel without noise that no guarantee counts on."""
        return self

    def variances_by_digits(self) -> Floats:
        """Return for each j a bound on the variance of sums of fewer than 2^j vectors.

        The unit is the variance of one noise.
        """
        raise NotImplementedError

    def noise_spread(self) -> Spread:
        """Return how large the noise in a prefix sum is."""
        raise NotImplementedError

    def rounds_to_audit(self) -> int:
        """Return how many sums an audit observes."""
        raise NotImplementedError

    def round_to_attack(self) -> int:
        """Return the round, from 0, that an audit replaces: one that is in the most rows."""
        return 0

    def restart(self) -> None:
        """Start again from nothing. This costs no privacy as long as no round is told twice."""
        raise NotImplementedError

    def _refuse_copy(self, seen: int) -> None:
        """Refuse to copy a live channel that has seen rounds.

        A copy draws its own noise. Two copies would release the same sum twice with different
        noise, and together that hides less than the guarantee needs.
        """
        if self.noise.is_exact and seen > 0:
            raise DiscreetError(
                f"this live running sum has seen {count(seen, 'round')}, but can be copied or "
                "pickled only before the first: a copy would release sums again with fresh noise."
            )


class RunningSum(Stream):
    """Releases every prefix sum of a stream of vectors, with the noise of a factorisation.

    Each vector is projected onto the set of possible vectors. The factorisation turns it into the
    rows that it completes; these get noise, and sums are computed from noisy rows alone. So the
    noise has to hide how far all rows move together if one vector is replaced (``sensitivity``),
    even when later vectors depend on earlier releases (docs/proofs.md: Adaptive trees,
    Factorisations). Beyond the number of rounds of the factorisation, nothing is released.

    Live use runs the same code: the noise is exact, vectors or rows are on its grid, and the
    sensitivity includes that (Sums on a grid). A round counts once all of its noise is drawn; if it
    fails before, the next round takes its place.

    >>> from discreet.factorisations import Tree
    >>> from discreet.sets import Box
    >>> sums = RunningSum.calibrated(
    ...     Box.cube(2, 0.0, 1.0), Tree, prefixes=999, noise="laplace", epsilon=1.0
    ... )
    >>> print(sums.guarantee.short, sums.noise)
    1-differential privacy Laplace(scale=20.0)
    """

    losses: Projected
    factorisation: Factorisation
    noise: Noise
    slack: float  # what rounding adds to the sensitivity in live use
    largest: float  # slightly above any coordinate of a vector in live use
    seen: Integers  # rounds released, and whether a vector is waiting
    vector: Raw[Floats]
    row: Raw[Floats]  # of C x, until it has noise
    fresh: Raw[Floats]  # the sum of this round, until all of its noise is drawn
    released: Raw[Floats]  # raw only if the noise has scale 0

    @classmethod
    def over(
        cls,
        losses: Projected,
        noise: Noise,
        kind: type[Factorisation],
        *,
        prefixes: int,
        padding: bool = False,
    ) -> RunningSum:
        """Return the channel before the first round, with given noise on every row."""
        if noise.is_exact:
            raise DiscreetError(
                "RunningSum takes simulation noise here; call live() to get exact noise."
            )
        return cls._before_the_first(losses, noise, _start(losses, kind, prefixes, padding))

    @classmethod
    def calibrated(
        cls,
        losses: Projected,
        kind: type[Factorisation] | Factorisation,
        *,
        prefixes: int,
        noise: str = "gaussian",
        epsilon: float,
        delta: float = 0.0,
        padding: bool = False,
    ) -> RunningSum:
        """Return the channel with the least noise for a guarantee; ``noise`` is its name.

        A factorisation that is already made, for so many prefixes, is taken as it is.
        """
        named, factorisation = noise_named(noise), _start(losses, kind, prefixes, padding)
        moved = factorisation.sensitivity(named, factorisation.prefixes) * losses.diameter(
            named.norm
        )
        least = named.for_guarantee(sensitivity=moved, epsilon=epsilon, delta=delta)
        return cls._before_the_first(losses, least, factorisation)

    @classmethod
    def _before_the_first(
        cls, losses: Projected, noise: Noise, factorisation: Factorisation
    ) -> RunningSum:
        return cls(
            losses=losses,
            factorisation=factorisation,
            noise=noise,
            slack=0.0,
            largest=math.inf,
            seen=np.zeros(2, np.int64),
            vector=np.zeros(losses.dimension),
            row=np.zeros(losses.dimension),
            fresh=np.zeros(losses.dimension),
            released=np.zeros(losses.dimension),
        )

    example_feedback: ClassVar[Floats] = np.array([0.5, -0.25, 1.0])

    @classmethod
    def example(cls) -> RunningSum:
        """Return an example for the contract tests."""
        return cls.over(Box.cube(3, -1.0, 1.0), Laplace(3.0), Tree, prefixes=20)

    @property
    def prefixes(self) -> int:
        """How many sums are released."""
        return self.factorisation.prefixes

    def take(self, feedback: Floats, query: float) -> bool:
        """Take a vector; return whether a release is due."""
        if self.seen[SEEN] >= self.factorisation.prefixes:
            return False
        vector = as_vector(feedback, self.vector.size)
        self.seen[WAITING] = 0  # until the vector is projected
        for i in range(self.vector.size):
            self.vector[i] = vector[i]
        self.losses.project(self.vector)
        self.seen[WAITING] = 1
        return True

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release the sum of all vectors so far, with noise."""
        if self.seen[WAITING] == 0:
            return False, self.released
        time = self.seen[SEEN] + 1
        for row in range(self.factorisation.rows_due(time)):
            self.factorisation.encode(time, row, self.vector, self.row)
            self.noise.perturb(self.row, rng)
            self.factorisation.decode(time, row, self.row)
        self.factorisation.prefix(time, self.row, self.fresh)
        for _ in range(self.factorisation.pads(time)):
            self.noise.perturb(self.fresh, rng)
        # The round is over: a failure from here on loses a sum, but never releases one twice.
        self.seen[WAITING] = 0
        self.seen[SEEN] = time
        self.factorisation.advance(time, self.vector, self.row)
        for i in range(self.fresh.size):
            self.released[i] = self.fresh[i]
        return True, self.released

    def check_held(self) -> None:
        """Refuse sums that this many vectors of the set cannot have."""
        seen = int(self.seen[SEEN])
        most = self.largest * (seen + TOLERANCE)
        held = np.abs(self.factorisation.raw_sums(seen))
        if not (0 <= seen <= self.prefixes and held.max(initial=0.0) <= most):
            raise DiscreetError(UNREACHABLE)

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds were received."""
        return int(self.seen[SEEN] + self.seen[WAITING])

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Start again from nothing. This costs no privacy as long as no round is told twice."""
        self.seen[SEEN] = 0
        self.seen[WAITING] = 0
        self.factorisation.forget()

    def with_noise(self, noise: Noise) -> RunningSum:
        """Return a copy with other noise."""
        return copy(self)._replace(noise=noise)

    def without_padding(self) -> RunningSum:
        """Return the channel without noise that no guarantee counts on."""
        return self._replace(factorisation=self.factorisation.without_padding())

    def max_rounds(self) -> int:
        """Return how many sums are released."""
        return self.factorisation.prefixes

    def variances_by_digits(self) -> Floats:
        """Return the bounds of the factorisation."""
        return self.factorisation.variances_by_digits()

    def noise_spread(self) -> Spread:
        """Return how large the noise in a prefix sum is."""
        return self.factorisation.noise_spread()

    def rounds_to_audit(self) -> int:
        """Return the number of sums, or of those that matter if there is no last one."""
        return self.factorisation.rounds_to_audit()

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, before the first round."""
        if self.noise.is_exact:
            return self
        vectors = Checked.of(self.losses)
        checked = copy(self)._replace(losses=vectors)
        checked.restart()
        sensitivity, guarantee = checked.sensitivity, self.guarantee
        # Rounding requires slightly more noise, which may need twice the step.
        step = 2.0 * self.noise.exact(guarantee, sensitivity).step
        grid = self.factorisation.input_grid(vectors.largest(math.inf), step)
        slack = rounding_slack(self.factorisation, vectors, sensitivity=sensitivity, step=step)
        largest = (1.0 + TOLERANCE) * (vectors.largest(math.inf) + grid)
        rounded = checked._replace(losses=vectors._replace(grid=grid), slack=slack, largest=largest)
        check_affordable(rounded.sensitivity / sensitivity - 1.0, self.prefixes)
        return rounded._replace(noise=self.noise.exact(guarantee, rounded.sensitivity))

    @property
    def sensitivity(self) -> float:
        """How far replacing a round moves all rows together, in the norm of the noise."""
        rows = self.factorisation.sensitivity(self.noise, self.prefixes)
        return rows * float(self.losses.diameter(self.noise.norm)) + self.slack

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        if not self.factorisation.allows(self.noise):
            kind = type(self.noise).__name__
            return Guarantee.none(
                f"nothing is proved for running sums by {self.factorisation.name} with {kind} noise"
            )
        sections = self.factorisation.sections + (", Sums on a grid" if self.noise.is_exact else "")
        source = f"{self.factorisation.proof} (docs/proofs.md: {sections})"
        return self.noise.joint_guarantee(self.sensitivity, model="central", source=source)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One noise, on each row."""
        return (self.noise.noise_scale,)

    def _check_copy(self) -> None:
        self._refuse_copy(self.rounds_seen())


def _start(
    losses: Projected, kind: type[Factorisation] | Factorisation, prefixes: int, padding: bool
) -> Factorisation:
    """Return the factorisation for sums that double precision can distinguish."""
    rounds = check_int("prefixes", prefixes, minimum=1)
    check_precise(losses, rounds)
    if isinstance(kind, Factorisation):
        if kind.prefixes != rounds:
            raise DiscreetError(
                f"prefixes is {rounds:,}, but the factorisation is made for {kind.prefixes:,}."
            )
        return kind
    return kind.start(prefixes=rounds, dimension=losses.dimension, padding=padding)
