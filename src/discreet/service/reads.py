"""What can be read: runs, guarantees, releases, estimates, history, ledger, metrics."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import cast

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.estimates.table import Kind, Outcomes
from discreet.guarantee import Guarantee
from discreet.live import Advisor, Bandit, BestArmSearch
from discreet.live.arguments import labels_of
from discreet.live.arms import ArmsClient
from discreet.service.calls import Call, plain, respond, whole
from discreet.service.forms import Json
from discreet.service.host import Host, Hosted
from discreet.service.problems import HttpProblem

PAGE, MOST = 100, 1000  # entries of one page
MOST_ARMS = 64  # of which all differences are given; of more, those from the best one


def guarantee_facts(guarantee: Guarantee) -> Json:
    """Return a guarantee for JSON."""
    return {
        "sentence": str(guarantee),
        "short": guarantee.short,
        "facts": guarantee.as_dict(),
    }


def run_facts(found: Hosted, host: Host) -> Json:
    """Return what is public about a run."""
    live, state = found.live, found.live.state()
    shares = [{"choice": choice, "share": share} for choice, share in state.shares.items()]
    deadline = None
    if found.wait is not None:
        oldest = live.open_decisions.page(limit=1)
        deadline = host.now() - oldest[0].age + found.wait if oldest else None
    facts = {
        "run": found.name,
        "problem": found.problem,
        "algorithm": live.algorithm,
        "created": found.created,
        "closed": found.closed,
        "spec": found.spec,
        "labels": list(found.labels),
        "wait": found.wait,
        "guarantee": guarantee_facts(live.guarantee),
        "state": state._asdict() | {"shares": shares},
        "next_deadline": deadline,
        "words": repr(live),
    }
    if isinstance(live, Advisor):
        facts["experts"] = list(labels_of("experts", found.spec["experts"]))
    if isinstance(live, BestArmSearch):
        facts |= {"answer": live.answer, "finished": live.finished}
    return facts


async def show_run(call: Call) -> Response:
    """Show a run."""
    call.query()
    found = await call.hosted()
    return respond(await run_in_threadpool(run_facts, found, call.service.host))


async def list_runs(call: Call) -> Response:
    """List the runs that the token may see."""
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


async def show_guarantee(call: Call) -> Response:
    """Show the guarantee of a run."""
    call.query()
    return respond(guarantee_facts((await call.hosted()).live.guarantee))


async def list_releases(call: Call) -> Response:
    """List releases, oldest first."""
    given = call.query("after", "limit")
    after, limit = whole(given, "after", 0, 10**15), whole(given, "limit", PAGE, MOST)
    found = await call.hosted()
    rows = await run_in_threadpool(found.releases)
    page = rows[after : after + max(1, limit)]
    shown = [
        {
            "number": after + place,
            "batch": row.batch,
            "choice": found.label_of(row.choice),
            "size": row.size,
            "probability": row.probability,
            "at": row.at,
            "value": plain(row.value),
        }
        for place, row in enumerate(page, 1)
    ]
    more = after + len(page) < len(rows) and bool(page)
    return respond({"releases": shown, "next": after + len(page) if more else None})


async def list_open(call: Call) -> Response:
    """List decisions whose outcome may still come; with ``wait`` that is all before a deadline."""
    given = call.query("after", "limit")
    after = whole(given, "after", 0, 10**15) if "after" in given else None
    limit = max(1, whole(given, "limit", PAGE, MOST))
    found = await call.hosted()
    page = await run_in_threadpool(found.live.open_decisions.page, after, limit)
    shown = [plain(each._asdict()) for each in page]
    return respond({"decisions": shown, "next": page[-1].id if len(page) == limit else None})


async def show_estimates(call: Call) -> Response:
    """Show means and differences with intervals, from releases."""
    given = call.query("level", "kind", "outcomes", "clipped")
    found = await call.hosted()
    if not isinstance(found.live, ArmsClient):
        raise HttpProblem("invalid", f"estimates are of arms: {found.problem} has none.")
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


def estimate_facts(
    live: ArmsClient,
    level: float,
    kind: str,
    outcomes: str,
    clipped: bool,
) -> Json:
    """Return estimates for JSON; labels stay what they are."""
    found = live.estimates(
        level, cast(Kind, kind), outcomes=cast(Outcomes, outcomes), clipped=clipped
    )
    arms = [
        {"arm": arm, **each._asdict()} | ({} if each.releases else {"mean": None})
        for arm, each in found.arms.items()
    ]
    known = [arm for arm, each in found.arms.items() if each.releases]
    if len(known) <= MOST_ARMS:
        pairs = {
            (one, other): found.difference(one, other)
            for one, other in itertools.combinations(known, 2)
        }
    else:
        pairs = found.differences()
    differences = [
        {"one": one, "other": other, **each._asdict()} for (one, other), each in pairs.items()
    ]
    facts = {
        "kind": found.kind,
        "level": found.level,
        "outcomes": found.outcomes,
        "arms": arms,
        "differences": differences,
        "notes": list(found.notes),
    }
    return plain(facts)  # type: ignore[no-any-return]


async def show_history(call: Call) -> Response:
    """Show decisions and releases by time."""
    call.query()
    found = await call.hosted()
    return respond(call.service.host.history(found.name).as_dict())


async def show_holdout(call: Call) -> Response:
    """Show what was released of the rounds that were held out."""
    call.query()
    found = await call.hosted()
    if not isinstance(found.live, Bandit):
        raise HttpProblem("invalid", f"only bandits hold rounds out: {found.problem} has none.")
    held = found.live.held_out
    shown = None if held is None else [plain(each._asdict()) for each in held]
    return respond({"held_out": shown})


async def show_ledger(call: Call) -> Response:
    """Show the budget, what is spent, and every charge."""
    call.query()
    return respond(await run_in_threadpool(ledger_facts, call.service.host))


def ledger_facts(host: Host) -> Json:
    """Return the ledger for JSON; without a budget nothing is refused, but all is listed."""
    if host.ledger is None:
        entries = [
            {"number": number, "label": found.name}
            | {each: found.live.guarantee.as_dict()[each] for each in ("epsilon", "delta")}
            | {"time": datetime.fromtimestamp(found.created, UTC).isoformat()}
            for number, found in enumerate(map(host.get, host.names()), 1)
        ]
        return plain(  # type: ignore[no-any-return]
            {"budget": None, "spent": None, "remaining": None, "entries": entries}
        )
    ledger = host.ledger
    return plain(  # type: ignore[no-any-return]
        {
            "budget": ledger.budget._asdict(),
            "spent": ledger.spent._asdict(),
            "remaining": ledger.remaining._asdict(),
            "entries": [each._asdict() for each in ledger.entries()],
        }
    )


async def show_metrics(call: Call) -> Response:
    """Show counters of decisions and releases, in Prometheus' format."""
    call.query()
    host = call.service.host
    return Response(
        host.traffic.text(len(host.names())),
        media_type="text/plain; version=0.0.4; charset=utf-8",
        headers={"Cache-Control": "no-store"},
    )
