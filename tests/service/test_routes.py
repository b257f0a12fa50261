"""Every problem over HTTP, from a new run to its releases."""

from __future__ import annotations

import pytest
from serving import BANDIT, EVERY, PUBLIC, WAITING, serving


@pytest.mark.parametrize("problem", EVERY)
@pytest.mark.parametrize("waits", [False, True])
def test_every_problem_decides_and_learns(tmp_path, problem, waits):
    spec, asking, outcome, default = EVERY[problem]
    spec = spec | ({"wait": 60.0, **default} if waits else PUBLIC)
    with serving(tmp_path) as client:
        made = client.put("/v1/runs/r", spec)
        assert made.status_code == 201, made.text
        assert client.put("/v1/runs/r", spec).status_code == 200
        other = client.put("/v1/runs/r", spec | {"epsilon": 0.5})
        assert (other.status_code, other.json()["type"]) == (409, "urn:discreet:exists")
        for number in range(4):
            first = client.put(f"/v1/runs/r/decisions/n{number}", asking)
            assert first.status_code == 201, first.text
            again = client.put(f"/v1/runs/r/decisions/n{number}", asking)
            assert again.status_code == 200
            assert again.json() == first.json()
            path = f"/v1/runs/r/decisions/{first.json()['id']}/outcome"
            told = client.put(path, outcome | {"token": first.json()["token"]})
            assert told.status_code == 204, told.text
            repeated = client.put(path, outcome)
            assert repeated.status_code == (204 if waits else 200)
        shown = client.get("/v1/runs/r").json()
        assert shown["state"]["round"] == 4
        assert shown["state"]["open"] == (4 if waits else 0)
        assert shown["guarantee"]["facts"]["epsilon"] == pytest.approx(1.0)
        several = client.post("/v1/runs/r/decisions", {"count": 3, **asking})
        assert [each["id"] for each in several.json()["decisions"]] == [4, 5, 6]
        for path in ("releases", "history", "guarantee", "decisions"):
            assert client.get(f"/v1/runs/r/{path}").status_code == 200
        history = client.get("/v1/runs/r/history").json()
        assert sum(each["total"] for each in history["buckets"]) == 7


def test_a_token_for_decisions_finds_its_run_by_the_same_arguments(tmp_path):
    spec = BANDIT | PUBLIC
    with serving(tmp_path) as client:
        web, reader = client.new_token("decide", "web"), client.new_token("read", "web")
        needs = "creating a run needs admin for all runs."
        early = client.put("/v1/runs/web", spec, token=web)
        assert early.status_code == 403
        assert early.json()["detail"] == f"the token has the role decide for 'web', but {needs}"
        assert client.put("/v1/runs/web", spec).status_code == 201
        found = client.put("/v1/runs/web", spec | {"epsilon": 1}, token=web)
        assert (found.status_code, found.json()["run"]) == (200, "web")
        assert found.json()["spec"] == client.get("/v1/runs/web", token=web).json()["spec"]
        other = client.put("/v1/runs/web", spec | {"epsilon": 0.5, "horizon": 90}, token=web)
        assert other.status_code == 409
        assert other.json()["detail"] == (
            "the run 'web' exists with another epsilon and horizon: use its arguments, or another "
            "name."
        )
        for token, name in ((web, "shop"), (reader, "web")):
            refused = client.put(f"/v1/runs/{name}", spec, token=token)
            assert refused.status_code == 403
            assert refused.json()["detail"].endswith(needs)
        assert (
            client.get("/v1/runs").json()["runs"]
            == client.get("/v1/runs", token=web).json()["runs"]
        )
        refused = client.get("/v1/runs/web/releases", token=web).json()["detail"]
        assert refused == (
            "the token has the role decide for 'web', but this needs read for 'web'."
        )


def test_an_unknown_field_is_named_but_no_value(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | PUBLIC)
        outcome = "/v1/runs/r/decisions/0/outcome"
        for path, body, said in (
            (outcome, {"arm": "Z", "reward": 1}, "the outcome has an unknown field 'arm'; it"),
            (outcome, {"0.7302": 1}, "the outcome has an unknown field; it takes loss, reward, t"),
            ("/v1/runs/r/decisions/a", {"users": "k"}, "ask has an unknown field 'users'; it"),
            ("/v1/runs/s", {"problem": "bandti"}, "problem is 'bandti', but must be one of ban"),
            ("/v1/runs/s", {}, "problem is missing: give one of bandit"),
        ):
            refused = client.put(path, body)
            assert refused.status_code == 422
            assert refused.json()["detail"].startswith(said)
        several = client.post("/v1/runs/r/decisions", {"decisions": [{}]}).json()
        assert "unknown field 'decisions'; it takes at_limit, available, co" in several["detail"]


def test_other_addresses_and_methods_are_refused_in_one_sentence(tmp_path):
    with serving(tmp_path) as client:
        missing, wrong = client.get("/v1/nothing"), client.delete("/v1/runs")
        assert missing.json()["detail"].startswith("there is nothing at this address: ")
        assert wrong.json()["detail"].startswith("this address does not take this method: ")
        assert wrong.headers["Allow"]


def test_the_ledger_names_the_run_of_each_charge(tmp_path):
    from discreet.service.host import Budget
    from discreet.service.server import open_host
    from discreet.service.settings import ServiceFolder

    folder = ServiceFolder.make(tmp_path)
    for _ in range(2):
        host, _ = open_host(folder, budget=Budget(4.0))
        host.open_all()
        host.create("shop", BANDIT | PUBLIC)
        (entry,) = host.ledger_facts()["entries"]
        assert entry["run"] == "shop"
        assert entry["label"] == host.get("shop").live.charge_label
        host.close()


def test_a_run_goes_on_after_a_restart(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | WAITING)
        given = client.put("/v1/runs/r/decisions/a").json()
    with serving(tmp_path) as client:
        path = f"/v1/runs/r/decisions/{given['id']}/outcome"
        assert client.put(path, {"reward": 1.0, "token": given["token"]}).status_code == 204
        assert client.get("/v1/runs/r").json()["state"]["round"] == 1
        assert client.get("/v1/runs/r/history").json()["buckets"][0]["total"] == 1
