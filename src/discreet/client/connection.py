"""A connection to a decision service, with the library's classes."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

import httpx

from discreet import live
from discreet.client import classes, classes_async, run_calls
from discreet.client.calls import ClientCall, encoded
from discreet.client.links import Address, AsyncLink, BlockingLink
from discreet.client.makers import async_maker, checked, maker
from discreet.client.reading import understood
from discreet.client.remote import RemoteRun
from discreet.client.remote_async import AsyncRun
from discreet.client.writing import run_name
from discreet.errors import check_choice

TIMEOUT, RETRIES = 5.0, 2
Role = Literal["decide", "read", "admin"]


class Connection:
    """A decision service, with the library's classes for its runs.

    Threads may share a connection. ``service.Bandit`` and the other classes take the same arguments
    as in the library; ``path`` is the name of the run.
    """

    def __init__(self, address: Address, transport: httpx.BaseTransport | None = None) -> None:
        link = self._link = BlockingLink(address, transport)
        self.Bandit = maker(link, live.Bandit, classes.RemoteBandit)
        self.BestArmSearch = maker(link, live.BestArmSearch, classes.RemoteBestArmSearch)
        self.Experts = maker(link, live.Experts, classes.RemoteExperts)
        self.Optimizer = maker(link, live.Optimizer, classes.RemoteOptimizer)
        self.VectorOptimizer = maker(link, live.VectorOptimizer, classes.RemoteVectorOptimizer)
        self.SlateBandit = maker(link, live.SlateBandit, classes.RemoteSlateBandit)
        self.Advisor = maker(link, live.Advisor, classes.RemoteAdvisor)
        self.ContextualBandit = maker(link, live.ContextualBandit, classes.RemoteContextualBandit)

    def open(self, path: str, *, unprotected: bool = False) -> RemoteRun[Any]:
        """Return the run with this name, of any class."""
        facts = self._link.make(run_calls.shown(run_name(path)))
        kind = checked(facts, None, unprotected=unprotected)
        return kind.remote(self._link, kind.calls(facts))

    def runs(self) -> list[str]:
        """Return the names of all runs that the token gives access to."""
        return self._link.make(names())

    def create_token(self, role: Role, *, run: str = "*") -> str:
        """Return a new token for one run or all runs; needs an ``admin`` token for all runs."""
        return self._link.make(new_token(role, run))

    def close(self) -> None:
        """Close the connections to the service."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Connection({self._link.address.url})"


class AsyncConnection:
    """A decision service, with the library's classes for its runs, for coroutines.

    It belongs to one event loop. All calls of the service are awaited.
    """

    def __init__(self, address: Address, transport: httpx.AsyncBaseTransport | None = None) -> None:
        link = self._link = AsyncLink(address, transport)
        self.Bandit = async_maker(link, live.Bandit, classes_async.AsyncBandit)
        self.BestArmSearch = async_maker(link, live.BestArmSearch, classes_async.AsyncBestArmSearch)
        self.Experts = async_maker(link, live.Experts, classes_async.AsyncExperts)
        self.Optimizer = async_maker(link, live.Optimizer, classes_async.AsyncOptimizer)
        self.VectorOptimizer = async_maker(
            link, live.VectorOptimizer, classes_async.AsyncVectorOptimizer
        )
        self.SlateBandit = async_maker(link, live.SlateBandit, classes_async.AsyncSlateBandit)
        self.Advisor = async_maker(link, live.Advisor, classes_async.AsyncAdvisor)
        self.ContextualBandit = async_maker(
            link, live.ContextualBandit, classes_async.AsyncContextualBandit
        )

    async def open(self, path: str, *, unprotected: bool = False) -> AsyncRun[Any]:
        """Return the run with this name, of any class."""
        facts = await self._link.make(run_calls.shown(run_name(path)))
        kind = checked(facts, None, unprotected=unprotected)
        return kind.coroutines(self._link, kind.calls(facts))

    async def runs(self) -> list[str]:
        """Return the names of all runs that the token gives access to."""
        return await self._link.make(names())

    async def create_token(self, role: Role, *, run: str = "*") -> str:
        """Return a new token for one run or all runs; needs an ``admin`` token for all runs."""
        return await self._link.make(new_token(role, run))

    async def close(self) -> None:
        """Close the connections to the service."""
        await self._link.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncConnection({self._link.address.url})"


def names() -> ClientCall[list[str]]:
    """Return the call for the names of all runs."""
    return ClientCall(
        "GET", "/v1/runs", understood(lambda found: [each["run"] for each in found["runs"]])
    )


def new_token(role: Role, run: str) -> ClientCall[str]:
    """Return the call for a new token; it is never repeated, since each call creates one."""
    check_choice("role", role, get_args(Role))
    body = encoded({"role": role, "run": run if run == "*" else run_name(run)})
    read = understood(lambda found: str(found["token"]))
    return ClientCall("POST", "/v1/tokens", read, body, repeatable=False)


def connect(
    url: str,
    *,
    token: str | None = None,
    timeout: float = TIMEOUT,
    retries: int = RETRIES,
    transport: httpx.BaseTransport | None = None,
) -> Connection:
    """Return a connection to a decision service; this sends nothing yet.

    To move a program from a run in a file to a service, replace ``from discreet import Bandit`` by
    ``Bandit = discreet.connect(url, token=...).Bandit``. All other lines stay the same.

    Parameters
    ----------
    url
        The address of the service, such as ``"https://decisions.example.org"``.
    token
        A token of the service. The default is the environment variable ``DISCREET_TOKEN``.
    timeout
        Seconds for an operation, including all retries. (Creating, opening and ending a run, and
        estimates, may take up to two minutes regardless.)
    retries
        How often to resend a request whose answer is lost. The service counts it once.
    transport
        The transport for requests, in place of ``httpx.HTTPTransport()``, for example with your own
        certificate or through a proxy.

    """
    return Connection(Address(url, token, timeout, retries), transport)


def connect_async(
    url: str,
    *,
    token: str | None = None,
    timeout: float = TIMEOUT,
    retries: int = RETRIES,
    transport: httpx.AsyncBaseTransport | None = None,
) -> AsyncConnection:
    """Return a connection for coroutines; the arguments are those of :func:`connect`."""
    return AsyncConnection(Address(url, token, timeout, retries), transport)
