"""The live class for slates: it shows some of the items, and learns from the loss of each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, cast

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.arguments import labels_of, losses_of
from discreet.live.arms import default_of
from discreet.live.client import LiveClient
from discreet.live.frames import withhold_frames
from discreet.live.points import NO_CHOICE, no_choice
from discreet.live.rows import Recipe, Ticket
from discreet.live.run import LiveRun
from discreet.live.run_options import Clock, Durable, Path, RunOptions, Wait, terms
from discreet.live.run_plan import RunPlan
from discreet.live.serving import AtLimit
from discreet.live.several_client import ToldPairs, how_many
from discreet.live.store import Store
from discreet.problems import SemiBandit

USUAL = "private-slate-ftrl"
Losses = Mapping[Hashable, float] | Sequence[float] | Floats


class ShownItems(NamedTuple):
    """The items to show in one round; pass it back with their losses."""

    items: tuple[Hashable, ...]
    id: int
    token: str
    learns: bool = True  # False for a user at the limit: the outcome is discarded


class SlateBandit(LiveClient[ShownItems]):
    """A private bandit over slates that learns from the losses of all items shown.

    >>> bandit = SlateBandit(["a", "b", "c", "d"], shown=2, horizon=10_000, epsilon=1.0)
    >>> decision = bandit.ask()
    >>> len(decision.items)
    2
    >>> bandit.tell(decision, rewards={item: 1.0 for item in decision.items})
    True
    >>> bandit
    SlateBandit(slates of 2 of 4 items, round 1 of 10000, private-slate-ftrl, 1-differential
    privacy, live: exact noise)

    Report one loss (or reward) in the range from ``low`` to ``high`` for each item shown: by item,
    or in the order of ``decision.items``. The loss of a slate is their sum. Neighbours replace all
    losses of one round. All other options are those of :class:`discreet.Bandit`.
    """

    _gives = ShownItems

    def __init__(
        self,
        items: int | Sequence[Hashable],
        shown: int,
        horizon: int | None,
        epsilon: float,
        *,
        delta: float = 0.0,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        algorithm: str | None = None,
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
        labels = labels_of("items", items)
        problem = SemiBandit(len(labels), check_int("shown", shown, minimum=1))
        run = RunOptions.among(locals())
        recipe = terms(
            horizon, epsilon, delta, low, high, clip, USUAL if algorithm is None else algorithm
        )
        recipe["arms"], recipe["shown"] = list(labels), problem.shown
        default = None
        if default_reward is not None or default_loss is not None:
            each = default_of(default_reward, default_loss, low, high)
            default = [cast(float, each)] * problem.shown
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        problem = SemiBandit(len(recipe["arms"]), recipe["shown"])
        return RunPlan.of(recipe, problem, observation=0, carry=no_choice)

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._items = tuple(recipe["arms"])

    def _choice(self, decision: ShownItems) -> int:
        return NO_CHOICE

    def _shown(self, ticket: Ticket) -> Hashable:
        return None if ticket.action is None else tuple(self._items[int(i)] for i in ticket.action)

    @withhold_frames
    def ask(self, *, user: User | None = None, at_limit: AtLimit = "refuse") -> ShownItems:
        """Return the items to show in the next round."""
        return self._given(self._run.ask(0, user, at_limit))

    @withhold_frames
    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[ShownItems]:
        """Return the next n decisions, made in one transaction: all of them or none."""
        return self._ask_many(how_many(n), users)

    def _given(self, ticket: Ticket, chance: float | None = None) -> ShownItems:
        items = tuple(self._items[int(i)] for i in cast(Floats, ticket.action))
        return ShownItems(items, ticket.id, ticket.token, ticket.learns)

    @withhold_frames
    def tell(
        self,
        decision: ShownItems | int,
        *,
        losses: Losses | None = None,
        rewards: Losses | None = None,
    ) -> bool:
        """Report the losses or rewards of all items shown, by item or in their order.

        If you give only the id of a decision, they must be in order. Returns whether they count:
        False after their deadline (with ``wait``), or if the decision was for a user at the limit.
        """
        named = {"losses": losses, "rewards": rewards}
        given = [name for name, each in named.items() if each is not None]
        name = given[0] if len(given) == 1 else ""
        return self._tell(decision, self._feedback(decision, name, named.get(name)))

    @withhold_frames
    def tell_all(self, *, losses: ToldPairs | None = None, rewards: ToldPairs | None = None) -> int:
        """Report several outcomes in one transaction, as pairs (decision or its id, outcome).

        If one outcome is refused, none is recorded. Returns how many outcomes count: with ``wait``,
        those that met their deadlines.
        """
        return self._tell_pairs(losses=losses, rewards=rewards)

    def _feedback(self, decision: object, name: str, outcome: object) -> Floats:
        losses = outcome if name == "losses" else None
        rewards = outcome if name == "rewards" else None
        places: tuple[Hashable, ...] = tuple(range(self._recipe["shown"]))
        if type(decision) is not int:
            items = self._checked(decision).items
            places = items if isinstance(items, tuple) else ()
        elif isinstance(losses, Mapping) or isinstance(rewards, Mapping):
            raise DiscreetError(
                "outcomes are given by item, but the decision only by its id: give the decision, "
                "or outcomes in the order of its items."
            )
        clip = self._recipe["clip"]
        if len(places) != self._recipe["shown"]:
            raise DiscreetError("decision has other items than ask() returned.")
        return losses_of(rewards, losses, places, self._bounds, clip=clip)

    def _size(self) -> str:
        return f"slates of {self._recipe['shown']} of {len(self._items)} items"
