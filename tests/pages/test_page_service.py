"""The pages of the real service: mounted, signed in by its tokens, with the numbers of its runs."""

from __future__ import annotations

import json
import re
import time

import pytest
from serving import EVERY, PUBLIC, WAITING, Client, serving

from discreet.service.app import make_app
from discreet.service.pages.host_source import RESTORED, ServiceSource
from discreet.service.pages.view_privacy import privacy_view
from discreet.service.pages.views import run_view
from discreet.service.server import pages_of

VIEWS = ("results", "privacy", "operations", "report")


class Browser(Client):
    """A client of the pages: without a token in its requests, but with cookies."""

    def __init__(self, service):
        super().__init__(service, "", make_app(service, pages_of(service)))

    def sign_in(self, token):
        return self.post("/sign-in", data={"token": token})


@pytest.fixture
def service(tmp_path):
    with serving(tmp_path / "service") as client:
        yield client


@pytest.fixture
def browser(service):
    browser = Browser(service.service)
    yield browser
    browser.close()


def play(client, name, problem, rounds=12):
    spec, asked, outcome, _ = EVERY[problem]
    assert client.put(f"/v1/runs/{name}", spec | PUBLIC).status_code == 201
    for _ in range(rounds):
        given = client.post(f"/v1/runs/{name}/decisions", {"count": 1, **asked}).json()
        number = given["decisions"][0]["id"]
        found = client.put(f"/v1/runs/{name}/decisions/{number}/outcome", outcome)
        assert found.status_code == 204


def test_the_list_and_all_views_of_all_problems(service, browser):
    for problem in EVERY:
        play(service, f"run-{problem}", problem)
    assert browser.sign_in(service.new_token("read")).status_code == 303
    listed = browser.get("/")
    for problem in EVERY:
        name = f"run-{problem}"
        assert f'href="/runs/{name}/results"' in listed.text
        told = service.get(f"/v1/runs/{name}").json()
        for view in VIEWS:
            found = browser.get(f"/runs/{name}/{view}")
            assert found.status_code == 200, (problem, view)
        page = browser.get(f"/runs/{name}/results").text
        assert f'id="decisions">{told["state"]["round"]:,}<' in page
        assert f'id="releases">{told["state"]["released"]:,}<' in page
        rows = browser.get(f"/runs/{name}/releases.json").json()["rows"]
        assert rows == service.get(f"/v1/runs/{name}/releases").json()["releases"]
        history = browser.get(f"/runs/{name}/history.json").json()["rows"]
        assert sum(row["decisions"] for row in history) == told["state"]["round"] == 12


def test_choices_of_contexts_are_on_no_page(service, browser):
    play(service, "news", "contexts")
    browser.sign_in(service.new_token("read", "news"))
    for view in (*VIEWS, "releases.csv", "history.csv"):
        text = browser.get(f"/runs/news/{view}").text
        assert not re.search(r">x<|>y<|choice: |\bx,|,x\b", text), view


def test_a_revoked_token_ends_its_sign_in_and_a_deciding_one_has_none(service, browser):
    assert browser.sign_in(service.new_token("decide")).status_code == 403
    token, grant = service.service.tokens.create("read", "*")[:2]
    assert browser.sign_in(token).status_code == 303
    assert browser.get("/").status_code == 200
    assert service.delete(f"/v1/tokens/{grant.id}").status_code == 204
    assert browser.get("/").status_code == 303


def test_another_worker_knows_the_sign_in(service, browser):
    browser.sign_in(service.new_token("read"))
    other = Browser(service.service)
    other.http.cookies = browser.http.cookies
    assert other.get("/").status_code == 200
    other.close()


def test_runs_of_other_processes_are_opened(service, browser, monkeypatch):
    """Here the other process is this one, which has forgotten the run."""
    monkeypatch.setattr("discreet.service.pages.host_source.RENEW_EVERY", 0.0)
    play(service, "mail", "bandit", rounds=2)
    host = service.service.host
    browser.sign_in(service.new_token("read"))
    forgotten = host._runs.pop("mail")
    forgotten.live.close()
    assert 'href="/runs/mail/results"' in browser.get("/").text
    assert browser.get("/runs/mail/results").status_code == 200


def test_pages_leave_the_api_alone(service, browser):
    """A cookie is no token of the API, and pages add no fields to its problems."""
    browser.sign_in(service.new_token("admin"))
    assert browser.get("/v1/runs").status_code == 401
    assert browser.put("/v1/runs/x", {}).status_code == 401
    assert browser.get("/healthz").json() == {"status": "ok"}
    assert browser.get("/nothing").headers["content-type"] == "application/problem+json"


def test_latency_errors_and_restores(service, browser):
    play(service, "mail", "bandit")
    assert service.get("/v1/runs/absent").status_code == 404
    source = ServiceSource(service.service.host)
    events = json.dumps([{"at": 1.77e9, "detail": "One open batch was abandoned."}]).encode()
    service.service.host.records.put(RESTORED, "mail", events, time.time())
    run = run_view(source, "mail")
    found = privacy_view(source, run, whole=True)
    assert found.restores == ((1.77e9, "One open batch was abandoned."),)
    assert (found.budget, found.at_limit) == (None, None)
    browser.sign_in(service.new_token("read"))
    page = browser.get("/runs/mail/operations").text
    assert '<th scope="row">median</th>' in page
    assert "not-found" in page


def test_with_wait_nothing_is_shown_of_answers(service, browser, monkeypatch):
    """While the clock stands still, pages are the same before and after all have answered."""
    service.put("/v1/runs/mail", EVERY["bandit"][0] | WAITING)
    given = service.post("/v1/runs/mail/decisions", {"count": 40}).json()["decisions"]
    browser.sign_in(service.new_token("read"))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)

    def pages():
        return [browser.get(f"/runs/mail/{view}").text for view in VIEWS]

    before = pages()
    for each in given:
        found = service.put(f"/v1/runs/mail/decisions/{each['id']}/outcome", {"reward": 1.0})
        assert found.status_code == 204
    assert pages() == before
    assert 'id="open">40<' in before[2]
