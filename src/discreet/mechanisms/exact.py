"""Exact noise for live use: whole numbers on a grid, drawn with the system's entropy.

Floating-point noise leaks: which doubles can be the sum of a value and such noise depends on the
value. Here a value is rounded to a multiple of a power of two, and OpenDP draws the noise exactly,
as a whole number of such steps. So neighbouring values have the same set of outputs, with the
stated ratio of probabilities. The sensitivity includes the rounding.
"""

from __future__ import annotations

import math
import os
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
from discreet.mechanisms.shapes import CubeShape, GaussianShape, LaplaceShape

AT_ONCE = 256
NEEDED = (0, 16)
LAPLACE_BITS, GAUSSIAN_BITS = 40, 50  # how many steps of the grid a scale has
LARGEST = (
    1e4  # of epsilon: beyond, noise of 64 bits might not reach from one value to its neighbour
)
SLACK = 2.0**-48  # what the grid adds to the delta of Gaussian noise, with room
SEALED = (
    "this live channel holds raw feedback, which threads, copies or a failure could release "
    "twice: use it through Bandit, Experts, Optimizer, VectorOptimizer, Advisor or LiveRun, "
    "which guard it."
)


class NoiseBlock:
    """Whole-number noise that is drawn ahead of the data, many at once; every number is handed out once.

    A copy, a pickle and a forked process start with nothing drawn: the same number is never used
    twice. The next block is drawn by another thread while half of this one is left, so that nobody
    waits for it, nor sees how long it takes.
    """

    def __init__(self, kind: str, scale: float) -> None:
        self._recipe = kind, scale
        self._draw = sampler(kind, scale)
        self._numbers: list[int] = []
        self._drawing = False
        self._process = os.getpid()

    def take(self) -> int:
        """Return a number that nobody got before."""
        if self._process != os.getpid():
            self._numbers, self._drawing, self._process = [], False, os.getpid()
        numbers = self._numbers
        if not numbers:
            fresh = self._draw(AT_ONCE)
            mine = fresh.pop()
            numbers.extend(fresh)
            return mine
        if len(numbers) < AT_ONCE // 2 and not self._drawing:
            self._drawing = True
            threading.Thread(target=self._refill, args=(numbers,), daemon=True).start()
        try:
            return numbers.pop()  # one step: threads never get the same
        except IndexError:  # another thread was faster
            return self._draw(1)[0]

    def _refill(self, numbers: list[int]) -> None:
        numbers.extend(self._draw(AT_ONCE))
        self._drawing = False

    @property
    def recipe(self) -> tuple[str, float]:
        """Kind and scale: all that another block of this noise needs."""
        return self._recipe

    def __reduce__(self) -> tuple[type[NoiseBlock], tuple[str, float]]:
        return type(self), self._recipe

    def __repr__(self) -> str:
        return "<noise>"


class SealedBlock(NoiseBlock):
    """Noise that only a live run draws, from an unsealed block of its own."""

    def take(self) -> int:
        """Refuse."""
        raise DiscreetError(SEALED)


class OnGrid(Noise):
    """Noise that is a whole number of steps; values are rounded to the grid first, and that is paid for."""

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
        return (round(float(value) / self.step) + self.block.take()) * self.step

    def sealed(self) -> Self:
        """Return the same noise, to be drawn by a live run alone."""
        return self._replace(block=SealedBlock(*self.block.recipe))

    def unsealed(self) -> Self:
        """Return the same noise, with nothing drawn yet."""
        return self._replace(block=NoiseBlock(*self.block.recipe))

    def moved(self, sensitivity: float) -> float:
        """Return by how many scales a value can move after rounding, if it moves by ``sensitivity`` before."""
        return movement(sensitivity, self.step) / self.steps


class ExactLaplace(OnGrid, LaplaceShape):
    """Laplace noise on a grid: P(z steps) is proportional to exp(-|z| / steps).

    A value that moves by at most Δ moves by at most D = floor(Δ / step) + 1 steps after rounding,
    so epsilon = D / steps (docs/proofs.md: Laplace on a grid).
    """

    compiles = False

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> ExactLaplace:
        """Return the least noise with which the sensitivity, and rounding, cost at most epsilon."""
        step, steps = pure_grid(sensitivity, epsilon)
        return cls(step, steps, NoiseBlock("laplace", steps))

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release guarantees, rounding included."""
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
        """Return the least noise with which the sensitivity, rounding and the grid cost at most (epsilon, delta)."""
        change = check_positive("sensitivity", sensitivity)
        if not 2.0 * SLACK <= delta < 1.0:
            raise DiscreetError(
                f"delta is {delta!r}, but exact Gaussian noise needs one from {2.0 * SLACK:.1g} "
                "to 1."
            )
        if epsilon > LARGEST:
            raise DiscreetError(
                f"epsilon is {epsilon!r}, but exact noise needs one of at most {LARGEST:g}."
            )
        sigma = gaussian_sigma(epsilon, delta - SLACK)
        step = _step(change * sigma, GAUSSIAN_BITS)
        steps = movement(change, step) * sigma * (1.0 + 1e-11)
        return cls(step=step, steps=steps, block=NoiseBlock("gaussian", steps), delta=delta)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what releases guarantee at the stated delta, rounding and the grid included."""
        curve = GaussianNoise(self.moved(sensitivity), SLACK)
        source = f"{source}; exact noise (docs/proofs.md: Laplace on a grid, Gaussian on a grid)"
        return Guarantee.of(
            curve, delta=check_range("delta", self.delta, 0.0, 1.0), model=model, source=source
        )


def pure_grid(sensitivity: float, epsilon: float) -> tuple[float, float]:
    """Return a step, and the least scale in steps with which the sensitivity, and rounding, cost at most epsilon."""
    change, budget = check_positive("sensitivity", sensitivity), check_positive("epsilon", epsilon)
    step = _step(check_positive("noise scale sensitivity / epsilon", change / budget), LAPLACE_BITS)
    moved = movement(change, step)
    steps = moved / budget
    while Fraction(moved) > Fraction(budget) * Fraction(steps):
        steps = math.nextafter(steps, math.inf)
    # 64-bit noise could saturate, or not reach from one value to the other.
    if steps > 2.0**50 or budget > LARGEST:
        raise DiscreetError(
            f"epsilon is {epsilon!r}, but exact noise needs one between 1e-14 and {LARGEST:g}."
        )
    return step, steps


def movement(sensitivity: float, step: float) -> int:
    """Return by how many steps a value can move after rounding, if it moves by at most ``sensitivity`` before.

    The sensitivity itself may have been rounded down by the last bits of a few operations, which
    2^-50 covers.

    >>> movement(1.0, 0.25), movement(0.9, 0.25)
    (5, 4)
    """
    change = Fraction(check_positive("sensitivity", sensitivity))
    return math.floor(change * (1 + Fraction(1, 2**50)) / Fraction(step)) + 1


def _step(scale: float, bits: int) -> float:
    """Return the power of two of which ``scale`` has about 2^bits."""
    return math.ldexp(1.0, math.frexp(scale)[1] - 1 - bits)


def sampler(kind: str, scale: float) -> Callable[[int], list[int]]:
    """Return a function that draws a number of whole numbers, exactly, with the operating system's entropy."""
    opendp = _opendp()
    space = opendp.vector_domain(opendp.atom_domain(T="i64"))
    if kind == "laplace":
        measure = opendp.m.make_laplace(space, opendp.l1_distance(T="i64"), scale=scale)
    else:
        measure = opendp.m.make_gaussian(space, opendp.l2_distance(T="f64"), scale=scale)
    return lambda count: list(measure([0] * count))


def _opendp() -> ModuleType:
    """Return OpenDP, or say what is missing."""
    try:
        from importlib.metadata import version

        import opendp.prelude as opendp
    except ImportError:
        raise DiscreetError(
            "live use needs exact noise, which the extra 'exact' installs (pip install "
            "'discreet[exact]'); simulation=True draws floating-point noise, which protects "
            "nobody."
        ) from None
    if tuple(int(part) for part in version("opendp").split(".")[:2]) < NEEDED:
        raise DiscreetError(
            f"opendp is {version('opendp')}, but must be at least {'.'.join(map(str, NEEDED))}: "
            "pip install --upgrade 'discreet[exact]'."
        )
    opendp.enable_features("contrib")
    return opendp


class ExactCube(OnGrid, CubeShape):
    """Noise of the cube on a grid: P(z steps) is proportional to exp(-max |z(i)| / steps), z a vector of whole numbers.

    It is a uniform point of {-k .. k}^n with P(k) proportional to (2k + 1)^n exp(-k / steps), all
    drawn exactly (docs/proofs.md: Sums on a grid).
    """

    compiles = False

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> ExactCube:
        """Return the least noise with which a movement of every coordinate, and rounding, cost at most epsilon."""
        step, steps = pure_grid(sensitivity, epsilon)
        return cls(step, steps, NoiseBlock("laplace", steps))

    def perturb(self, vector: Floats, rng: object) -> None:
        """Round every coordinate to the grid and add noise, in place; ``rng`` is not used."""
        radius = self.radius(vector.size)
        for i in range(vector.size):
            noise = secrets.randbelow(2 * radius + 1) - radius
            vector[i] = (round(float(vector[i]) / self.step) + noise) * self.step

    def radius(self, size: int) -> int:
        """Return k, drawn with a probability proportional to (2k + 1)^size exp(-k / steps).

        A sum of size + 1 geometric numbers has binom(k + size, size) exp(-k / steps) instead, and
        is accepted with the ratio of the two, a product of proper fractions.
        """
        while True:
            k = sum(_geometric(self.block.take()) for _ in range(size + 1))
            if all(secrets.randbelow(2 * k + 2 * i) < 2 * k + 1 for i in range(1, size + 1)):
                return k

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what releases guarantee that move by ``sensitivity`` in the largest coordinate, rounding included."""
        source = f"{source}; exact noise (docs/proofs.md: Sums on a grid)"
        return Guarantee.of(Pure(self.moved(sensitivity)), delta=0.0, model=model, source=source)


def _geometric(laplace: int) -> int:
    """Return the number of a geometric distribution that a discrete Laplace number stands for: z, or -z - 1 below 0."""
    return laplace if laplace >= 0 else ~laplace
