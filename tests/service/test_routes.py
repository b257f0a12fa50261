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


def test_a_run_goes_on_after_a_restart(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | WAITING)
        given = client.put("/v1/runs/r/decisions/a").json()
    with serving(tmp_path) as client:
        path = f"/v1/runs/r/decisions/{given['id']}/outcome"
        assert client.put(path, {"reward": 1.0, "token": given["token"]}).status_code == 204
        assert client.get("/v1/runs/r").json()["state"]["round"] == 1
        assert client.get("/v1/runs/r/history").json()["buckets"][0]["total"] == 1
