"""The live class for contexts in the joint model: a trusted server sees them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import timedelta

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_range, count, shorten
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.arguments import labels_of, loss_of
from discreet.live.arms import default_of
from discreet.live.client import LiveClient
from discreet.live.decisions import Decision
from discreet.live.features import Features, KeptRecords, Shown
from discreet.live.frames import withhold_frames
from discreet.live.points import NO_CHOICE, no_choice
from discreet.live.rows import Recipe, Ticket
from discreet.live.run import LiveRun
from discreet.live.run_options import Clock, Durable, Path, RunOptions, Wait, terms
from discreet.live.run_plan import RunPlan
from discreet.live.serving import AtLimit
from discreet.live.several_client import ToldPairs, one_for_each
from discreet.live.store import Store
from discreet.problems import Contexts

Numbers = Sequence[float] | Floats
ALGORITHM = "joint-linucb"


class ContextualBandit(LiveClient[Decision]):
    """A private bandit with features, on a server that may see them.

    >>> features = Features(["sports", "politics"], context=3)
    >>> bandit = ContextualBandit(features, horizon=100_000, epsilon=1.0, delta=1e-6)
    >>> decision = bandit.ask([0.2, -1.0, 0.5])        # decision.arm is "sports" or "politics"
    >>> bandit.tell(decision, reward=1.0)
    True
    >>> bandit
    ContextualBandit(2 arms, 8 features, round 1 of 100000, joint-linucb, (1, 1e-06)-differential
    privacy, live: exact noise)

    Features and outcomes are private. The guarantee (``joint`` model) covers what everybody else
    sees: models, and decisions for others. **The decision for a person follows from that person's
    features without noise.** Anything that shows it (server logs, invoices, page views by user) is
    not covered: outside the run, do not store arms together with users or times. The run itself
    shows no choices, neither in ``state`` nor in ``open_decisions``, and encrypts them in its file.

    The model assumes that rewards are linear in the features. If they are not, this costs regret,
    not privacy. The model is fitted after ``first`` outcomes (by default, when sums exceed their
    noise), and again whenever the number of outcomes has grown by the factor ``growth``; noisy sums
    are released only then.

    Parameters
    ----------
    features
        The features of a person and of arms (:class:`discreet.Features`).
    horizon
        The maximum number of rounds; None, at the price of a little more noise, if not known.
    epsilon, delta
        The privacy parameters. The noise is Gaussian, so delta must be above 0.
    low, high, clip
        The declared range of outcomes. Outcomes outside it are refused, or clipped with
        ``clip=True``.
    growth, first
        When the model is fitted.
    default_reward, default_loss
        The value of a missing outcome, with ``wait``.
    simulation, seed, ledger, path, store, key, wait, durable, max_rounds_per_user, per, clock
        See :class:`discreet.live.RunOptions`.
    **options
        Other options of the algorithm ``joint-linucb``, such as ``width``.

    """

    _gives = Decision

    def __init__(
        self,
        features: Features,
        horizon: int | None,
        epsilon: float,
        *,
        delta: float,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        growth: float | None = None,
        first: int | None = None,
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
        if not isinstance(features, Features):
            raise DiscreetError(f"features is {shorten(features)}, but must be a Features.")
        if check_range("delta", delta, 0.0, 1.0) == 0.0:
            raise DiscreetError(
                f"delta is {shorten(delta)}, but Gaussian noise needs delta above 0, such as 1e-6."
            )
        if "block" in options:
            raise DiscreetError("block is not an option here: the features determine it.")
        run = RunOptions.among(locals())
        recipe = terms(horizon, epsilon, delta, low, high, clip, ALGORITHM)
        recipe["arms"] = list(labels_of("arms", features.arms))
        recipe["context"], recipe["arm_features"] = features.context, features.arm_features
        recipe["per_arm"], recipe["intercept"] = features.per_arm, features.intercept
        recipe["scales"], recipe["shorten"] = features.scales.tolist(), features.clip
        default = default_of(default_reward, default_loss, low, high)
        chosen: dict[str, object] = {"block": features.block, **options}
        chosen |= {} if growth is None else {"growth": growth}
        chosen |= {} if first is None else {"first": first}
        super().__init__(recipe, run, default, chosen)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        features = _features_of(recipe)
        arms = len(features.arms)
        nobody = Shown(np.zeros((arms, features.dimension)), np.arange(arms))
        problem = Contexts(arms, features.dimension)
        plan = RunPlan.of(recipe, problem, observation=nobody, carry=no_choice)
        records = KeptRecords(features.shared, features.block, features.dimension)
        return plan._replace(records=records)

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._features = _features_of(recipe)

    @property
    def features(self) -> Features:
        """The features of a person and of arms."""
        return self._features

    @withhold_frames
    def ask(
        self,
        context: Numbers | None = None,
        *,
        arm_features: Mapping[Hashable, Numbers] | Sequence[Numbers] | Floats | None = None,
        available: Iterable[Hashable] | None = None,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
    ) -> Decision:
        """Return the arm for a person with this context.

        ``arm_features`` has one row per arm, in order or by label. ``available`` names the arms
        that can be chosen in this round; it must not depend on data of other people. If the run
        limits users, pass the user; with ``at_limit="serve"``, a user at the limit gets a decision
        that the run does not learn from.
        """
        shown = self._observation(context, arm_features, available)
        return self._given(self._run.ask(shown, user, at_limit))

    def _observation(
        self,
        context: Numbers | None = None,
        arm_features: Mapping[Hashable, Numbers] | Sequence[Numbers] | Floats | None = None,
        available: Iterable[Hashable] | None = None,
    ) -> object:
        return self._features.shown(context, arm_features, available)

    @withhold_frames
    def ask_many(
        self,
        contexts: Sequence[Numbers],
        *,
        available: Iterable[Hashable] | None = None,
        users: Sequence[User] | None = None,
    ) -> list[Decision]:
        """Return the arms for people with these contexts, in one transaction: all or none."""
        named = None if available is None else list(available)
        each_one = one_for_each("contexts", contexts)
        seen = [self._features.shown(each, None, named) for each in each_one]
        return self._ask_many(seen, users)

    def _given(self, ticket: Ticket, chance: float | None = None) -> Decision:
        arm = self._features.arms[int(ticket.action)]
        return Decision(arm, ticket.id, ticket.token, learns=ticket.learns)

    @withhold_frames
    def tell(
        self, decision: Decision | int, *, reward: float | None = None, loss: float | None = None
    ) -> bool:
        """Report the outcome of a decision (or its id): a reward or a loss in the declared range.

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

    def _choice(self, decision: Decision) -> int:
        return NO_CHOICE

    def _shown(self, ticket: Ticket) -> Hashable:
        """Return nothing: the decision for a person reveals that person's features."""
        return None

    def _size(self) -> str:
        arms, features = len(self._features.arms), self._features.dimension
        return f"{count(arms, 'arm')}, {count(features, 'feature')}"


def _features_of(recipe: Recipe) -> Features:
    """Return the features that a recipe describes."""
    return Features(
        recipe["arms"],
        context=recipe["context"],
        arm_features=recipe["arm_features"],
        per_arm=recipe["per_arm"],
        intercept=recipe["intercept"],
        scales=np.array(recipe["scales"]),
        clip=recipe["shorten"],
    )
