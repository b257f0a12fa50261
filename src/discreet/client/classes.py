"""The library's classes for runs on a service, one per problem."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from discreet.client import asking, run_calls
from discreet.client.remote import RemoteRun
from discreet.contracts import Floats
from discreet.estimates.table import MeanEstimates
from discreet.ledger.inputs import User
from discreet.live import Decision, HeldOutArm, Point, ShownItems, Trust
from discreet.live.contextual import Numbers
from discreet.live.frames import withhold_frames
from discreet.live.optimizers import Outcome
from discreet.live.serving import AtLimit
from discreet.live.several_client import ToldPairs

__all__ = [
    "RemoteAdvisor",
    "RemoteBandit",
    "RemoteBestArmSearch",
    "RemoteContextualBandit",
    "RemoteExperts",
    "RemoteOptimizer",
    "RemoteSlateBandit",
    "RemoteVectorOptimizer",
]

ByLabel = Sequence[float] | Floats | Mapping[Hashable, float]
ArmAdvice = Sequence[Sequence[float]] | Floats


class RemoteArms(RemoteRun[Decision]):
    """A run on a service whose outcomes are a reward or a loss of an arm."""

    @withhold_frames
    def tell(
        self, decision: Decision | int, *, reward: float | None = None, loss: float | None = None
    ) -> None:
        """Report the outcome of a decision (or its id); reporting it again changes nothing."""
        self._tell(decision, reward=reward, loss=loss)

    @withhold_frames
    def tell_all(self, *, reward: ToldPairs | None = None, loss: ToldPairs | None = None) -> int:
        """Report several outcomes; return how many were accepted, including late ones."""
        return self._tell_all(reward=reward, loss=loss)


class RemoteBandit(RemoteArms):
    """:class:`discreet.Bandit` on a service."""

    def ask(
        self,
        *,
        available: Collection[Hashable] | None = None,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Hashable = None,
    ) -> Decision:
        """Return the arm to play; if the service does not answer, ``default``."""
        return self._ask({**asking.on_offer(available), **asking.whose(user, at_limit)}, default)

    def ask_many(
        self,
        n: int,
        *,
        available: Collection[Hashable] | None = None,
        users: Sequence[User] | None = None,
    ) -> list[Decision]:
        """Return the next n decisions."""
        each = asking.for_users(asking.number_of(n), users)
        return self._ask_many(each, **asking.on_offer(available))

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """The labels of all arms that are not retired."""
        return tuple(self._make(run_calls.field_of(self.name, "labels")))

    def add_arm(self, label: Hashable) -> None:
        """Add an arm in one of the spare slots declared by ``capacity``."""
        self._make(run_calls.added(self.name, label))

    def retire_arm(self, label: Hashable) -> None:
        """Never play an arm again."""
        self._make(run_calls.retired(self.name, label))

    @property
    def held_out(self) -> tuple[HeldOutArm, ...] | None:
        """The released sums of held-out rounds; None before the release."""
        return self._make(run_calls.held_out(self.name))

    def finish_holdout(self, *, give_up: bool = False) -> bool:
        """End the hold-out; return whether it is released now."""
        return self._make(run_calls.holdout_finished(self.name, give_up=give_up))

    def finish(self) -> MeanEstimates:
        """Make the final release, return its estimates, and end the run."""
        self.end()
        return self.estimates(kind="final", clipped=True)


class RemoteBestArmSearch(RemoteArms):
    """:class:`discreet.BestArmSearch` on a service."""

    def ask(
        self,
        *,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Hashable = None,
    ) -> Decision:
        """Return the arm to sample; if the service does not answer, ``default``."""
        return self._ask(asking.whose(user, at_limit), default)

    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Decision]:
        """Return the next n decisions."""
        return self._ask_many(asking.for_users(asking.number_of(n), users))

    @property
    def answer(self) -> Hashable | None:
        """The arm that the search found to be the best; None while there is no answer."""
        found: Hashable | None = self._make(run_calls.field_of(self.name, "answer"))
        return found

    @property
    def finished(self) -> bool:
        """Whether the search has its answer; it then makes no further decisions."""
        return bool(self._make(run_calls.field_of(self.name, "finished")))


class RemoteAdvisor(RemoteArms):
    """:class:`discreet.Advisor` on a service."""

    def ask(
        self,
        advice: ArmAdvice,
        *,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Hashable = None,
    ) -> Decision:
        """Return the arm to play given this advice; if the service does not answer, ``default``."""
        return self._ask({**asking.advised(advice), **asking.whose(user, at_limit)}, default)

    def ask_many(
        self, advice: Sequence[ArmAdvice], *, users: Sequence[User] | None = None
    ) -> list[Decision]:
        """Return one decision per advice."""
        each = [asking.advised(one) for one in asking.every("advice", advice)]
        return self._ask_many(asking.for_users(each, users))


class RemoteContextualBandit(RemoteArms):
    """:class:`discreet.ContextualBandit` on a service, which sees the features."""

    @withhold_frames
    def ask(
        self,
        context: Numbers | None = None,
        *,
        arm_features: Mapping[Hashable, Numbers] | Sequence[Numbers] | Floats | None = None,
        available: Iterable[Hashable] | None = None,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Hashable = None,
    ) -> Decision:
        """Return the arm for a person; if the service does not answer, ``default``."""
        seen = {**asking.known(context, arm_features), **asking.on_offer(available)}
        return self._ask({**seen, **asking.whose(user, at_limit)}, default)

    @withhold_frames
    def ask_many(
        self,
        contexts: Sequence[Numbers],
        *,
        available: Iterable[Hashable] | None = None,
        users: Sequence[User] | None = None,
    ) -> list[Decision]:
        """Return the arms for people with these contexts."""
        each = [asking.known(one, None) for one in asking.every("contexts", contexts)]
        return self._ask_many(asking.for_users(each, users), **asking.on_offer(available))


class RemoteExperts(RemoteRun[Trust]):
    """:class:`discreet.Experts` on a service."""

    def ask(
        self,
        *,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Hashable = None,
    ) -> Trust:
        """Return the weights of all experts; if the service does not answer, all on ``default``."""
        return self._ask(asking.whose(user, at_limit), default)

    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Trust]:
        """Return the next n decisions."""
        return self._ask_many(asking.for_users(asking.number_of(n), users))

    @withhold_frames
    def tell(
        self,
        decision: Trust | int,
        *,
        losses: ByLabel | None = None,
        rewards: ByLabel | None = None,
    ) -> None:
        """Report the losses, or the rewards, of all experts for a decision (or its id)."""
        self._tell(decision, losses=losses, rewards=rewards)

    @withhold_frames
    def tell_all(self, *, losses: ToldPairs | None = None, rewards: ToldPairs | None = None) -> int:
        """Report several outcomes; return how many were accepted, including late ones."""
        return self._tell_all(losses=losses, rewards=rewards)


class RemotePoints(RemoteRun[Point]):
    """A run on a service whose decisions are points."""

    def ask(
        self,
        *,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Sequence[float] | Floats | None = None,
    ) -> Point:
        """Return the point to play; if the service does not answer, ``default``."""
        return self._ask(asking.whose(user, at_limit), default)

    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Point]:
        """Return the next n decisions."""
        return self._ask_many(asking.for_users(asking.number_of(n), users))


class RemoteOptimizer(RemotePoints):
    """:class:`discreet.Optimizer` on a service."""

    @withhold_frames
    def tell(
        self, decision: Point | int, *, loss: Outcome | None = None, reward: Outcome | None = None
    ) -> None:
        """Report the loss or reward of a decision (or its id): two numbers if it has two points."""
        self._tell(decision, loss=loss, reward=reward)

    @withhold_frames
    def tell_all(self, *, loss: ToldPairs | None = None, reward: ToldPairs | None = None) -> int:
        """Report several outcomes; return how many were accepted, including late ones."""
        return self._tell_all(loss=loss, reward=reward)


class RemoteVectorOptimizer(RemotePoints):
    """:class:`discreet.VectorOptimizer` on a service."""

    @withhold_frames
    def tell(
        self, decision: Point | int, *, loss: Sequence[float] | Floats | Mapping[str, float]
    ) -> None:
        """Report the loss vector of a decision (or its id), by item if items have names."""
        self._tell(decision, loss=loss)

    @withhold_frames
    def tell_all(self, *, loss: ToldPairs) -> int:
        """Report several loss vectors; return how many were accepted, including late ones."""
        return self._tell_all(loss=loss)


class RemoteSlateBandit(RemoteRun[ShownItems]):
    """:class:`discreet.SlateBandit` on a service."""

    def ask(
        self,
        *,
        user: User | None = None,
        at_limit: AtLimit = "refuse",
        default: Sequence[Hashable] | None = None,
    ) -> ShownItems:
        """Return the items to show; if the service does not answer, ``default``."""
        return self._ask(asking.whose(user, at_limit), default)

    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[ShownItems]:
        """Return the next n decisions."""
        return self._ask_many(asking.for_users(asking.number_of(n), users))

    @withhold_frames
    def tell(
        self,
        decision: ShownItems | int,
        *,
        losses: ByLabel | None = None,
        rewards: ByLabel | None = None,
    ) -> None:
        """Report the losses or rewards of all items shown, by item or in their order."""
        self._tell(decision, losses=losses, rewards=rewards)

    @withhold_frames
    def tell_all(self, *, losses: ToldPairs | None = None, rewards: ToldPairs | None = None) -> int:
        """Report several outcomes; return how many were accepted, including late ones."""
        return self._tell_all(losses=losses, rewards=rewards)
