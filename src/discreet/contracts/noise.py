"""The contract of noise."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple, Self

from discreet.components import Component
from discreet.contracts.passing import Floats, Generator
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee, Json
from discreet.guarantee import Model as PrivacyModel


class NoiseScale(NamedTuple):
    """Describes added noise: kind, scale in units of the feedback, and whether it is exact."""

    kind: str
    scale: float
    exact: bool = False

    def times(self, factor: float) -> NoiseScale:
        """Return the same noise in other units."""
        return self._replace(scale=self.scale * factor)

    def as_dict(self) -> Json:
        """Return the noise for JSON."""
        return {"kind": self.kind, "scale": self.scale} | ({"exact": True} if self.exact else {})


class Noise(Component):
    """Noise with a known strength, for one number or for vectors.

    Custom noise needs ``scale``, ``add_noise`` and ``guarantee``. Without more, it serves single
    numbers in simulations: the joint cost of vectors and of several releases is known only for
    noise that declares it.
    """

    kind: ClassVar[str] = "custom noise"
    # the norm in which a vector's movement is measured: 1, 2 or infinity
    norm: ClassVar[float] = math.nan
    # the norm in which movements of several releases add up: 1, or 2 if their squares add up
    across: ClassVar[float] = math.nan
    # whether it is drawn exactly on a grid of ``step``, as live use needs
    is_exact: ClassVar[bool] = False
    # whether exact noise of this kind exists
    has_exact_twin: ClassVar[bool] = False
    # whether noisy numbers stay within their root mean square of the middle of their range
    is_bounded: ClassVar[bool] = False
    # whether a draw may depend on earlier ones, so that releases are not independent trials
    has_memory: ClassVar[bool] = True

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if cls.is_exact and cls.sealed is Noise.sealed:
            raise DiscreetError(
                f"{cls.__name__} is exact noise, so it must define sealed: it may be drawn only "
                "inside a live run."
            )

    @property
    def scale(self) -> float:
        """The scale in units of the value."""
        raise NotImplementedError

    @property
    def step(self) -> float:
        """The step of the grid of exact noise; 0 for floating-point noise."""
        return 0.0

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> Self:
        """Return the least noise for which a movement of ``sensitivity`` costs (epsilon, delta)."""
        raise DiscreetError(
            f"{cls.__name__} noise cannot be calibrated by name: build it with an explicit scale."
        )

    @classmethod
    def combined(cls, releases: int) -> float:
        """Return by what factor k releases raise the cost of a movement: k, or sqrt(k)."""
        if math.isnan(cls.across):
            raise DiscreetError(
                f"noise is {cls.__name__}, for which the joint cost of several releases is not "
                "known."
            )
        return math.sqrt(releases) if cls.across == 2.0 else float(releases)

    def fits_vectors_of(self, size: int) -> bool:
        """Return whether it is noise for vectors of that many numbers, measured in ``norm``."""
        return not math.isnan(self.norm)

    def unit_variance(self, dimension: int) -> float:
        """Return the variance of a coordinate of noise of scale 1."""
        raise NotImplementedError

    def deviation(self, dimension: int) -> float:
        """Return the standard deviation of a coordinate."""
        return math.sqrt(self.unit_variance(dimension)) * self.scale

    def square_around_middle(self, width: float) -> float:
        """Return the largest mean square of a noisy number around the middle of its range."""
        return self.noisy_square(width * width / 4.0, width)

    def noisy_square(self, square: float, width: float) -> float:
        """Return the same for numbers whose own mean square is at most ``square``."""
        return square + self.deviation(1) ** 2

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return log E exp(tilt Z), Z a coordinate of the noise; infinite if it does not exist."""
        raise NotImplementedError

    def spread(self) -> float:
        """Return how far apart two noisy numbers can be; infinite if unbounded."""
        return math.inf

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise; ``perturb`` is for vectors."""
        raise NotImplementedError

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise to a vector, in place: independent noise to every coordinate."""
        for i in range(vector.size):
            vector[i] = self.add_noise(vector[i], rng)

    def guarantee(self, sensitivity: float, *, model: PrivacyModel, source: str) -> Guarantee:
        """Return the guarantee of releasing one number that moves by at most ``sensitivity``."""
        raise NotImplementedError

    def joint_guarantee(self, sensitivity: float, *, model: PrivacyModel, source: str) -> Guarantee:
        """Return the guarantee of several vectors that move by ``sensitivity`` together."""
        return Guarantee.none(f"nothing is proved of running sums with {type(self).__name__} noise")

    def exact(self, guarantee: Guarantee, sensitivity: float) -> Noise:
        """Return the exact form that keeps a guarantee for this sensitivity, or refuse."""
        if self.is_exact:
            return self
        raise DiscreetError(
            f"noise is {type(self).__name__}, which cannot be drawn exactly: it is for simulation "
            "only."
        )

    def sealed(self) -> Noise:
        """Return the same noise for live use: if exact, it refuses to be drawn outside a live run.

        Every exact noise must define this; simulation noise can always be drawn.
        """
        return self

    def unsealed(self) -> Noise:
        """Return the same noise, free to be drawn."""
        return self

    @property
    def is_gaussian(self) -> bool:
        """Whether draws are independent and releases compose as with Gaussian noise."""
        return self.across == 2.0 and not self.has_memory

    @property
    def noise_scale(self) -> NoiseScale:
        """Kind and scale."""
        return NoiseScale(self.kind, self.scale, self.is_exact)
