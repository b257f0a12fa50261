"""Runs on a service for coroutines: calls of the service are awaited."""

from __future__ import annotations

from typing import Any, Generic, Self

from discreet.client import run_calls
from discreet.client.calls import ClientCall, Result
from discreet.client.frames import withhold_async_frames
from discreet.client.links import AsyncLink
from discreet.client.problems import RunCalls
from discreet.client.refusals import ServiceUnreachable
from discreet.errors import Busy
from discreet.estimates.table import EstimateKind, MeanEstimates, Outcomes
from discreet.guarantee import Guarantee
from discreet.guarantee_facts import Json
from discreet.ledger.inputs import User
from discreet.live import OpenDecision, Progress
from discreet.live.several_client import Gives, ToldPairs


class AsyncRun(Generic[Gives]):
    """A run on a service, for coroutines. Its errors carry no frames."""

    def __init__(self, link: AsyncLink, calls: RunCalls[Gives]) -> None:
        self._link, self._calls, self._facts = link, calls, calls.facts

    @property
    def name(self) -> str:
        """The name of the run."""
        return self._facts.name

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the run."""
        return self._facts.guarantee

    @property
    def algorithm(self) -> str:
        """The name of the algorithm in use."""
        return self._facts.algorithm

    async def state(self) -> Progress:
        """Return rounds, the share of each arm, releases, and open or lost rounds; no raw value."""
        return await self._link.make(run_calls.progress(self.name))

    async def open_page(
        self, after: int | None = None, limit: int = run_calls.PAGE
    ) -> tuple[OpenDecision, ...]:
        """Return open decisions, oldest first, that follow the one with id ``after``."""
        return await self._link.make(run_calls.open_page(self.name, after, limit))

    @withhold_async_frames
    async def give_up(self, decision: Gives | int) -> bool:
        """Stop waiting for an outcome; return whether this loses its batch, with all outcomes."""
        return await self._link.make(self._calls.give_up(decision))

    async def estimates(
        self,
        level: float = 0.95,
        kind: EstimateKind = "anytime",
        *,
        outcomes: Outcomes = "rewards",
        clipped: bool = False,
    ) -> MeanEstimates:
        """Return estimates of each arm's mean outcome and of differences, with intervals."""
        return await self._link.make(
            run_calls.estimated(self._facts, level, kind, outcomes, clipped=clipped)
        )

    async def rounds_of(self, user: User) -> int:
        """Return how many rounds of a user have been counted in the current period."""
        return await self._link.make(run_calls.rounds(self.name, user))

    async def release_due(self) -> int:
        """Return 0: the service makes releases when they are due."""
        return 0

    async def end(self) -> None:
        """End the run: it makes no further decisions. This needs an ``admin`` token."""
        await self._link.make(run_calls.ended(self.name))

    async def close(self) -> None:
        """Do nothing: the run stays open for others, and the connection closes separately."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _repr_html_(self) -> str:
        return self._facts.html(f"{type(self).__name__} at {self._link.address.url}")

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r} at {self._link.address.url}, "
            f"{self.algorithm}, {self.guarantee.short})"
        )

    async def _ask(self, arguments: Json, default: Any) -> Gives:  # noqa: ANN401 - by problem
        """Ask for a decision; return ``default``, if given, when the service does not answer."""
        if default is None:
            return await self._link.make(self._calls.ask(arguments))
        instead = self._calls.default(default)
        try:
            return await self._link.make(self._calls.ask(arguments))
        except (Busy, ServiceUnreachable):
            return instead

    async def _ask_many(self, each: list[Json], **common: object) -> list[Gives]:
        found: list[Gives] = []
        for call in self._calls.ask_many(each, common):
            part = await self._link.make(call)
            found += part
        return found

    async def _tell(self, decision: object, **outcomes: object) -> None:
        call = self._calls.tell(decision, outcomes)
        if call is not None:
            await self._link.make(call)

    async def _tell_all(self, **pairs: ToldPairs | None) -> int:
        return sum([await self._link.make(call) for call in self._calls.tell_all(**pairs)])

    async def _make(self, call: ClientCall[Result]) -> Result:
        return await self._link.make(call)
