"""Follow the regularised leader on released sums (Agarwal & Singh 2017, Algorithm 1).

Full information: round t plays a point x of a compact convex set, and the sum of all loss vectors
so far is released, with noise. The leader of round t is x = argmin η ⟨L + Z, x⟩ + Ψ(x), where L is
the sum of the losses before round t and Z the noise in it. The bounds below have three parts:

    E regret ≤ (max Ψ - min Ψ) / η  +  Σ stability(ℓ)  +  cost of the noise.

*Proof.* Let Φ(L) = min ⟨L, x⟩ + Ψ(x) / η. It is concave, and its gradient is the leader. If it is
smooth, so that Φ(L + ℓ) ≥ Φ(L) + ⟨ℓ, ∇Φ(L)⟩ - stability(ℓ), the losses ⟨ℓ, x⟩ telescope to Φ. Let Z
have mean zero and the losses be fixed in advance, so that E Φ(L + Z) ≤ Φ(L) ≤ ⟨L, x*⟩ + Ψ(x*) / η
for every x* in the set. With L, ℓ and Z those of a round, and Z' the noise of the next,
E Φ(L + ℓ + Z) - E Φ(L + ℓ + Z') remains to be paid wherever Z' is distributed differently. ∎

Only the distribution of each round's noise matters, not how the rounds depend on each other. So:

* Noise of the same distribution in all rounds (except none in the first) is paid for once, at most
  E max ⟨-Z, x⟩ over the set. That is half of the term in the paper's Theorem 3.1, because E ⟨Z, x*⟩
  = 0. If the smoothness of Φ gives a smaller bound, that one holds.
* Noise that shrinks (Z is Z' plus independent noise) costs nothing more, since Φ is concave.
* Noise that grows (Z' is Z plus independent noise) costs again, for a smooth Φ by the growth of the
  variance. If it only grows, that adds up to the cost of its last and largest distribution. If it
  goes up and down, as in a tree without padding, the variance that counts is the sum of all steps
  upwards, which grows with T.

Below, *steady* noise has the same distribution in all rounds but the first, which may have none; or
it is Gaussian, independent and of the same variance v in all coordinates, and v never falls. For
the latter, too, at most E max ⟨-Z, x⟩ is paid in total: with Z = sqrt(v) g, integration by parts
turns the derivative of E Φ(L + Z) by v, half the expected Laplacian, into E ⟨∇Φ, g⟩ / (2 sqrt(v)),
which is at least -E max ⟨-g, x⟩ / (2 sqrt(v)).

With noise, none of this holds for losses that react to the points played, because they depend on
the noise of earlier rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.learners.points.rates import Leader, Rates
from discreet.sets import L2Ball, Projecting, check_ability


class EntropyFtrl(Leader):
    """Exponential weights on released sums: the point is a distribution over experts.

    Round t plays the minimiser of η ⟨L, x⟩ + Σ x(j) ln x(j) over the simplex:

        x(j) = exp(-η L(j)) / Σ exp(-η L(j'))

    ``learning_rate`` is η, or :class:`Rates` that fall with time; N is the ``dimension``. ``width``
    is w: within a round, losses differ by at most w.

    Regret: at most ln N / η + η T w² / 8 without noise (the stability is η w² / 8, by Hoeffding's
    lemma), which is w sqrt(T ln N / 2) for the recommended η. Steady Gaussian noise (see this
    module) of standard deviation at most s in each coordinate of each sum adds at most
    min(η s² / 2, s sqrt(2 ln N)). The first holds because
    Φ(L) - E Φ(L + Z) = E ln Σ x(j) exp(-η Z(j)) / η ≤ η s² / 2. So with
    η = sqrt(8 ln N / (T w² + 4 s²)),

        E regret ≤ sqrt((T w² + 4 s²) ln N / 2).

    If s changes from round to round in any way (``uneven``), each round costs at most (4/27) η² s²
    w: the Laplacian of ⟨ℓ, x⟩ in L is -2 η² cov(ℓ, x), the covariance of ℓ(J) and x(J) for an
    expert J drawn from x. That is within ±w P² (1 - P), where P is the mass of the experts with
    x(j) above average; and P² (1 - P) ≤ 4/27. In total this is of order s² ln N / w, for every T.

    >>> learner = EntropyFtrl.start(dimension=3, learning_rate=0.5)
    >>> point, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, np.array([0.0, 2.0, 4.0]))
    >>> [round(float(x), 3) for x in learner.act(None, np.random.default_rng(0))[0]]
    [0.665, 0.245, 0.09]
    >>> rate = EntropyFtrl.recommended_rate(dimension=10, rounds=1000)
    >>> round(EntropyFtrl.regret_bound(dimension=10, rounds=1000, learning_rate=rate), 2)
    33.93
    """

    rates: Rates
    clock: Integers  # rounds played

    @classmethod
    def start(cls, *, dimension: int, learning_rate: float | Rates) -> EntropyFtrl:
        """Return the learner before the first round."""
        count = check_int("dimension", dimension, minimum=2)
        point = np.full(count, 1.0 / count)
        return cls(
            sums=np.zeros(count),
            point=point,
            rates=as_rates(learning_rate),
            clock=np.zeros(1, np.int64),
        )

    @classmethod
    def example(cls) -> EntropyFtrl:
        """Return an example for the contract tests."""
        return cls.start(dimension=5, learning_rate=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Play the regularised leader."""
        self.clock[0] += 1
        exponential_weights(self.sums, self.rates.at(self.clock[0]), self.point)
        return self.point, 0.0

    @staticmethod
    def recommended_rate(
        *, dimension: int, rounds: int, width: float = 1.0, noise: float = 0.0
    ) -> float:
        """Return η = sqrt(8 ln N / (T w² + 4 s²)).

        ``noise`` is s, the standard deviation in a coordinate of a sum.
        """
        size = (
            rounds * check_positive("width", width) ** 2
            + 4.0 * check_range("noise", noise, 0.0, 1e100) ** 2
        )
        return math.sqrt(8.0 * math.log(check_int("dimension", dimension, minimum=2)) / size)

    @staticmethod
    def regret_bound(
        *,
        dimension: int,
        rounds: int,
        learning_rate: float,
        width: float = 1.0,
        noise: float = 0.0,
        uneven: bool = False,
    ) -> float:
        """Return the bound above for Gaussian noise.

        ``noise`` is the largest standard deviation in a coordinate of a sum. The noise is steady,
        or ``uneven`` with independent coordinates of the same variance within a round.
        """
        entropy = math.log(dimension)
        if uneven:
            cost = 4.0 / 27.0 * (learning_rate * noise) ** 2 * width * rounds
        else:
            cost = min(learning_rate * noise**2 / 2.0, noise * math.sqrt(2.0 * entropy))
        return entropy / learning_rate + learning_rate * rounds * width**2 / 8.0 + cost

    @staticmethod
    def noise_cost(
        *, dimension: int, learning_rate: float, moment: Callable[[float], float], reach: float
    ) -> float:
        """Return the cost of steady noise of any kind in the bound.

        ``moment(θ)`` is at least m(θ) = ln E exp(-θ Z), for every coordinate Z of a sum's noise and
        0 < θ < ``reach``. The cost is the lesser of m(η) / η and the least (ln N + m(θ)) / θ, which
        is at least E max ⟨-Z, x⟩; the coordinates may depend on each other. For small η the first
        is about η / 2 times the variance, as for Gaussian noise.
        """
        from scipy.optimize import minimize_scalar

        entropy = math.log(check_int("dimension", dimension, minimum=2))
        top = math.log(check_positive("reach", reach))
        rate = check_positive("learning_rate", learning_rate)

        def spread(power: float) -> float:
            return min((entropy + moment(math.exp(power))) / math.exp(power), 1e300)

        # down to e^-40 of the reach, where the cost is enormous
        least = float(minimize_scalar(spread, bounds=(top - 40.0, top), method="bounded").fun)
        return min(least, moment(rate) / rate) if rate < reach else least


class QuadraticFtrl(Leader):
    """The leader regularised by the squared distance from a centre, on any set with a projection.

    Round t plays the minimiser of η ⟨L, x⟩ + |x - c|² over the set:

        x = projection of c - η L / 2

    ``learning_rate`` is η, or :class:`Rates` that fall with time; ``centre`` is c (by default the
    origin). ``set`` is any set with a projection, including flat ones. Below, R is the ``radius``,
    the largest distance of a point of the set from c, and G is the ``norm``, the largest L2 norm of
    a loss vector.

    Regret: at most R² / η + η T G² / 4 without noise (the stability is η |ℓ|² / 4), which is
    R G sqrt(T) for the recommended η. Steady noise (see this module) adds at most
    min(η v² / 4, R v), where ``noise`` is v, the largest sqrt(E |Z|²). So with
    η = 2 R / sqrt(T G² + v²),

        E regret ≤ R sqrt(T G² + v²).

    >>> from discreet.sets import Box
    >>> cube = Box.cube(2, -1.0, 1.0)
    >>> learner = QuadraticFtrl.start(set=cube, learning_rate=0.5)
    >>> point, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, np.array([1.0, -8.0]))
    >>> learner.act(None, np.random.default_rng(0))[0].tolist()
    [-0.25, 1.0]
    """

    rates: Rates
    clock: Integers  # rounds played
    set: Projecting
    anchor: Floats  # c

    @classmethod
    def start(
        cls,
        *,
        set: Projecting,  # noqa: A002
        learning_rate: float | Rates,
        centre: Sequence[float] | Floats | None = None,
    ) -> QuadraticFtrl:
        """Return the learner before the first round."""
        check_ability(set, Projecting)
        middle = as_vector("centre", centre, set.dimension)
        return cls(
            sums=np.zeros(middle.size),
            point=middle.copy(),
            rates=as_rates(learning_rate),
            clock=np.zeros(1, np.int64),
            set=set,
            anchor=middle,
        )

    @classmethod
    def example(cls) -> QuadraticFtrl:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), learning_rate=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Play the regularised leader."""
        self.clock[0] += 1
        step = 0.5 * self.rates.at(self.clock[0])
        for i in range(self.sums.size):
            self.point[i] = self.anchor[i] - step * self.sums[i]
        self.set.project(self.point)
        return self.point, 0.0

    @staticmethod
    def recommended_rate(*, radius: float, rounds: int, norm: float, noise: float = 0.0) -> float:
        """Return η = 2 R / sqrt(T G² + v²).

        ``noise`` is v, the root mean square length of the noise in a sum.
        """
        size = (
            rounds * check_positive("norm", norm) ** 2
            + check_range("noise", noise, 0.0, 1e100) ** 2
        )
        return 2.0 * check_positive("radius", radius) / math.sqrt(size)

    @staticmethod
    def regret_bound(
        *, radius: float, rounds: int, norm: float, learning_rate: float, noise: float = 0.0
    ) -> float:
        """Return the bound above for steady noise.

        ``noise`` is the largest root mean square length of the noise in a sum.
        """
        cost = min(learning_rate * noise**2 / 4.0, radius * noise)
        return radius**2 / learning_rate + learning_rate * rounds * norm**2 / 4.0 + cost


@helper
def exponential_weights(sums: Floats, rate: float, point: Floats) -> None:
    """Write the distribution proportional to exp(-rate * sums).

    It is computed relative to the least sum, so nothing overflows.
    """
    least = math.inf
    for i in range(sums.size):
        if sums[i] < least:
            least = float(sums[i])
    total = 0.0
    for i in range(sums.size):
        weight = math.exp(rate * (least - float(sums[i])))
        point[i] = weight
        total += weight
    share = 1.0 / total
    for i in range(sums.size):
        point[i] *= share


def as_rates(rate: float | Rates) -> Rates:
    """Return rates unchanged, and a number as a fixed rate."""
    return rate if isinstance(rate, Rates) else Rates.fixed(rate)


def as_vector(name: str, values: Sequence[float] | Floats | None, dimension: int) -> Floats:
    """Return a copy of the values as a vector (default: the origin), or refuse them."""
    if values is None:
        return np.zeros(check_int("dimension", dimension, minimum=1))
    found = np.array(values, dtype=np.float64)
    if found.shape != (dimension,) or not np.isfinite(found).all():
        raise DiscreetError(f"{name} must be {dimension} finite numbers.")
    return found
