"""The pages in a real browser (Debian's Chromium): silent, live, usable by keyboard, printable."""

from __future__ import annotations

import itertools
import random
import shutil

import pytest
from pages_host import (
    HOSTILE,
    ONE_RUN,
    READER,
    WRITER,
    FakeHost,
    FakeTokens,
    add,
    play,
    served,
)

import discreet
from discreet.service.pages.sessions import SessionMemory

REFRESH = 0.15  # seconds
VIEWS = ("results", "privacy", "operations", "report")
PROBLEMS = {
    "best": ("best-arm", {"arms": ["A", "B"], "batch_size": 4}),
    "experts": ("experts", {"experts": ["A", "B"]}),
    "points": ("optimizer", {"domain": "ball(3)", "delta": 1e-6}),
    "vectors": ("vector-optimizer", {"geometry": "cube", "dimension": 3, "delta": 1e-6}),
    "slates": ("slates", {"items": ["A", "B", "C"], "shown": 2}),
    "advice": ("advice", {"arms": ["A", "B"], "experts": 3}),
    "contexts": ("contexts", {"features": {"arms": ["A", "B"], "context": 1}, "delta": 1e-6}),
}
UNLABELLED = """() => [...document.querySelectorAll('svg')].filter(
    each => !each.closest('[aria-hidden=true]') && !each.closest('[role=img]')).length"""
# Whether text or anything else is wider than the window: neither may be.
TOO_WIDE = """() => document.documentElement.scrollWidth > window.innerWidth"""


@pytest.fixture(scope="module")
def chromium():
    """Return a browser, or leave the tests out."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def host():
    """Return a host with runs of all problems; one has names that no page may trip over."""
    chance = random.Random(3)
    ledger = discreet.Ledger(4.0)
    host = FakeHost(ledger)
    means = {"plain": 0.3, HOSTILE: 0.5, "x" * 400: 0.8, "short": 0.6}
    options = {"horizon": 100_000, "epsilon": 1.0, "ledger": ledger, "algorithm": "best"}
    add(host, "welcome-mail", "bandit", arms=list(means), **options)
    play(host, "welcome-mail", 4000, lambda decision: float(chance.random() < means[decision.arm]))
    many = [f"variant {number} of very many" for number in range(50)]
    add(host, "fifty", "bandit", arms=many, **options)
    play(host, "fifty", 3000, lambda _: float(chance.random() < 0.5))
    for name, (problem, spec) in PROBLEMS.items():
        add(host, name, problem, horizon=400, epsilon=1.0, **spec)
        play(host, name, 60, lambda _: 0.5)
    add(host, "empty", "bandit", arms=3, horizon=100, epsilon=0.1, max_rounds_per_user=2)
    add(host, "waits", "bandit", arms=2, horizon=None, epsilon=1.0, wait=1e6, default_reward=0.0)
    play(host, "waits", 20, lambda _: 1.0)
    host.get("fifty").closed = True
    host.traffic.rates["welcome-mail"] = 12.5
    host.traffic.times["welcome-mail"] = (0.0005, 0.0037, 0.0078)
    host.traffic.kinds.update({"invalid": 3, "limit-reached": 41})
    host.get("welcome-mail").restores = [{"at": 1.77e9, "detail": "One open batch was abandoned."}]
    return host


@pytest.fixture(scope="module")
def tokens():
    return FakeTokens()


@pytest.fixture(scope="module")
def records():
    return SessionMemory()


@pytest.fixture(scope="module")
def url(host, tokens, records):
    """Return where pages are that stay as they are."""
    with served(host, tokens, 60.0, records) as url:
        yield url


@pytest.fixture(scope="module")
def live_url(host, tokens, records):
    """Return where the same pages soon look for news; cookies are for both."""
    with served(host, tokens, REFRESH, records) as url:
        yield url


@pytest.fixture(scope="module")
def session(chromium, url):
    """Return the cookies of a browser that has signed in."""
    context = chromium.new_context()
    page = context.new_page()
    sign_in(page, url, READER)
    page.wait_for_url(f"{url}/")
    cookies = context.cookies()
    context.close()
    return cookies


def sign_in(page, url, token, path="/"):
    page.goto(url + path)
    page.fill("#token", token)
    page.press("#token", "Enter")


@pytest.fixture
def opened(chromium, session):
    """Return what opens a window that is signed in, and check that its console stays silent."""
    contexts, said = [], []

    def failed(request):
        if request.failure != "net::ERR_ABORTED":  # by leaving the page
            said.append(f"{request.failure}: {request.url}")

    def open_window(width=1180, height=900, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.add_cookies(session)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", failed)
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert said == []


def test_signing_in_and_out(chromium, url):
    context = chromium.new_context()
    page = context.new_page()
    sign_in(page, url, WRITER, "/runs/best/privacy")
    assert "role read or admin" in page.inner_text("[role=alert]")
    page.fill("#token", READER)
    page.click("text=Sign in >> nth=-1")
    page.wait_for_url(f"{url}/runs/best/privacy")
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert page.evaluate("document.cookie") == ""
    page.click("text=Sign out")
    page.wait_for_url(f"{url}/sign-in")
    assert context.cookies() == []
    page.goto(f"{url}/runs/best/privacy")
    assert page.url.startswith(f"{url}/sign-in")
    context.close()


def test_a_link_of_another_site_leads_to_the_page(opened, url):
    """A strict cookie is not sent with that request; localhost is another site than 127.0.0.1."""
    page = opened()
    page.goto(url.replace("127.0.0.1", "localhost") + "/sign-in")
    page.evaluate("place => { location.href = place }", f"{url}/runs/best/privacy")
    page.wait_for_selector("#plain")
    assert page.url == f"{url}/runs/best/privacy"


def test_an_open_page_of_a_revoked_token_shows_the_sign_in(chromium, live_url, tokens):
    context = chromium.new_context()
    page = context.new_page()
    tokens.known["dsc_brief"] = ("read", "*")
    sign_in(page, live_url, "dsc_brief", "/runs/best/privacy")
    page.wait_for_selector("#plain")
    del tokens.known["dsc_brief"]
    page.wait_for_selector("#token")
    context.close()


def test_numbers_on_the_page_are_those_of_the_run(opened, url, host):
    live, page = host.get("welcome-mail").live, opened()
    page.goto(f"{url}/runs/welcome-mail/results")
    state, exact = live.state(), live.estimates()
    assert page.inner_text("#decisions") == f"{state.round:,}" == "4,000"
    assert page.inner_text("#releases") == f"{state.released:,}"
    shares = [f"{100 * state.shares.get(arm, 0.0):.1f} %" for arm in exact.arms]
    shown = page.locator("#arm-shares td:nth-child(2)").all_inner_texts()
    assert [words if words[0] not in "<>" else None for words in shown] == [
        words if shown[at][0] not in "<>" else None for at, words in enumerate(shares)
    ]
    means = page.locator("#means .mean").all_inner_texts()
    for words, each in zip(means, exact.arms.values(), strict=True):
        assert abs(float(words.replace("−", "-")) - each.mean) <= 0.51 * 10.0 ** -len(
            words.split(".")[1]
        )
    pairs = list(itertools.combinations(exact.arms, 2))
    rows = page.locator("#differences .range").all_inner_texts()
    assert len(rows) == len(pairs)
    for words, pair in zip(rows, pairs, strict=True):
        low, high = (float(part) for part in words.replace("−", "-").split(" to "))
        found = exact.difference(*pair)
        assert low == pytest.approx(found.low, abs=0.01)
        assert high == pytest.approx(found.high, abs=0.01)
    page.goto(f"{url}/runs/welcome-mail/privacy")
    assert page.inner_text("#spent") == f"{host.ledger.spent.epsilon:g}" == "2"
    page.click("summary")
    assert page.inner_text("#formal") == f"{live.guarantee}."
    page.goto(f"{url}/runs/welcome-mail/operations")
    assert page.inner_text("#rate") == "12.5"
    assert page.inner_text("#lost") == str(state.lost)
    assert "limit-reached" in page.inner_text("#errors")


def test_pages_follow_the_run(opened, live_url, host):
    page = opened()
    page.goto(f"{live_url}/runs/experts/results")
    before = host.get("experts").live.state().round
    assert page.inner_text("#decisions") == str(before)
    table = page.locator("summary").nth(1)
    table.click()
    play(host, "experts", 30, lambda _: 0.5)
    page.locator(f"#decisions:text-is('{before + 30}')").wait_for()
    assert page.locator("details").nth(1).get_attribute("open") is not None
    page.click("#pause")
    assert page.get_attribute("#pause", "aria-pressed") == "true"
    play(host, "experts", 10, lambda _: 0.5)
    page.wait_for_timeout(4 * 1000 * REFRESH)
    assert page.inner_text("#decisions") == str(before + 30)
    page.click("#pause")
    page.locator(f"#decisions:text-is('{before + 40}')").wait_for()


def test_a_page_says_when_it_is_old(chromium, session, live_url):
    context = chromium.new_context()
    context.add_cookies(session)
    page = context.new_page()
    page.goto(f"{live_url}/runs/best/operations")
    assert page.inner_text("#stale") == ""
    page.route("**/operations", lambda route: route.abort())
    page.get_by_role("status").get_by_text("Not updated: no connection").wait_for()
    page.unroute("**/operations")
    page.locator("html[data-stale=no]").wait_for()
    assert page.inner_text("#stale") == ""
    context.close()


def test_a_first_decision_changes_the_page(opened, live_url, host):
    add(host, "fresh", "bandit", arms=["A", "B"], horizon=100, epsilon=1.0)
    page = opened()
    page.goto(f"{live_url}/runs/fresh/operations")
    assert "No decisions yet" in page.inner_text("#rates")
    play(host, "fresh", 5, lambda _: 0.5)
    page.wait_for_selector("#rates-chart-title", state="attached")
    page.wait_for_selector("#rates-rows", state="attached")


def test_the_keyboard_is_enough(opened, live_url):
    page = opened()
    page.goto(live_url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    box = page.locator(".skip").bounding_box()
    assert box["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    for _ in range(12):
        page.keyboard.press("Tab")
        place = page.evaluate("document.activeElement.getAttribute('href') || ''")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        if place.startswith("/runs/"):
            break
    page.wait_for_timeout(3 * 1000 * REFRESH)
    assert page.evaluate("document.activeElement.getAttribute('href')") == place
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_url}{place}")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim().slice(0, 20)"))
    assert {"Results", "Privacy", "Operations", "Sign out"} <= reached


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_400_pixels(opened, url, host, scheme):
    page = opened(400, 800, color_scheme=scheme)
    for name, view in [("welcome-mail", v) for v in VIEWS] + [("fifty", "results")]:
        page.goto(f"{url}/runs/{name}/{view}")
        assert not page.evaluate(TOO_WIDE), (name, view)
    page.goto(url)
    assert not page.evaluate(TOO_WIDE)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light == "rgb(245, 246, 248)") == (scheme == "light")


@pytest.mark.parametrize(
    "views", [VIEWS[:1], pytest.param(VIEWS, marks=pytest.mark.full)], ids=["results", "all"]
)
def test_every_run_has_every_view(opened, url, host, views):
    page = opened()
    for name, view in itertools.product(host.names(), views):
        assert page.goto(f"{url}/runs/{name}/{view}").status == 200
        assert name in page.inner_text("h1")
        assert page.evaluate(UNLABELLED) == 0
        assert page.evaluate("document.querySelectorAll('h1').length") == 1


def test_charts_and_their_tables_are_named_for_screen_readers(opened, url):
    page = opened()
    page.goto(f"{url}/runs/welcome-mail/results")
    chart = page.get_by_role("img", name="Share of each arm over time")
    assert chart.count() == 1
    assert "In the latest interval" in chart.locator("desc").text_content()
    assert page.get_by_role("table", name="Released means").count() == 1
    assert page.get_by_role("table", name="Differences").count() == 1
    assert page.get_by_role("navigation", name="Views of this run").count() == 1
    page.goto(f"{url}/runs/welcome-mail/privacy")
    assert page.get_by_role("img", name="Budget by charge").count() == 1


def test_tables_are_tables_on_narrow_screens_too(opened, url):
    page = opened(400, 800)
    page.goto(f"{url}/runs/welcome-mail/results")
    table = page.get_by_role("table", name="Released means")
    assert table.get_by_role("row").count() == 6
    assert table.get_by_role("rowheader").count() == 4
    page.goto(url)
    assert page.get_by_role("rowheader", name="welcome-mail").count() == 1


def test_options_of_estimates_are_kept_and_downloads_follow_them(opened, url):
    page = opened()
    page.goto(f"{url}/runs/welcome-mail/results")
    page.select_option("select[name=level]", "0.99")
    page.select_option("select[name=together]", "yes")
    page.click("text=Show >> nth=-1")
    page.wait_for_url("**level=0.99**")
    assert page.input_value("select[name=together]") == "yes"
    assert "all of them hold together with 99 %" in page.inner_text("main")
    with page.expect_download() as started:
        page.click("a[href*='estimates.csv']")
    assert started.value.suggested_filename == "welcome-mail-estimates.csv"
    assert "level=0.99" in started.value.url


def test_the_report_prints(opened, url, tmp_path):
    page = opened(color_scheme="dark")
    page.goto(f"{url}/runs/welcome-mail/report")
    assert page.is_visible("#print")
    content = page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert content.startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.is_visible(".top")
    assert not page.is_visible("#print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.is_visible("text=Privacy report: welcome-mail")


def test_injected_scripts_do_not_run(chromium, session, url):
    """Names cannot inject; if something could, the policy would still stop it."""
    context = chromium.new_context()
    context.add_cookies(session)
    page = context.new_page()
    page.goto(f"{url}/runs/welcome-mail/results")
    assert page.evaluate("document.querySelectorAll('main script, main img').length") == 0
    refused = page.evaluate(
        """() => { try { document.body.innerHTML = '<b>x</b>'; return '' }
                   catch (error) { return error.name } }"""
    )
    assert refused == "TypeError"
    context.close()


def test_a_token_of_one_run_lists_that_run(chromium, url):
    context = chromium.new_context()
    page = context.new_page()
    sign_in(page, url, ONE_RUN)
    page.wait_for_url(f"{url}/")
    assert page.locator("tbody th a").all_inner_texts() == ["welcome-mail"]
    context.close()
