"""A restored database is refused until an operator says so; budgets are charged once."""

from __future__ import annotations

import shutil

import pytest
from serving import BANDIT, PUBLIC, QUIET, WAITING, Client, serving

from discreet.service.host import Budget
from discreet.service.server import open_service
from discreet.service.settings import ServiceFolder


@pytest.fixture
def budgeted(tmp_path):
    def start(epsilon=3.0):
        budget = None if epsilon is None else Budget(epsilon)
        folder = ServiceFolder.make(tmp_path / "budget")
        service, token = open_service(folder, QUIET, None, budget)
        client = Client(service, token or service.tokens.create("admin")[0])
        client.wait(service.start())
        return client

    def stop(client):
        client.wait(client.service.stop())
        client.close()

    return start, stop


def test_runs_are_charged_once_to_the_budget(budgeted):
    start, stop = budgeted
    client = start()
    assert client.put("/v1/runs/a", BANDIT | PUBLIC).status_code == 201
    assert client.put("/v1/runs/a", BANDIT | PUBLIC).status_code == 200
    assert client.put("/v1/runs/b", BANDIT | PUBLIC | {"epsilon": 1.5}).status_code == 201
    refused = client.put("/v1/runs/c", BANDIT | PUBLIC)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:discreet:budget-exceeded")
    assert client.get("/v1/runs/c").status_code == 404
    stop(client)
    client = start(None)  # it knows its budget
    shown = client.get("/v1/ledger").json()
    assert shown["budget"]["epsilon"] == 3.0
    assert shown["spent"]["epsilon"] == 2.5
    assert len(shown["entries"]) == 2
    assert client.put("/v1/runs/c", BANDIT | PUBLIC | {"epsilon": 0.5}).status_code == 201
    assert client.put("/v1/runs/a/decisions/x").status_code == 201
    stop(client)


def test_without_a_budget_the_ledger_lists_what_runs_cost(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/a", BANDIT | PUBLIC)
        shown = client.get("/v1/ledger").json()
        assert (shown["budget"], shown["entries"][0]["epsilon"]) == (None, 1.0)


def test_a_restored_database_is_refused_until_it_is_declared(tmp_path):
    folder, backup = tmp_path / "service", tmp_path / "backup.db"
    with serving(folder) as client:
        client.put("/v1/runs/r", BANDIT | WAITING)
        client.put("/v1/runs/r/decisions/a")
    shutil.copy(folder / "service.db", backup)
    with serving(folder) as client:
        client.put("/v1/runs/r/decisions/0/outcome", {"reward": 1.0})
    shutil.copy(backup, folder / "service.db")
    with serving(folder) as client:
        refused = client.put("/v1/runs/r/decisions/c")
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:discreet:old-copy")
        assert client.get("/readyz").status_code == 503
        said = client.post("/v1/runs/r/restored", {})
        assert said.status_code == 200
        assert said.json()["decisions"] == 1
        assert "restored from a backup" in said.json()["sentence"]
        assert client.put("/v1/runs/r/decisions/c").status_code == 201
        assert client.get("/readyz").status_code == 200
        again = client.post("/v1/runs/r/restored", {})
        assert again.status_code == 422
        assert client.post("/v1/runs/none/restored", {}).status_code in (404, 422)
