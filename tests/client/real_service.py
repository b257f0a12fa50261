"""The service itself in this process, with an event loop of its own."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from discreet.service.interim import FolderDatabase
from stub_service import Bridge

from discreet.service.app import make_app
from discreet.service.core import Service
from discreet.service.host import Host
from discreet.service.settings import ServiceFolder, Settings
from discreet.service.tasks import Tasks
from discreet.service.tokens import Tokens


class RealService(NamedTuple):
    app: object
    bridge: Bridge
    token: str
    tasks: Tasks


@contextlib.contextmanager
def real_service(path, **settings):
    folder = ServiceFolder.make(path)
    database = FolderDatabase(folder.path)
    tokens = Tokens(database.records, database.now)
    chosen = Settings(rate=0.0, open_rate=0.0, simulations=True, **settings)
    service = Service(Host(database), tokens, Tasks(folder.tasks), chosen, b"s" * 32)
    app = make_app(service)
    bridge = Bridge(app)
    bridge.call(service.start)
    try:
        token, _ = tokens.create("admin", "*", "", None)
        yield RealService(app, bridge, token, service.tasks)
    finally:
        bridge.call(service.stop)
        bridge.end()
