"""A service in a folder, with its application and tokens: what tests of the service share."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path

import httpx

from discreet.service.app import make_app
from discreet.service.core import Service
from discreet.service.server import open_service
from discreet.service.settings import ServiceFolder, Settings

QUIET = Settings(rate=0.0, open_rate=0.0)
BANDIT = {
    "problem": "bandit",
    "arms": ["A", "B"],
    "horizon": 400,
    "epsilon": 1.0,
    "algorithm": "batched-exp3",
    "batch_size": 4,
}
PUBLIC = {"wait_declined": True}
WAITING = {"wait": 3600.0, "default_reward": 0.0}
ADVICE = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]
EPSILON = {"horizon": 400, "epsilon": 1.0}
# problem: spec, arguments of an ask, outcome, a default
EVERY = {
    "bandit": (BANDIT, {}, {"reward": 1.0}, {"default_reward": 0.0}),
    "best-arm": (
        {"problem": "best-arm", "arms": 2, "batch_size": 4, **EPSILON},
        {},
        {"loss": 0.25},
        {"default_loss": 1.0},
    ),
    "experts": (
        {"problem": "experts", "experts": ["x", "y", "z"], **EPSILON},
        {},
        {"losses": {"x": 0.0, "y": 0.5, "z": 1.0}},
        {"default_losses": [1.0, 1.0, 1.0]},
    ),
    "optimizer": (
        {"problem": "optimizer", "domain": "k-sets(5,2)", "delta": 1e-6, "batch_size": 2}
        | {"when_vacuous": "play", **EPSILON},
        {},
        {"loss": 0.5},
        {"default_loss": 1.0},
    ),
    "vector-optimizer": (
        {"problem": "vector-optimizer", "geometry": "cube", "dimension": 3, "delta": 1e-6}
        | EPSILON,
        {},
        {"loss": [0.5, -0.25, 0.0]},
        {"default_loss": [0.0, 0.0, 0.0]},
    ),
    "slates": (
        {"problem": "slates", "items": ["a", "b", "c", "d"], "shown": 2, "batch_size": 4}
        | {"reports": 2, **EPSILON},
        {},
        {"rewards": [1.0, 0.0]},
        {"default_reward": 0.0},
    ),
    "advice": (
        {"problem": "advice", "arms": ["x", "y"], "experts": 3, **EPSILON},
        {"advice": ADVICE},
        {"reward": 1.0},
        {"default_reward": 0.0},
    ),
    "contexts": (
        {"problem": "contexts", "features": {"arms": ["x", "y"], "context": 1}, "delta": 1e-6}
        | {"first": 4, "growth": 2.0, **EPSILON},
        {"context": [0.5]},
        {"reward": 1.0},
        {"default_reward": 0.0},
    ),
}


def make_service(path: Path, settings: Settings = QUIET) -> Service:
    return open_service(ServiceFolder.make(path), settings)[0]


class Client:
    """Calls a service in this process with a token."""

    def __init__(self, service: Service, token: str, app=None) -> None:
        self.service, self.token = service, token
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.app = make_app(service) if app is None else app
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://service")

    def wait(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def all(self, calls):
        """Make several calls at once: method, path, body."""

        async def together():
            headers = {"Authorization": f"Bearer {self.token}"}
            return await asyncio.gather(
                *(self.http.request(m, p, json=b, headers=headers) for m, p, b in calls)
            )

        return self.wait(together())

    def close(self):
        self.wait(self.http.aclose())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def call(self, method, path, body=None, *, token=None, **more):
        headers = more.pop("headers", {})
        held = self.token if token is None else token
        if held:
            headers = {"Authorization": f"Bearer {held}"} | headers
        if body is not None:
            more["json"] = body
        return self.wait(self.http.request(method, path, headers=headers, **more))

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def put(self, path, body=None, **more):
        return self.call("PUT", path, body, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)

    def delete(self, path, **more):
        return self.call("DELETE", path, **more)

    def new_token(self, role, run="*"):
        return self.service.tokens.create(role, run)[0]


@contextlib.contextmanager
def serving(path: Path, settings: Settings = QUIET):
    """Serve a folder in this process."""
    service = make_service(path, settings)
    client = Client(service, service.tokens.create("admin")[0])
    client.wait(service.start())
    try:
        yield client
    finally:
        client.wait(service.stop())
        client.close()
