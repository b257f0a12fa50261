"""The face for experts whose losses are all seen."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.ledger import Ledger
from discreet.live.arguments import labels_of, losses_of
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.face import Face, Path, Wait
from discreet.live.rows import Recipe
from discreet.problems import Points
from discreet.ranges import make_range

DEFAULT = "private-ftrl-experts"


class Trust(NamedTuple):
    """How far to trust each expert in one round, and one of them, drawn accordingly; give it back with the losses."""

    expert: Hashable
    weights: dict[Hashable, float]
    id: int
    token: str


class Experts(Face):
    """A private distribution over labelled experts; the loss of every expert is told.

    >>> experts = Experts(experts=["A", "B", "C"], horizon=1000, epsilon=1.0, delta=1e-6)
    >>> decision = experts.ask()
    >>> decision.weights                  # decision.expert is one of them, drawn with these probabilities
    {'A': 0.333..., 'B': 0.333..., 'C': 0.333...}
    >>> experts.tell(decision, losses={"A": 0.0, "B": 0.5, "C": 1.0})
    >>> experts
    Experts(3 experts, round 1 of 1000, private-ftrl-experts, (1, 1e-06)-differential privacy, live: exact noise)

    Neighbours replace the losses of one round, all of them. Losses come in the order of the
    experts, or by label; they may come late and in any order, and enter one running sum as they
    come. Losses outside of the range from ``low`` to ``high`` are refused, or clipped with
    ``clip=True``. All other options are those of :class:`discreet.Bandit`.
    """

    _gives = Trust
    _chosen = "experts"

    def __init__(
        self,
        experts: int | Sequence[Hashable],
        horizon: int | None,
        epsilon: float,
        *,
        delta: float = 0.0,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        algorithm: str = DEFAULT,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        default_losses: Sequence[float] | Floats | Mapping[Hashable, float] | None = None,
        default_rewards: Sequence[float] | Floats | Mapping[Hashable, float] | None = None,
        **options: object,
    ) -> None:
        labels = labels_of("experts", experts)
        recipe: Recipe = {
            "experts": list(labels),
            "horizon": horizon,
            "epsilon": epsilon,
            "delta": delta,
            "low": low,
            "high": high,
            "clip": clip,
            "algorithm": algorithm,
        }
        default = None
        if default_rewards is not None or default_losses is not None:
            default = losses_of(
                default_rewards, default_losses, labels, make_range(low, high), clip=False
            ).tolist()
        super().__init__(
            recipe,
            simulation=simulation,
            seed=seed,
            ledger=ledger,
            path=path,
            key=key,
            wait=wait,
            default=default,
            options=options,
        )

    @classmethod
    def _plan(cls, recipe: Recipe) -> Plan:
        return Plan.of(
            recipe, Points("experts", len(recipe["experts"])), observation=0, carry=draw_expert
        )

    def ask(self, *, user: User | None = None) -> Trust:
        """Return how far to trust each expert in the next round, and one of them, drawn accordingly."""
        given = self._run.ask(0, user=user)
        weights = dict(zip(self._labels, given.action.tolist(), strict=True))
        return Trust(self._labels[given.choice], weights, given.id, given.token)

    def tell(
        self,
        decision: Trust | int,
        *,
        losses: Sequence[float] | Floats | Mapping[Hashable, float] | None = None,
        rewards: Sequence[float] | Floats | Mapping[Hashable, float] | None = None,
    ) -> None:
        """Report the losses, or the rewards, of all experts in the round of a decision, or of the one with an id."""
        self._hear(
            decision,
            losses_of(rewards, losses, self._labels, self._bounds, clip=self._recipe["clip"]),
        )

    def _choice(self, decision: Trust) -> int | None:
        return self._indices.get(decision.expert)

    def _size(self) -> str:
        return f"{len(self._labels)} experts"


def draw_expert(action: Floats, observation: object, rng: Generator) -> int:
    """Return an expert, drawn from a distribution."""
    return draw(action, rng)


def draw(distribution: Floats, rng: Generator) -> int:
    """Return an index, drawn from a distribution."""
    sums = np.cumsum(distribution)
    return min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), sums.size - 1)
