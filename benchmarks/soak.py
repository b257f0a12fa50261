"""Keep a service busy while its workers are killed: nothing acknowledged is lost, memory is flat.

    python benchmarks/soak.py [--minutes 60] [--rate 500] [--workers 2] [--kill-every 20]

Workers share one run in a real PostgreSQL server. Clients ask under names that they choose and tell
each outcome until the service has acknowledged it. At the end, the run must have as many rounds as
there were names, and no decision may be open. A worker's memory must not grow with the rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "stores"))

from load import LoadConnection, request  # noqa: E402
from servers import Server  # noqa: E402

CALLERS = 64

SPEC = {
    "problem": "bandit",
    "arms": ["A", "B", "C", "D"],
    "horizon": 100_000_000,
    "epsilon": 1.0,
    "wait_declined": True,
}


class Workers:
    """Processes that serve one database, and are restarted when they are killed."""

    def __init__(self, count: int, database: str, folder: Path) -> None:
        self._command = [sys.executable, "-m", "discreet", "serve", str(folder), "--rate", "0"]
        self._command += ["--database", database]
        self._logs = [folder.parent / f"worker-{number}.log" for number in range(count)]
        self.ports = [18200 + os.getpid() % 700 + number for number in range(count)]
        self.processes = [self._start(number) for number in range(count)]
        self.kills = 0

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        command = [*self._command, "--port", str(self.ports[number])]
        with self._logs[number].open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(600):
            try:
                if httpx.get(f"http://127.0.0.1:{self.ports[number]}/readyz").status_code == 200:
                    return process
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"worker {number} does not start: {self._logs[number].read_text()[-500:]}")

    def token(self) -> str:
        found = re.search(r"dsc_[\w-]+", "".join(log.read_text() for log in self._logs))
        assert found is not None, "the first worker prints it"
        return found[0]

    def kill_one(self) -> None:
        number = random.randrange(len(self.processes))
        self.processes[number].send_signal(signal.SIGKILL)
        self.processes[number].wait()
        self.kills += 1
        self.processes[number] = self._start(number)

    def memory(self) -> int:
        """Return the largest resident memory of a worker, in MB."""
        sizes = []
        for process in self.processes:
            status = Path(f"/proc/{process.pid}/status").read_text()
            sizes.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024)
        return max(sizes)

    def stop(self) -> list[int]:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        return [process.wait(60) for process in self.processes]


class Caller:
    """One client: it sends a request to the workers in turn until one acknowledges it."""

    def __init__(self, ports: list[int], token: str, place: int) -> None:
        self._ports, self._token, self._place = ports, token, place
        self._connection: LoadConnection | None = None

    async def insist(self, path: str, body: bytes) -> bytes:
        sent = request("PUT", path, self._token, body)
        while True:
            try:
                if self._connection is None or self._connection.is_closed:
                    port = self._ports[self._place % len(self._ports)]
                    loop = asyncio.get_running_loop()
                    made = await loop.create_connection(LoadConnection, "127.0.0.1", port)
                    self._connection = made[1]
                status, answer = await asyncio.wait_for(self._connection.exchange(sent), 20.0)
            except (TimeoutError, OSError):
                self._connection = None
                self._place += 1
                await asyncio.sleep(0.02)
                continue
            if status in (200, 201, 204):
                return answer
            if status not in (429, 503):
                raise SystemExit(f"{path}: {status} {answer!r}")
            await asyncio.sleep(0.05)


async def load(workers: Workers, token: str, given: argparse.Namespace) -> int:
    """Ask and tell at a given rate; return the number of pairs."""
    slow: list[float] = []
    began = time.monotonic()
    end, next_kill = began + 60.0 * given.minutes, began + given.kill_every
    names = itertools.count()
    done = [0]

    async def call(place: int) -> None:
        caller = Caller(workers.ports, token, place)
        while time.monotonic() < end:
            number = next(names)
            await asyncio.sleep(began + number / given.rate - time.monotonic())
            start = time.monotonic()
            answer = await caller.insist(f"/v1/runs/soak/decisions/n{number}", b"{}")
            asked = json.loads(answer)
            outcome = {"token": asked["token"], "reward": float(random.random() < 0.5)}
            path = f"/v1/runs/soak/decisions/{asked['id']}/outcome"
            await caller.insist(path, json.dumps(outcome).encode())
            slow.append(time.monotonic() - start)
            done[0] += 1

    callers = [asyncio.create_task(call(place)) for place in range(CALLERS)]
    while time.monotonic() < end:
        await asyncio.sleep(0.2)
        if time.monotonic() < next_kill:
            continue
        await asyncio.to_thread(workers.kill_one)
        next_kill = time.monotonic() + given.kill_every
        slow.sort()
        middle, high = slow[len(slow) // 2], slow[int(0.99 * len(slow))]
        print(
            f"{done[0]:,} pairs, {workers.kills} kills, {workers.memory()} MB, pairs take "
            f"p50 {1e3 * middle:.0f}, p99 {1e3 * high:.0f}, max {1e3 * slow[-1]:.0f} ms",
            flush=True,
        )
        slow.clear()
    await asyncio.gather(*callers)
    return done[0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=500.0, help="pairs per second")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill-every", type=float, default=20.0, help="seconds")
    given = parser.parse_args()
    server = Server()
    with tempfile.TemporaryDirectory() as parent:
        workers = Workers(given.workers, server.fresh_url(), Path(parent) / "service")
        try:
            url = f"http://127.0.0.1:{workers.ports[0]}/v1/runs/soak"
            headers = {"Authorization": f"Bearer {workers.token()}"}
            made = httpx.put(url, json=SPEC, headers=headers, timeout=60.0)
            assert made.status_code == 201, made.text
            first = workers.memory()
            pairs = asyncio.run(load(workers, workers.token(), given))
            shown = httpx.get(url, headers=headers, timeout=60.0).json()
            state, last = shown["state"], workers.memory()
            codes = workers.stop()
        finally:
            server.stop()
    print(json.dumps({"pairs": pairs, "state": state, "memory": [first, last], "exits": codes}))
    if state["round"] != pairs or state["open"] != 0 or any(codes):
        raise SystemExit("FAULT: unexpected rounds, open decisions or exit codes")
    print(f"{pairs:,} pairs, {workers.kills} kills: nothing lost, nothing twice")


if __name__ == "__main__":
    main()
