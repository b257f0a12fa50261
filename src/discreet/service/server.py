"""Serving a folder: open it, listen, and close it when the process is asked to end."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

import uvicorn
from starlette.routing import BaseRoute

from discreet.errors import DiscreetError, check_int, reason_of, renamed
from discreet.live.database import Database, DatabaseWitness, FileWitness, open_database
from discreet.live.database.dialects import is_url
from discreet.service.app import make_app
from discreet.service.bodies import PATIENCE
from discreet.service.connections import TimedConnection, sweep
from discreet.service.core import Service
from discreet.service.host import SETTING, WITNESS, Budget, Host
from discreet.service.logs import start_logging
from discreet.service.pages.host_source import service_pages
from discreet.service.settings import ServiceFolder, Settings
from discreet.service.tasks import Tasks
from discreet.service.tokens import Tokens

GRACE = 15  # seconds for requests to finish when the process is asked to end
KEEP_ALIVE = 75  # seconds for which an idle connection stays open
BACKLOG = 2048
TICKS = 5  # tenths of a second between checks for slow connections


class ListenAddress(NamedTuple):
    """The address on which a service listens."""

    host: str = "127.0.0.1"
    port: int = 8000
    proxy: str | None = None  # the address of a proxy whose X-Forwarded-For is trusted


def open_service(
    folder: ServiceFolder,
    settings: Settings,
    url: str | None = None,
    budget: Budget | None = None,
    witness: str | None = None,
) -> tuple[Service, str | None]:
    """Return the service of a folder and, if it has no token yet, its first token."""
    host, tokens = open_host(folder, url, budget, witness)
    first = None if tokens.all() else tokens.create("admin", label="first token")[0]
    return Service(host, tokens, Tasks(folder.tasks), settings), first


def open_host(
    folder: ServiceFolder,
    url: str | None = None,
    budget: Budget | None = None,
    witness: str | None = None,
) -> tuple[Host, Tokens]:
    """Return the runs and the tokens of a folder; ``witness`` is a URL or a path."""
    place, known = url or folder.database_url, _witness(witness or str(folder.witness))
    with contextlib.ExitStack() as opened:
        opened.callback(known.close)
        with renamed(url="database"):
            database = open_database(place, secret=folder.secret(), witness=known)
        opened.callback(database.close)
        _check_same_kind(database, known)
        shared = not place.startswith("sqlite")
        host = Host(database, budget=budget, shared=shared, when_closed=known.close)
        tokens = Tokens(database.records, host.now)
        opened.pop_all()  # the host closes both
    return host, tokens


def _witness(place: str) -> DatabaseWitness | FileWitness:
    return DatabaseWitness(place) if is_url(place) else FileWitness(place)


def _check_same_kind(database: Database, witness: DatabaseWitness | FileWitness) -> None:
    """Refuse a file if the witness was a database, or the reverse: it would know no run."""
    kind = b"database" if isinstance(witness, DatabaseWitness) else b"file"
    before, runs = database.records.get(SETTING, WITNESS), database.run_names()
    if before == kind:
        return
    before = before or b"file"  # the only kind in earlier versions
    if runs and before != kind:
        raise DiscreetError(
            f"the witness of this service is a {before.decode()}, but a {kind.decode()} is given, "
            "which knows none of its runs: give the same --witness as before."
        )
    database.records.put(SETTING, WITNESS, kind, database.now(), replace=True)


def pages_of(service: Service) -> list[BaseRoute]:
    """Return the routes of the dashboard."""
    return service_pages(service)


class CalmServer(uvicorn.Server):
    """Ends with 0 when asked to, after the current group and all pending requests."""

    patience = PATIENCE  # seconds within which the headers of a request must arrive

    async def on_tick(self, counter: int) -> bool:
        """Run every tenth of a second; close slow connections."""
        if counter % TICKS == 0:
            sweep(self.server_state.connections, self.patience)
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while serving; none is raised again afterwards.

        Outside the main thread, the caller handles signals and calls ``stop``.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; after a second signal, too, the runs are closed."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

    def stop(self) -> None:
        """Ask the server to end; a second call does not wait for requests."""
        self.force_exit = self.should_exit
        self.should_exit = True


def listen(place: ListenAddress) -> socket.socket:
    """Return a listening socket, or refuse the address."""
    check_int("port", place.port, minimum=0, maximum=65535)
    try:
        family = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0][0]
        # Asyncio sends immediately only if it knows the socket to be TCP; otherwise the second part
        # of an answer waits until the client acknowledges the first, which takes up to 40 ms.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((place.host, place.port))
        found.listen(BACKLOG)
    except OSError as reason:
        raise DiscreetError(
            f"cannot listen at {place.host} port {place.port}: {reason_of(reason)}."
        ) from None
    return found


def serve(
    folder: ServiceFolder,
    place: ListenAddress,
    settings: Settings,
    *,
    url: str | None = None,
    budget: Budget | None = None,
    witness: str | None = None,
    say: Callable[[str], None] = print,
    stop_with: Callable[[Callable[[], None]], None] | None = None,
) -> int:
    """Serve until the process is asked to end; return its exit code.

    Outside the main thread, ``stop_with`` gets a function that ends the service.
    """
    service, first = open_service(folder, settings, url, budget, witness)
    try:
        door = listen(place)
    except BaseException:
        service.host.close()
        raise
    host, port = door.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    start_logging()
    config = uvicorn.Config(
        make_app(service, pages_of(service)),
        http=TimedConnection,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=place.proxy is not None,
        forwarded_allow_ips=place.proxy,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=KEEP_ALIVE,
        backlog=BACKLOG,
    )
    server = CalmServer(config)
    server.patience = settings.body_seconds
    if stop_with is not None:
        stop_with(server.stop)

    def announce() -> None:
        say(f"serving {folder.path} at http://{shown}:{port}")
        if first is not None:
            say(f"first token: {first}")
            say("Store the token: it administers all runs, and is not shown again.")

    service.when_ready = announce
    with door:
        server.run(sockets=[door])
    return 0 if service.ended else 1
