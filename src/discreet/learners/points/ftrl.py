"""Follow the regularised leader on released sums (Agarwal & Singh 2017, Algorithm 1).

Full information: round t plays a point x of a compact convex set X, and what is released is the sum
of all loss vectors so far, with noise. The leader of round t is x = argmin η ⟨L + Z, x⟩ + R(x),
where L is the sum of the losses before round t and Z the noise in it. The bounds below have three
parts:

    E regret ≤ (max R - min R) / η  +  Σ stability(ℓ)  +  cost of the noise.

*Proof.* Let Φ(L) = min ⟨L, x⟩ + R(x) / η. It is concave, its gradient is the leader, and if it is
smooth, so that Φ(L + ℓ) ≥ Φ(L) + ⟨ℓ, ∇Φ(L)⟩ - stability(ℓ), the losses ⟨ℓ, x⟩ telescope to Φ. Let Z
be zero on average and the losses fixed in advance, so that E Φ(L + Z) ≤ Φ(L) ≤ ⟨L, u⟩ + R(u) / η
for every u in X. With L, ℓ and Z those of a round, and Z' the noise of the next, E Φ(L + ℓ + Z) - E
Φ(L + ℓ + Z') is left to pay wherever Z' is distributed differently. ∎

Only the distribution of the noise of each round matters, not how the rounds depend on each other.
So:

* noise of the same distribution in all rounds (but for none in the first) is paid for once: E max
  ⟨-Z, x⟩ over X at most, which is half of what the paper's Theorem 3.1 adds, because E ⟨Z, u⟩ = 0;
  or what the smoothness of Φ gives, if less;
* noise that shrinks (Z is Z' plus independent noise) costs nothing more, since Φ is concave;
* noise that grows (Z' is Z plus independent noise) costs again, for a smooth Φ by the growth of the
  variance. If it only grows, that adds up to the cost of its last and largest distribution. If it
  goes up and down, as in a tree without padding, the variance that counts is the sum of all steps
  upwards, and that grows with T.

*Steady* noise is, below, noise of the same distribution in all rounds but the first, which may have
none; or Gaussian noise, independent and of the same variance v in all coordinates, where v never
falls. For the latter, too, at most E max ⟨-Z, x⟩ is paid in total: with Z = sqrt(v) g, integration
by parts turns the derivative of E Φ(L + Z) by v, half the expected Laplacian, into E ⟨∇Φ, g⟩ / (2
sqrt(v)), which is at least -E max ⟨-g, x⟩ / (2 sqrt(v)).

With noise, nothing here holds for losses that react to what was played: they depend on the noise of
earlier rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.learners.points.leader import Leader
from discreet.learners.points.rates import Rates
from discreet.sets import ConvexSet, L2Ball


class EntropyFtrl(Leader):
    """Exponential weights on released sums: the point is a distribution over experts.

    Round t plays the minimiser of η ⟨L, x⟩ + Σ x(i) ln x(i) over the simplex:

        x(i) = exp(-η L(i)) / Σ exp(-η L(j))

    ``learning_rate`` is η, or :class:`Rates` that fall with time; N is the ``dimension``, ``width``
    is w: within a round, losses differ by at most w.

    Regret: at most ln N / η + η T w² / 8 without noise (the stability is η w² / 8, by Hoeffding's
    lemma), which is w sqrt(T ln N / 2) for the recommended η. Steady Gaussian noise (see this
    module) of standard deviation at most s in each coordinate of each sum adds at most min(η s² /
    2, s sqrt(2 ln N)). The first holds because Φ(L) - E Φ(L + Z) = E ln Σ x(i) exp(-η Z(i)) / η ≤ η
    s² / 2; so with η = sqrt(8 ln N / (T w² + 4 s²)),

        E regret ≤ sqrt((T w² + 4 s²) ln N / 2).

    If s changes from round to round in any way (``uneven``), each round costs at most (4/27) η² s²
    w: the Laplacian of ⟨ℓ, x⟩ in L is -2 η² cov(ℓ, x), the covariance of ℓ(I) and x(I) for an
    expert I drawn from x, which is within ±w P² (1 - P), P = x(A), A the experts with x(i) above
    average; and P² (1 - P) ≤ 4/27. In total that is of order s² ln N / w, whatever T.

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
        """Return one to check the contract with."""
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
        """Return η = sqrt(8 ln N / (T w² + 4 s²)); ``noise`` is s, the standard deviation in a coordinate of a sum."""
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
        """Return the bound above, for Gaussian noise of standard deviation at most ``noise`` in a coordinate of a sum.

        It is for steady noise, or for ``uneven`` noise with independent coordinates, of the same
        variance in a round.
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
        """Return what steady noise of any kind adds to the bound.

        ``moment(θ)`` is m(θ) = ln E exp(-θ Z), at most, for every coordinate Z of a sum's noise, 0
        < θ < ``reach``. The cost is the lesser of m(η) / η and the least (ln N + m(θ)) / θ, which
        is at least E max ⟨-Z, x⟩; the coordinates may depend on each other. For small η the first
        is about η / 2 times the variance, as for Gaussian noise.
        """
        from scipy.optimize import minimize_scalar

        entropy, top = (
            math.log(check_int("dimension", dimension, minimum=2)),
            math.log(check_positive("reach", reach)),
        )
        rate = check_positive("learning_rate", learning_rate)

        def spread(power: float) -> float:
            return min((entropy + moment(math.exp(power))) / math.exp(power), 1e300)

        least = float(minimize_scalar(spread, bounds=(top - 40.0, top), method="bounded").fun)
        return min(least, moment(rate) / rate) if rate < reach else least


class QuadraticFtrl(Leader):
    """The leader with the squared distance from a centre as its regulariser, on any set that can be projected on.

    Round t plays the minimiser of η ⟨L, x⟩ + |x - c|² over the set:

        x = projection of c - η L / 2

    ``learning_rate`` is η, or :class:`Rates` that fall with time; ``centre`` is c (the origin if
    not given), ``set`` has ``dimension`` and ``project(point)``, which works in place. Below, r is
    the ``radius``, the largest distance of a point of the set from c, and G is the ``norm``, the
    largest L2 norm of a loss vector.

    Regret: at most r² / η + η T G² / 4 without noise (the stability is η |ℓ|² / 4), which is r G
    sqrt(T) for the recommended η. Steady noise (see this module) adds at most min(η v² / 4, r v),
    where ``noise`` is v, the largest sqrt(E |Z|²); so with η = 2 r / sqrt(T G² + v²),

        E regret ≤ r sqrt(T G² + v²).

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
    set: ConvexSet
    # c; a field must not have the name of any compiled method, and sets have a method centre
    anchor: Floats

    @classmethod
    def start(
        cls,
        *,
        set: ConvexSet,  # noqa: A002
        learning_rate: float | Rates,
        centre: Sequence[float] | Floats | None = None,
    ) -> QuadraticFtrl:
        """Return the learner before the first round."""
        middle = vector("centre", centre, set.dimension)
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
        """Return one to check the contract with."""
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
        """Return η = 2 r / sqrt(T G² + v²); ``noise`` is v, the root mean square length of the noise in a sum."""
        size = (
            rounds * check_positive("norm", norm) ** 2
            + check_range("noise", noise, 0.0, 1e100) ** 2
        )
        return 2.0 * check_positive("radius", radius) / math.sqrt(size)

    @staticmethod
    def regret_bound(
        *, radius: float, rounds: int, norm: float, learning_rate: float, noise: float = 0.0
    ) -> float:
        """Return the bound above, for steady noise of root mean square length at most ``noise`` in a sum."""
        cost = min(learning_rate * noise**2 / 4.0, radius * noise)
        return radius**2 / learning_rate + learning_rate * rounds * norm**2 / 4.0 + cost


@helper
def exponential_weights(sums: Floats, rate: float, point: Floats) -> None:
    """Fill in the distribution proportional to exp(-rate * sums), relative to the least sum so that nothing overflows."""
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
    """Return rates as they are, and a number as the rate of all rounds."""
    return rate if isinstance(rate, Rates) else Rates.fixed(rate)


def vector(name: str, values: Sequence[float] | Floats | None, dimension: int) -> Floats:
    """Return values as a vector of its own, the origin if there are none, or refuse them."""
    if values is None:
        return np.zeros(check_int("dimension", dimension, minimum=1))
    found = np.array(values, dtype=np.float64)
    if found.shape != (dimension,) or not np.isfinite(found).all():
        raise DiscreetError(f"{name} must be {dimension} finite numbers.")
    return found
