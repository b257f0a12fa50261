"""Hostile requests: each gets a problem of one sentence, and nothing changes."""

from __future__ import annotations

import asyncio
import json
import time

import httpx
from hostile import CANARY, DECISION, HOSTILE, OUTCOME, RUN
from serving import BANDIT, PUBLIC, WAITING, make_service, serving

from discreet.service.app import make_app
from discreet.service.problems import KINDS, PREFIX
from discreet.service.settings import Settings


def everything(client):
    """Return all that a request could change."""
    service = client.service
    runs = {}
    for name in service.host.names():
        found = service.host.get(name)
        opened = [(each.id, each.choice) for each in found.live.open_decisions]
        runs[name] = (found.live.state(), opened, found.releases(), found.closed, found.labels)
    tasks = {name: service.tasks.get(name).server.reports for name in service.tasks.names()}
    return runs, tasks, service.tokens.all(), sorted(service.host.known())


def tokens_of(client):
    tokens = client.service.tokens
    revoked, grant = tokens.create("admin")
    tokens.revoke(grant.id)
    expired, grant = tokens.create("admin", expires=time.time() + 3600)
    tokens._clock = lambda: time.time() + 7200
    other = tokens.create("decide", "other")[0]
    return {
        "admin": f"Bearer {client.token}",
        "none": None,
        "unknown": "Bearer dsc_" + "x" * 43,
        "basic": "Basic " + client.token,
        "revoked": f"Bearer {revoked}",
        "expired": f"Bearer {expired}",
        "decide other": f"Bearer {other}",
        "decide r": f"Bearer {tokens.create('decide', 'r')[0]}",
        "read r": f"Bearer {tokens.create('read', 'r')[0]}",
        "read": f"Bearer {tokens.create('read')[0]}",
    }


def check_problem(response):
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    problem = response.json()
    kind = problem["type"].removeprefix(PREFIX)
    assert set(problem) == {"type", "title", "status", "detail"}
    assert problem["status"] == response.status_code == KINDS[kind][0]
    detail = problem["detail"]
    assert 0 < len(detail) < 2000
    assert detail.endswith((".", "?"))
    assert "Traceback" not in detail
    assert str(CANARY)[2:] not in response.text


def prepare(client):
    assert client.put(RUN, BANDIT | PUBLIC).status_code == 201
    assert client.put("/v1/runs/other", BANDIT | WAITING).status_code == 201
    assert client.put(f"{DECISION}/first", {}).json()["id"] == 0
    task = {"dimension": 2, "horizon": 1000, "epsilon": 1.0}
    assert client.put("/v1/tasks/t", task).status_code == 201


def test_hostile_requests_get_a_problem_and_change_nothing(tmp_path):
    assert len(HOSTILE) >= 200
    with serving(tmp_path) as client:
        prepare(client)
        tokens = tokens_of(client)
        before, wrong = everything(client), []
        for each in HOSTILE:
            headers = dict(each.headers)
            if tokens[each.token] is not None:
                headers["Authorization"] = tokens[each.token]
            sent = {"json": each.body} if each.body is not None else {"content": each.content}
            found = client.wait(
                client.http.request(each.method, each.path, headers=headers, **sent)
            )
            if found.status_code not in each.statuses:
                wrong.append((each.what, found.status_code, found.text))
                continue
            check_problem(found)
            if found.status_code == 405:
                assert found.headers["allow"]
        assert wrong == []
        assert everything(client) == before


def test_a_name_that_is_asked_for_many_times_at_once_is_one_decision(tmp_path):
    with serving(tmp_path) as client:
        prepare(client)
        found = client.all([("PUT", f"{DECISION}/same", {})] * 50)
        assert sorted(each.status_code for each in found) == [200] * 49 + [201]
        assert {each.text for each in found} == {found[0].text}
        assert client.get(RUN).json()["state"]["round"] == 2


def test_an_outcome_that_is_told_many_times_at_once_counts_once(tmp_path):
    with serving(tmp_path) as client:
        prepare(client)
        found = client.all([("PUT", OUTCOME, {"reward": 1.0})] * 50)
        assert sorted(each.status_code for each in found) == [200] * 49 + [204]
        assert client.get(RUN).json()["state"]["open"] == 0


class SlowBody(httpx.AsyncByteStream):
    async def __aiter__(self):
        yield b'{"reward":'
        await asyncio.sleep(30)
        yield b" 1.0}"


def test_slow_and_endless_bodies_are_refused(tmp_path):
    settings = Settings(rate=0.0, open_rate=0.0, body_seconds=0.05)
    service = make_service(tmp_path, settings)
    app = make_app(service)
    token = service.tokens.create("admin")[0]
    sent: list[dict] = []

    async def slow():
        await asyncio.sleep(30)

    async def endless():
        return {"type": "http.request", "body": b"x" * 65536, "more_body": True}

    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    async def statuses():
        await service.start()
        found = []
        for receive in (slow, endless, gone):
            for path in (OUTCOME, f"{DECISION}/a", "/v1/runs/new"):
                sent.clear()
                scope = {"type": "http", "method": "PUT", "path": path, "query_string": b""}
                scope |= {"headers": [(b"authorization", f"Bearer {token}".encode())]}
                scope |= {"client": ("1.2.3.4", 5), "root_path": "", "http_version": "1.1"}
                await app(scope, receive, send)
                found.append(sent[0]["status"] if sent else None)
        await service.stop()
        return found

    found = asyncio.run(statuses())
    assert found[:6] == [408] * 3 + [413] * 3
    assert found[6:8] == [None, None]


def test_rates_are_limited(tmp_path):
    settings = Settings(rate=1.0, burst=5.0, open_rate=1.0, open_burst=5.0)
    with serving(tmp_path, settings) as client:
        found = [client.get("/v1/runs") for _ in range(8)]
        assert [each.status_code for each in found[:5]] == [200] * 5
        assert found[-1].status_code == 429
        assert int(found[-1].headers["retry-after"]) >= 1
        check_problem(found[-1])
        wrong = [client.get("/v1/runs", token="wrong").status_code for _ in range(8)]
        assert wrong[:5] == [401] * 5
        assert wrong[-1] == 429


def test_a_full_queue_refuses_and_takes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.service.groups.QUEUE", 0)
    with serving(tmp_path) as client:
        client.put(RUN, BANDIT | PUBLIC)
        for found in (client.put(f"{DECISION}/a", {}), client.put(OUTCOME, {"reward": 1.0})):
            assert found.status_code == 503
            assert found.headers["retry-after"]
            check_problem(found)


def test_other_origins_are_allowed_only_if_named(tmp_path):
    origin = {"Origin": "https://shop.example", "Access-Control-Request-Method": "PUT"}
    asked = origin | {"Access-Control-Request-Headers": "Authorization"}
    with serving(tmp_path / "closed") as client:
        found = client.call("OPTIONS", RUN, headers=asked)
        assert "access-control-allow-origin" not in found.headers
        assert "access-control-allow-origin" not in client.get("/v1/runs", headers=origin).headers
    named = Settings(rate=0.0, open_rate=0.0, origins=("https://shop.example",))
    with serving(tmp_path / "open", named) as client:
        found = client.call("OPTIONS", RUN, headers=asked)
        assert found.headers["access-control-allow-origin"] == "https://shop.example"
        assert client.put(RUN, BANDIT | PUBLIC, headers=origin).status_code == 201
        made = client.put(f"{DECISION}/a", {}, headers={"Origin": "https://shop.example"})
        assert made.headers["access-control-allow-origin"] == "https://shop.example"
        other = client.put(f"{DECISION}/b", {}, headers={"Origin": "https://other.example"})
        assert "access-control-allow-origin" not in other.headers
        json.loads(made.text)
