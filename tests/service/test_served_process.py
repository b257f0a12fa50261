"""The service as a process: first token, SIGTERM, logs, and canaries that must not be found."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import struct
import subprocess
import sys

import httpx
import pytest
from serving import BANDIT

from discreet.errors import Busy
from discreet.service.server import open_host
from discreet.service.settings import ServiceFolder

CANARY = 0.7302194817263547
USER, NAME = "canary-user-5f1e", "canary-name-77ab"
SPEC = BANDIT | {"max_rounds_per_user": 50, "horizon": 4000}


@pytest.fixture
def start():
    """Start services; return each process and its address, and let none go on after the test."""
    started = []

    def start_one(folder):
        with (folder.parent / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "discreet", "serve", str(folder), "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        started.append(process)
        line = process.stdout.readline()
        assert line.startswith("serving "), (folder.parent / "log").read_text()
        return process, re.search(r"http://[\d.:]+", line)[0]

    yield start_one
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def stop(process):
    process.send_signal(signal.SIGTERM)
    rest = process.stdout.read()
    return process.wait(60), rest


def forms(value):
    """Return how a number may be written: text, both orders of bytes, and on the grid of sums."""
    yield repr(value).encode()
    yield f"{value:.9f}".encode()[:9]
    for order in "<>":
        yield struct.pack(f"{order}d", value)
        yield struct.pack(f"{order}q", round(value * 2**40))


def hits(content):
    secret = [*forms(CANARY), *forms(1.0 - CANARY), USER.encode(), NAME.encode()]
    return [each for each in secret if each in content]


@pytest.mark.slow
def test_a_service_ends_cleanly_loses_nothing_and_leaves_no_canary(tmp_path, start):
    folder = tmp_path / "service"
    process, url = start(folder)
    token = process.stdout.readline().removeprefix("first token: ").strip()
    assert token.startswith("dsc_")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        assert client.get("/readyz").json() == {"ready": True}
        for run, more in (
            ("waits", {"wait": 3600.0, "default_reward": 0.0}),
            ("public", {"wait_declined": True}),
        ):
            assert client.put(f"/v1/runs/{run}", json=SPEC | more).status_code == 201
            for number in range(3):
                path = f"/v1/runs/{run}/decisions"
                given = client.put(f"{path}/{NAME}{number}", json={"user": USER}).json()
                body = {"reward": CANARY, "token": given["token"]}
                answer = client.put(f"{path}/{given['id']}/outcome", json=body)
                assert answer.status_code == 204
                refused = client.put(f"{path}/{given['id'] + 7}/outcome", json=body)
                assert refused.status_code == 404
                assert not hits(refused.content)
        shown = b"".join(
            client.get(path).content
            for run in ("waits", "public")
            for path in (
                "/metrics",
                f"/v1/runs/{run}",
                f"/v1/runs/{run}/releases",
                f"/v1/runs/{run}/history",
                f"/v1/runs/{run}/decisions",
            )
        )
    assert hits(shown) == []
    # while it runs: database, write-ahead log, witness, log
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name.endswith("-wal") for path in files)
    for path in files:
        assert hits(path.read_bytes()) == [], path
        assert token.encode() not in path.read_bytes(), path
    assert stop(process)[0] == 0
    log = (tmp_path / "log").read_text()
    assert "outcome" not in log
    assert "method=PUT route=/v1/runs/{run} run=waits status=201" in log
    assert log.count("status=404") == 0  # outcomes that were refused are not logged either
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert hits(path.read_bytes()) == [], path
        if path.suffix != ".py":
            assert path == tmp_path / "log" or path.stat().st_mode & 0o077 == 0, path

    # again: no second first token, nothing was lost, and nobody else gets in
    process, url = start(folder)
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        state = client.get("/v1/runs/public").json()["state"]
        assert (state["round"], state["open"]) == (3, 0)
    with pytest.raises(Busy, match="in use"):
        open_host(ServiceFolder.known(folder))
    # what was answered before SIGTERM counts, also in the middle of requests
    given = asyncio.run(load(url, headers, process))
    assert process.wait(60) == 0
    assert "first token" not in process.stdout.read()
    host, _ = open_host(ServiceFolder.known(folder))
    found = host.find("public").live.state().round
    host.close()
    assert found - 3 >= given >= 40


async def load(url, headers, process):
    """Ask for decisions, and end the service after some; return how many were given."""
    given = 0
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:

        async def ask(number):
            nonlocal given
            try:
                answer = await client.put(
                    f"/v1/runs/public/decisions/{number}", json={"user": number}
                )
            except httpx.HTTPError:
                return
            assert answer.status_code in (201, 503)
            given += answer.status_code == 201
            if given == 40:
                process.send_signal(signal.SIGTERM)

        await asyncio.gather(*(ask(number) for number in range(200)))
    return given


@pytest.mark.slow
def test_a_second_signal_closes_all_runs_at_once(tmp_path, start):
    process, _ = start(tmp_path / "service")
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
    process.stdout.read()
    assert process.wait(60) == 0
    log = (tmp_path / "log").read_text()
    assert "closed" in log
    assert "Traceback" not in log
    assert "Cancelled" not in log
