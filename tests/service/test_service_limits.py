"""What an operator meets: disks that are full, slow connections, restores, names after the end."""

from __future__ import annotations

import asyncio
import io
import logging
import queue
import socket
import threading

import httpx
import pytest
from serving import BANDIT, PUBLIC, WAITING, serving
from starlette.applications import Starlette

from discreet.live.named_decisions import decision_bytes, decision_from
from discreet.live.rows import Ticket
from discreet.service.connections import TimedConnection, sweep
from discreet.service.limits import RateLimit
from discreet.service.logs import LOGGER, start_logging
from discreet.service.pages.host_source import ServiceSource
from discreet.service.pages.routes import routes
from discreet.service.server import ListenAddress, serve
from discreet.service.settings import ServiceFolder, Settings
from discreet.service.tasks import Tasks

RUN = "/v1/runs/r"


@pytest.fixture
def log():
    handlers, level = LOGGER.handlers[:], LOGGER.level
    found = io.StringIO()
    start_logging(found)
    yield found
    LOGGER.handlers[:], LOGGER.level = handlers, level
    logging.getLogger("asyncio").disabled = False


def test_a_database_that_cannot_be_written_is_not_ready_and_is_logged_once(
    tmp_path, log, monkeypatch
):
    monkeypatch.setattr("discreet.service.timers.PROBE_EVERY", 1e9)  # the test does it
    with serving(tmp_path) as client:
        client.put(RUN, BANDIT | WAITING)
        given = client.put(f"{RUN}/decisions/a").json()
        probe = client.service.timers.probe
        client.wait(probe())
        assert client.get("/readyz").status_code == 200

        def read_only(flag):
            with client.service.host.database._connections.session() as session:
                session.execute(f"PRAGMA query_only = {flag}")

        client.wait(client.service.writer.call(lambda: read_only("ON")))
        # outcomes that fail change nothing here: how many there are is nobody's business
        told = client.put(f"{RUN}/decisions/{given['id']}/outcome", {"reward": 0.123456})
        assert told.status_code == 503
        assert client.get("/readyz").status_code == 200
        for _ in range(3):
            client.wait(probe())
        found = client.get("/readyz")
        assert (found.status_code, found.json()["reason"]) == (
            503,
            "the database cannot be written",
        )
        assert client.get("/healthz").status_code == 200
        client.wait(client.service.writer.call(lambda: read_only("OFF")))
        client.wait(probe())
        assert client.get("/readyz").status_code == 200
    lines = [line for line in log.getvalue().splitlines() if "database" in line]
    assert ["cannot be written" in line for line in lines] == [True, False]
    assert "0.123456" not in log.getvalue()


def test_a_known_name_gets_the_same_decision_after_the_end(tmp_path):
    with serving(tmp_path) as client:
        client.put(RUN, BANDIT | PUBLIC)
        given = client.put(f"{RUN}/decisions/a").json()
        client.post(f"{RUN}/close", {})
        again = client.put(f"{RUN}/decisions/a")
        assert (again.status_code, again.json()) == (200, given)
        assert client.put(f"{RUN}/decisions/b").status_code == 409
        both = client.post(f"{RUN}/decisions", {"each": [{"name": "a"}, {"name": "b"}, {}]}).json()
        assert both["decisions"][0] == given
        kinds = [each["problem"]["type"] for each in both["decisions"][1:]]
        assert kinds == ["urn:discreet:finished"] * 2
        assert client.post(f"{RUN}/decisions", {"count": 2}).status_code == 409
        assert client.get(RUN).json()["state"]["round"] == 1


def test_a_decision_served_at_the_limit_is_repeated_like_any_other(tmp_path):
    with serving(tmp_path) as client:
        client.put(RUN, BANDIT | WAITING | {"max_rounds_per_user": 1})
        body = {"user": "Ada", "at_limit": "serve"}
        assert client.put(f"{RUN}/decisions/a", body).json()["learns"]
        first, second = (client.put(f"{RUN}/decisions/b", body) for _ in range(2))
        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json() == second.json()
        assert not first.json()["learns"]
        metrics = client.get("/metrics").text
        assert 'discreet_decisions_total{run="r"} 2' in metrics


def test_what_waits_for_a_run_that_is_opened_again_is_answered(tmp_path):
    """A restore forgets the run's object; requests that wait for the old one get an answer."""
    with serving(tmp_path) as client:
        client.put(RUN, BANDIT | PUBLIC)
        service = client.service
        host, writer = service.host, service.writer

        def opened_again():
            host._runs.pop("r")
            return host.find("r")

        async def both():
            from discreet.live import AskRequest

            old = host.get("r")
            first = writer.ask(old, AskRequest("a", {}))
            call = asyncio.ensure_future(writer.call(opened_again))
            second = writer.ask(old, AskRequest("b", {}))
            new = await call
            third = writer.ask(new, AskRequest("c", {}))
            return new is not old, await asyncio.gather(first, second, third)

        renewed, given = client.wait(both())
        assert renewed
        assert sorted(each.decision.id for each in given) == [0, 1, 2]
        assert client.put(f"{RUN}/decisions/d").json()["id"] == 3
        client.put("/v1/runs/s", BANDIT | PUBLIC)
        client.put("/v1/runs/s/decisions/a")  # a new line, and the old one goes
        assert {queue.hosted for queue in writer._queues.values()} == {host.get("r"), host.get("s")}


def test_releases_are_counted_by_the_worker_that_makes_them(tmp_path):
    """Two objects on one run stand for two workers: together they count each release once."""
    with serving(tmp_path) as client:
        client.put(RUN, BANDIT | PUBLIC | {"batch_size": 1})
        service = client.service
        mine = service.host.get("r")

        def other():
            service.host._runs.pop("r")
            return service.host.find("r")

        theirs = client.wait(service.writer.call(other))
        for each in range(3):
            given = client.put(f"{RUN}/decisions/{each}").json()
            client.put(f"{RUN}/decisions/{given['id']}/outcome", {"reward": 1.0})
        assert client.get(RUN).json()["state"]["released"] == 3
        assert mine.live.state().released == 3
        client.wait(service.timers.release())
        assert 'discreet_releases_total{run="r"} 3' in client.get("/metrics").text
        assert (mine.new_releases(), theirs.new_releases()) == (0, 0)


def test_signing_in_is_limited(tmp_path):
    with serving(tmp_path) as client:
        service = client.service
        limit = RateLimit(0.5, 3.0, clock=lambda: 0.0)
        pages = routes(
            ServiceSource(service.host), service.tokens, change=service.writer.call, limit=limit
        )
        transport = httpx.ASGITransport(Starlette(routes=pages))

        async def tries():
            form = {"content": "token=wrong"}
            form |= {"headers": {"Content-Type": "application/x-www-form-urlencoded"}}
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost"
            ) as browser:
                return [await browser.post("/sign-in", **form) for _ in range(4)]

        found = client.wait(tries())
        assert [each.status_code for each in found] == [403] * 3 + [429]
        assert found[-1].headers["retry-after"] == "2"


class Transport:
    def __init__(self):
        self.written, self.closed = b"", False

    def write(self, content):
        self.written += content

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed


def test_connections_whose_headers_are_slow_are_closed():
    def connection(since):
        made = TimedConnection.__new__(TimedConnection)
        made.transport, made.waiting_since = Transport(), since
        return made

    slow, quick, busy = connection(-1e9), connection(1e9), connection(None)
    sweep({slow, quick, busy}, 10.0)
    assert slow.transport.written.startswith(b"HTTP/1.1 408 ")
    assert b"no complete headers within 10 seconds" in slow.transport.written
    assert (slow.transport.closed, quick.transport.closed, busy.transport.closed) == (
        True,
        False,
        False,
    )


def test_a_task_that_another_worker_serves_says_so(tmp_path):
    folder = tmp_path / "tasks"
    folder.mkdir()
    first, second = Tasks(folder), Tasks(folder)
    first.create("t", {"dimension": 2, "horizon": 100, "epsilon": 1.0})
    second.open_all()
    for refused in (lambda: second.get("t"), lambda: second.create("t", first.get("t").spec)):
        with pytest.raises(Exception, match="another worker serves this task"):
            refused()
    first.close()
    second.publish()  # it takes over
    assert second.get("t").facts()["dimension"] == 2
    second.close()


@pytest.mark.parametrize("chance", [0.25, 1 / 3, None])
@pytest.mark.parametrize("action", [3, (1, 2)])
def test_named_decisions_come_back_as_they_were(chance, action):
    ticket = Ticket(7, 0, 3, "ab.cd", 1_700_000_000.25, action)
    assert decision_from(decision_bytes(ticket, chance), action) == (ticket, chance)


def test_a_server_answers_slow_headers_and_closes_the_connection(tmp_path):
    """It waits for the server's answer, so it takes as long as that takes, and no longer."""
    said, stop = queue.SimpleQueue(), []
    settings = Settings(body_seconds=0.05)
    serving_here = threading.Thread(
        target=serve,
        args=(ServiceFolder.make(tmp_path / "s"), ListenAddress(port=0), settings),
        kwargs={"say": said.put, "stop_with": stop.append},
    )
    handlers, level = LOGGER.handlers[:], LOGGER.level
    serving_here.start()
    try:
        port = int(said.get(timeout=60).rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
            slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\nX-Slow: ")
            found = b"".join(iter(lambda: slow.recv(4096), b""))
        assert found.startswith(b"HTTP/1.1 408 ")
    finally:
        stop[0]()
        serving_here.join()
        LOGGER.handlers[:], LOGGER.level = handlers, level
        logging.getLogger("asyncio").disabled = False
