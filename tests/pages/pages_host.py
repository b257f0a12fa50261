"""A host in memory with runs of every problem, and a server for it: what tests of pages share."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import NamedTuple

import httpx
import uvicorn
from starlette.applications import Starlette

import discreet
from discreet.service.pages.routes import routes

READER, WRITER, ADMIN, ONE_RUN = "dsc_read", "dsc_decide", "dsc_admin", "dsc_one"
ADVICE = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]
HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
START = 1_770_000_000.0


class Bucket(NamedTuple):
    at: float
    decisions: tuple[int, ...]
    total: int
    releases: int


class Rollup(NamedTuple):
    labels: list
    width: float
    buckets: list


class Hosted:
    def __init__(self, problem, live, spec, labels):
        self.problem, self.live, self.spec, self.labels = problem, live, spec, list(labels)
        self.created, self.closed, self.restores = START, False, []
        self.buckets: dict[int, list[int]] = {}
        self.released = 0

    def note(self, at, choice):
        counts = self.buckets.setdefault(int(at // 60), [0] * (2 + len(self.labels)))
        counts[0] += 1
        if self.labels:
            counts[2 + self.labels.index(choice)] += 1
        now = self.live.state().released
        counts[1] += now - self.released
        self.released = now


class FakeTraffic:
    def __init__(self):
        self.rates, self.times, self.kinds = {}, {}, {}

    def decisions_per_second(self, run):
        return self.rates.get(run, 0.0)

    def latencies(self, run):
        return self.times.get(run)

    def errors(self):
        return self.kinds


class FakeHost:
    """What the pages read of a host, over live objects in memory."""

    def __init__(self, ledger=None):
        self.runs, self.traffic, self.ledger = {}, FakeTraffic(), ledger
        self.closed_runs = {}

    def renew(self):
        pass

    def refused(self):
        return self.closed_runs

    def names(self):
        return list(self.runs)

    def get(self, name):
        return self.runs[name]

    def history(self, name):
        run = self.runs[name]
        buckets = [
            Bucket(60.0 * at, tuple(counts[2:]), counts[0], counts[1])
            for at, counts in sorted(run.buckets.items())
        ]
        return Rollup(run.labels, 60.0, buckets)

    def releases(self, name):
        run = self.runs[name]
        for number, row in enumerate(run.live._run.releases(), 1):
            label = run.live._label(row.choice) if row.choice >= 0 else None
            value = (
                row.value if isinstance(row.value, float) else [float(x) for x in row.value.flat]
            )
            yield {"number": number, **row._asdict(), "choice": label, "value": value}

    def budget(self):
        if self.ledger is None:
            return None
        entries = [
            {
                "number": e.number,
                "label": e.label,
                "epsilon": e.epsilon,
                "delta": e.delta,
                "at": START,
            }
            for e in self.ledger.entries()
        ]
        return {
            "budget": self.ledger.budget._asdict(),
            "spent": self.ledger.spent._asdict(),
            "remaining": self.ledger.remaining._asdict(),
            "entries": entries,
        }

    def charge_label(self, name):
        return self.runs[name].live.charge_label

    def restores(self, name):
        return self.runs[name].restores


class FakeTokens:
    def __init__(self):
        self.known = {
            READER: ("read", "*"),
            WRITER: ("decide", "*"),
            ADMIN: ("admin", "*"),
            ONE_RUN: ("read", "welcome-mail"),
        }

    def role_of(self, token, run):
        role, own = self.known.get(token, (None, ""))
        return role if own in ("*", run) else None

    def runs_of(self, token):
        return self.known.get(token, (None, None))[1]


MAKERS = {
    "bandit": (discreet.Bandit, "arms"),
    "best-arm": (discreet.BestArmSearch, "arms"),
    "experts": (discreet.Experts, "experts"),
    "optimizer": (discreet.Optimizer, ""),
    "vector-optimizer": (discreet.VectorOptimizer, ""),
    "slates": (discreet.SlateBandit, ""),
    "advice": (discreet.Advisor, "arms"),
    "contexts": (discreet.ContextualBandit, ""),
}


def add(host, name, problem, *, ledger=None, **spec):
    """Add a run before its first decision."""
    maker, chosen = MAKERS[problem]
    given = dict(spec)
    if problem == "contexts":
        given["features"] = discreet.Features(**given["features"])
    if ledger is not None:
        given["ledger"] = ledger
    live = maker(**given)
    labels = spec[chosen] if chosen else ()
    labels = range(labels) if isinstance(labels, int) else labels
    hosted = Hosted(problem, live, {"problem": problem, **spec}, labels)
    host.runs[name] = hosted
    return hosted


def outcome(problem, decision, reward):
    if problem == "experts":
        return {"rewards": [reward] * len(decision.weights)}
    if problem == "vector-optimizer":
        return {"loss": [reward / len(decision.point)] * len(decision.point)}
    if problem == "slates":
        return {"rewards": [reward] * len(decision.items)}
    return {"reward": reward}


def play(host, name, rounds, reward, *, start=START, every=1.0, user=None, tell=True):
    """Let a run decide and hear of outcomes; ``reward`` gives one for a decision."""
    hosted = host.runs[name]
    live, problem = hosted.live, hosted.problem
    for number in range(rounds):
        asked = {} if user is None else {"user": user(number)}
        if problem == "advice":
            decision = live.ask(ADVICE, **asked)
        elif problem == "contexts":
            decision = live.ask([0.5], **asked)
        else:
            decision = live.ask(**asked)
        if tell:
            live.tell(decision, **outcome(problem, decision, reward(decision)))
        if hosted.labels:
            hosted.note(
                start + every * number, decision[0] if problem != "experts" else decision.expert
            )
        else:
            hosted.note(start + every * number, None)
    return live.state()


class PageClient:
    """Sends requests to pages without a network, and keeps cookies."""

    def __init__(self, app, base="http://service.test"):
        self.app, self.base, self.cookies = app, base, httpx.Cookies()

    def send(self, method, path, **options):
        async def talk():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(
                transport=transport, base_url=self.base, cookies=self.cookies
            ) as client:
                found = await client.request(method, path, **options)
                self.cookies = client.cookies
                return found

        return asyncio.run(talk())

    def get(self, path, **options):
        return self.send("GET", path, **options)

    def post(self, path, **options):
        return self.send("POST", path, **options)


@contextlib.contextmanager
def served(host, tokens=None, refresh=5.0, records=None):
    """Serve the pages of a host at a free port of this machine."""
    app = Starlette(routes=routes(host, tokens or FakeTokens(), records, refresh=refresh))
    settings = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
