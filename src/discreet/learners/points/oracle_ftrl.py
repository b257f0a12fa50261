"""The regularised leader on sets without a projection: by calls of a linear oracle."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import check_range
from discreet.learners.functions.corrective import Corrective
from discreet.learners.points.ftrl import as_rates
from discreet.learners.points.rates import Leader, Rates
from discreet.sets import L2Ball, LinearOracle, check_room

ACCURACY = 0.005  # of the first leader, in outer radii: adds 1 % to the bound without noise
FINEST = 3e-6  # below this, rounding hides the distance to the leader
LARGEST = 1e100  # of a sum; beyond, products overflow


class OracleFtrl(Leader):
    """The leader of :class:`QuadraticFtrl`, on any set: fully corrective steps find it.

    Round t starts from the last leader, calls the oracle and rebalances (``Corrective``) until the
    gap proves that the point is within q(t) of

        argmin η ⟨L, x⟩ + |x - c|²,   q(t) = R max(α / sqrt(t), 3e-6),

    with c the centre of the set, R its outer radius and α the ``accuracy``. Because the leader
    hardly moves from round to round, one or two calls are usually enough; ``oracle_calls`` counts
    them.

    Regret: that of ``QuadraticFtrl`` plus G Σ q(t) ≤ G R (2 α sqrt(T) + 3e-6 T), G the largest
    length of a loss vector within the hull.

    *Proof.* Playing a point within q(t) of the leader costs at most G q(t) more in round t. If the
    gap of |x - c|² + η ⟨L, x⟩ is at most q², then x is within q of the minimum, because the
    objective is at least |x - y|² above its minimum y. ∎

    >>> from discreet.sets import set_named
    >>> learner = OracleFtrl.start(set=set_named("spanning-trees(3)"), learning_rate=0.5)
    >>> point, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, np.array([1.0, 0.0, 0.0]))
    >>> learner.act(None, np.random.default_rng(0))[0].round(2).tolist()
    [0.5, 0.75, 0.75]
    """

    rates: Rates
    clock: Integers  # rounds played
    accuracy: float  # α, in units of length
    finest: float
    set: LinearOracle
    anchor: Floats  # c
    pulls: Floats  # η L: a buffer
    solver: Corrective

    @classmethod
    def start(
        cls,
        *,
        set: LinearOracle,  # noqa: A002
        learning_rate: float | Rates,
        accuracy: float = ACCURACY,
    ) -> OracleFtrl:
        """Return the learner before the first round."""
        check_room(set)
        outer = float(set.outer)
        return cls(
            sums=np.zeros(set.dimension),
            point=set.centre(),
            rates=as_rates(learning_rate),
            clock=np.zeros(1, np.int64),
            accuracy=outer * check_range("accuracy", accuracy, 1e-5, 1.0),
            finest=FINEST * outer,
            set=set,
            anchor=set.centre(),
            pulls=np.zeros(set.dimension),
            solver=Corrective.start(set),
        )

    @classmethod
    def example(cls) -> OracleFtrl:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), learning_rate=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Play the regularised leader."""
        self.clock[0] += 1
        rate = self.rates.at(self.clock[0])
        for i in range(self.sums.size):
            pull = rate * self.sums[i]  # noise may be anything
            self.pulls[i] = min(max(pull, -LARGEST), LARGEST) if pull == pull else 0.0
        near = max(self.accuracy / math.sqrt(self.clock[0]), self.finest)
        self.solver.lead(self.set, self.anchor, self.pulls, self.point, near)
        return self.point, 0.0

    @property
    def oracle_calls(self) -> int | None:
        """How often it called the oracle."""
        return self.solver.oracle_calls

    @staticmethod
    def extra_bound(
        *, radius: float, rounds: int, norm: float, accuracy: float = ACCURACY
    ) -> float:
        """Return what is added to the bound of ``QuadraticFtrl``: G R (2 α sqrt(T) + 3e-6 T)."""
        return norm * radius * (2.0 * accuracy * math.sqrt(rounds) + FINEST * rounds)
