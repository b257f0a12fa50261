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

from discreet.errors import DiscreetError, check_int
from discreet.live.database import FileWitness, open_database
from discreet.service.app import make_app
from discreet.service.core import Service
from discreet.service.host import Budget, Host
from discreet.service.logs import start_logging
from discreet.service.pages.host_source import service_pages
from discreet.service.settings import ServiceFolder, Settings
from discreet.service.tasks import Tasks
from discreet.service.tokens import Tokens

GRACE = 15  # seconds that requests have to end when the process is asked to
KEEP_ALIVE = 75  # seconds for which an idle connection is kept
BACKLOG = 2048


class Place(NamedTuple):
    """Where a service listens."""

    host: str = "127.0.0.1"
    port: int = 8000
    proxy: str | None = None  # the address of a proxy whose X-Forwarded-For is believed


def open_service(
    folder: ServiceFolder,
    settings: Settings,
    url: str | None = None,
    budget: Budget | None = None,
) -> tuple[Service, str | None]:
    """Return the service of a folder and, if it has no token yet, its first."""
    host, tokens = open_host(folder, url, budget)
    first = None if tokens.all() else tokens.create("admin", label="first token")[0]
    return Service(host, tokens, Tasks(folder.tasks), settings), first


def open_host(
    folder: ServiceFolder, url: str | None = None, budget: Budget | None = None
) -> tuple[Host, Tokens]:
    """Return the runs and the tokens of a folder."""
    witness, place = FileWitness(folder.witness), url or folder.database_url
    database = open_database(place, secret=folder.secret(), witness=witness)
    try:
        host = Host(database, budget=budget, shared=not place.startswith("sqlite"))
        return host, Tokens(database.records, host.now)
    except BaseException:
        database.close()
        raise


def pages_of(service: Service) -> list[BaseRoute]:
    """Return the routes of the dashboard."""
    return service_pages(service)


class CalmServer(uvicorn.Server):
    """Ends with 0 when it is asked to end, after the current group and all requests under way."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals while serving; none is raised again afterwards.

        In another thread than the main one, somebody else takes them and calls ``stop``.
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

    def stop(self) -> None:
        """Ask it to end; asked again, it does not wait for requests any longer."""
        self.force_exit = self.should_exit
        self.should_exit = True


def listen(place: Place) -> socket.socket:
    """Return a socket that listens, or refuse the address."""
    check_int("port", place.port, minimum=0, maximum=65535)
    try:
        family = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((place.host, place.port))
        found.listen(BACKLOG)
    except OSError as reason:
        raise DiscreetError(
            f"cannot listen at {place.host} port {place.port}: {reason.strerror}."
        ) from None
    return found


def serve(
    folder: ServiceFolder,
    place: Place,
    settings: Settings,
    *,
    url: str | None = None,
    budget: Budget | None = None,
    say: Callable[[str], None] = print,
    stop_with: Callable[[Callable[[], None]], None] | None = None,
) -> int:
    """Serve until the process is asked to end; return its exit code.

    ``stop_with`` is given a function that ends the service, if this is not the main thread.
    """
    service, first = open_service(folder, settings, url, budget)
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
        http="httptools",
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
    if stop_with is not None:
        stop_with(server.stop)

    def announce() -> None:
        say(f"serving {folder.path} at http://{shown}:{port}")
        if first is not None:
            say(f"first token: {first}")
            say("Keep the token: it administers all runs, and is not shown again.")

    service.when_ready = announce
    with door:
        server.run(sockets=[door])
    return 0 if service.ended else 1
