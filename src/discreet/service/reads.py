"""Read-only routes: runs, guarantees, releases, estimates, history, ledger, metrics."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.live import Bandit
from discreet.live.arms import ArmsClient
from discreet.service.calls import RouteCall, respond, whole
from discreet.service.facts import (
    estimate_facts,
    guarantee_facts,
    plain,
    release_facts,
    run_facts,
)
from discreet.service.problems import HttpProblem

PAGE, MOST = 100, 1000  # entries of one page


async def show_run(call: RouteCall) -> Response:
    """Show a run."""
    call.query()
    found = await call.hosted()
    return respond(await run_in_threadpool(run_facts, found, call.service.host.now()))


async def list_runs(call: RouteCall) -> Response:
    """List the runs that the token gives access to."""
    call.query()
    host, grant = call.service.host, call.grant
    assert grant is not None, "the route needs a token"
    shown = [host.get(name) for name in host.names() if grant.reads(name)]
    return respond(
        {
            "runs": [
                {
                    "run": each.name,
                    "problem": each.problem,
                    "algorithm": each.live.algorithm,
                    "closed": each.closed,
                }
                for each in shown
            ]
        }
    )


async def show_guarantee(call: RouteCall) -> Response:
    """Show the guarantee of a run."""
    call.query()
    return respond(guarantee_facts((await call.hosted()).live.guarantee))


async def list_releases(call: RouteCall) -> Response:
    """List releases, oldest first."""
    given = call.query("after", "limit")
    after, limit = whole(given, "after", 0, 10**15), whole(given, "limit", PAGE, MOST)
    found = await call.hosted()
    rows = await run_in_threadpool(found.releases)
    shown = release_facts(found, rows, after, after + max(1, limit))
    last = after + len(shown)
    return respond({"releases": shown, "next": last if shown and last < len(rows) else None})


async def list_open(call: RouteCall) -> Response:
    """List decisions whose outcome may still arrive; with ``wait``, all before their deadline."""
    given = call.query("after", "limit")
    after = whole(given, "after", 0, 10**15) if "after" in given else None
    limit = max(1, whole(given, "limit", PAGE, MOST))
    found = await call.hosted()
    page = await run_in_threadpool(found.live.open_decisions.page, after, limit)
    shown = [plain(each._asdict()) for each in page]
    return respond({"decisions": shown, "next": page[-1].id if len(page) == limit else None})


async def show_estimates(call: RouteCall) -> Response:
    """Show means and differences with intervals, from releases."""
    given = call.query("level", "kind", "outcomes", "clipped")
    found = await call.hosted()
    if not isinstance(found.live, ArmsClient):
        raise HttpProblem("invalid", f"only runs on arms have estimates, not {found.problem}.")
    try:
        level = float(given.get("level", "0.95"))
    except ValueError:
        raise HttpProblem("invalid", "level must be a number.") from None
    clipped = given.get("clipped", "false")
    if clipped not in ("true", "false"):
        raise HttpProblem("invalid", "clipped must be true or false.")
    facts = await run_in_threadpool(
        estimate_facts,
        found.live,
        level,
        given.get("kind", "anytime"),
        given.get("outcomes", "rewards"),
        clipped == "true",
    )
    return respond(facts)


async def show_history(call: RouteCall) -> Response:
    """Show decisions and releases by time."""
    call.query()
    found = await call.hosted()
    return respond(call.service.host.history(found.name).as_dict())


async def show_holdout(call: RouteCall) -> Response:
    """Show the released sums of held-out rounds."""
    call.query()
    found = await call.hosted()
    if not isinstance(found.live, Bandit):
        raise HttpProblem("invalid", f"only bandits have a hold-out, not {found.problem}.")
    held = found.live.held_out
    shown = None if held is None else [plain(each._asdict()) for each in held]
    return respond({"held_out": shown})


async def show_ledger(call: RouteCall) -> Response:
    """Show the budget, what is spent, and every charge."""
    call.query()
    return respond(await run_in_threadpool(call.service.host.ledger_facts))


async def show_metrics(call: RouteCall) -> Response:
    """Show counters of decisions and releases, in Prometheus' format."""
    call.query()
    host = call.service.host
    return Response(
        host.traffic.text(len(host.names())),
        media_type="text/plain; version=0.0.4; charset=utf-8",
        headers={"Cache-Control": "no-store"},
    )
