"""Pages over HTTP: who may read what, what headers say, and what hostile names can do (nothing)."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from urllib.parse import unquote

import pyarrow.parquet
import pytest
from pages_host import (
    ADMIN,
    HOSTILE,
    ONE_RUN,
    READER,
    START,
    WRITER,
    FakeHost,
    FakeTokens,
    PageClient,
    add,
    play,
)
from starlette.applications import Starlette

import discreet
from discreet.service.pages import signing
from discreet.service.pages.routes import POLICY, routes
from discreet.service.pages.sessions import SessionMemory

BATCHES = {"algorithm": "batched-exp3", "batch_size": 4}
VIEWS = ("results", "privacy", "operations", "report")


@pytest.fixture(scope="module")
def host():
    host = FakeHost(discreet.Ledger(5.0))
    arms = ["plain", HOSTILE, "x" * 500]
    add(host, "welcome-mail", "bandit", arms=arms, horizon=400, epsilon=1.0, **BATCHES)
    play(host, "welcome-mail", 200, lambda decision: 1.0 if decision.arm == "plain" else 0.0)
    features = {"arms": ["sports", "politics"], "context": 1}
    add(host, "news", "contexts", features=features, horizon=400, epsilon=1.0, delta=1e-6)
    play(host, "news", 100, lambda _: 0.5)
    return host


def client_of(host, tokens=None, records=None):
    app = Starlette(routes=routes(host, tokens or FakeTokens(), records))
    return PageClient(app)


def signed_in(host, token=READER, **options):
    client = client_of(host, **options)
    assert client.post("/sign-in", data={"token": token}).status_code == 303
    return client


def test_nothing_is_shown_without_a_sign_in(host):
    client = client_of(host)
    for path in ("/", "/runs/welcome-mail", *(f"/runs/welcome-mail/{view}" for view in VIEWS)):
        found = client.get(path)
        assert found.status_code == 303
        wanted = "" if path == "/" else f"?next={path}"
        assert unquote(found.headers["location"]) == f"/sign-in{wanted}"
        assert found.text == ""
    assert client.get("/runs/welcome-mail/releases.csv").headers["location"] == "/sign-in"


@pytest.mark.parametrize("token", [WRITER, "", "dsc_unknown", "x" * 3000])
def test_tokens_that_may_not_read_are_refused(host, token):
    client = client_of(host)
    found = client.post("/sign-in", data={"token": token})
    assert found.status_code == 403
    assert "set-cookie" not in found.headers
    assert "role read or admin" in found.text
    assert token == "" or token not in found.text


def test_a_cookie_is_no_token_and_scripts_cannot_read_it(host):
    records = SessionMemory()
    client = client_of(host, records=records)
    found = client.post("/sign-in", data={"token": f" {READER}\n", "next": "/runs/news/privacy"})
    assert found.headers["location"] == "/runs/news/privacy"
    cookie = found.headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=strict", "Max-Age=43200"} <= set(cookie.split("; "))
    assert READER not in cookie
    assert READER.encode() not in b"".join(content for content, _ in records._kept.values())
    session = client.cookies[signing.COOKIE]
    assert all(session not in name for _, name in records._kept)
    assert client.get("/").status_code == 200
    assert "Secure" not in cookie
    https = PageClient(client.app, "https://service.test")
    assert "Secure" in https.post("/sign-in", data={"token": READER}).headers["set-cookie"]


@pytest.mark.parametrize(
    "place", ["//evil.example", "https://evil.example", "/runs/../x", "/v1/runs", "\\\\x"]
)
def test_signing_in_leads_to_pages_of_this_site_only(host, place):
    found = client_of(host).post("/sign-in", data={"token": READER, "next": place})
    assert found.headers["location"] == "/"


def test_signing_out_ends_the_sign_in_everywhere(host):
    records = SessionMemory()
    client = signed_in(host, records=records)
    session = client.cookies[signing.COOKIE]
    found = client.post("/sign-out")
    assert found.status_code == 303
    assert "Max-Age=0" in found.headers["set-cookie"]
    client.cookies.set(signing.COOKIE, session)
    assert client.get("/").status_code == 303


def test_a_revoked_token_ends_its_sign_ins(host):
    tokens = FakeTokens()
    client = signed_in(host, tokens=tokens)
    assert client.get("/").status_code == 200
    del tokens.known[READER]
    assert client.get("/").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_forms_of_other_sites_are_refused(host, headers):
    client = signed_in(host)
    assert client.post("/sign-out", headers=headers).status_code == 403
    assert client.get("/").status_code == 200
    fresh = client_of(host)
    found = fresh.post("/sign-in", data={"token": READER}, headers=headers)
    assert found.status_code == 403
    assert "set-cookie" not in found.headers


def test_forms_of_this_site_and_of_programs_are_taken(host):
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://service.test"}, {}):
        found = client_of(host).post("/sign-in", data={"token": READER}, headers=headers)
        assert found.status_code == 303


def test_odd_forms_are_refused(host):
    client = client_of(host)
    for content, kind in [
        (b"token=" + b"x" * 10_000, "application/x-www-form-urlencoded"),
        (b"\xff\xfe", "application/x-www-form-urlencoded"),
        (b"&".join(b"a=1" for _ in range(20)), "application/x-www-form-urlencoded"),
        (b'{"token": "dsc_read"}', "application/json"),
        (b"token=dsc_read", "text/plain"),
    ]:
        found = client.post("/sign-in", content=content, headers={"Content-Type": kind})
        assert found.status_code == 403


def test_one_who_follows_a_link_of_another_site_is_asked_to_come_again(host):
    """A strict cookie is kept back then; the page leads to itself, and the cookie comes along."""
    found = client_of(host).get("/runs/news/privacy", headers={"Sec-Fetch-Site": "cross-site"})
    assert found.status_code == 200
    assert '<meta http-equiv="refresh" content="0">' in found.text


def test_a_token_of_one_run_shows_that_run_only(host):
    client = signed_in(host, ONE_RUN)
    listed = client.get("/").text
    assert "welcome-mail" in listed
    assert "news" not in listed
    assert client.get("/runs/welcome-mail/privacy").status_code == 200
    unknown, other = client.get("/runs/absent/privacy"), client.get("/runs/news/privacy")
    assert (unknown.status_code, other.status_code) == (404, 404)
    assert unknown.text.replace("absent", "news") == other.text
    assert "A token for all runs shows it" in client.get("/runs/welcome-mail/privacy").text


def test_runs_that_could_not_be_opened_are_listed_for_those_who_may_read_all(host, monkeypatch):
    reason = "the run old is a restored copy of <b>something</b>."
    monkeypatch.setattr(host, "closed_runs", {"old": reason})
    page = signed_in(host).get("/").text
    assert "old is not open: the run old is a restored copy of &lt;b&gt;" in page
    assert "restored copy" not in signed_in(host, ONE_RUN).get("/").text


@pytest.mark.parametrize(
    "path", ["/runs/..%2f/results", "/runs/%00/results", "/runs/-/results", "/static/../routes.py"]
)
def test_odd_addresses_are_not_found(host, path):
    assert signed_in(host, ADMIN).get(path).status_code == 404


def test_every_answer_has_a_strict_policy(host):
    client = signed_in(host)
    paths = ["/", "/sign-in", "/runs/none/results", "/static/site.css", "/runs/news/history.csv"]
    for path in (*paths, *(f"/runs/welcome-mail/{view}" for view in VIEWS)):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        kept = "public, max-age=31536000, immutable" if "static" in path else "no-store"
        assert headers["cache-control"] == kept
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'; ")


@pytest.mark.parametrize(
    ("error", "status"),
    [(discreet.OldCopy("an old copy."), 503), (ZeroDivisionError("canary"), 500)],
)
def test_what_fails_is_a_page_with_one_sentence(host, monkeypatch, error, status):
    def fail(_):
        raise error

    client = signed_in(host)
    monkeypatch.setattr(host, "get", fail)
    if status == 503:
        assert "news is not open: an old copy." in client.get("/").text
    found = client.get("/runs/news/privacy")
    assert found.status_code == status
    assert found.headers["content-security-policy"] == POLICY
    assert ("an old copy." in found.text) == (status == 503)
    assert "canary" not in found.text


def test_hostile_names_are_text(host):
    client = signed_in(host)
    for view in VIEWS:
        page = client.get(f"/runs/welcome-mail/{view}").text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert not re.search(r"<[^>]+\sstyle=", page)
        assert page.count("<script") == 1
    assert (
        html.escape(HOSTILE, quote=True).split("&#x27;")[0][:30]
        in client.get("/runs/welcome-mail/results").text
    )


def test_searching_and_pages_of_runs():
    host = FakeHost()
    for number in range(130):
        add(host, f"run-{number:03}", "bandit", arms=2, horizon=100, epsilon=1.0, simulation=True)
    client = signed_in(host)
    first, last = client.get("/").text, client.get("/?page=3").text
    assert first.count('<th role="rowheader" scope="row">') == 60
    assert last.count('<th role="rowheader" scope="row">') == 10
    assert "run-129" in last
    found = client.get("/", params={"q": "RUN-12"}).text
    assert found.count('<th role="rowheader" scope="row">') == 10
    odd = client.get("/", params={"q": '"><script>', "page": "²"}).text
    assert "&#34;&gt;&lt;script&gt;" in odd


def test_downloads_are_the_numbers_of_the_run(host):
    client, live = signed_in(host), host.get("welcome-mail").live
    exact = live.estimates(0.99)
    query = {"level": "0.99"}
    text = client.get("/runs/welcome-mail/estimates.csv", params=query)
    assert (
        text.headers["content-disposition"] == 'attachment; filename="welcome-mail-estimates.csv"'
    )
    rows = list(csv.DictReader(io.StringIO(text.text)))
    for row, (arm, each) in zip(rows, exact.arms.items(), strict=False):
        assert (row["arm"], row["minus"]) == (arm, "")
        assert float(row["low"]) == each.low
        assert int(row["rounds"]) == each.rounds
    told = client.get("/runs/welcome-mail/estimates.json", params=query).json()
    assert [row["mean"] for row in told["rows"]][:3] == [each.mean for each in exact.arms.values()]
    assert (told["level"], told["guarantee"]) == (0.99, str(live.guarantee))
    file = client.get("/runs/welcome-mail/estimates.parquet", params=query)
    table = pyarrow.parquet.read_table(io.BytesIO(file.content))
    assert table.column("high").to_pylist() == [row["high"] for row in told["rows"]]
    assert json.loads(table.schema.metadata[b"level"]) == 0.99


def test_releases_and_history_are_those_of_the_run(host):
    client, live = signed_in(host), host.get("welcome-mail").live
    told = client.get("/runs/welcome-mail/releases.json").json()["rows"]
    rows = live._run.releases()
    assert [(row["batch"], row["value"], row["at"]) for row in told] == [
        (row.batch, row.value, row.at) for row in rows
    ]
    history = client.get("/runs/welcome-mail/history.json").json()["rows"]
    assert sum(row["decisions"] for row in history) == live.state().round == 200
    assert sum(row["releases"] for row in history) == live.state().released
    shares = live.state().shares
    assert sum(row["choice: plain"] for row in history) == round(200 * shares.get("plain", 0.0))


def test_downloads_of_contexts_have_no_choices(host):
    client = signed_in(host)
    for form in ("csv", "json", "parquet"):
        for table in ("releases", "history"):
            content = client.get(f"/runs/news/{table}.{form}").content
            assert b"sports" not in content
            assert b"politics" not in content
    page = client.get("/runs/news/results").text
    assert "sports" not in page
    assert client.get("/runs/news/estimates.csv").status_code == 422
    vectors = client.get("/runs/news/releases.parquet").content
    column = pyarrow.parquet.read_table(io.BytesIO(vectors)).column("value").to_pylist()
    assert all(isinstance(each, list) for each in column)


def test_an_empty_run_has_empty_downloads():
    host = FakeHost()
    add(host, "empty", "bandit", arms=["A", "B"], horizon=100, epsilon=1.0)
    client = signed_in(host)
    for table in ("releases", "history", "estimates"):
        for form in ("csv", "json", "parquet"):
            assert client.get(f"/runs/empty/{table}.{form}").status_code == 200
    assert client.get("/runs/empty/anything.csv").status_code == 404
    assert client.get("/runs/empty/history.xlsx").status_code == 404


@pytest.mark.parametrize("waits", [True, False])
def test_pages_are_the_same_whoever_answers(monkeypatch, waits):
    """The same decisions, by seed; in one run all answer, in the other nobody.

    With ``wait`` no page shows which run it is. Without it pages may: the time is public.
    """
    monkeypatch.setattr("discreet.service.pages.views.time.time", lambda: START + 500.0)
    options = {"simulation": True, "seed": 5, **BATCHES, "batch_size": 128}
    options |= {"wait": 1e9, "default_reward": 0.0} if waits else {}
    pages = []
    for tell in (True, False):
        host = FakeHost()
        add(host, "run", "bandit", arms=["A", "B"], horizon=400, epsilon=1.0, **options)
        host.get("run").live._run._clock = lambda: START
        play(host, "run", 100, lambda _: 1.0, tell=tell)
        client = signed_in(host)
        paths = [f"/runs/run/{view}" for view in VIEWS]
        paths += [f"/runs/run/{table}.csv" for table in ("estimates", "releases", "history")]
        pages.append([client.get(path).text for path in ("/", *paths)])
    assert (pages[0] == pages[1]) == waits


def test_numbers_of_outcomes_appear_on_no_page():
    """Canaries: each outcome is a number that nothing else would be."""
    host = FakeHost()
    canary = 0.7318264905
    add(host, "run", "bandit", arms=["A", "B"], horizon=400, epsilon=1.0, **BATCHES)
    play(host, "run", 3, lambda _: canary)
    client = signed_in(host)
    for path in (
        "",
        "/results",
        "/privacy",
        "/operations",
        "/report",
        "/releases.csv",
        "/estimates.json",
    ):
        assert "7318264905"[:6] not in client.get(f"/runs/run{path}").text
