"""A decision service with a demonstration run and simulated visitors: watch the dashboard move.

Run it with: make serve, or: python examples/service_demo.py [--quick | --forever] [--port 8000]

It starts `discreet serve` in a temporary folder, creates a run that chooses one of four banners,
and sends visitors. Some of them click, a few seconds later. Outcomes count ten seconds after their
decision, clicked or not, so the first release takes a moment. Open the address that it prints, and
sign in with the token.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from datetime import timedelta

import discreet

CLICKS = {"shoes": 0.05, "books": 0.10, "coffee": 0.25, "bags": 0.08}  # unknown to the service
VISITORS = 40  # a second
WAIT = timedelta(seconds=10)


@contextlib.contextmanager
def running_service(folder: str, *options: str) -> Iterator[tuple[str, str]]:
    """Start a service in a folder; yield its address and its first token; stop it at the end."""
    command = [sys.executable, "-m", "discreet", "serve", folder, *options]
    # in a separate session: Ctrl-C goes to this program, which then stops the service
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        url = token = ""
        for line in process.stdout:
            url = line.split()[-1] if line.startswith("serving ") else url
            token = line.split()[-1] if line.startswith("first token: ") else token
            if url and token:
                break
        else:
            raise SystemExit("the service did not start")
        yield url, token
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def create_run(url: str, token: str) -> None:
    """Create the run, unless it exists."""
    with discreet.connect(url, token=token) as service:
        service.Bandit(
            arms=list(CLICKS),
            horizon=1_000_000,
            epsilon=1.0,
            algorithm="best",
            wait=WAIT,
            default_reward=0.0,
            path="banner",
        )


def send_visitors(url: str, token: str, stop: threading.Event) -> None:
    """Ask for decisions at a steady rate, and tell clicks some seconds later."""
    chance, clicks = random.Random(1), deque()
    with discreet.connect(url, token=token) as service:
        bandit = service.Bandit.open("banner")
        while not stop.wait(chance.expovariate(VISITORS)):
            decision = bandit.ask(default="shoes")
            if decision.learns and chance.random() < CLICKS[decision.arm]:
                clicks.append((time.monotonic() + chance.uniform(1.0, 6.0), decision.id))
            while clicks and clicks[0][0] <= time.monotonic():
                bandit.tell(clicks.popleft()[1], reward=1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="stop after a second, not after 20")
    parser.add_argument("--forever", action="store_true", help="run until Ctrl-C")
    parser.add_argument("--port", default="0", help="the port; 0 is any free one")
    given = parser.parse_args()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C
    with (
        tempfile.TemporaryDirectory(prefix="discreet-demo-") as folder,
        running_service(folder, "--port", given.port) as (url, token),
    ):
        create_run(url, token)
        visitors = threading.Thread(target=send_visitors, args=(url, token, stop))
        visitors.start()
        print(f"Open {url} and sign in with this token: {token}")
        print("Simulated visitors arrive 40 times a second. Press Ctrl-C to stop.", flush=True)
        seconds = None if given.forever else 1.0 if given.quick else 20.0
        with contextlib.suppress(KeyboardInterrupt):
            stop.wait(seconds)
        stop.set()
        visitors.join()
        with discreet.connect(url, token=token) as service:
            bandit = service.open("banner")
            print(f"{bandit.state().round} decisions. {bandit.guarantee.short}")


if __name__ == "__main__":
    main()
