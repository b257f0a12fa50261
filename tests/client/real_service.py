"""The service itself in this process, with an event loop of its own."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from stub_service import Bridge

from discreet.service.app import make_app
from discreet.service.server import open_service
from discreet.service.settings import ServiceFolder, Settings
from discreet.service.tasks import Tasks


class RealService(NamedTuple):
    app: object
    bridge: Bridge
    token: str
    tasks: Tasks


@contextlib.contextmanager
def real_service(path, **settings):
    chosen = Settings(rate=0.0, open_rate=0.0, simulations=True, **settings)
    service, token = open_service(ServiceFolder.make(path), chosen)
    app = make_app(service)
    bridge = Bridge(app)
    bridge.call(service.start)
    try:
        yield RealService(app, bridge, token, service.tasks)
    finally:
        bridge.call(service.stop)
        bridge.end()
