"""Pure noise for vectors of length at most 1: every report is a direction of the same length."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw, helper
from discreet.contracts import Floats, Generator, Noise
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.guarantee import Guarantee, Model
from discreet.lengths import check_vector
from discreet.mechanisms.exact_directions import ExactHemisphere

CLOSE = 1e-9  # relative rounding error of an epsilon that is computed from a cap
SMALLEST = 1e-290  # the smallest share of the sphere that is a safe divisor
# The least probability of the unlikely side or of missing the cap. An epsilon that would allow less
# is not used in full.
EVEN = 2.0**-53


class DirectionShape(Noise):
    """A direction times ``reach``, whose mean is the vector; its length is at most 1.

    Every report costs epsilon, even for the smallest movement; nothing is proved for several
    reports about one vector.
    """

    norm: ClassVar[float] = 2.0
    is_bounded: ClassVar[bool] = True
    has_memory: ClassVar[bool] = False

    def unit_variance(self, dimension: int) -> float:
        """Return 1 / N: the mean square of a coordinate, averaged over all of them."""
        return 1.0 / dimension

    @property
    def direction(self) -> Floats:
        """A scratch array, of the dimension that the noise is for."""
        raise NotImplementedError

    def fits_vectors_of(self, size: int) -> bool:
        """Return whether the noise was made for that dimension."""
        return size == self.direction.size

    def add_noise(self, value: float, rng: Generator) -> float:
        """Refuse: a direction is for vectors."""
        raise DiscreetError("noise on directions is for vectors, not for single numbers.")

    def densities(self, reports: Floats, vector: Floats) -> Floats:
        """Return the density of each report (a row) for a vector; a uniform direction has 1."""
        raise NotImplementedError


class Hemisphere(DirectionShape):
    """Reports a direction z times ``reach``, more often on the side of the vector v.

    P(⟨z, v⟩ ≥ 0) = 1/2 + tanh(ε/2) |v| / 2, and z is uniform given its side (Duchi, Jordan &
    Wainwright 2018). So the report is ε-differentially private; its mean is v with reach = sqrt(π)
    Γ((N+1)/2) / Γ(N/2) / tanh(ε/2) (docs/proofs.md: Directions). Only a coin depends on the data,
    and live use can toss it exactly.

    >>> round(Hemisphere.calibrate(dimension=10, epsilon=1.0).reach, 6)
    8.365047
    """

    kind: ClassVar[str] = "hemisphere"

    reach: float
    epsilon: float
    direction: Raw[Floats]  # scratch

    @classmethod
    def calibrate(cls, *, dimension: int, epsilon: float) -> Self:
        """Return the noise for vectors of a dimension."""
        size = check_int("dimension", dimension, minimum=1)
        budget = check_positive("epsilon", epsilon)
        return cls(1.0 / (mean_side(size) * lean_of(budget)), budget, np.zeros(size))

    @property
    def scale(self) -> float:
        """The length of a report."""
        return self.reach

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Replace a vector by a report about it."""
        check_vector(vector.size, self.direction.size)
        length, size, side = 0.0, 0.0, 0.0
        for i in range(vector.size):
            part = rng.standard_normal()
            length += vector[i] * vector[i]
            size += part * part
            side += part * vector[i]
            self.direction[i] = part
        length = min(1.0, math.sqrt(length)) if length >= 0.0 else 0.0
        towards = rng.random() < 0.5 + 0.5 * lean_of(self.epsilon) * length
        factor = self.reach / math.sqrt(size) if size > 0.0 else 0.0
        if (side >= 0.0) != towards:
            factor = -factor
        for i in range(vector.size):
            vector[i] = factor * self.direction[i]
            self.direction[i] = 0.0

    def densities(self, reports: Floats, vector: Floats) -> Floats:
        """Return 1 ± tanh(ε/2) |v|, by the side of each report."""
        tilt = lean_of(self.epsilon) * min(1.0, float(np.linalg.norm(vector)))
        return np.where(reports @ vector >= 0.0, 1.0 + tilt, 1.0 - tilt)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one report: epsilon, even for the smallest movement."""
        return Guarantee.of(Pure(self.epsilon), delta=0.0, model=model, source=source)

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactHemisphere:
        """Return the exact version with the same epsilon."""
        return ExactHemisphere.calibrate(dimension=self.direction.size, epsilon=self.epsilon)


class Cap(DirectionShape):
    """Reports a direction z times ``reach``, more often from the cap ⟨z, u⟩ ≥ γ.

    The cap is around u = ±v / |v|, which has the sign of v with probability (1 + |v|) / 2. With q
    the cap's share of the sphere, z is uniform on the cap with probability p = e^ε q / (1 - q + e^ε
    q), and on the rest otherwise (PrivUnit: Bhowmick et al. 2018). So the densities of two vectors
    differ by at most e^ε. ``calibrate`` finds the γ of the shortest report with mean v
    (docs/proofs.md: Directions). For simulation only: rejection decides whether z is in the cap,
    and its time depends on the data.

    >>> cap = Cap.calibrate(dimension=10, epsilon=1.0)
    >>> round(cap.reach, 6), round(cap.threshold, 4), round(cap.inside, 4)
    (7.793115, 0.1283, 0.5978)
    """

    kind: ClassVar[str] = "cap"

    threshold: float  # γ
    inside: float  # p
    reach: float
    epsilon: float
    direction: Raw[Floats]  # scratch

    @classmethod
    def calibrate(cls, *, dimension: int, epsilon: float) -> Self:
        """Return the noise with the shortest reports for vectors of a dimension."""
        if check_int("dimension", dimension, minimum=1) < 2:
            raise DiscreetError(
                f"dimension is {dimension}, but a cap needs at least 2: use Hemisphere."
            )
        from scipy import optimize

        budget = check_positive("epsilon", epsilon)
        # Beyond this, a cap is less than about e^(-ε-20) of the sphere, and a search would see only
        # zeros. ε counts up to 600, where exp is still finite.
        most = min(0.999, math.sqrt(2.0 * (min(budget, 600.0) + 20.0) / max(1, dimension - 1)))
        found = optimize.minimize_scalar(
            lambda threshold: -_mean_along(dimension, budget, threshold),
            bounds=(0.0, most),
            method="bounded",
            options={"xatol": 1e-10},
        )
        threshold = max(0.0, float(found.x), key=lambda each: _mean_along(dimension, budget, each))
        inside = _inside(cap_share(dimension, threshold), budget)
        return cls(
            threshold,
            inside,
            1.0 / _mean_along(dimension, budget, threshold),
            budget,
            np.zeros(dimension),
        )

    @property
    def scale(self) -> float:
        """The length of a report."""
        return self.reach

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Replace a vector by a report about it."""
        size = vector.size
        check_vector(size, self.direction.size)
        length = 0.0
        for i in range(size):
            length += vector[i] * vector[i]
        length = math.sqrt(length) if length >= 0.0 else 0.0
        sign = 1.0 if rng.random() < 0.5 + 0.5 * min(1.0, length) else -1.0
        along = self.along_tail(rng) if rng.random() < self.inside else self.along_rest(rng)
        if not 1e-150 < length < math.inf:  # no direction can be computed, so any will do
            for i in range(size):
                vector[i] = 0.0
            vector[0] = length = 1.0
        dot = 0.0
        for i in range(size):
            vector[i] *= sign / length
            self.direction[i] = rng.standard_normal()
            dot += self.direction[i] * vector[i]
        rest = 0.0
        for i in range(size):
            self.direction[i] -= dot * vector[i]
            rest += self.direction[i] * self.direction[i]
        across = self.reach * math.sqrt((1.0 - along * along) / rest) if rest > 0.0 else 0.0
        for i in range(size):
            vector[i] = self.reach * along * vector[i] + across * self.direction[i]
            self.direction[i] = 0.0

    def along_rest(self, rng: Generator) -> float:
        """Return the coordinate along the axis of a uniform direction outside the cap.

        At least half of all directions are outside, so rejection is fast.
        """
        along = 1.0
        while along >= self.threshold:
            along = draw_coordinate(self.direction.size, rng)
        return along

    def along_tail(self, rng: Generator) -> float:
        """Return the coordinate along the axis of a uniform direction in the cap.

        Its density is proportional to (1 - z²)^((N-3)/2), which is log-concave for N ≥ 4, so an
        exponential that touches it at γ lies above it. A draw from that exponential, up to 1, is
        accepted with the ratio of the two. On a circle it is the cosine of a uniform angle, and in
        three dimensions it is uniform.
        """
        power, start = 0.5 * (self.direction.size - 3), self.threshold
        if power < 0.0:
            return math.cos(rng.random() * math.acos(start))
        if power == 0.0:
            return start + (1.0 - start) * rng.random()
        slope = 2.0 * power * start / (1.0 - start * start)
        if slope < 1.0:  # the cap is nearly half of the sphere: plain rejection is fast
            along = -1.0
            while along < start:
                along = draw_coordinate(self.direction.size, rng)
            return along
        missing = math.exp(-slope * (1.0 - start))
        while True:
            step = -math.log(1.0 - rng.random() * (1.0 - missing)) / slope
            along = min(start + step, 1.0)
            left = (1.0 - along * along) / (1.0 - start * start)
            if rng.random() < left**power * math.exp(slope * step):
                return along

    def densities(self, reports: Floats, vector: Floats) -> Floats:
        """Return p / q in the cap and (1 - p) / (1 - q) elsewhere, mixed over both signs."""
        length = float(np.linalg.norm(vector))
        share = cap_share(self.direction.size, self.threshold)
        along = (
            reports @ (vector / length) / self.reach if length > 0.0 else reports[:, 0] / self.reach
        )
        within, beyond = self.inside / share, (1.0 - self.inside) / (1.0 - share)
        signs = (0.5 + 0.5 * min(1.0, length), 1.0), (0.5 - 0.5 * min(1.0, length), -1.0)
        total = np.zeros(len(reports))
        for chance, sign in signs:
            total += chance * np.where(sign * along >= self.threshold, within, beyond)
        return total

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one report, from the cap's share of the sphere."""
        share = cap_share(self.direction.size, self.threshold)
        found = abs(math.log(self.inside / (1.0 - self.inside)) - math.log(share / (1.0 - share)))
        stated = (
            self.epsilon if abs(found - self.epsilon) <= CLOSE * max(1.0, self.epsilon) else found
        )
        return Guarantee.of(Pure(stated), delta=0.0, model=model, source=source)


@helper
def draw_coordinate(dimension: int, rng: Generator) -> float:
    """Return one coordinate of a uniform direction in at least two dimensions.

    Two of its coordinates have a uniform angle, and 1 - (the sum of their squares) = z^(2/(N-2))
    with z uniform.

    >>> rng = np.random.default_rng(1)
    >>> squares = [draw_coordinate(10, rng) ** 2 for _ in range(10_000)]
    >>> round(float(np.mean(squares)), 2)  # 1 / N
    0.1
    """
    radius = 1.0
    if dimension > 2:
        radius = math.sqrt(-math.expm1(2.0 * math.log(1.0 - rng.random()) / (dimension - 2)))
    return radius * math.cos(2.0 * math.pi * rng.random())


@helper
def lean_of(epsilon: float) -> float:
    """Return tanh(ε/2), how much more often one side is reported than the other; below 1."""
    return min(math.tanh(0.5 * epsilon), 1.0 - 2.0 * EVEN)


def mean_side(dimension: int) -> float:
    """Return the mean of |⟨z, u⟩| for a uniform direction z: Γ(N/2) / (sqrt(π) Γ((N+1)/2))."""
    from scipy import special

    ratio = special.gammaln(0.5 * dimension) - special.gammaln(0.5 * (dimension + 1))
    return math.exp(float(ratio)) / math.sqrt(math.pi)


def cap_share(dimension: int, threshold: float) -> float:
    """Return q = P(⟨z, u⟩ ≥ γ) for a uniform z; (1 + ⟨z, u⟩) / 2 is Beta((N-1)/2, (N-1)/2)."""
    from scipy import special

    half = 0.5 * (dimension - 1)
    return float(special.betainc(half, half, 0.5 * (1.0 - threshold)))


def _inside(share: float, epsilon: float) -> float:
    """Return p = e^ε q / (1 - q + e^ε q) without overflow, rounded so that it costs at most ε."""
    rest = (1.0 - share) * math.exp(-epsilon)
    inside = share / (share + rest)
    if inside > 0.5:
        inside = 1.0 - max(EVEN, rest / (share + rest))
        if 1.0 - inside < rest / (share + rest):
            inside = math.nextafter(inside, 0.0)
    return inside


def _mean_along(dimension: int, epsilon: float, threshold: float) -> float:
    """Return E ⟨z, u⟩ = c (p / q - (1 - p) / (1 - q)), c the mean of ⟨z, u⟩ over the cap."""
    share = cap_share(dimension, threshold)
    if not share > SMALLEST:
        return 0.0
    part = 0.5 * mean_side(dimension) * (1.0 - threshold * threshold) ** (0.5 * (dimension - 1))
    inside = _inside(share, epsilon)
    return float(part * (inside / share - (1.0 - inside) / (1.0 - share)))
