"""The library's classes for a service: each creates or opens runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

from discreet.client import classes, classes_async, run_calls
from discreet.client.calls import SLOW, ClientCall, encoded
from discreet.client.links import AsyncLink, BlockingLink
from discreet.client.problems import ArmCalls, ExpertCalls, PointCalls, RunCalls, SlateCalls
from discreet.client.reading import RemoteFacts
from discreet.client.remote import RemoteRun
from discreet.client.remote_async import AsyncRun
from discreet.client.writing import run_name, run_path, spec_of
from discreet.errors import DiscreetError, check_flag
from discreet.live import (
    Advisor,
    Bandit,
    BestArmSearch,
    ContextualBandit,
    Experts,
    Optimizer,
    SlateBandit,
    VectorOptimizer,
)
from discreet.live.client import LiveClient

Arguments = ParamSpec("Arguments")
Run = TypeVar("Run", bound="RemoteRun[Any]")
RunAsync = TypeVar("RunAsync", bound="AsyncRun[Any]")


class RunKind(NamedTuple):
    """A kind of run: its classes in the library, and its name on a service."""

    local: type[LiveClient[Any]]
    calls: type[RunCalls[Any]]
    remote: type[RemoteRun[Any]]
    coroutines: type[AsyncRun[Any]]


PROBLEMS = {
    "bandit": RunKind(Bandit, ArmCalls, classes.RemoteBandit, classes_async.AsyncBandit),
    "best-arm": RunKind(
        BestArmSearch, ArmCalls, classes.RemoteBestArmSearch, classes_async.AsyncBestArmSearch
    ),
    "experts": RunKind(Experts, ExpertCalls, classes.RemoteExperts, classes_async.AsyncExperts),
    "optimizer": RunKind(
        Optimizer, PointCalls, classes.RemoteOptimizer, classes_async.AsyncOptimizer
    ),
    "vector-optimizer": RunKind(
        VectorOptimizer,
        PointCalls,
        classes.RemoteVectorOptimizer,
        classes_async.AsyncVectorOptimizer,
    ),
    "slates": RunKind(
        SlateBandit, SlateCalls, classes.RemoteSlateBandit, classes_async.AsyncSlateBandit
    ),
    "advice": RunKind(Advisor, ArmCalls, classes.RemoteAdvisor, classes_async.AsyncAdvisor),
    "contexts": RunKind(
        ContextualBandit,
        ArmCalls,
        classes.RemoteContextualBandit,
        classes_async.AsyncContextualBandit,
    ),
}
NAMES: dict[object, str] = {kind.local: name for name, kind in PROBLEMS.items()}


def created(
    problem: str, given: tuple[object, ...], named: dict[str, object]
) -> ClientCall[RemoteFacts]:
    """Return the call that creates a run, or finds it if it exists with the same arguments."""
    name, spec = spec_of(PROBLEMS[problem].local, problem, given, named)
    return ClientCall("PUT", run_path(name), run_calls.facts_of, encoded(spec), timeout=SLOW)


def checked(facts: RemoteFacts, problem: str | None, *, unprotected: bool) -> RunKind:
    """Return the kind of the run, or refuse it."""
    kind = PROBLEMS.get(facts.problem)
    if kind is None:
        raise DiscreetError(
            f"{facts.name} is a run of an unknown kind: the service may be newer than this client."
        )
    if problem not in (None, facts.problem):
        right = kind.local.__name__
        raise DiscreetError(f"{facts.name} is a run of {right}: open it with {right}.open.")
    exposed = bool(facts.spec.get("simulation")) or not facts.guarantee.is_private
    if exposed and not check_flag("unprotected", unprotected):
        raise DiscreetError(
            f"{facts.name} is a simulation, or not private, and protects nobody: open it with "
            "unprotected=True if that is what you expect."
        )
    return kind


class Maker(Generic[Arguments, Run]):
    """A class of the library on a service: call it to create a run, or ``open`` one."""

    def __init__(self, link: BlockingLink, problem: str) -> None:
        self._link, self._problem = link, problem

    def __call__(self, *given: Arguments.args, **named: Arguments.kwargs) -> Run:
        """Create a run named ``path``, or continue it if it exists with the same arguments."""
        facts = self._link.make(created(self._problem, given, named))
        kind = PROBLEMS[self._problem]
        return cast(Run, kind.remote(self._link, kind.calls(facts)))

    def open(self, path: str, *, unprotected: bool = False) -> Run:
        """Continue the run with this name; a simulation needs ``unprotected=True``."""
        facts = self._link.make(run_calls.shown(run_name(path)))
        kind = checked(facts, self._problem, unprotected=unprotected)
        return cast(Run, kind.remote(self._link, kind.calls(facts)))


class AsyncMaker(Generic[Arguments, RunAsync]):
    """A class of the library on a service, for coroutines."""

    def __init__(self, link: AsyncLink, problem: str) -> None:
        self._link, self._problem = link, problem

    async def __call__(self, *given: Arguments.args, **named: Arguments.kwargs) -> RunAsync:
        """Create a run named ``path``, or continue it if it exists with the same arguments."""
        facts = await self._link.make(created(self._problem, given, named))
        kind = PROBLEMS[self._problem]
        return cast(RunAsync, kind.coroutines(self._link, kind.calls(facts)))

    async def open(self, path: str, *, unprotected: bool = False) -> RunAsync:
        """Continue the run with this name; a simulation needs ``unprotected=True``."""
        facts = await self._link.make(run_calls.shown(run_name(path)))
        kind = checked(facts, self._problem, unprotected=unprotected)
        return cast(RunAsync, kind.coroutines(self._link, kind.calls(facts)))


def maker(
    link: BlockingLink, local: Callable[Arguments, LiveClient[Any]], remote: type[Run]
) -> Maker[Arguments, Run]:
    """Return a class of the library for a service; it takes the same arguments."""
    return Maker(link, NAMES[local])


def async_maker(
    link: AsyncLink, local: Callable[Arguments, LiveClient[Any]], remote: type[RunAsync]
) -> AsyncMaker[Arguments, RunAsync]:
    """Return a class of the library for a service, for coroutines."""
    return AsyncMaker(link, NAMES[local])
