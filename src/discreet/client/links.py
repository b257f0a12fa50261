"""Sending requests to a service: with a token, in bounded time, and without traces in logs.

Requests go directly to httpx's transports. Its client would log every request with its address,
and so who answered when; it would also follow redirects, with the token.
"""

from __future__ import annotations

import os
import time
import weakref
from typing import TypeVar
from urllib.parse import urlsplit

import anyio
import httpx

from discreet.client.calls import ClientCall, Reply, Tries, answer, reply_of
from discreet.client.frames import withhold_async_frames
from discreet.errors import DiscreetError, check_int, check_positive, check_text, shorten
from discreet.live.frames import withhold_frames

Result = TypeVar("Result")
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
TOKEN = "DISCREET_TOKEN"  # the environment variable with the token, if none is given


class Address:
    """The address of a service, the token for it, and timeouts and retries."""

    def __init__(self, url: str, token: str | None, timeout: float, retries: int) -> None:
        self.url = checked_url(url)
        given = os.environ.get(TOKEN) if token is None else token
        self._headers = {"Accept": "application/json"}
        self.has_token = given is not None
        if given is not None:
            self._headers["Authorization"] = f"Bearer {checked_token(given)}"
        self.timeout = check_positive("timeout", timeout)
        self.retries = check_int("retries", retries, minimum=0, maximum=100)

    def tries(self, call: ClientCall[Result]) -> Tries:
        """Return the tries of a call."""
        return Tries(call, self.timeout, self.retries)

    def request(self, call: ClientCall[Result], seconds: float) -> httpx.Request:
        """Return a request that may take this many seconds."""
        headers = dict(self._headers)
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        limits = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        address = f"{self.url}{call.path}"
        return httpx.Request(
            call.method,
            address,
            headers=headers,
            content=call.body,
            extensions={"timeout": limits},
        )

    def __repr__(self) -> str:
        return f"Address({self.url})"


def checked_url(url: str) -> str:
    """Return the address of a service, or refuse it."""
    check_text("url", url)
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        fine = False
    if not fine or parts.query or parts.fragment:
        raise DiscreetError(
            f"url is {shorten(url)}, but must be the address of a service, such as "
            "'http://localhost:8000'."
        )
    if parts.username is not None:
        raise DiscreetError("url contains a user: give a token= instead.")
    return url.rstrip("/")


def checked_token(token: str) -> str:
    """Return a token, or refuse what cannot be one."""
    given = check_text("token", token).strip()  # a file ends with a newline
    if not given:
        raise DiscreetError(f"token is empty: give a token, or set {TOKEN}.")
    if not (given.isascii() and given.isprintable()):
        raise DiscreetError("token has characters that are not allowed in a token.")
    return given


def _words(error: httpx.TransportError, request: httpx.Request) -> str:
    """Return what went wrong, and where. The error itself holds the request, and its outcome."""
    late = isinstance(error, httpx.TimeoutException)
    unsent = isinstance(error, httpx.ConnectError)
    what = "no answer in time" if late else "no connection" if unsent else "the connection failed"
    return f"{what} at {request.url.scheme}://{request.url.netloc.decode('ascii')}"


class BlockingLink:
    """Sequential requests; threads may share it, and a forked process gets its own."""

    def __init__(self, address: Address, transport: httpx.BaseTransport | None) -> None:
        self.address, self._own = address, transport is None
        self._transport, self._process = transport or self._new_transport(), os.getpid()

    def _new_transport(self) -> httpx.HTTPTransport:
        """Return a transport that is closed when it is no longer used."""
        transport = httpx.HTTPTransport()
        weakref.finalize(self, transport.close)
        return transport

    @withhold_frames
    def make(self, call: ClientCall[Result]) -> Result:
        """Send a request, several times if needed, and return the result in its answer."""
        tries = self.address.tries(call)
        while True:
            reply, why, sent = self._try(self.address.request(call, tries.share()))
            if reply is None:
                pause: float | None = tries.pause_after_failure(why, sent=sent)
            else:
                pause = tries.pause_after(reply)
            if pause is None:
                assert reply is not None, "otherwise there is a pause, or an error"
                return answer(call, reply, identified=self.address.has_token)
            time.sleep(pause)

    def _try(self, request: httpx.Request) -> tuple[Reply | None, str, bool]:
        if self._own and self._process != os.getpid():
            self._transport, self._process = self._new_transport(), os.getpid()
        try:
            response = self._transport.handle_request(request)
            try:
                content = response.read()
            finally:
                response.close()
        except httpx.TransportError as error:
            return None, _words(error, request), not isinstance(error, UNSENT)
        return (
            reply_of(response.status_code, content, response.headers.get("Retry-After")),
            "",
            True,
        )

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()


class AsyncLink:
    """Requests of coroutines, in one event loop."""

    def __init__(self, address: Address, transport: httpx.AsyncBaseTransport | None) -> None:
        self.address, self._transport = address, transport or httpx.AsyncHTTPTransport()

    @withhold_async_frames
    async def make(self, call: ClientCall[Result]) -> Result:
        """Send a request, several times if needed, and return the result in its answer."""
        tries = self.address.tries(call)
        while True:
            reply, why, sent = await self._try(self.address.request(call, tries.share()))
            if reply is None:
                pause: float | None = tries.pause_after_failure(why, sent=sent)
            else:
                pause = tries.pause_after(reply)
            if pause is None:
                assert reply is not None, "otherwise there is a pause, or an error"
                return answer(call, reply, identified=self.address.has_token)
            await anyio.sleep(pause)

    async def _try(self, request: httpx.Request) -> tuple[Reply | None, str, bool]:
        try:
            response = await self._transport.handle_async_request(request)
            try:
                content = await response.aread()
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            return None, _words(error, request), not isinstance(error, UNSENT)
        return (
            reply_of(response.status_code, content, response.headers.get("Retry-After")),
            "",
            True,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.aclose()
