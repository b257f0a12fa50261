"""Exact noise for live use: whole numbers on a grid, drawn with the system's entropy.

Floating-point noise leaks: the set of doubles that value plus noise can reach depends on the value.
Here a value is rounded to a multiple of a power of two, and OpenDP draws the noise exactly, as a
whole number of such steps. So neighbouring values have the same set of outputs, with the stated
ratio of probabilities. The sensitivity includes the rounding.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import secrets
import threading
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import ClassVar, Self

from discreet.contracts import Floats, Noise
from discreet.curves import GaussianNoise, Pure, gaussian_sigma
from discreet.errors import DiscreetError, check_positive, check_range
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.fixed_work import rounded_plus
from discreet.mechanisms.shapes import CubeShape, GaussianShape, LaplaceShape
from discreet.processes import process_mark

AT_ONCE = 256  # numbers drawn together
NEEDED = (0, 16)  # the oldest usable version of OpenDP
LAPLACE_BITS, GAUSSIAN_BITS = 40, 50  # a scale has 2^bits steps of the grid
# Largest epsilon: beyond it, 64-bit noise might not reach from one value to its neighbour.
LARGEST = 1e4
SLACK = 2.0**-48  # more than what the grid adds to the delta of Gaussian noise
SEALED = (
    "this live channel holds raw feedback, which threads, copies or a failure could release "
    "twice: use it through Bandit, Experts, Optimizer, VectorOptimizer, Advisor or LiveRun, "
    "which guard it."
)


class NoExactNoise(DiscreetError):
    """OpenDP, which draws exact noise, is not installed."""


class NoiseBlock:
    """Whole-number noise, drawn in blocks ahead of the data; each number is used once.

    A copy, a pickle and a forked process start with an empty block, so no number is used twice.
    Another thread draws the next block while half of this one is left, so that callers neither wait
    for it nor observe its duration.
    """

    def __init__(self, kind: str, scale: float) -> None:
        self._recipe = kind, scale
        self._draw = sampler(kind, scale)
        self._numbers: list[int] = []
        self._drawing = False
        self._mark = process_mark()

    def take(self) -> int:
        """Return a number that has never been returned before."""
        if not self._mark[0]:
            self._numbers, self._drawing, self._mark = [], False, process_mark()
        numbers = self._numbers
        if not numbers:
            fresh = self._draw(AT_ONCE)
            mine = fresh.pop()
            numbers.extend(fresh)
            return mine
        if len(numbers) < AT_ONCE // 2 and not self._drawing:
            self._drawing = True
            try:
                threading.Thread(target=self._refill, daemon=True).start()
            except RuntimeError:  # no thread can be started: draw a block at the last number
                self._drawing = False
        try:
            return numbers.pop()  # atomic: two threads never get the same number
        except IndexError:  # another thread took the last one
            return self._draw(1)[0]

    def _refill(self) -> None:
        """Draw another block, or nothing: an error in a thread would reach error reporters.

        Frames of a draw hold noise, so no error may leave this method. ``take`` meets the error
        again once the block is empty, inside a live object, which withholds frames. This frame
        holds no noise.
        """
        try:
            with contextlib.suppress(BaseException):
                self._numbers.extend(self._draw(AT_ONCE))
        finally:
            self._drawing = False

    @property
    def recipe(self) -> tuple[str, float]:
        """Kind and scale, which is all that another block of this noise needs."""
        return self._recipe

    def __reduce__(self) -> tuple[type[NoiseBlock], tuple[str, float]]:
        return type(self), self._recipe

    def __repr__(self) -> str:
        return "<noise>"


class SealedBlock(NoiseBlock):
    """Noise that refuses to be drawn; a live run unseals its own copy."""

    def take(self) -> int:
        """Refuse."""
        raise DiscreetError(SEALED)


class OnGrid(Noise):
    """Noise in whole steps of a grid; the sensitivity includes rounding values to it."""

    compiles = False
    is_exact: ClassVar[bool] = True

    step: float  # a power of two
    steps: float  # the scale in steps
    block: NoiseBlock

    @property
    def scale(self) -> float:
        """The scale in units of the value."""
        return self.steps * self.step

    def add_noise(self, value: float, rng: object) -> float:
        """Return the value, rounded to the grid, with noise; ``rng`` is not used."""
        return rounded_plus(float(value) / self.step, self.block.take()) * self.step

    def sealed(self) -> Self:
        """Return the same noise, which only a live run may draw."""
        return self._replace(block=SealedBlock(*self.block.recipe))

    def unsealed(self) -> Self:
        """Return the same noise, with nothing drawn yet."""
        return self._replace(block=NoiseBlock(*self.block.recipe))

    def moved(self, sensitivity: float) -> float:
        """Return by how many scales a value moves after rounding, and by ``sensitivity`` before."""
        return movement(sensitivity, self.step) / self.steps


class ExactLaplace(OnGrid, LaplaceShape):
    """Laplace noise on a grid: P(z steps) is proportional to exp(-|z| / steps).

    A value that moves by at most Δ moves by at most D = floor(Δ / step) + 1 steps after rounding,
    so epsilon = D / steps (docs/proofs.md: Laplace on a grid).
    """

    compiles = False

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> ExactLaplace:
        """Return the least noise with which sensitivity and rounding cost at most epsilon."""
        step, steps = pure_grid(sensitivity, epsilon)
        return cls(step, steps, NoiseBlock("laplace", steps))

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one release, including rounding."""
        source = f"{source}; exact noise (docs/proofs.md: Laplace on a grid)"
        return Guarantee.of(Pure(self.moved(sensitivity)), delta=0.0, model=model, source=source)


class ExactGaussian(OnGrid, GaussianShape):
    """Gaussian noise on a grid: P(z steps) is proportional to exp(-z² / (2 steps²)).

    With D as for Laplace noise, its delta at every epsilon is at most that of continuous noise with
    μ = D / steps, plus 2^-48 (docs/proofs.md: Gaussian on a grid).
    """

    compiles = False

    delta: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float, delta: float) -> ExactGaussian:
        """Return the least noise for (epsilon, delta), including rounding and the grid."""
        change = check_positive("sensitivity", sensitivity)
        if not 2.0 * SLACK <= delta < 1.0:
            raise DiscreetError(
                f"delta is {delta!r}, but exact Gaussian noise needs delta from {2.0 * SLACK:.1g} "
                "to 1."
            )
        if epsilon > LARGEST:
            raise DiscreetError(
                f"epsilon is {epsilon!r}, but exact noise needs epsilon of at most {LARGEST:g}."
            )
        sigma = gaussian_sigma(epsilon, delta - SLACK)
        step = _step(change * sigma, GAUSSIAN_BITS)
        # 1e-11 covers rounding, so that the stated epsilon, rounded up, is the one asked for.
        steps = movement(change, step) * sigma * (1.0 + 1e-11)
        return cls(step=step, steps=steps, block=NoiseBlock("gaussian", steps), delta=delta)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of releases at the stated delta, including rounding and the grid."""
        curve = GaussianNoise(self.moved(sensitivity), SLACK)
        source = f"{source}; exact noise (docs/proofs.md: Laplace on a grid, Gaussian on a grid)"
        return Guarantee.of(
            curve, delta=check_range("delta", self.delta, 0.0, 1.0), model=model, source=source
        )


def pure_grid(sensitivity: float, epsilon: float) -> tuple[float, float]:
    """Return a step, and the least scale in steps for epsilon, including rounding."""
    change, budget = check_positive("sensitivity", sensitivity), check_positive("epsilon", epsilon)
    step = _step(check_positive("noise scale sensitivity / epsilon", change / budget), LAPLACE_BITS)
    moved = movement(change, step)
    steps = moved / budget
    while Fraction(moved) > Fraction(budget) * Fraction(steps):
        steps = math.nextafter(steps, math.inf)
    # 64-bit noise could saturate, or not reach from one value to the other.
    if steps > 2.0**50 or budget > LARGEST:
        raise DiscreetError(
            f"epsilon is {epsilon!r}, but exact noise needs epsilon between 1e-14 and {LARGEST:g}."
        )
    return step, steps


def movement(sensitivity: float, step: float) -> int:
    """Return by how many steps a value moves after rounding, and by ``sensitivity`` before.

    The factor 2^-50 covers a sensitivity that was rounded down in its last bits.

    >>> movement(1.0, 0.25), movement(0.9, 0.25)
    (5, 4)
    """
    change = Fraction(check_positive("sensitivity", sensitivity))
    return math.floor(change * (1 + Fraction(1, 2**50)) / Fraction(step)) + 1


def _step(scale: float, bits: int) -> float:
    """Return the power of two that is about 2^-bits of ``scale``."""
    return math.ldexp(1.0, math.frexp(scale)[1] - 1 - bits)


def sampler(kind: str, scale: float) -> Callable[[int], list[int]]:
    """Return a function that draws whole numbers exactly, with the system's entropy."""
    domains, measurements, metrics = _opendp()
    space = domains.vector_domain(domains.atom_domain(T="i64"))
    if kind == "laplace":
        measure = measurements.make_laplace(space, metrics.l1_distance(T="i64"), scale=scale)
    else:
        measure = measurements.make_gaussian(space, metrics.l2_distance(T="f64"), scale=scale)

    def draw(count: int) -> list[int]:
        try:
            return list(measure([0] * count))
        except ctypes.ArgumentError as error:
            if "RecursionError" not in str(error):
                raise
        raise RecursionError("maximum recursion depth exceeded while drawing noise")

    return draw


def _opendp() -> tuple[ModuleType, ModuleType, ModuleType]:
    """Return domains, measurements and metrics of OpenDP, or name what to install.

    Its prelude would load scikit-learn and others if installed, which takes a second.
    """
    try:
        from opendp import domains, measurements, metrics
        from opendp.mod import enable_features
    except ImportError:
        raise NoExactNoise(
            "live use needs exact noise, which the extra 'exact' installs (pip install "
            "'discreet[exact]'); simulation=True draws floating-point noise, which protects "
            "nobody."
        ) from None
    found = _version_of_opendp()
    if tuple(int(part) for part in found.split(".")[:2]) < NEEDED:
        raise DiscreetError(
            f"opendp is {found}, but must be at least {'.'.join(map(str, NEEDED))}: "
            "pip install --upgrade 'discreet[exact]'."
        )
    enable_features("contrib")
    return domains, measurements, metrics


@functools.cache
def _version_of_opendp() -> str:
    """Return the installed version, looked up only once because that takes a millisecond."""
    from importlib.metadata import version

    return version("opendp")


class ExactCube(OnGrid, CubeShape):
    """Noise of the cube on a grid: P(z steps) is proportional to exp(-max |z(i)| / steps).

    z is a vector of whole numbers: a uniform point of {-k .. k}^N with P(k) proportional to (2k +
    1)^N exp(-k / steps), all drawn exactly (docs/proofs.md: Sums on a grid).
    """

    compiles = False

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> ExactCube:
        """Return the least noise for epsilon if every coordinate moves, including rounding."""
        step, steps = pure_grid(sensitivity, epsilon)
        return cls(step, steps, NoiseBlock("laplace", steps))

    def perturb(self, vector: Floats, rng: object) -> None:
        """Round every coordinate to the grid and add noise, in place; ``rng`` is not used."""
        radius = self.radius(vector.size)
        for i in range(vector.size):
            noise = secrets.randbelow(2 * radius + 1) - radius
            vector[i] = rounded_plus(float(vector[i]) / self.step, noise) * self.step

    def radius(self, size: int) -> int:
        """Draw k with a probability proportional to (2k + 1)^size exp(-k / steps).

        A sum of size + 1 geometric numbers has binom(k + size, size) exp(-k / steps) instead; it is
        accepted with probability the ratio of the two, a product of proper fractions.
        """
        while True:
            k = sum(_geometric(self.block.take()) for _ in range(size + 1))
            if all(secrets.randbelow(2 * k + 2 * i) < 2 * k + 1 for i in range(1, size + 1)):
                return k

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of releases whose largest coordinate moves by ``sensitivity``."""
        source = f"{source}; exact noise (docs/proofs.md: Sums on a grid)"
        return Guarantee.of(Pure(self.moved(sensitivity)), delta=0.0, model=model, source=source)


def _geometric(laplace: int) -> int:
    """Turn a discrete Laplace number z into a geometric one: z, or -z - 1 if z is negative."""
    return laplace if laplace >= 0 else ~laplace
