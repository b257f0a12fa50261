"""Notification texts in a web shop: three workers share a private bandit over the service.

Run it with: python examples/service_shop.py [--quick]

The shop is an ordinary web application (Starlette; any framework will do). Its workers are separate
processes. Each asks the service which text a notification should have, and tells it about clicks,
which may reach another worker than the one that sent the text. Most people never click: after the
declared wait, silence counts as a reward of 0. If the service does not answer in half a second, the
shop uses a default text, and the run does not learn from it.

To show everything at once, this program also starts the service, the three workers, and visitors.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
from service_demo import running_service
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import discreet
from discreet.client import Connection
from discreet.client.classes import RemoteBandit

CLICKS = {"news": 0.05, "back in stock": 0.10, "free delivery": 0.30, "your list": 0.08}  # unknown
WORKERS = 3


# The shop


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Connect when a worker starts: a quick connection for texts, a patient one for clicks.

    The token is in the variable DISCREET_TOKEN.
    """
    url = os.environ["SHOP_SERVICE"]
    async with (
        discreet.connect_async(url, timeout=0.5) as quick,
        discreet.connect_async(url, timeout=60.0, retries=20) as patient,
    ):
        app.state.bandit = await quick.Bandit.open("texts")
        app.state.clicks = await patient.Bandit.open("texts")
        yield


async def notify(request: Request) -> Response:
    """Choose a text. The decision travels with the notification and comes back with a click."""
    user = request.query_params["user"]
    bandit = request.app.state.bandit
    decision = await bandit.ask(user=user, at_limit="serve", default="news")
    return JSONResponse({"text": decision.arm, "decision": decision, "worker": os.getpid()})


async def click(request: Request) -> Response:
    """Tell the service about a click, after the response; sent twice, it counts once."""
    decision = discreet.Decision(*json.loads(await request.body()))
    tell = BackgroundTask(request.app.state.clicks.tell, decision, reward=1.0)
    return Response(status_code=204, background=tell)


app = Starlette(
    routes=[Route("/notify", notify), Route("/click", click, methods=["POST"])], lifespan=lifespan
)


# Everything around it


@contextlib.contextmanager
def running_shop(service: str, token: str) -> Iterator[str]:
    """Start the workers of the shop; yield its address; stop them at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "service_shop:app", "--port", str(port)]
    shop = subprocess.Popen(
        [*command, "--workers", str(WORKERS), "--log-level", "error"],
        cwd=Path(__file__).parent,
        env=os.environ | {"SHOP_SERVICE": service, "DISCREET_TOKEN": token},
    )
    try:
        yield f"http://localhost:{port}"
    finally:
        shop.terminate()
        shop.wait(timeout=30)


def send(shop: str, messages: int) -> tuple[Counter[str], set[int]]:
    """Send notifications, and let some people click; return the texts sent, and the workers."""
    chance, texts, workers = random.Random(1), Counter[str](), set()
    for number in range(messages):
        # each call opens a new connection, so it may reach another worker
        sent = httpx.get(f"{shop}/notify", params={"user": f"user {number % 500}"}).json()
        texts[sent["text"]] += 1
        workers.add(sent["worker"])
        if chance.random() < CLICKS[sent["text"]]:
            httpx.post(f"{shop}/click", json=sent["decision"])
    return texts, workers


def wait_for(shop: str) -> None:
    """Wait until a worker answers."""
    for _ in range(600):
        with contextlib.suppress(httpx.TransportError):
            httpx.get(f"{shop}/notify", params={"user": "nobody"})
            return
        time.sleep(0.1)
    raise SystemExit("the shop did not start")


def create(service: Connection) -> RemoteBandit:
    """Create the run: what is chosen, what silence means, and what one person may contribute."""
    return service.Bandit(
        arms=list(CLICKS),
        horizon=1_000_000,
        epsilon=0.5,
        algorithm="best",
        wait=timedelta(seconds=2),  # a day or more in a real shop
        default_reward=0.0,  # silence
        max_rounds_per_user=10,
        per=timedelta(days=30),
        path="texts",
    )


def main() -> None:
    messages = 60 if "--quick" in sys.argv[1:] else 600
    with (
        tempfile.TemporaryDirectory() as folder,
        running_service(folder, "--port", "0") as (url, admin),
        discreet.connect(url, token=admin) as service,
    ):
        bandit = create(service)
        token = service.create_token("decide", run="texts")  # it can do nothing else
        print(f"Guarantee: {bandit.guarantee.short}, {bandit.guarantee.unit}")
        with running_shop(url, token) as shop:
            wait_for(shop)
            texts, workers = send(shop, messages)
        print(f"{messages} notifications, by {len(workers)} workers: {dict(texts)}")
        print(f"The run has made {bandit.state().round} decisions.")


if __name__ == "__main__":
    main()
