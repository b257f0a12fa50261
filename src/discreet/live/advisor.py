"""The face for arms on the advice of experts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.ledger import Ledger
from discreet.live.arguments import advice_of, labels_of, loss_of
from discreet.live.bandit import Decision
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.experts import draw
from discreet.live.face import Face, Path, Wait
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun
from discreet.problems import Advice
from discreet.ranges import make_range

DEFAULT = "expert-arms"


class Advisor(Face):
    """A private bandit over labelled arms that learns which experts to listen to.

    >>> advisor = Advisor(arms=["A", "B"], experts=3, horizon=1000, epsilon=1.0)
    >>> decision = advisor.ask([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])    # a row for each expert: a distribution over arms
    >>> advisor.tell(decision, reward=1.0)                              # of decision.arm
    >>> advisor
    Advisor(2 arms, 3 experts, round 1 of 1000, expert-arms, 1-differential privacy, live: exact noise)

    Advice is public, and may differ from round to round; outcomes are private (docs/advice.md). The
    default, ``expert-arms``, is for up to about 16 experts, ``local-exp4`` for more. All other
    options are those of :class:`discreet.Bandit`.
    """

    _gives = Decision
    _chosen = "arms"

    def __init__(
        self,
        arms: int | Sequence[Hashable],
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
        default_reward: float | None = None,
        default_loss: float | None = None,
        **options: object,
    ) -> None:
        recipe: Recipe = {
            "arms": list(labels_of("arms", arms)),
            "experts": list(labels_of("experts", experts)),
            "horizon": horizon,
            "epsilon": epsilon,
            "delta": delta,
            "low": low,
            "high": high,
            "clip": clip,
            "algorithm": algorithm,
        }
        default = None
        if default_reward is not None or default_loss is not None:
            default = loss_of(default_reward, default_loss, make_range(low, high), clip=False)
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
        arms, experts = len(recipe["arms"]), len(recipe["experts"])
        uniform = np.full((arms, experts), 1.0 / arms)
        plan = Plan.of(recipe, Advice(arms, experts), observation=uniform)
        return plan._replace(carry=follow_expert) if plan.private.learner.follows else plan

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._experts: tuple[Hashable, ...] = tuple(recipe["experts"])

    def ask(
        self, advice: Sequence[Sequence[float]] | Floats, *, user: User | None = None
    ) -> Decision:
        """Return the arm to play in the next round, on this advice: experts by arms."""
        given = self._run.ask(advice_of(advice, self._experts, self._labels), user=user)
        return Decision(self._labels[given.choice], given.id, given.token)

    def tell(
        self, decision: Decision | int, *, reward: float | None = None, loss: float | None = None
    ) -> None:
        """Report the outcome of a decision, or of the one with an id: a reward or a loss in the declared range."""
        self._hear(decision, loss_of(reward, loss, self._bounds, clip=self._recipe["clip"]))

    def _choice(self, decision: Decision) -> int | None:
        return self._indices.get(decision.arm)

    def _size(self) -> str:
        return f"{len(self._labels)} arms, {len(self._experts)} experts"


def follow_expert(action: int, observation: Floats, rng: Generator) -> int:
    """Return an arm, drawn from the advice of the expert that is followed."""
    return draw(observation[:, int(action)], rng)
