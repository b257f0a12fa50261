"""Live classes for experts: weights over experts, and a bandit that follows their advice."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, cast

import numpy as np

from discreet.algorithms.arms.choosing import BOUNDED
from discreet.contracts import Floats, Generator
from discreet.errors import count
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.arguments import (
    advice_of,
    default_named,
    index_of,
    labels_of,
    loss_of,
    losses_of,
)
from discreet.live.arms import default_of
from discreet.live.client import LiveClient
from discreet.live.decisions import Decision
from discreet.live.frames import withhold_frames
from discreet.live.rows import Recipe, Ticket
from discreet.live.run import LiveRun
from discreet.live.run_options import Clock, Durable, Path, RunOptions, Wait, terms
from discreet.live.run_plan import RunPlan
from discreet.live.serving import AtLimit
from discreet.live.several_client import ToldPairs, how_many, one_for_each
from discreet.live.store import Store
from discreet.problems import Advice, Points
from discreet.ranges import make_range

FOLLOWING = "expert-arms"  # the default algorithm of an Advisor
EveryOutcome = Sequence[float] | Floats | Mapping[Hashable, float]  # one per expert


class Trust(NamedTuple):
    """The weight of each expert in one round, and one expert drawn with these weights.

    Pass it back with the losses.
    """

    expert: Hashable
    weights: dict[Hashable, float]
    id: int
    token: str
    learns: bool = True  # False for a user at the limit: the outcome is discarded


class Experts(LiveClient[Trust]):
    """A private distribution over labelled experts; you report the losses of all experts.

    >>> experts = Experts(experts=["A", "B", "C"], horizon=1000, epsilon=1.0, delta=1e-6)
    >>> decision = experts.ask()
    >>> decision.weights                  # decision.expert is drawn with these probabilities
    {'A': 0.333..., 'B': 0.333..., 'C': 0.333...}
    >>> experts.tell(decision, losses={"A": 0.0, "B": 0.5, "C": 1.0})
    True
    >>> experts
    Experts(3 experts, round 1 of 1000, private-ftrl-experts, (1, 1e-06)-differential privacy,
    live: exact noise)

    Neighbours replace all losses of one round. Report losses in the order of the experts or by
    label. They may arrive late and in any order; each is added to one running sum on arrival.
    Losses outside the range from ``low`` to ``high`` are refused, or clipped with ``clip=True``.
    All other options are those of :class:`discreet.Bandit`.
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
        algorithm: str = "private-ftrl-experts",
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        store: str | Store | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        durable: Durable = "outcomes",
        max_rounds_per_user: int | None = None,
        per: timedelta | None = None,
        clock: Clock | None = None,
        default_losses: EveryOutcome | None = None,
        default_rewards: EveryOutcome | None = None,
        **options: object,
    ) -> None:
        run = RunOptions.among(locals())
        recipe = terms(horizon, epsilon, delta, low, high, clip, algorithm)
        labels = labels_of("experts", experts)
        recipe["experts"] = list(labels)
        default = None
        if default_rewards is not None or default_losses is not None:
            bounds = make_range(low, high)
            with default_named():
                losses = losses_of(default_rewards, default_losses, labels, bounds, clip=False)
            default = losses.tolist()
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        problem = Points("experts", len(recipe["experts"]))
        return RunPlan.of(recipe, problem, observation=0, carry=draw_expert)

    @withhold_frames
    def ask(self, *, user: User | None = None, at_limit: AtLimit = "refuse") -> Trust:
        """Return the weights of all experts for the next round, and one expert drawn from them."""
        return self._given(self._run.ask(0, user, at_limit))

    @withhold_frames
    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Trust]:
        """Return the next n decisions, made in one transaction: all of them or none."""
        return self._ask_many(how_many(n), users)

    def _given(self, ticket: Ticket, chance: float | None = None) -> Trust:
        weights = dict(zip(self._labels, cast(Floats, ticket.action).tolist(), strict=True))
        return Trust(self._labels[ticket.choice], weights, ticket.id, ticket.token, ticket.learns)

    @withhold_frames
    def tell(
        self,
        decision: Trust | int,
        *,
        losses: EveryOutcome | None = None,
        rewards: EveryOutcome | None = None,
    ) -> bool:
        """Report the losses, or the rewards, of all experts for a decision (or its id).

        Returns whether they count: False after their deadline (with ``wait``), or if the decision
        was for a user at the limit.
        """
        clip, bounds = self._recipe["clip"], self._bounds
        return self._tell(decision, losses_of(rewards, losses, self._labels, bounds, clip=clip))

    @withhold_frames
    def tell_all(self, *, losses: ToldPairs | None = None, rewards: ToldPairs | None = None) -> int:
        """Report several outcomes in one transaction, as pairs (decision or its id, outcome).

        If one outcome is refused, none is recorded. Returns how many outcomes count: with ``wait``,
        those that met their deadlines.
        """
        return self._tell_pairs(losses=losses, rewards=rewards)

    def _feedback(self, decision: object, name: str, outcome: object) -> Floats:
        rewards, losses = (outcome, None) if name == "rewards" else (None, outcome)
        clip = self._recipe["clip"]
        return losses_of(rewards, losses, self._labels, self._bounds, clip=clip)

    def _choice(self, decision: Trust) -> int | None:
        return index_of(self._indices, decision.expert)

    def _size(self) -> str:
        return count(len(self._labels), "expert")


class Advisor(LiveClient[Decision]):
    """A private bandit over labelled arms that learns which experts to follow.

    >>> advisor = Advisor(arms=["A", "B"], experts=3, horizon=1000, epsilon=1.0)
    >>> advice = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]   # for each expert, a distribution over arms
    >>> decision = advisor.ask(advice)
    >>> advisor.tell(decision, reward=1.0)              # the reward of decision.arm
    True
    >>> advisor
    Advisor(2 arms, 3 experts, round 1 of 1000, expert-arms, 1-differential privacy, live: exact
    noise)

    Advice is public and may differ from round to round; outcomes are private (docs/advice.md). Use
    the default, ``expert-arms``, for up to about 16 experts, and ``local-exp4`` for more. The
    default chooses between experts as a :class:`discreet.Bandit` chooses between arms by default
    (``base="bounded"``). All other options are those of that class.
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
        algorithm: str = FOLLOWING,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        store: str | Store | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        durable: Durable = "outcomes",
        max_rounds_per_user: int | None = None,
        per: timedelta | None = None,
        clock: Clock | None = None,
        default_reward: float | None = None,
        default_loss: float | None = None,
        **options: object,
    ) -> None:
        run = RunOptions.among(locals())
        recipe = terms(horizon, epsilon, delta, low, high, clip, algorithm)
        recipe["arms"] = list(labels_of("arms", arms))
        recipe["experts"] = list(labels_of("experts", experts))
        default = default_of(default_reward, default_loss, low, high)
        follows = isinstance(algorithm, str) and algorithm == FOLLOWING
        if follows:  # stored in the recipe, so that older runs keep their base
            options = {"base": BOUNDED, **options}
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        arms, experts = len(recipe["arms"]), len(recipe["experts"])
        uniform = np.full((arms, experts), 1.0 / arms)
        plan = RunPlan.of(recipe, Advice(arms, experts), observation=uniform)
        return plan._replace(carry=follow_expert) if plan.private.learner.follows else plan

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._experts: tuple[Hashable, ...] = tuple(recipe["experts"])

    @withhold_frames
    def ask(
        self,
        advice: Sequence[Sequence[float]] | Floats,
        *,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
    ) -> Decision:
        """Return the arm to play in the next round, given this advice: experts by arms."""
        return self._given(self._run.ask(self._observation(advice), user, at_limit))

    def _observation(self, advice: Sequence[Sequence[float]] | Floats) -> Floats:  # type: ignore[override]
        return advice_of(advice, self._experts, self._labels)

    @withhold_frames
    def ask_many(
        self,
        advice: Sequence[Sequence[Sequence[float]] | Floats],
        *,
        users: Sequence[User] | None = None,
    ) -> list[Decision]:
        """Return one decision per advice, made in one transaction: all of them or none."""
        given = one_for_each("advice", advice)
        seen = [advice_of(each, self._experts, self._labels) for each in given]
        return self._ask_many(seen, users)

    def _given(self, ticket: Ticket, chance: float | None = None) -> Decision:
        label = self._labels[ticket.choice]
        return Decision(label, ticket.id, ticket.token, learns=ticket.learns)

    @withhold_frames
    def tell(
        self, decision: Decision | int, *, reward: float | None = None, loss: float | None = None
    ) -> bool:
        """Report the outcome of a decision (or its id): a reward or a loss in range.

        Returns whether it counts: False after its deadline (with ``wait``), or if the decision was
        for a user at the limit.
        """
        return self._tell(decision, loss_of(reward, loss, self._bounds, clip=self._recipe["clip"]))

    @withhold_frames
    def tell_all(self, *, reward: ToldPairs | None = None, loss: ToldPairs | None = None) -> int:
        """Report several outcomes in one transaction, as pairs (decision or its id, outcome).

        If one outcome is refused, none is recorded. Returns how many outcomes count: with ``wait``,
        those that met their deadlines.
        """
        return self._tell_pairs(reward=reward, loss=loss)

    def _feedback(self, decision: object, name: str, outcome: object) -> float:
        reward, loss = (outcome, None) if name == "reward" else (None, outcome)
        return loss_of(reward, loss, self._bounds, clip=self._recipe["clip"])

    def _choice(self, decision: Decision) -> int | None:
        return index_of(self._indices, decision.arm)

    def _size(self) -> str:
        return f"{count(len(self._labels), 'arm')}, {count(len(self._experts), 'expert')}"


def draw_expert(action: Floats, observation: object, rng: Generator) -> int:
    """Return an expert, drawn from a distribution."""
    return draw(action, rng)


def draw(distribution: Floats, rng: Generator) -> int:
    """Return an index, drawn from a distribution."""
    sums = np.cumsum(distribution)
    return min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), sums.size - 1)


def follow_expert(action: int, observation: Floats, rng: Generator) -> int:
    """Return an arm, drawn from the advice of the followed expert."""
    return draw(observation[:, int(action)], rng)
