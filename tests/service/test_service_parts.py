"""Parts of the service by themselves: document, tokens, history, metrics, timers, device tasks."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import stat
import threading

import numpy as np
import pytest
from serving import BANDIT, PUBLIC, WAITING, serving

from discreet import Device, DiscreetError
from discreet.service.app import make_app
from discreet.service.history import MOST, History
from discreet.service.limits import RateLimit
from discreet.service.metrics import Traffic
from discreet.service.openapi import document
from discreet.service.problems import HttpProblem, problem_of
from discreet.service.server import ListenAddress, listen
from discreet.service.settings import ServiceFolder
from discreet.service.table import ROUTES
from discreet.service.timers import next_time


def served_routes(app):
    """Return all methods and paths of the application, hot ones included."""
    inner = app._behind
    return {
        (method, route.path)
        for route in inner.routes
        for method in route.methods
        if method != "HEAD"
    }


def test_routes_and_document_agree(tmp_path):
    with serving(tmp_path) as client:
        served = served_routes(make_app(client.service))
        described = client.get("/openapi.json", token="").json()
        assert described == json.loads(json.dumps(document()))
        listed = {
            (method.upper(), path)
            for path, methods in described["paths"].items()
            for method in methods
        }
        assert served == listed == {(route.method, route.path) for route in ROUTES}
        # what is described is there: no answer is that of a route that is not known
        for method, path in sorted(listed):
            found = client.call(method, re.sub(r"\{\w+\}", "0", path), {})
            assert found.status_code != 405
            assert found.text != '{"detail":"Not Found"}'
    names = [each["operationId"] for ways in document()["paths"].values() for each in ways.values()]
    assert len(set(names)) == len(names)


def test_every_schema_that_is_named_exists_and_is_used():
    text = json.dumps(document())
    named = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert named == set(document()["components"]["schemas"])


def test_tokens_are_hashed_and_have_roles(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | PUBLIC)
        made = client.post("/v1/tokens", {"role": "decide", "run": "r", "label": "web"}).json()
        listed = client.get("/v1/tokens").json()["tokens"]
        assert made["token"] not in json.dumps(listed)
        assert [each["label"] for each in listed if each["id"] == made["id"]] == ["web"]
        mine = {"token": made["token"]}
        assert client.get("/v1/whoami", **mine).json()["role"] == "decide"
        assert client.put("/v1/runs/r/decisions/a", **mine).status_code == 201
        assert client.get("/v1/runs/r", **mine).status_code == 200
        assert client.get("/v1/runs", **mine).json()["runs"][0]["run"] == "r"
        tokens = client.service.tokens
        assert tokens.role_of(made["token"], "r") == "decide"
        assert tokens.role_of(made["token"], "other") is None
        assert (tokens.runs_of(made["token"]), tokens.runs_of("x")) == ("r", None)
        kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert not any(made["token"].encode() in content for content in kept)
        assert client.delete(f"/v1/tokens/{made['id']}").status_code == 204
        assert client.put("/v1/runs/r/decisions/b", **mine).status_code == 401
        for each in client.get("/v1/tokens").json()["tokens"][1:]:
            client.delete(f"/v1/tokens/{each['id']}")
        (last,) = tokens.all()
        assert last.allows("admin", "*")
        with pytest.raises(HttpProblem, match="last token"):
            tokens.revoke(last.id)


def test_a_secret_that_others_can_read_is_refused(tmp_path):
    folder = ServiceFolder.make(tmp_path / "f")
    secret = folder.secret()
    path = folder.path / "secret"
    assert len(secret) == 32
    assert folder.secret() == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    path.chmod(0o644)
    with pytest.raises(DiscreetError, match="can be read by others"):
        folder.secret()
    path.chmod(0o600)
    path.write_bytes(b"short")
    with pytest.raises(DiscreetError, match="damaged"):
        folder.secret()
    with pytest.raises(DiscreetError, match="it has no service"):
        ServiceFolder.known(tmp_path / "other")


def test_a_history_has_at_most_512_buckets_and_loses_nothing():
    rng = np.random.default_rng(1)
    history, total = History(["A", "B"]), 0
    for at in np.cumsum(rng.exponential(100.0, 3000)):
        history.add(float(at), ["A", "B", "B"], releases=1)
        total += 3
        assert len(history._counts) <= MOST
    assert sum(each.total for each in history.buckets) == total
    assert sum(each.decisions[1] for each in history.buckets) == 2 * total // 3
    assert sum(each.releases for each in history.buckets) == 3000
    starts = [each.at for each in history.buckets]
    assert starts == sorted(starts)
    copy = History.from_bytes(history.to_bytes())
    assert copy.as_dict() == history.as_dict()
    copy.merge(history)
    assert sum(each.total for each in copy.buckets) == 2 * total
    copy.add(1e6, ["C", None])  # an arm that came later, and a choice that is not shown
    assert copy.labels == ["A", "B", "C"]
    assert copy.buckets[-1].decisions == (0, 0, 1)


def test_metrics_are_text_that_prometheus_reads_and_count_no_outcomes(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | PUBLIC)
        before = client.get("/metrics").text
        given = client.put("/v1/runs/r/decisions/a").json()
        asked = client.get("/metrics").text
        assert 'discreet_decisions_total{run="r"} 1' in asked
        for number in (given["id"], 77):
            client.put(f"/v1/runs/r/decisions/{number}/outcome", {"reward": 1.0})
        client.post("/v1/runs/r/outcomes", {"outcomes": [{"id": 5, "reward": 1.0}]})
        assert client.get("/metrics").text == asked
        line = r'(# (HELP|TYPE) .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [-+.\de]+)'
        for each in before.splitlines() + asked.splitlines():
            assert re.fullmatch(line, each), each


def test_traffic_has_rates_and_quantiles():
    now = [100.0]
    traffic = Traffic(lambda: now[0])
    assert (traffic.latencies("r"), traffic.decisions_per_second("r")) == (None, 0.0)
    for _ in range(60):
        traffic.asked("r", [0.001, 0.002, 0.003])
        now[0] += 1.0
    assert traffic.decisions_per_second("r") == 3.0
    assert traffic.latencies("r") == (0.002, 0.003, 0.003)
    assert dict(traffic.groups())[4.0] == 60
    traffic.refused("busy")
    assert traffic.errors() == {"busy": 1}


def test_releases_are_made_by_timers_at_fixed_times(tmp_path):
    assert [next_time(now, 10.0) for now in (0.0, 9.9, 10.0)] == [10.0, 10.0, 20.0]
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | WAITING)
        live, now = client.service.host.get("r").live, [1e9]
        live._run._clock = lambda: now[0]
        for number in range(8):
            client.put(f"/v1/runs/r/decisions/{number}")
        client.wait(client.service.timers.release())
        assert live.state().released == 0
        now[0] += 3601.0
        client.wait(client.service.timers.release())
        assert live.state().released == 2
        assert 'discreet_releases_total{run="r"} 2' in client.get("/metrics").text
        history = client.get("/v1/runs/r/history").json()["buckets"]
        assert sum(each["releases"] for each in history) == 2
        releases = client.get("/v1/runs/r/releases?limit=1").json()
        assert releases["next"] == 1
        rest = client.get("/v1/runs/r/releases?after=1").json()
        assert [each["number"] for each in rest["releases"]] == [2]
        for do in (client.service.timers.purge, client.service.timers.save):
            client.wait(do())
        assert client.put("/v1/runs/r/decisions/0").status_code == 200  # within 24 hours
        later = client.service.host.now() + 25 * 3600.0
        client.service.host.now = lambda: later
        client.wait(client.service.timers.purge())
        assert client.service.host.records.names("name") == []


def test_devices_get_models_and_send_reports_without_a_token(tmp_path):
    spec = {"dimension": 2, "horizon": 1000, "epsilon": 1.0}
    with serving(tmp_path) as client:
        assert client.put("/v1/tasks/t", spec).status_code == 201
        assert client.put("/v1/tasks/t", spec).status_code == 200
        facts = client.get("/v1/tasks/t", token="").json()
        model = client.get("/v1/tasks/t/model", token="")
        tag = model.headers["etag"]
        known = client.get("/v1/tasks/t/model", token="", headers={"If-None-Match": tag})
        assert (known.status_code, known.content) == (304, b"")
        device = Device(**{name: facts[name] for name in ("dimension", "epsilon", "norm")})
        device.update(model.content)
        reports = []
        for _ in range(3):
            device.choose([[0.6, 0.0], [0.0, 0.8]])
            reports.append(device.report(reward=1.0))
        path, kind = "/v1/tasks/t/reports", {"Content-Type": "application/octet-stream"}
        for content in (reports[0], reports[0], b"".join(reports)):
            sent = client.call("POST", path, token="", content=content, headers=kind)
            assert sent.status_code == 204
        task = client.service.tasks.get("t")
        assert task.server.reports == 3
        # a model is published by a timer, not because somebody reported or asked
        assert client.get("/v1/tasks/t/model", token="").headers["etag"] == tag
        client.wait(client.service._publish())
        assert client.get("/v1/tasks/t/model", token="").headers["etag"] != tag
    with serving(tmp_path) as client:
        assert client.service.tasks.get("t").server.reports == 3


def test_a_run_is_closed_and_arms_come_and_go(tmp_path):
    spec = BANDIT | {"algorithm": "batched-ucb", "capacity": 4} | PUBLIC
    spec.pop("batch_size")
    with serving(tmp_path) as client:
        assert client.put("/v1/runs/r", spec).status_code == 201
        assert client.put("/v1/runs/r/arms/7", {"label": 7}).status_code == 204
        assert client.get("/v1/runs/r").json()["labels"] == ["A", "B", 7]
        only = client.put("/v1/runs/r/decisions/a", {"available": [7]})
        assert only.json()["arm"] == 7
        assert client.delete("/v1/runs/r/arms/A").status_code == 204
        assert client.get("/v1/runs/r").json()["labels"] == ["B", 7]
        lost = client.post("/v1/runs/r/decisions/0/give-up", {})
        assert lost.json() == {"lost": True}
        assert client.post("/v1/runs/r/close", {}).json()["closed"] is True
        assert client.put("/v1/runs/r/decisions/b").json()["type"] == "urn:discreet:finished"
    with serving(tmp_path) as client:
        assert client.get("/v1/runs/r").json()["closed"] is True


def test_users_at_their_limit_are_refused_or_served(tmp_path):
    spec = BANDIT | PUBLIC | {"max_rounds_per_user": 1}
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", spec)
        user = {"user": "u"}
        assert client.put("/v1/runs/r/decisions/a", user).status_code == 201
        refused = client.put("/v1/runs/r/decisions/b", user)
        assert refused.status_code == 409
        served = client.put("/v1/runs/r/decisions/b", user | {"at_limit": "serve"}).json()
        assert (served["id"], served["learns"]) == (-1, False)
        body = {"reward": 1.0, "token": served["token"]}
        assert client.put("/v1/runs/r/decisions/-1/outcome", body).status_code == 204
        assert client.post("/v1/runs/r/rounds-of", user).json() == {"rounds": 1}
        several = client.post(
            "/v1/runs/r/decisions", {"each": [{"user": "u"}, {"user": "v"}, {"user": "w"}]}
        ).json()["decisions"]
        assert ["problem" in each for each in several] == [True, False, False]


def test_estimates_and_holdouts_are_shown(tmp_path):
    spec = BANDIT | PUBLIC | {"holdout": 4, "arms": [1, 2]}
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", spec)
        for _ in range(60):
            given = client.post("/v1/runs/r/decisions", {"count": 4}).json()["decisions"]
            told = [{"id": each["id"], "reward": 1.0, "token": each["token"]} for each in given]
            found = client.post("/v1/runs/r/outcomes", {"outcomes": told}).json()["results"]
            assert {each["status"] for each in found} == {204}
        found = client.get("/v1/runs/r/estimates?level=0.9").json()
        assert [each["arm"] for each in found["arms"]] == [1, 2]
        assert len(found["differences"]) == 1
        client.post("/v1/runs/r/holdout", {"give_up": True})
        held = client.get("/v1/runs/r/holdout").json()["held_out"]
        assert [each["arm"] for each in held] == [1, 2]


def test_rates_recover_and_callers_are_told_apart():
    now = [0.0]
    limit = RateLimit(2.0, 3.0, lambda: now[0])
    for _ in range(3):
        limit.count("a")
    with pytest.raises(HttpProblem):
        limit.count("a")
    limit.count("b")
    now[0] = 0.5
    limit.count("a")
    RateLimit(0.0, 0.0).count("a")


def test_an_unexpected_error_says_nothing_about_data():
    problem = problem_of(ValueError("could not convert 0.7302"))
    assert (problem.status, "0.73" in problem.detail) == (500, False)


def test_the_writer_survives_a_failing_change(tmp_path):
    with serving(tmp_path) as client:

        def fail():
            raise ZeroDivisionError

        with pytest.raises(HttpProblem, match="inside the service"):
            client.wait(client.service.writer.call(fail))
        assert client.put("/v1/runs/r", BANDIT | PUBLIC).status_code == 201
        assert threading.current_thread() is not client.service.writer._thread


def test_the_service_needs_no_driver_of_postgresql(python):
    program = "import sys; sys.modules['psycopg'] = None\nimport discreet.service.server\n"
    program += "print(sorted(each for each in sys.modules if each.startswith('psycopg.')))"
    assert python(program) == "[]"


def test_the_library_needs_no_web_framework(python):
    wanted = ("starlette", "uvicorn", "httpx", "jinja2", "psycopg")
    program = f"import sys\nfor name in {wanted!r}: sys.modules[name] = None\n"
    program += "import discreet, discreet.cli.commands\n"
    program += "discreet.Bandit(arms=2, horizon=10, epsilon=1.0, simulation=True).ask()\n"
    program += "from discreet.cli import run; print(run(['serve', 'nowhere']))"
    assert python(program) == "2"


def test_a_group_that_fails_is_answered_and_the_next_one_works(tmp_path, monkeypatch):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | PUBLIC)
        live = client.service.host.get("r").live
        honest = type(live).exchange

        def fail(self, drain):
            drain()
            raise ZeroDivisionError

        for broken in (fail, lambda self, drain: 1 / 0, lambda self, drain: [None]):
            monkeypatch.setattr(type(live), "exchange", broken)
            found = client.put("/v1/runs/r/decisions/a")
            assert found.json()["type"] == "urn:discreet:internal"
        monkeypatch.setattr(type(live), "exchange", honest)
        assert client.put("/v1/runs/r/decisions/a").status_code == 201


def test_answers_are_sent_at_once_also_without_uvloop():
    """Otherwise every answer of two parts would take 40 ms; uvloop does so by itself."""

    async def is_sent_at_once():
        found = asyncio.get_running_loop().create_future()

        async def connected(reader, writer):
            there = writer.get_extra_info("socket")
            found.set_result(there.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen(ListenAddress("127.0.0.1", 0)) as door:
            server = await asyncio.start_server(connected, sock=door)
            _, writer = await asyncio.open_connection(*door.getsockname()[:2])
            result = await found
            writer.close()
            server.close()
            return result

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        assert runner.run(is_sent_at_once())
