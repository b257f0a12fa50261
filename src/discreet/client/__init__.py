"""A client for the decision service: the library's classes, for runs on a service."""

from importlib.util import find_spec

from discreet.errors import DiscreetError

if find_spec("httpx") is None:
    raise DiscreetError("a client needs httpx: pip install 'discreet[client]'.")

from discreet.client.connection import AsyncConnection, Connection, connect, connect_async
from discreet.client.refusals import NotAllowed, ServiceUnreachable

__all__ = [
    "AsyncConnection",
    "Connection",
    "NotAllowed",
    "ServiceUnreachable",
    "connect",
    "connect_async",
]
