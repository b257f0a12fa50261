"""A river policy that learns under differential privacy and keeps no raw rewards."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from discreet.errors import DiscreetError, count, shorten
from discreet.guarantee import Guarantee
from discreet.live import Bandit, Decision


class PrivatePolicy:
    """A private bandit as a river policy: ``pull`` an arm, then ``update`` it with the reward.

    It has the methods of a policy but does not inherit from it, because river's ``Policy.update``
    adds raw rewards to statistics that anybody can read. Rewards go to a live run and nowhere else.

    Formal guarantee: that of the run (``guarantee``), for the pulled arms and everything that the
    policy shows. What river itself records, such as the statistic of rewards in
    ``bandit.evaluate``, is not covered: do not publish it. ``clone`` makes a new run with its own
    guarantee. For a person whose rewards are in several runs, their epsilons add up.

    Without an update, the next pull returns the same arm. So when a log is replayed, with updates
    only where the log agrees, a choice stays until it is accepted.

    >>> policy = PrivatePolicy(3, horizon=1000, epsilon=1.0)
    >>> arm = policy.pull(range(3))
    >>> policy.update(arm, reward=1.0)
    >>> policy
    PrivatePolicy(3 arms, round 1 of 1000, guarded-ucb, 1-differential privacy)

    Parameters
    ----------
    arms
        The number of arms, or their names in river.
    horizon
        The maximum number of pulls.
    epsilon
        The privacy of the run.
    options
        Other arguments of :class:`discreet.Bandit`, such as ``low`` and ``high``, the range of
        rewards, ``clip=True`` or ``algorithm``.

    """

    def __init__(
        self,
        arms: int | Sequence[Hashable],
        *,
        horizon: int,
        epsilon: float,
        **options: Any,  # noqa: ANN401
    ) -> None:
        self._given = arms, horizon, epsilon, options
        self._bandit = Bandit(arms, horizon, epsilon, **options)
        self._labels = tuple(range(arms)) if isinstance(arms, int) else tuple(arms)
        self._open: Decision | None = None
        self._n = 0  # updated pulls, which river's offline evaluation reads

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the run."""
        return self._bandit.guarantee

    def pull(self, arm_ids: Iterable[Hashable]) -> Any:  # noqa: ANN401
        """Return the arm to pull; all arms of the policy must be available."""
        offered = tuple(arm_ids)
        if set(offered) != set(self._labels):
            raise DiscreetError(
                f"arm_ids is {shorten(list(offered))}, but the policy was made for "
                f"{count(len(self._labels), 'arm')}: {shorten(list(self._labels))}."
            )
        if self._open is None:
            self._open = self._bandit.ask()
        return self._open.arm

    def update(self, arm_id: Hashable, reward: float) -> None:
        """Learn from the reward of the pulled arm, without keeping it."""
        if self._open is None or arm_id != self._open.arm:
            why = (
                "no arm has been pulled since the last update: call pull() first"
                if self._open is None
                else f"the arm pulled last is {shorten(self._open.arm)}"
            )
            raise DiscreetError(f"arm_id is {shorten(arm_id)}, but {why}.")
        self._bandit.tell(self._open, reward=float(reward))
        self._open = None
        self._n += 1

    @property
    def ranking(self) -> list[Hashable]:
        """All arms by decreasing probability of being played."""
        shares = dict(self._bandit.state().shares)
        return sorted(shares, key=lambda arm: -shares[arm])

    def clone(self) -> PrivatePolicy:
        """Return the same policy before its first pull: a new run with its own guarantee."""
        arms, horizon, epsilon, options = self._given
        return type(self)(arms, horizon=horizon, epsilon=epsilon, **options)

    def __repr__(self) -> str:
        inside = repr(self._bandit).removeprefix("Bandit(").removesuffix(")")
        return f"PrivatePolicy({inside.rsplit(', ', 1)[0]})"
