"""Some 250 requests that must be refused: method, path, how they are sent, expected statuses."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from serving import ADVICE, BANDIT

CANARY = 0.730219  # an outcome that no answer may show
RUN = "/v1/runs/r"
DECISION = f"{RUN}/decisions"
OUTCOME = f"{DECISION}/0/outcome"


class Hostile(NamedTuple):
    """One request, and the statuses that are right."""

    what: str
    method: str
    path: str
    statuses: tuple[int, ...]
    body: Any = None
    content: bytes | None = None
    headers: dict[str, str] = {}  # noqa: RUF012
    token: str = "admin"  # which of the tokens that the test has


def _outcomes():
    wrong = [
        {},
        {"reward": CANARY, "loss": CANARY},
        {"reward": 1.0 + CANARY},
        {"reward": -CANARY},
        {"reward": "0.730219"},
        {"reward": True},
        {"reward": None},
        {"reward": [CANARY]},
        {"reward": {"A": CANARY}},
        {"rewards": [CANARY, CANARY]},
        {"reward": 10**400},
        {"reward": CANARY, "id": 1},
        {"reward": CANARY, "extra": 1},
        {"token": 5, "reward": CANARY},
        {"token": ["x"], "reward": CANARY},
        {"token": "x"},
    ]
    for body in wrong:
        yield Hostile(f"outcome {list(body)}", "PUT", OUTCOME, (400, 422), body)
    for token in ("x", "", "a.b", "\u00e9", "x" * 5000):
        body = {"token": token, "reward": CANARY}
        yield Hostile(f"token {token[:5]!r}", "PUT", OUTCOME, (404, 422), body)
    for number in (
        "1",
        "99",
        "-1",
        "-2",
        "007",
        "1e3",
        "0x0",
        "9" * 16,
        "9" * 40,
        "x",
        "%20",
        "1.0",
    ):
        body = {"reward": CANARY}
        yield Hostile(f"id {number}", "PUT", f"{DECISION}/{number}/outcome", (404,), body)
    several = [
        {},
        {"outcomes": []},
        {"outcomes": {}},
        {"outcomes": [[]]},
        {"outcomes": [{"reward": CANARY}]},
        {"outcomes": [{"id": "0", "reward": CANARY}]},
        {"outcomes": [{"id": 0.0, "reward": CANARY}]},
        {"outcomes": [{"id": True, "reward": CANARY}]},
        {"outcomes": [{"id": 0, "reward": CANARY}] * 1001},
        {"outcomes": [{"id": 10**30, "reward": CANARY}]},
        {"outcomes": [{"id": 0, "reward": CANARY}, 7]},
        {"outcomes": [], "more": 1},
    ]
    for place, body in enumerate(several):
        yield Hostile(f"outcomes {place}", "POST", f"{RUN}/outcomes", (422,), body)


def _asks():
    wrong = [
        {"available": []},
        {"available": ["C"]},
        {"available": "A"},
        {"available": [None]},
        {"available": [["A"]]},
        {"available": {"A": 1}},
        {"user": None},
        {"user": ["u"]},
        {"user": {"u": 1}},
        {"user": 1.5},
        {"at_limit": "other"},
        {"at_limit": 5},
        {"advice": ADVICE},
        {"context": [1.0]},
        {"seed": 1},
        {"self": 1},
        {"seen": 0},
        {"name": "x"},
        {"__class__": 1},
    ]
    for body in wrong:
        yield Hostile(f"ask {body}", "PUT", f"{DECISION}/new", (422,), body)
    for name in ("x" * 129, "a b", "a%00b", "é", "a%0Ab", "a;b", "%", "a|b", "<x>"):
        yield Hostile(f"name {name[:8]}", "PUT", f"{DECISION}/{name}", (422,), {})
    several = [
        {},
        {"count": 0},
        {"count": 1001},
        {"count": -1},
        {"count": 1.5},
        {"count": True},
        {"count": "3"},
        {"count": 1, "each": [{}]},
        {"each": []},
        {"each": {}},
        {"each": [1]},
        {"each": [{"name": "a b"}]},
        {"each": [{"name": 5}]},
        {"each": [{}] * 1001},
        {"count": 1, "other": 1},
        {"count": 2, "available": ["C"]},
    ]
    for body in several:
        yield Hostile(f"several {str(body)[:40]}", "POST", DECISION, (422,), body)


def _specs():
    base = BANDIT | {"wait_declined": True}
    wrong = [
        {},
        {"problem": None},
        {"problem": "other"},
        {"problem": ["bandit"]},
        {**BANDIT},
        {**BANDIT, "wait": None},
        {**BANDIT, "wait_declined": False},
        {**BANDIT, "wait_declined": 1},
        {**BANDIT, "wait": 60.0},
        {**BANDIT, "wait": 60.0, "default_reward": 0.0, "wait_declined": True},
        {**BANDIT, "wait": -1.0, "default_reward": 0.0},
        {**BANDIT, "wait": "60", "default_reward": 0.0},
        {**BANDIT, "wait": 60.0, "default_reward": 5.0},
        {**base, "arms": []},
        {**base, "arms": 0},
        {**base, "arms": -3},
        {**base, "arms": 10**12},
        {**base, "arms": "AB"},
        {**base, "arms": ["A", "A"]},
        {**base, "arms": [1, "1"]},
        {**base, "arms": ["A", None]},
        {**base, "arms": ["A", 1.5]},
        {**base, "arms": ["A", ["B"]]},
        {**base, "arms": ["A", ""]},
        {**base, "arms": ["A", "x" * 500]},
        {**base, "arms": ["A", "B\u0007"]},
        {**base, "epsilon": 0},
        {**base, "epsilon": -1},
        {**base, "epsilon": "1"},
        {**base, "epsilon": None},
        {**base, "delta": 2},
        {**base, "horizon": 0},
        {**base, "horizon": 1.5},
        {**base, "horizon": "many"},
        {**base, "low": 1.0, "high": 0.0},
        {**base, "clip": "yes"},
        {**base, "algorithm": "uniform"},
        {**base, "algorithm": "no-such"},
        {**base, "algorithm": 7},
        {**base, "algorithm": "tsallis-inf"},
        {**base, "simulation": True},
        {**base, "seed": 1},
        {**base, "path": "/tmp/x.db"},
        {**base, "store": "sqlite:////tmp/x.db"},
        {**base, "key": "/tmp/k"},
        {**base, "ledger": "x"},
        {**base, "per": -1},
        {**base, "per": 60},
        {**base, "per": "1h", "max_rounds_per_user": 3},
        {**base, "max_rounds_per_user": 0},
        {**base, "durable": "never"},
        {**base, "no_such_option": 1},
        {**base, "self": 1},
        {**base, "prior": 5},
        {**base, "prior": {"A": "x"}},
        {**base, "explore": 2},
        {**base, "capacity": 1},
        {"problem": "slates", "items": 4, "shown": 9, "horizon": 99, "epsilon": 1.0}
        | {"wait_declined": True},
        {"problem": "optimizer", "domain": "../../etc/passwd", "horizon": 99, "epsilon": 1.0}
        | {"wait_declined": True},
        {"problem": "optimizer", "domain": "ball(3", "horizon": 99, "epsilon": 1.0}
        | {"wait_declined": True},
        {"problem": "contexts", "features": 5, "horizon": 99, "epsilon": 1.0, "delta": 1e-6}
        | {"wait_declined": True},
        {"problem": "contexts", "features": {"arms": 2, "x": 1}, "horizon": 99, "epsilon": 1.0}
        | {"wait_declined": True, "delta": 1e-6},
        {"problem": "contexts", "features": {"context": 2}, "horizon": 99, "epsilon": 1.0}
        | {"wait_declined": True, "delta": 1e-6},
        {"problem": "experts", "horizon": 99, "epsilon": 1.0, "wait_declined": True},
    ]
    for place, body in enumerate(wrong):
        yield Hostile(f"spec {place} {str(body)[:60]}", "PUT", "/v1/runs/new", (422,), body)
    good = BANDIT | {"wait_declined": True}
    for name in (".", "..", "a b", "-x", "x" * 65, "%2e%2e", "é", "a%2Fb", "a%00", "_", "a:b"):
        yield Hostile(f"run name {name}", "PUT", f"/v1/runs/{name}", (404, 405, 422), good)
    yield Hostile("another spec", "PUT", RUN, (409,), good | {"epsilon": 0.25})


def _bodies():
    deep = b"[" * 5000 + b"]" * 5000
    wrong = {
        "text": b"hello",
        "half": b'{"reward": 0.73',
        "list": b"[1]",
        "number": b"0.730219",
        "nan": b'{"reward": NaN}',
        "infinity": b'{"reward": Infinity}',
        "minus infinity": b'{"reward": -Infinity}',
        "too large": b'{"reward": 1e999}',
        "many digits": b'{"reward": ' + b"7" * 5000 + b"}",
        "twice": b'{"reward": 0.730219, "reward": 0.5}',
        "deep": b'{"reward": ' + deep + b"}",
        "deep object": b'{"a":' * 3000 + b"1" + b"}" * 3000,
        "bytes": b'{"reward": "\xff\xfe"}',
        "surrogate": b'{"token": "\\ud800", "reward": 0.5}',
        "nul": b'{"token": "\\u0000", "reward": 0.5}',
        "utf-16": '{"reward": 0.5}'.encode("utf-16"),
        "bom": b'\xef\xbb\xbf{"reward": 0.5}',
        "two": b'{"reward": 0.5}{"reward": 0.5}',
        "comment": b'{"reward": 0.5} // x',
        "null": b"null",
    }
    for name, content in wrong.items():
        for method, path in (("PUT", OUTCOME), ("PUT", f"{DECISION}/new"), ("PUT", "/v1/runs/new")):
            yield Hostile(f"body {name}", method, path, (400, 422), content=content)
    huge = json.dumps({"x": "y" * 70_000}).encode()
    yield Hostile("huge ask", "PUT", f"{DECISION}/new", (413,), content=huge)
    yield Hostile("huge outcome", "PUT", OUTCOME, (413,), content=huge)
    yield Hostile("huge spec", "PUT", "/v1/runs/new", (413,), content=huge * 20)
    yield Hostile("huge reports", "POST", "/v1/tasks/t/reports", (413,), content=b"x" * (1 << 21))
    kinds = {"text/plain": 415, "application/xml": 415, "application/jsonx": 415, "a/b;c": 415}
    for kind, status in kinds.items():
        for path in (OUTCOME, f"{DECISION}/new", "/v1/runs/new"):
            yield Hostile(
                f"kind {kind}",
                "PUT",
                path,
                (status,),
                content=b'{"reward": 0.5}',
                headers={"Content-Type": kind},
            )
    packed = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    yield Hostile("packed", "PUT", OUTCOME, (415,), content=b'{"reward": 0.5}', headers=packed)


def _rights():
    changes = [
        ("PUT", f"{DECISION}/new", {}),
        ("PUT", OUTCOME, {"reward": CANARY}),
        ("POST", DECISION, {"count": 1}),
        ("POST", f"{RUN}/outcomes", {"outcomes": [{"id": 0, "reward": CANARY}]}),
        ("POST", f"{DECISION}/0/give-up", {}),
        ("POST", f"{RUN}/rounds-of", {"user": "u"}),
    ]
    reads = [
        ("GET", f"{RUN}/{each}", None)
        for each in ("releases", "estimates", "history", "holdout", "decisions")
    ]
    admin = [
        ("PUT", "/v1/runs/new", BANDIT | {"wait_declined": True}),
        ("POST", f"{RUN}/close", {}),
        ("POST", "/v1/tokens", {"role": "admin"}),
        ("GET", "/v1/tokens", None),
        ("DELETE", "/v1/tokens/tok_x", None),
        ("PUT", f"{RUN}/arms/C", {}),
        ("DELETE", f"{RUN}/arms/A", None),
        ("POST", f"{RUN}/holdout", {}),
        ("PUT", "/v1/tasks/new", {"dimension": 2, "horizon": 9, "epsilon": 1.0}),
        ("GET", "/v1/ledger", None),
        ("GET", "/metrics", None),
    ]
    anything = [("GET", RUN, None), ("GET", f"{RUN}/guarantee", None)]
    for method, path, body in changes + reads + admin + anything:
        for who in ("none", "unknown", "revoked", "expired", "basic"):
            yield Hostile(f"{who} {path}", method, path, (401,), body, token=who)
        yield Hostile(f"other run {path}", method, path, (403,), body, token="decide other")
    for method, path, body in changes + admin:
        yield (
            Hostile(f"read {path}", method, path, (403,), body, token="read")
            if (path not in ("/v1/ledger", "/metrics"))
            else Hostile(f"read one {path}", method, path, (403,), body, token="read r")
        )
    for method, path, body in reads + admin:
        yield Hostile(f"decide {path}", method, path, (403,), body, token="decide r")


def _others():
    for method in ("PATCH", "TRACE", "DELETE", "POST", "OPTIONS", "GET", "CONNECT"):
        yield Hostile(f"{method} outcome", method, OUTCOME, (405,))
    for path in (
        "/v1",
        "/v2/runs",
        "/v1/run",
        "/v1/runs/r/decisions/0/outcome/x",
        "/v1/runs/",
        "//",
    ):
        yield Hostile(f"path {path}", "GET", path, (404, 405))
    queries = ["level=2", "level=x", "level=nan", "kind=other", "outcomes=x", "clipped=1", "x=1"]
    for query in [*queries, "level=0.9&level=0.8"]:
        yield Hostile(f"estimates {query}", "GET", f"{RUN}/estimates?{query}", (422,))
    for query in (
        "after=-1",
        "limit=1001",
        "limit=x",
        "after=1e3",
        "after=%D9%A1",
        "after=" + "9" * 30,
    ):
        yield Hostile(f"releases {query}", "GET", f"{RUN}/releases?{query}", (422,))
        yield Hostile(f"open {query}", "GET", f"{DECISION}?{query}", (422,))
    for body in (
        {},
        {"role": "root"},
        {"role": 5},
        {"role": "read", "run": "a b"},
        {"role": "read", "run": 5},
        {"role": "read", "label": 5},
        {"role": "read", "label": "x" * 101},
        {"role": "read", "expires": 1},
        {"role": "read", "expires": "never"},
        {"role": "read", "scope": "all"},
    ):
        yield Hostile(f"token {body}", "POST", "/v1/tokens", (422,), body)
    for content in (b"", b"x", b"x" * 32, b"dr\x01" + b"x" * 29, b"x" * 33, b"x" * 32 * 1001):
        yield Hostile(
            f"report {len(content)}", "POST", "/v1/tasks/t/reports", (422,), content=content
        )
    for body in (
        {},
        {"dimension": 0},
        {"dimension": 2, "horizon": 9, "epsilon": 1.0, "path": "/x"},
    ):
        yield Hostile(f"task {body}", "PUT", "/v1/tasks/new", (422,), body)
    task = {"dimension": 2, "horizon": 1000, "epsilon": 2.0}
    yield Hostile("another task", "PUT", "/v1/tasks/t", (409,), task)
    yield Hostile("no task", "GET", "/v1/tasks/u/model", (404,))
    yield Hostile("task ..", "PUT", "/v1/tasks/..%2Fx", (404, 422), task)
    yield Hostile("no run", "PUT", "/v1/runs/none/decisions/a", (404,), {})
    yield Hostile("no arm", "DELETE", f"{RUN}/arms/Z", (404,))
    yield Hostile("no capacity", "PUT", f"{RUN}/arms/C", (422,), {})
    yield Hostile("arm twice", "PUT", f"{RUN}/arms/A", (409,), {})
    yield Hostile("no token of that id", "DELETE", "/v1/tokens/tok_none", (404,))


HOSTILE = [*_outcomes(), *_asks(), *_specs(), *_bodies(), *_rights(), *_others()]
