"""A leader by a linear oracle that plays vertices only: real slates, rankings and paths."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Learner
from discreet.errors import check_positive, check_range
from discreet.sets import ExplorationPlan, Vertices, check_ability, check_hull, set_named


class OracleLeader(Learner[Floats, Floats, Floats]):
    """Plays vertices of a set for linear functions: explores by a plan, and leads by the oracle.

    A plan has vertices x with mean m and covariance M, and W = M⁻¹ on the hull. With probability γ,
    the ``exploration``, a round plays an x of the plan and asks for W (x - m) times the loss f. The
    estimate is

        g = W (x - m) (f - 1/2) / γ.

    Otherwise g = 0, and the round plays argmin ⟨S + σ P, x⟩ with P ~ N(0, I), S the released sum of
    estimates with its noise, and σ the ``spread``. On average g is the slope of f along the hull: a
    constant in f cancels. Estimates do not depend on earlier learning, so the noise of S is paid
    for once.

    Regret for functions that are fixed in advance, with batches of τ rounds, d the dimension of the
    hull, R the outer radius, G the Lipschitz constant, V = E |W (x - m)|², and s² the variance of
    everything Gaussian in a coordinate of S + σ P:

        γ T + R v + R (T V / 4 γ + T τ G²) mean(1 / s) / sqrt(2 π) + τ,

    in widths of the range. v is E |noise| in the hull of the last sum, at most s sqrt(d) if all
    noise is Gaussian. This holds for noise whose distribution is the same in all sums, or Gaussian
    with a variance that never falls.

    *Proof.* See ``learners.points.linear_ftpl``, with the sum of the estimates of a batch as one
    loss vector. It is independent of all noise and of the leader of its batch, so the expected loss
    of leaders is that on estimates, and its mean square length is at most τ V / 4 γ + τ² G². Before
    the first release there is less noise, which costs τ for that batch. Conditional on Laplace
    noise Z, all of the above holds with the Gaussian rest, and the minimum of ⟨S + Z + σ P, x⟩ is
    on average at most R E |Z| below that without Z. Exploring costs at most 1 per round. ∎

    >>> learner = OracleLeader.start(set=set_named("k-sets(4,2)"), exploration=0.1, spread=1.0)
    >>> learner.set.label(learner.act(0, np.random.default_rng(1))[0])
    'items 1, 2'
    """

    plays_vertices = True

    set: Vertices
    exploration: float  # γ
    spread: float  # σ
    scale: float  # turns a released sum into a sum of estimates
    vertices: Floats  # of the plan, one row each
    chances: Floats  # their cumulative probabilities
    reports: Floats  # W (x - m), one row each, in units of the longest
    sums: Floats
    aim: Floats  # a buffer
    played: Floats  # a buffer
    asked: Floats  # a buffer
    calls: Integers  # of the oracle

    @classmethod
    def start(cls, *, set: Vertices, exploration: float, spread: float) -> OracleLeader:  # noqa: A002
        """Return the learner before the first round."""
        check_ability(set, Vertices)
        check_hull(set)
        plan, share = set.plan(), check_range("exploration", exploration, 1e-9, 1.0)
        reports = centred_estimators(plan)
        longest = check_positive("longest estimate", float(np.linalg.norm(reports, axis=1).max()))
        return cls(
            set,
            share,
            check_range("spread", spread, 0.0, 1e100),
            longest / share,
            np.ascontiguousarray(plan.vertices),
            np.cumsum(plan.weights),
            np.ascontiguousarray(reports / longest),
            np.zeros(set.dimension),
            np.zeros(set.dimension),
            np.zeros(set.dimension),
            np.zeros(set.dimension),
            np.zeros(1, np.int64),
        )

    @classmethod
    def example(cls) -> OracleLeader:
        """Return an example for the contract tests."""
        around = set_named("k-sets(5,2)")
        assert isinstance(around, Vertices)
        return cls.start(set=around, exploration=0.2, spread=3.0)

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.sums.size

    @property
    def learns(self) -> bool:
        """Whether it does more than explore."""
        return self.exploration < 1.0

    @property
    def oracle_calls(self) -> int:
        """How often it called the oracle: at most once per round."""
        return int(self.calls[0])

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a vertex of the plan, or the best one for the perturbed sum."""
        if rng.random() < self.exploration:
            row = min(int(np.searchsorted(self.chances, rng.random())), self.chances.size - 1)
            for i in range(self.played.size):
                self.played[i] = self.vertices[row, i]
                self.asked[i] = self.reports[row, i]
        else:
            for i in range(self.aim.size):
                self.aim[i] = self.sums[i] + self.spread * rng.standard_normal()
                self.asked[i] = 0.0
            self.set.minimise_linear(self.aim, self.played)
            self.calls[0] += 1
        return self.played, self.asked

    def query(self, trace: Floats) -> Floats:
        """Ask for the loss times the report of the vertex, or for nothing."""
        return trace

    def learn(self, trace: Floats, released: Floats) -> None:
        """Keep the new sum."""
        for i in range(self.sums.size):
            self.sums[i] = self.scale * released[i]

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.sums.size


def centred_estimators(plan: ExplorationPlan) -> Floats:
    """Return the row W (x - m) for every vertex x of a plan.

    >>> from discreet.sets import uniform_plan
    >>> centred_estimators(uniform_plan([[1.0, 0.0], [0.0, 1.0]])).round(9).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    around_mean = plan._replace(vertices=plan.vertices - plan.weights @ plan.vertices)
    return around_mean.estimators()


def oracle_bound(
    *,
    rounds: int,
    batch: int,
    outer: float,
    exploration: float,
    square: float,
    slope: float,
    noise: float,
    inverse: float,
) -> float:
    """Return the bound; ``square`` is V, ``noise`` is v, and ``inverse`` is the mean of 1 / s."""
    spread = rounds * (square / (4.0 * exploration) + batch * slope**2)
    return (
        exploration * rounds + outer * (noise + spread * inverse / math.sqrt(2.0 * math.pi)) + batch
    )
