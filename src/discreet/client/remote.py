"""Runs on a service, with the methods of the library's classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self, overload

from discreet.client import run_calls
from discreet.client.calls import ClientCall, Result
from discreet.client.links import BlockingLink
from discreet.client.problems import RunCalls
from discreet.client.refusals import ServiceUnreachable
from discreet.errors import Busy
from discreet.estimates.table import EstimateKind, MeanEstimates, Outcomes
from discreet.guarantee import Guarantee
from discreet.guarantee_facts import Json
from discreet.ledger.inputs import User
from discreet.live import OpenDecision, Progress
from discreet.live.frames import withhold_frames
from discreet.live.several_client import Gives, ToldPairs


class RemoteRun(Generic[Gives]):
    """A run on a service. Like those of a live run, its errors carry no frames."""

    def __init__(self, link: BlockingLink, calls: RunCalls[Gives]) -> None:
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

    def state(self) -> Progress:
        """Return rounds, the share of each arm, releases, and open or lost rounds; no raw value."""
        return self._link.make(run_calls.progress(self.name))

    @property
    def open_decisions(self) -> RemoteOpenDecisions:
        """Decisions whose outcome may still arrive, oldest first, read in pages."""
        return RemoteOpenDecisions(self._link, self.name)

    @withhold_frames
    def give_up(self, decision: Gives | int) -> bool:
        """Stop waiting for an outcome; return whether this loses its batch, with all outcomes."""
        return self._link.make(self._calls.give_up(decision))

    def estimates(
        self,
        level: float = 0.95,
        kind: EstimateKind = "anytime",
        *,
        outcomes: Outcomes = "rewards",
        clipped: bool = False,
    ) -> MeanEstimates:
        """Return estimates of each arm's mean outcome and of differences, with intervals."""
        return self._link.make(
            run_calls.estimated(self._facts, level, kind, outcomes, clipped=clipped)
        )

    def rounds_of(self, user: User) -> int:
        """Return how many rounds of a user have been counted in the current period."""
        return self._link.make(run_calls.rounds(self.name, user))

    def release_due(self) -> int:
        """Return 0: the service makes releases when they are due."""
        return 0

    def end(self) -> None:
        """End the run: it makes no further decisions. This needs an ``admin`` token."""
        self._link.make(run_calls.ended(self.name))

    def close(self) -> None:
        """Do nothing: the run stays open for others, and the connection closes separately."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return self._facts.html(f"{type(self).__name__} at {self._link.address.url}")

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r} at {self._link.address.url}, "
            f"{self.algorithm}, {self.guarantee.short})"
        )

    def _ask(self, arguments: Json, default: Any) -> Gives:  # noqa: ANN401 - by problem
        """Ask for a decision; return ``default``, if given, when the service does not answer."""
        if default is None:
            return self._link.make(self._calls.ask(arguments))
        instead = self._calls.default(default)
        try:
            return self._link.make(self._calls.ask(arguments))
        except (Busy, ServiceUnreachable):
            return instead

    def _ask_many(self, each: list[Json], **common: object) -> list[Gives]:
        found: list[Gives] = []
        for call in self._calls.ask_many(each, common):
            part = self._link.make(call)
            found += part
        return found

    def _tell(self, decision: object, **outcomes: object) -> None:
        call = self._calls.tell(decision, outcomes)
        if call is not None:
            self._link.make(call)

    def _tell_all(self, **pairs: ToldPairs | None) -> int:
        return sum([self._link.make(call) for call in self._calls.tell_all(**pairs)])

    def _make(self, call: ClientCall[Result]) -> Result:
        return self._link.make(call)


class RemoteOpenDecisions(Sequence[OpenDecision]):
    """Decisions of a run on a service whose outcome may still arrive, oldest first."""

    def __init__(self, link: BlockingLink, name: str) -> None:
        self._link, self._name = link, name

    def page(
        self, after: int | None = None, limit: int = run_calls.PAGE
    ) -> tuple[OpenDecision, ...]:
        """Return the decisions that follow the one with id ``after``, at most ``limit``."""
        return self._link.make(run_calls.open_page(self._name, after, limit))

    def __len__(self) -> int:
        return self._link.make(run_calls.progress(self._name)).open

    def __iter__(self) -> Iterator[OpenDecision]:
        page = self.page()
        while page:
            yield from page
            page = self.page(page[-1].id)

    @overload
    def __getitem__(self, place: int) -> OpenDecision: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[OpenDecision, ...]: ...
    def __getitem__(self, place: int | slice) -> OpenDecision | tuple[OpenDecision, ...]:
        return tuple(self)[place]

    def __repr__(self) -> str:
        return f"RemoteOpenDecisions({self._name!r})"
